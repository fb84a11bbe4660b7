//! The stages in their order: every one is a call, and no stage calls the next.
//!
//! ```text
//! TARGET ─ load ─▶ tree ─ elaborate ─▶ machine ─ build ─▶ topology ─ analyze ─▶ catalog ─ plan ─▶ plan
//! ```

use super::arguments::{DemandArgs, SettingArgs, TargetArgs};
use super::context::Context;
use super::failure::Outcome;
use super::input;
use super::target;
use crate::analyzer::{self, Limits};
use crate::base::{Demand, Setting};
use crate::bundle::{self, Bundle};
use crate::catalog::{Catalog, Locator, Plan};
use crate::diagnostics::{Diagnostic, Exit, Severity};
use crate::dsl::{self, Machine, tree};
use crate::scheduler::{self, Planner};
use crate::topology::{self, Topology};
use crate::verify::{self, ClaimedPlan};
use crate::{codegen, demand, dsl::format};

/// The demand of a command that names none.
pub(super) const DEFAULT_DEMAND: &str = "uniform:1MiB";

/// A machine with everything that planning needs.
#[derive(Debug)]
pub(super) struct Platform {
    /// Where it comes from.
    pub(super) kind: target::Kind,
    /// The resolved tree.
    pub(super) file: tree::File,
    /// The checked graph.
    pub(super) topology: Topology,
    /// Its channels.
    pub(super) catalog: Catalog,
}

/// A demand and how to speak of it.
#[derive(Debug)]
pub(super) struct NamedDemand {
    /// The SPEC or file as given.
    pub(super) name: String,
    /// Whether it is the default.
    pub(super) is_default: bool,
    /// The matrix.
    pub(super) demand: Demand,
}

/// TARGET to machine.
pub(super) fn machine(
    context: &mut Context,
    args: &TargetArgs,
) -> Outcome<(target::Target, Machine)> {
    let target = target::load(context, args)?;
    let machine = dsl::elaborate(&target.file)?;
    Ok((target, machine))
}

/// TARGET to topology, in the setting that is asked for.
pub(super) fn topology(
    context: &mut Context,
    args: &TargetArgs,
    setting: SettingArgs,
) -> Outcome<(target::Target, Topology)> {
    let (target, machine) = machine(context, args)?;
    let built = topology::build(&machine, dsl::digest(&target.file))?;
    // Notes belong to `check`; what rests on assumed values says so in its first line.
    let warnings = built.notes.into_iter().filter(|note| note.severity != Severity::Note);
    context.notes.extend(warnings);
    // A bundle is a machine as its kernels use it.
    let is_bundle = target.kind == target::Kind::Bundle;
    let carried = is_bundle.then(|| built.topology.carried_out_by(&codegen::KERNELS)).flatten();
    let topology = carried.unwrap_or(built.topology);
    // A bundle plans for the ideal setting.
    let topology = match setting.asked().or(is_bundle.then_some(Setting::Ideal)) {
        Some(Setting::Ideal) => topology.ideal(),
        _ => topology,
    };
    Ok((target, topology))
}

/// TARGET to catalog, for plans: what they do not keep to is refused.
pub(super) fn plannable(
    context: &mut Context,
    args: &TargetArgs,
    setting: SettingArgs,
    limits: &Limits,
) -> Outcome<Platform> {
    let found = topology(context, args, setting)?;
    planned(context, found, limits)
}

/// TARGET to catalog, for plans that kernels carry out: routes are what those are able to.
pub(super) fn runnable(
    context: &mut Context,
    args: &TargetArgs,
    setting: SettingArgs,
    limits: &Limits,
) -> Outcome<Platform> {
    let (target, mut topology) = topology(context, args, setting)?;
    if let Some(carried) = topology.carried_out_by(&codegen::KERNELS) {
        context.notes.extend(codegen::second_best(&topology, &carried));
        topology = carried;
    }
    planned(context, (target, topology), limits)
}

