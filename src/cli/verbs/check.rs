//! `variopath check`: what a machine is, what limits it, what is left open.

use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Exit};
use crate::dsl;
use crate::topology::{self, Examined};
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

/// Draws the machine, names its slowest link under a uniform exchange, warns of what is odd and asks
/// for what is unknown. Neither warnings nor questions fail a check.
pub(in crate::cli) fn check(context: &mut Context, args: &CheckArgs) -> Outcome {
    let (target, machine) = pipeline::machine(context, &args.target)?;
    let digest = dsl::digest(&target.file);
    let Examined { survey, topology: _, warnings } = topology::examine(&machine, digest.clone())?;
    context.notes.extend(warnings);
    if context.json {
        context.print_json(&json!({
            "format": "variopath-check/1",
            "topology": machine.name,
            "digest": digest,
            "survey": survey,
            "warnings": context.warnings(),
            "questions": context.notes.iter().filter(|d| d.code == topology::UNKNOWN_RATE)
                .map(|d| json!({"question": d.message, "answer": d.help})).collect::<Vec<_>>(),
        }))?;
    } else {
        context.print(&survey.draw())?;
    }
    if args.deny.is_some() && context.warnings() > 0 {
        let message = "there are warnings, and --deny warnings is given";
        return Err(Diagnostic::error("denied", message).exit(Exit::Failed).into());
    }
    Ok(())
}
