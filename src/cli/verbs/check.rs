//! `variopath check`: what a machine is, what limits it, what is left open.

use super::machine_match::{self, Match};
use super::next;
use crate::analyzer;
use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::pipeline;
use crate::codegen;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit, json_entry, one_line};
use crate::dsl;
use crate::topology::{self, Examined, Survey, Topology};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::Path;

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Exits 3 when there is a warning
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Compares it with the machine that this runs on; exits 3 where they contradict each other
    #[arg(long)]
    machine: bool,
    /// Takes this folder, which looks like /sys, for the machine that this runs on
    #[arg(long, value_name = "DIR", requires = "machine", hide = true)]
    sysfs: Option<String>,
    /// Prints one JSON document, `variopath-check/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// What `--deny` turns into a failure.
#[derive(ValueEnum, Debug, Clone, Copy)]
enum Deny {
    Warnings,
}

/// Draws the machine, names its slowest link under a uniform exchange, warns of what is odd, asks
/// for what is unknown and says what to type next. Neither warnings nor questions fail a check.
pub(in crate::cli) fn check(context: &mut Context, args: &CheckArgs) -> Outcome {
    let (target, machine) = pipeline::machine(context, &args.target)?;
    let digest = dsl::digest(&target.file);
    let Examined { mut survey, topology, warnings } = topology::examine(&machine, digest.clone())?;
    let questions = topology.is_none();
    context.notes.extend(warnings);
    let carried = topology.as_ref().and_then(|topology| topology.carried_out_by(&codegen::KERNELS));
    let kernels = carried.as_ref().and_then(codegen::unsupported).map(|refusal| refusal.message);
    let analyzed = topology.as_ref().is_some_and(|of| analyzer::unsupported(of).is_empty());
    let planned_ideal = topology
        .as_ref()
        .is_some_and(|topology| analyzer::unplanned(&topology.clone().ideal()).is_empty());
    let refused = topology.map_or_else(Vec::new, |topology| refusals(&mut survey, &topology));
    // What is not planned is not built either.
    let kernels = kernels.filter(|_| refused.is_empty());
    let found = match args.machine {
        false => None,
        true => {
            let root = Path::new(args.sysfs.as_deref().unwrap_or("/sys"));
            Some(machine_match::with_this(context, root, &machine, &survey)?)
        }
    };
    let state = next::State {
        questions,
        refused: !refused.is_empty(),
        planned_ideal,
        analyzed,
        kernels: kernels.is_none(),
        survey: &survey,
    };
    let next = next::next(context, &args.target, target.kind, &state);
    if context.json {
        let findings = context.notes.sorted();
        let findings: Vec<_> = findings.iter().map(|d| json_entry(&context.sources, d)).collect();
        context.print_json(&json!({
            "format": "variopath-check/1",
            "topology": machine.name,
            "digest": digest,
            "survey": survey,
            "warnings": context.warnings(),
            "questions": context.notes.iter().filter(|d| d.code == topology::UNKNOWN_RATE)
                .map(|d| json!({"question": d.message, "answer": d.help})).collect::<Vec<_>>(),
            "findings": findings,
            "refused": refused,
            "kernels_refused": kernels,
            "machine": found.as_ref().map(|found| found.json(&context.sources)),
            "next": next,
        }))?;
    } else {
        let mut text = survey.draw();
        section(&mut text, "refused", &refused);
        let kernels = kernels.map(|why| format!("none: {why}"));
        section(&mut text, "kernels", kernels.as_slice());
        let matched: Vec<String> = found.iter().map(Match::line).collect();
        section(&mut text, "here", &matched);
        section(&mut text, "warnings", &counted(context.warnings()));
        section(&mut text, "next", &next);
        context.print(&text)?;
    }
    let mut failures = found.map_or_else(Diagnostics::new, |found| found.differences);
    if args.deny.is_some() && context.warnings() > 0 {
        let message = "there are warnings, and --deny warnings is given";
        failures.push(Diagnostic::error("denied", message).exit(Exit::Failed));
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure(failures)) }
}

/// What plans are refused for, the rules marked in the survey and counted here.
fn refusals(survey: &mut Survey, topology: &Topology) -> Vec<String> {
    let rules = analyzer::refused_rules(topology);
    survey.tell_planned(&rules);
    let others = analyzer::unplanned(topology);
    let mut lines: Vec<String> = others
        .into_iter()
        .filter(|refusal| refusal.code != analyzer::UNSUPPORTED_RULE)
        .map(|refusal| refusal.message)
        .collect();
    if !rules.is_empty() {
        lines.push("rules that are not planned with yet, marked above".to_owned());
    }
    lines
}

fn counted(warnings: usize) -> Vec<String> {
    match warnings {
        0 => Vec::new(),
        1 => vec!["1, on standard error with its reason".to_owned()],
        n => vec![format!("{n}, on standard error with their reasons")],
    }
}

/// Adds lines under a heading that stands on the first.
fn section(text: &mut String, heading: &str, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        let heading = if index == 0 { heading } else { "" };
        text.push_str(&format!("{heading:<11} {}\n", one_line(line)));
    }
}