fn planned(
    context: &mut Context,
    found: (target::Target, Topology),
    limits: &Limits,
) -> Outcome<Platform> {
    let refused = analyzer::unplanned(&found.1);
    if !refused.is_empty() {
        return Err(refused.into());
    }
    platform(context, found, limits)
}

/// A machine to catalog, as far as the limits go.
pub(super) fn platform(
    context: &mut Context,
    (target, topology): (target::Target, Topology),
    limits: &Limits,
) -> Outcome<Platform> {
    context.progress(&format!("analyzing {}", topology.name));
    let catalog = analyzer::analyze(&topology, limits)?;
    Ok(Platform { kind: target.kind, file: target.file, topology, catalog })
}

/// The demand that the arguments name, for this many ranks.
pub(super) fn demand(args: &DemandArgs, ranks: usize) -> Outcome<NamedDemand> {
    let name = args.demand.clone().unwrap_or_else(|| DEFAULT_DEMAND.to_owned());
    // A SPEC with a point in it has a colon before: `zipf:0.8`.
    let is_file = name == "-" || name.contains('/') || (name.contains('.') && !name.contains(':'));
    let demand = if is_file {
        let (shown, bytes) = input::read_bytes(&name, input::DEMAND_BYTES)?;
        demand::read_file(&shown, &bytes, ranks)?
    } else {
        demand::parse_spec(&name, ranks)?
    };
    Ok(NamedDemand { name, is_default: args.demand.is_none(), demand })
}

/// Catalog and demand to a plan whose steps are named and which the checker has passed.
pub(super) fn plan(platform: &Platform, demand: &Demand) -> Outcome<Plan> {
    let mut planner = Planner::new(&platform.catalog).map_err(|e| internal(&e))?;
    let mut plan = planner
        .plan(demand)
        .map_err(|error| Diagnostic::error("no-plan", error.to_string()).exit(Exit::Failed))?;
    let mut locator = Locator::new(&platform.catalog);
    scheduler::name_steps(&platform.catalog, &mut plan, &mut locator).map_err(|e| internal(&e))?;
    if let Err(faults) = verify::verify(&platform.topology, demand, &plan) {
        let first = faults.first().map(ToString::to_string).unwrap_or_default();
        return Err(internal(&format!("the plan fails its check: {first}")).into());
    }
    Ok(plan)
}

/// Reads the document of a plan; also the name to call it by.
pub(super) fn claimed_plan(path: &str) -> Outcome<(String, ClaimedPlan)> {
    let (name, text) = input::read_text(path, input::PLAN_BYTES)?;
    let claimed = ClaimedPlan::from_json(&text).map_err(|fault| {
        Diagnostic::error("not-a-plan", fault.to_string())
            .in_file(name.clone())
            .help("`variopath plan TARGET --json` writes such a document")
    })?;
    Ok((name, claimed))
}

/// Reads a bundle's folder; damage is refused by name (exit 4).
pub(super) fn read_bundle(path: &str) -> Outcome<Bundle> {
    bundle::read(std::path::Path::new(path)).map_err(|error| {
        Diagnostic::error("bundle", error.to_string())
            .in_file(path)
            .help("remove what does not belong there, or build into a new folder")
            .exit(Exit::File)
            .into()
    })
}

/// Something that must not happen did: the tool's fault, never the input's.
pub(super) fn internal(what: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("internal", format!("internal error: {what}"))
        .help("this is a fault of variopath; please report it with the input that shows it")
        .exit(Exit::Failed)
}

/// Everything that a bundle of this platform holds.
pub(super) fn bundle_parts(platform: &Platform) -> Outcome<bundle::Parts> {
    if let Some(refusal) = codegen::unsupported(&platform.topology) {
        return Err(refusal.into());
    }
    let emitted = codegen::emit(&platform.topology, &platform.catalog).map_err(|error| {
        Diagnostic::error("code-generation", error.to_string()).exit(Exit::Failed)
    })?;
    Ok(bundle::Parts {
        topology_text: format(&platform.file),
        catalog: platform.catalog.clone(),
        kernels: emitted.kernels,
        programs: emitted.programs,
    })
}
