//! `variopath plan`: the schedule of one exchange.

use super::wording::{demand_line, machine_line, plan_line, setting_line};
use crate::analyzer::Limits;
use crate::base::Setting;
use crate::catalog::{Plan, plan_document};
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, Platform};
use crate::diagnostics::Diagnostic;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub(in crate::cli) struct PlanArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    how: How,
    /// Prints one JSON document, `variopath-plan/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Writes the JSON document here
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
}

/// How to plan.
#[derive(Args, Debug)]
struct How {
    /// The kind of plan
    #[arg(long, value_enum, default_value = "auto", value_name = "KIND")]
    strategy: Strategy,
    #[command(flatten)]
    setting: SettingArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    /// The best that this version plans: strict
    Auto,
    /// Each transfer at its solo rate
    Strict,
    /// Not planned by this version
    TwoRate,
    /// Not planned by this version
    Cluster,
    /// Not planned by this version
    AllAtOnce,
}

/// Prints the plan as a table of steps, or as JSON.
pub(in crate::cli) fn plan(context: &mut Context, args: &PlanArgs) -> Outcome {
    supported(&args.how)?;
    let platform = pipeline::plannable(context, &args.target, args.how.setting, &Limits::strict())?;
    let demand = pipeline::demand(&args.demand, platform.topology.ranks.len())?;
    let plan = pipeline::plan(&platform, &demand.demand)?;
    let mut document = plan_document(&platform.topology.name, &plan);
    document["assumed_values"] = platform.topology.assumed.into();
    if let Some(path) = &args.output {
        context.write_file(path, format!("{document:#}\n").as_bytes(), args.force)?;
        context.wrote(path);
    }
    if context.json {
        return context.print_json(&document);
    }
    let mut out = String::new();
    let _ = writeln!(out, "machine     {}", machine_line(platform.kind, &platform.topology));
    out.push_str(&setting_line(args.how.setting.asked()));
    let _ = writeln!(out, "demand      {}", demand_line(&demand));
    let _ = writeln!(out, "plan        {}", plan_line(&platform.topology, &plan));
    out.push_str(&steps(context, &platform, &plan));
    context.print(&out)
}

fn supported(how: &How) -> Outcome {
    let refused = match (how.strategy, how.setting.asked()) {
        (_, Some(Setting::Profile)) => "--setting profile",
        (Strategy::Auto | Strategy::Strict, _) => return Ok(()),
        (Strategy::TwoRate, _) => "--strategy two-rate",
        (Strategy::Cluster, _) => "--strategy cluster",
        (Strategy::AllAtOnce, _) => "--strategy all-at-once",
    };
    let message = format!("{refused} is not supported by this version");
    Err(Diagnostic::unsupported("unsupported", message)
        .help("plans are strict ones in the ideal setting: `--setting ideal`, or leave the option out")
        .into())
}

/// One line a step: when, which channel, and the transfers that start.
fn steps(context: &Context, platform: &Platform, plan: &Plan) -> String {
    if plan.steps.is_empty() {
        return String::new();
    }
    let gpu = |rank: crate::base::Rank| {
        let vertex = platform.topology.ranks[rank.index()];
        platform.topology.vertices[vertex.index()].path.as_str()
    };
    let mut out = String::new();
    let _ =
        writeln!(out, "{}", context.strong("\nstep       start  channel  transfers that start"));
    for (index, step) in plan.steps.iter().enumerate() {
        let channel = match step.channel.as_ref().and_then(|name| name.orbit) {
            Some(orbit) => format!("#{orbit}"),
            None => "online".to_owned(),
        };
        let transfers: Vec<String> = step
            .starts
            .iter()
            .map(|id| {
                let piece = &plan.pieces[id.index()];
                format!("{}>{}", gpu(piece.src), gpu(piece.dst))
            })
            .collect();
        let start = step.start.nanos_up().to_string();
        let _ = writeln!(out, "{index:>4}  {start:>10}  {channel:<7}  {}", transfers.join(" "));
    }
    out
}
