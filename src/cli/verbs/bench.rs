//! `variopath bench`: planning time and plan quality.

use crate::analyzer::Limits;
use crate::cli::arguments::TargetArgs;
use crate::cli::bench_plan;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Exit};
use clap::{Args, Subcommand};

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub(in crate::cli) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Plans the eleven workloads for each machine and compares with the exact optimum
    Plan(BenchPlanArgs),
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
        let What::Plan(args) = &self.what;
        args.json
    }
}

/// Prints the table.
pub(in crate::cli) fn bench(context: &mut Context, args: &BenchArgs) -> Outcome {
    let What::Plan(args) = &args.what;
    let targets: Vec<String> = if args.targets.is_empty() {
        crate::dsl::presets().iter().map(|preset| preset.name.to_owned()).collect()
    } else {
        args.targets.clone()
    };
    let mut rows = Vec::new();
    for target in targets {
        context.progress(&format!("planning for {target}"));
        let named = TargetArgs { target: target.clone(), assume: None };
        let platform = match pipeline::platform(context, &named, &Limits::strict()) {
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
