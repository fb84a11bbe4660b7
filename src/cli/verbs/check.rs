//! `variopath check`: what a machine is, what limits it, what is left open.

use crate::base::{Bytes, Demand};
use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit, Severity};
use crate::dsl;
use crate::topology::{self, Topology};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::fmt::Write as _;

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Exits 3 when there is a warning
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Prints one JSON document, `variopath-check/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// What `--deny` turns into a failure.
#[derive(ValueEnum, Debug, Clone, Copy)]
enum Deny {
    Warnings,
}

/// Draws the machine, names its slowest link under a uniform exchange, and asks for what is
/// unknown. Open questions do not fail a check.
pub(in crate::cli) fn check(context: &mut Context, args: &CheckArgs) -> Outcome {
    let (target, machine) = pipeline::machine(context, &args.target)?;
    let survey = topology::survey(&machine);
    let mut limits = String::new();
    match topology::build(&machine, dsl::digest(&target.file)) {
        Ok(built) => {
            context.notes.extend(built.notes);
            limits = uniform_limit(&built.topology);
        }
        Err(problems) if only_questions(&problems) => context.notes.extend(as_notes(problems)),
        Err(problems) => return Err(problems.into()),
    }
    if context.json {
        context.print_json(&json!({
            "format": "variopath-check/1",
            "topology": machine.name,
            "digest": dsl::digest(&target.file),
            "survey": survey,
            "warnings": context.warnings(),
            "questions": context.notes.iter().filter(|d| d.code == topology::UNKNOWN_RATE)
                .map(|d| json!({"question": d.message, "answer": d.help})).collect::<Vec<_>>(),
        }))?;
    } else {
        context.print(&format!("{}{limits}", survey.draw()))?;
    }
    if args.deny.is_some() && context.warnings() > 0 {
        let message = "there are warnings, and --deny warnings is given";
        return Err(Diagnostic::error("denied", message).exit(Exit::Failed).into());
    }
    Ok(())
}

/// What bounds a uniform exchange: the most loaded link and what each rank then reaches.
fn uniform_limit(topology: &Topology) -> String {
    const PAIR: u64 = 1 << 20;
    let ranks = topology.ranks.len();
    let mut load = vec![0u64; topology.resources.len()];
    for route in &topology.routes {
        for link in &route.links {
            load[link.index()] += PAIR;
        }
    }
    let slowest = (0..load.len())
        .filter_map(|link| {
            let time = topology.resources[link].capacity?.time_of(Bytes(load[link])).ok()?;
            Some((time, std::cmp::Reverse(link)))
        })
        .max();
    let Some((time, std::cmp::Reverse(link))) = slowest else { return String::new() };
    let entries: Vec<u64> =
        (0..ranks * ranks).map(|i| if i / ranks == i % ranks { 0 } else { PAIR }).collect();
    let Ok(demand) = Demand::new(ranks, entries) else { return String::new() };
    let per_rank = PAIR * (ranks as u64 - 1);
    let rate = u128::from(per_rank) * 1_000_000_000_000 / u128::from(time.0.max(1));
    let mut out = String::new();
    let _ = writeln!(
        out,
        "limit       a uniform exchange of 1 MiB a pair ({} bytes) takes at least {}: {} carries \
         {} of {} pairs",
        demand.total(),
        time.nanos_down(),
        topology.resource_name(crate::base::LinkId::new(link)),
        load[link] / PAIR,
        demand.pairs(),
    );
    let _ = writeln!(
        out,
        "            so each rank sends at most {}.{:02} GB/s on average",
        rate / 1_000_000_000,
        rate % 1_000_000_000 / 10_000_000
    );
    out
}

fn only_questions(problems: &Diagnostics) -> bool {
    problems
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .all(|d| d.code == topology::UNKNOWN_RATE)
}

fn as_notes(problems: Diagnostics) -> Vec<Diagnostic> {
    problems
        .into_iter()
        .map(|mut d| {
            if d.severity == Severity::Error {
                d.severity = Severity::Note;
            }
            d
        })
        .collect()
}
