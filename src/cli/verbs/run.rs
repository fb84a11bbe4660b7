//! `variopath run`: plans one exchange and carries it out.

use super::wording::{demand_line, machine_line, plan_line, setting_line};
use crate::analyzer::Limits;
use crate::base::Setting;
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Exit};
use crate::runtime::host::{self, HostError, HostOptions};
use clap::{Args, ValueEnum};
use serde_json::json;

/// Arguments of `run`.
#[derive(Args, Debug)]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// What carries the plan out
    #[arg(long, value_enum, default_value = "auto", value_name = "ENGINE")]
    engine: Engine,
    /// Blocks a rank: the grid of the launch
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    blocks: u16,
    /// Threads a block
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    block_threads: u16,
    /// Seed of the data that is sent
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Gives up when the exchange takes longer than this many seconds; 0 for never
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    budget: u32,
    /// Moves the bytes without looking at them afterwards
    #[arg(long)]
    no_check: bool,
    /// Prints one JSON document, `variopath-run/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// The best that this version has: host
    Auto,
    /// CPU threads that execute the emitted kernels
    Host,
    /// Not supported by this version
    Cuda,
    /// Not supported by this version
    Mpi,
}

/// Plans, carries out, checks every byte, and says what that proves.
pub(in crate::cli) fn run(context: &mut Context, args: &RunArgs) -> Outcome {
    if let Engine::Cuda | Engine::Mpi = args.engine {
        let name = if args.engine == Engine::Cuda { "cuda" } else { "mpi" };
        return Err(Diagnostic::unsupported(
            "unsupported",
            format!("--engine {name} is not supported by this version"),
        )
        .help("--engine host executes the same kernels on CPU threads")
        .into());
    }
    let platform = pipeline::runnable(context, &args.target, args.setting, &Limits::strict())?;
    let demand = pipeline::demand(&args.demand, platform.topology.ranks.len())?;
    let plan = pipeline::plan(&platform, &demand.demand)?;
    let parts = pipeline::bundle_parts(&platform)?;
    let options = HostOptions {
        blocks: u32::from(args.blocks),
        threads: u32::from(args.block_threads),
        seed: args.seed,
        budget: std::time::Duration::from_secs(u64::from(args.budget)),
        check: !args.no_check,
        ..HostOptions::default()
    };
    if !context.json {
        context.print(&format!(
            "machine     {}\n{}demand      {}\nplan        {}\n",
            machine_line(platform.kind, &platform.topology),
            setting_line(args.setting.asked()),
            demand_line(&demand),
            plan_line(&platform.topology, &plan)
        ))?;
    }
    context.progress("compiling the kernels for the CPU and running them");
    let report =
        host::carry_out(&parts.kernels, &platform.catalog, &plan, &demand.demand, &options)
            .map_err(|error| {
                let exit = if error.is_file_trouble() { Exit::File } else { Exit::Failed };
                let diagnostic = Diagnostic::error("host-engine", error.to_string()).exit(exit);
                match error {
                    HostError::MemoryLimit { .. } => diagnostic.help(
                        "`variopath plan` plans it; run a smaller demand, such as uniform:1MiB",
                    ),
                    _ => diagnostic,
                }
            })?;
    let engine = format!(
        "carried out on CPU threads ({}): proves bytes and order, not speed",
        if crate::runtime::cuda_driver_present() {
            "a CUDA driver is here, but this version has no engine for it"
        } else {
            "no CUDA driver here"
        }
    );
    if context.json {
        context.print_json(&json!({
            "format": "variopath-run/1",
            "topology": platform.topology.name,
            "digest": platform.topology.digest,
            "assumed_values": platform.topology.assumed,
            "demand": demand.name,
            "setting": Setting::Ideal,
            "engine": "host",
            "bytes": demand.demand.total(),
            "verified_bytes": report.verified,
            "wrong_bytes": report.wrong,
            "link_wait_overruns": report.overruns,
            "predicted_ns": plan.makespan.nanos_up(),
            "bound_ns": plan.bounds.t_eff.nanos_down(),
        }))?;
    } else {
        let verified = if args.no_check {
            "verified    nothing: --no-check\n".to_owned()
        } else {
            format!("verified    {} of {} bytes\n", report.verified, demand.demand.total())
        };
        context.print(&format!("{engine}\n{verified}"))?;
    }
    match report.first_fault {
        None => Ok(()),
        Some(fault) => Err(Diagnostic::error("wrong-bytes", fault).exit(Exit::Failed).into()),
    }
}
