//! `variopath verify`: a plan against machine and demand.

use crate::analyzer::Limits;
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::verify;
use clap::Args;
use serde_json::json;

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub(in crate::cli) struct VerifyArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    /// The plan, a `variopath-plan/1` document; `-` is standard input
    #[arg(long, value_name = "FILE")]
    plan: String,
    /// Prints one JSON document, `variopath-verification/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Replays the plan; says what was checked, or every fault (exit 3).
pub(in crate::cli) fn verify(context: &mut Context, args: &VerifyArgs) -> Outcome {
    let platform =
        pipeline::plannable(context, &args.target, SettingArgs::IDEAL, &Limits::strict())?;
    let demand = pipeline::demand(&args.demand, platform.topology.ranks.len())?;
    let (name, claimed) = pipeline::claimed_plan(&args.plan)?;
    if claimed.topology != platform.topology.name {
        let (plan, machine) = (&claimed.topology, &platform.topology.name);
        let message = format!("the plan is for the topology `{plan}`, this one is `{machine}`");
        return Err(Diagnostic::error("invalid-plan", message)
            .in_file(name)
            .exit(Exit::Failed)
            .into());
    }
    match verify::verify_claim(&platform.topology, &platform.catalog, &demand.demand, &claimed) {
        Ok(summary) => {
            if context.json {
                return context.print_json(&json!({
                    "format": "variopath-verification/1",
                    "topology": platform.topology.name,
                    "digest": platform.topology.digest,
                    "demand": demand.name,
                    "summary": summary,
                }));
            }
            context.print(&format!("valid       {summary}\n"))
        }
        Err(faults) => {
            let diagnostics: Diagnostics = faults
                .iter()
                .map(|fault| {
                    let diagnostic = Diagnostic::error("invalid-plan", fault.to_string())
                        .in_file(name.clone())
                        .exit(Exit::Failed);
                    if demand.is_default {
                        let spec = &demand.name;
                        diagnostic
                            .help(format!("checked against {spec}, since --demand is not given"))
                    } else {
                        diagnostic
                    }
                })
                .collect();
            Err(diagnostics.into())
        }
    }
}
