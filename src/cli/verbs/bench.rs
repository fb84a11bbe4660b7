//! `variopath bench`: planning time and plan quality.

use crate::analyzer::Limits;
use crate::cli::arguments::{AssumeArgs, SettingArgs, TargetArgs};
use crate::cli::bench_analyze::{self, Row};
use crate::cli::bench_plan;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use clap::{Args, Subcommand};

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub(in crate::cli) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Analyzes each machine: symmetry, channels, bounds, and how long it took
    Analyze(BenchAnalyzeArgs),
    /// Plans the eleven workloads for each machine and compares with the exact optimum
    Plan(BenchPlanArgs),
}

#[derive(Args, Debug)]
struct BenchAnalyzeArgs {
    /// Machines; all presets without
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    #[command(flatten)]
    assume: AssumeArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// Prints one JSON document, `variopath-bench-analyze/1`
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct BenchPlanArgs {
    /// Machines; all presets without
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// Seeds a workload
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Prints one JSON document, `variopath-bench-plan/1`
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    /// Whether JSON is asked for.
    pub(in crate::cli) fn json(&self) -> bool {
        match &self.what {
            What::Analyze(args) => args.json,
            What::Plan(args) => args.json,
        }
    }
}

/// Prints the table.
pub(in crate::cli) fn bench(context: &mut Context, args: &BenchArgs) -> Outcome {
    match &args.what {
        What::Analyze(args) => analyze(context, args),
        What::Plan(args) => plan(context, args),
    }
}

/// The targets that are named, or every preset.
fn or_presets(targets: &[String]) -> Vec<String> {
    if targets.is_empty() {
        crate::dsl::presets().iter().map(|preset| preset.name.to_owned()).collect()
    } else {
        targets.to_vec()
    }
}

/// Analyzes machine after machine; what is refused is a line like any other.
fn analyze(context: &mut Context, args: &BenchAnalyzeArgs) -> Outcome {
    let mut rows = Vec::new();
    for target in or_presets(&args.targets) {
        context.progress(&format!("analyzing {target}"));
        let named = TargetArgs { target: target.clone(), assume: args.assume.clone() };
        let row = pipeline::topology(context, &named, args.setting).and_then(|(_, topology)| {
            let setting = args.setting.asked().unwrap_or(topology.setting());
            bench_analyze::row(&target, &topology, setting)
        });
        // The warnings of each machine are for `check` to tell.
        context.notes = Diagnostics::new();
        rows.push(row.unwrap_or_else(|failure| {
            let why = failure.0.iter().next().map_or_else(String::new, |d| d.message.clone());
            Row::Refused(target, why)
        }));
    }
    if context.json {
        return context.print_json(&bench_analyze::document(&rows));
    }
    context.print(&bench_analyze::table(&rows))
}

fn plan(context: &mut Context, args: &BenchPlanArgs) -> Outcome {
    let mut rows = Vec::new();
    for target in or_presets(&args.targets) {
        context.progress(&format!("planning for {target}"));
        let named = TargetArgs { target: target.clone(), assume: AssumeArgs::default() };
        let platform =
            match pipeline::plannable(context, &named, SettingArgs::default(), &Limits::strict()) {
                Err(failure) if args.targets.is_empty() && failure.exit() == Exit::Failed => {
                    let why = failure.0.iter().next().map_or("", |first| &first.message);
                    let message = format!("preset {target} is left out: {why}");
                    context.notes.push(Diagnostic::warning("left-out", message));
                    continue;
                }
                platform => platform?,
            };
        rows.push(bench_plan::row(&platform.topology, &platform.catalog, args.seeds)?);
    }
    if context.json {
        return context.print_json(&bench_plan::document(&rows));
    }
    context.print(&bench_plan::table(&rows))
}
