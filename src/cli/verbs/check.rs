//! `variopath check`: what a machine is, what limits it, what is left open.

use crate::analyzer::{self, Limits};
use crate::catalog;
use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, DEFAULT_DEMAND, internal};
use crate::demand;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit, Severity};
use crate::dsl;
use crate::topology::{self, Topology};
use clap::{Args, ValueEnum};
use serde_json::json;

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
            limits = uniform_limit(&built.topology)?;
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

/// What bounds a uniform exchange: the link that plans are limited by, and what each rank reaches.
fn uniform_limit(topology: &Topology) -> Outcome<String> {
    let catalog = analyzer::analyze(topology, &Limits::default())?;
    let ranks = topology.ranks.len();
    let demand = demand::parse_spec(DEFAULT_DEMAND, ranks)?;
    let bounds = catalog::bounds(&catalog, &demand).map_err(|error| internal(&error))?;
    let Some(link) = bounds.critical_link else { return Ok(String::new()) };
    let crossing = topology.routes.iter().filter(|route| route.links.contains(&link)).count();
    let each = u128::from(demand.total().0) / ranks as u128;
    let rate = each * 1_000_000_000_000 / u128::from(bounds.t_eff.0.max(1));
    Ok(format!(
        "limit       1 MiB from each GPU to each other takes at least {}: {} carries {crossing} of {} \
         pairs\n            so each GPU sends at most {}.{:02} GB/s on average\n",
        bounds.t_eff.nanos_down(),
        topology.resource_name(link),
        demand.pairs(),
        rate / 1_000_000_000,
        rate % 1_000_000_000 / 10_000_000,
    ))
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
