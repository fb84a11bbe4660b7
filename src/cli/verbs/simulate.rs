//! `variopath simulate`: how long an exchange takes, planned and in the ways of others.

use super::wording::{demand_line, machine_line, times};
use crate::analyzer::{self, Bounder, Limits};
use crate::base::{Picos, Setting};
use crate::catalog::PlanDocument;
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, NamedDemand, Platform, internal};
use crate::cli::target::Target;
use crate::diagnostics::{Diagnostic, Exit};
use crate::simulator::{self, Baseline, Exchange, Trace};
use crate::topology::{Rule, Topology};
use crate::verify;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of `simulate`.
#[derive(Args, Debug)]
pub(in crate::cli) struct SimulateArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// A plan of the demand, a `variopath-plan/1` document, instead of the one that is made here; `-` is
    /// standard input
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
    /// The ways of others to set beside it: `all`, `none`, or names with commas between them:
    /// all-at-once, nccl, spread-out, spread-out-barriers, pairwise, birkhoff, fast
    #[arg(long, value_name = "NAMES", default_value = "all")]
    baselines: String,
    /// Writes a trace of everything simulated here, for Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE")]
    trace: Option<String>,
    /// Replaces an existing trace
    #[arg(long)]
    force: bool,
    /// Prints one JSON document, `variopath-simulation/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// An exchange under its name, and what it takes in each setting.
struct Row {
    name: &'static str,
    /// How many transfers it has, and what comes of them; or why it has none on this machine.
    found: Result<(usize, Vec<(Setting, simulator::Outcome)>), String>,
}

/// Prints a line for the plan and for each baseline.
pub(in crate::cli) fn simulate(context: &mut Context, args: &SimulateArgs) -> Outcome {
    let baselines = baselines(&args.baselines)?;
    let (target, topology) = pipeline::topology(context, &args.target, args.setting)?;
    let demand = pipeline::demand(&args.demand, topology.ranks.len())?;
    let ideal = topology.clone().ideal();
    let bound = Bounder::new(&ideal)?.required(&demand.demand)?.bounds;
    let settings = match args.setting.asked() {
        Some(setting) => vec![setting],
        None if has_profile(&topology) => vec![Setting::Ideal, Setting::Profile],
        None => vec![Setting::Ideal],
    };
    let kind = target.kind;
    let plan = planned(context, args, target, ideal, &demand)?;
    let of_plan = |plan: PlanDocument| {
        Exchange::of_plan(&topology, &plan)
            .ok_or_else(|| internal(&"a plan that passed its check names no routes"))
    };
    let mut exchanges = vec![(
        "plan (strict)",
        match plan {
            Ok(plan) => Ok(of_plan(plan)?),
            Err(why) => Err(why),
        },
    )];
    for baseline in baselines {
        let exchange = baseline.exchange(&topology, &demand.demand);
        exchanges.push((baseline.name(), exchange.map_err(|error| error.to_string())));
    }
    let (mut rows, mut trace) = (Vec::new(), Trace::default());
    for (name, exchange) in exchanges {
        context.progress(&format!("simulating {name}"));
        let found = match exchange {
            Err(why) => Err(why),
            Ok(exchange) => {
                let outcome = |&setting: &Setting| {
                    let outcome = match args.trace {
                        Some(_) => trace.simulate(&topology, &exchange, setting, name),
                        None => simulator::simulate(&topology, &exchange, setting),
                    };
                    Ok((setting, outcome.map_err(|error| internal(&error))?))
                };
                let outcomes = settings.iter().map(outcome).collect::<Outcome<Vec<_>>>()?;
                Ok((exchange.transfers.len(), outcomes))
            }
        };
        rows.push(Row { name, found });
    }
    if let Some(path) = &args.trace {
        context.write_file(path, format!("{}\n", trace.document()).as_bytes(), args.force)?;
        context.wrote(path);
    }
    if context.json {
        return context.print_json(&document(&topology, &demand, bound.t_star, &rows));
    }
    let mut out = format!("machine     {}\n", machine_line(kind, &topology));
    let _ = writeln!(out, "demand      {}", demand_line(&demand));
    let critical = analyzer::critical_name(&topology, &bound);
    let _ = writeln!(
        out,
        "bound       T* {} (bytes / capacity), T_eff {} (strict), critical {}",
        bound.t_star.nanos_down(),
        bound.t_eff.nanos_down(),
        critical.as_deref().unwrap_or("none"),
    );
    out.push_str(&table(&topology, bound.t_star, &settings, &rows));
    out.push_str("\nPredicted by a fluid model of the file's figures, not measured.\n");
    context.print(&out)
}

fn baselines(names: &str) -> Outcome<Vec<Baseline>> {
    match names {
        "all" => return Ok(Baseline::ALL.to_vec()),
        "none" => return Ok(Vec::new()),
        _ => {}
    }
    let known = Baseline::ALL.map(Baseline::name).join(", ");
    let of = |name: &str| {
        Baseline::of_name(name.trim()).ok_or_else(|| {
            Diagnostic::error("unknown-baseline", format!("there is no baseline `{}`", name.trim()))
                .help(format!("they are {known}; `all` takes every one, `none` none"))
                .exit(Exit::Usage)
                .into()
        })
    };
    names.split(',').map(of).collect()
}

/// Whether the file says of something that it loses or costs.
fn has_profile(topology: &Topology) -> bool {
    let costs = |rule: &Rule| match rule {
        Rule::Cost { .. } | Rule::Efficiency { .. } => true,
        Rule::Avoid { value, .. } => value.as_ref().is_some_and(|value| value.rate.is_some()),
        _ => false,
    };
    topology.rules.iter().any(|placed| costs(&placed.rule))
        || topology.resources.iter().any(|resource| resource.latency.0 > 0)
}

/// The plan of the file, checked, or one that is made here; else why none is made.
fn planned(
    context: &mut Context,
    args: &SimulateArgs,
    target: Target,
    ideal: Topology,
    demand: &NamedDemand,
) -> Outcome<Result<PlanDocument, String>> {
    let refused = analyzer::unplanned(&ideal);
    if !refused.is_empty() {
        if args.plan.is_some() {
            return Err(refused.into());
        }
        let why = refused.into_iter().next().map_or_else(String::new, |first| first.message);
        return Ok(Err(why));
    }
    let platform: Platform = pipeline::platform(context, (target, ideal), &Limits::strict())?;
    let Some(path) = &args.plan else {
        let plan = pipeline::plan(&platform, &demand.demand)?;
        return Ok(Ok(PlanDocument::new(&platform.topology.name, &plan)));
    };
    let (name, claimed) = pipeline::claimed_plan(path)?;
    verify::verify_claim(&platform.topology, &platform.catalog, &demand.demand, &claimed).map_err(
        |faults| {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            Diagnostic::error("invalid-plan", first)
                .in_file(name)
                .help("`variopath verify` lists every fault; is it a plan of this demand?")
                .exit(Exit::Failed)
        },
    )?;
    Ok(Ok(claimed))
}

fn table(topology: &Topology, bound: Picos, settings: &[Setting], rows: &[Row]) -> String {
    let mut head = format!("\n{:<20}  transfers", "");
    for setting in settings {
        let setting = setting.to_string();
        let _ = write!(head, "  {setting:>12}  {:>6}  {:<20}", "of T*", "full longest");
    }
    let mut out = format!("{}\n", head.trim_end());
    for Row { name, found } in rows {
        let mut line = format!("{name:<20}  ");
        match found {
            Err(why) => line.push_str(&format!("none: {why}")),
            Ok((transfers, outcomes)) => {
                let _ = write!(line, "{transfers:>9}");
                for (_, outcome) in outcomes {
                    let full = outcome.critical.map(|id| topology.resource_name(id));
                    let _ = write!(
                        line,
                        "  {:>12}  {:>6}  {:<20}",
                        outcome.time.nanos_up().to_string(),
                        times(outcome.time, bound),
                        full.as_deref().unwrap_or("nothing"),
                    );
                }
            }
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn document(topology: &Topology, demand: &NamedDemand, bound: Picos, rows: &[Row]) -> Value {
    let outcome = |(setting, outcome): &(Setting, simulator::Outcome)| {
        let loads: Vec<Value> = (outcome.carried.iter().enumerate())
            .filter(|(_, carried)| carried.bytes > 0)
            .map(|(id, carried)| {
                json!({"link": id, "bytes": carried.bytes, "full_ns": carried.full.nanos_down()})
            })
            .collect();
        json!({
            "setting": setting,
            "time_ns": outcome.time.nanos_up(),
            "critical_link": outcome.critical,
            "critical": outcome.critical.map(|id| topology.resource_name(id)),
            "loads": loads,
        })
    };
    let exchanges: Vec<Value> = rows
        .iter()
        .map(|Row { name, found }| match found {
            Err(why) => json!({"name": name, "refused": why}),
            Ok((transfers, outcomes)) => json!({
                "name": name,
                "transfers": transfers,
                "outcomes": outcomes.iter().map(outcome).collect::<Vec<_>>(),
            }),
        })
        .collect();
    json!({
        "format": "variopath-simulation/1",
        "topology": topology.name,
        "digest": topology.digest,
        "assumed_values": topology.assumed,
        "demand": demand.name,
        "t_star_ns": bound.nanos_down(),
        "exchanges": exchanges,
    })
}
