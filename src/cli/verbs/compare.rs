//! `variopath compare`: what a demand's bounds are on two machines.

use super::wording::{demand_line, machine_line, setting_line, times};
use crate::analyzer::{self, Bounder, RaisedBounds};
use crate::base::{Picos, Setting};
use crate::catalog::Bounds;
use crate::cli::arguments::{AssumeArgs, DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, NamedDemand};
use crate::cli::target::{Kind, Target};
use crate::diagnostics::{Diagnostic, Exit};
use crate::topology::Topology;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub(in crate::cli) struct CompareArgs {
    /// The one machine: a preset, a .topo file, a bundle, or a file that `import` reads
    #[arg(value_name = "A")]
    a: String,
    /// The other machine, with as many ranks
    #[arg(value_name = "B")]
    b: String,
    #[command(flatten)]
    assume: AssumeArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// Prints one JSON document, `variopath-comparison/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// A machine and the bounds of the demand on it.
struct Side {
    kind: Kind,
    topology: Topology,
    raised: RaisedBounds,
    setting: Setting,
}

/// Prints the bounds of both machines side by side, and which link is critical on which.
pub(in crate::cli) fn compare(context: &mut Context, args: &CompareArgs) -> Outcome {
    let setting = args.setting;
    let load = |context: &mut Context, target: &str| {
        let args = TargetArgs { target: target.to_owned(), assume: args.assume.clone() };
        pipeline::topology(context, &args, setting)
    };
    let (a, b) = (load(context, &args.a)?, load(context, &args.b)?);
    let (ranks, other) = (a.1.ranks.len(), b.1.ranks.len());
    if ranks != other {
        let message = format!("{} has {ranks} ranks and {} has {other}", args.a, args.b);
        return Err(Diagnostic::error("ranks-differ", message)
            .help("compare machines with as many ranks: the same demand is put to both")
            .exit(Exit::Input)
            .into());
    }
    let demand = pipeline::demand(&args.demand, ranks)?;
    let side = |(target, topology): (Target, Topology)| -> Outcome<Side> {
        let raised = Bounder::new(&topology)?.required(&demand.demand)?;
        let setting = setting.asked().unwrap_or(topology.setting());
        Ok(Side { kind: target.kind, topology, raised, setting })
    };
    let sides = [side(a)?, side(b)?];
    if context.json {
        return context.print_json(&document(&demand, &sides));
    }
    // Two states of one file have one name: then the files tell them apart.
    let alike = sides[0].topology.name == sides[1].topology.name;
    let label = |target: &str| if alike { format!("{target}: ") } else { String::new() };
    context.print(&text(&demand, &sides, [label(&args.a), label(&args.b)], setting.asked()))
}

fn critical(side: &Side) -> String {
    analyzer::critical_name(&side.topology, &side.raised.bounds)
        .unwrap_or_else(|| "none".to_owned())
}

/// In which settings the sides are, where it was asked for or one of them is in its profile.
fn settings(sides: &[Side; 2], said: Option<Setting>) -> String {
    let [a, b] = sides.each_ref().map(|side| side.setting);
    if a == b {
        setting_line(said.or((a == Setting::Profile).then_some(a)))
    } else {
        format!("setting     A {a}, B {b}\n")
    }
}

fn text(
    demand: &NamedDemand,
    sides: &[Side; 2],
    labels: [String; 2],
    said: Option<Setting>,
) -> String {
    let [a, b] = sides;
    let mut out = String::new();
    let _ = writeln!(out, "A           {}{}", labels[0], machine_line(a.kind, &a.topology));
    let _ = writeln!(out, "B           {}{}", labels[1], machine_line(b.kind, &b.topology));
    out.push_str(&settings(sides, said));
    let _ = writeln!(out, "demand      {}", demand_line(demand));
    let both = |of: fn(&Bounds) -> Picos| [of(&a.raised.bounds), of(&b.raised.bounds)];
    let mut rows = vec![("T*", both(|bounds| bounds.t_star))];
    if a.raised.has_t_eff && b.raised.has_t_eff {
        rows.push(("T_eff", both(|bounds| bounds.t_eff)));
    }
    for (name, [of_a, of_b]) in rows {
        let _ = writeln!(
            out,
            "{name:<11} A {}, B {}: {}",
            of_a.nanos_down(),
            of_b.nanos_down(),
            verdict(of_a, of_b)
        );
    }
    if !(a.raised.has_t_eff && b.raised.has_t_eff) {
        let most = analyzer::MAX_OUTLINE_ROUTES;
        let _ = writeln!(out, "T_eff       not sought: there are more than {most} routes");
    }
    let (of_a, of_b) = (critical(a), critical(b));
    if of_a == of_b {
        let _ = writeln!(out, "critical    {of_a} on both");
    } else {
        let _ = writeln!(out, "critical    A {of_a}, B {of_b}");
    }
    out
}

/// `B is bound to take 1.333 times as long`
fn verdict(a: Picos, b: Picos) -> String {
    if a.0 == b.0 {
        return "the same".to_owned();
    }
    let (slow, fast, name) = if b > a { (b, a, "B") } else { (a, b, "A") };
    if fast.0 == 0 {
        return format!("only {name} has something to carry");
    }
    format!("{name} takes {} times as long", times(slow, fast))
}

fn document(demand: &NamedDemand, sides: &[Side; 2]) -> Value {
    let side = |side: &Side| {
        let bounds = &side.raised.bounds;
        json!({
            "topology": side.topology.name,
            "digest": side.topology.digest,
            "assumed_values": side.topology.assumed,
            "setting": side.setting,
            "t_star_ns": bounds.t_star.nanos_down(),
            "t_eff_ns": side.raised.has_t_eff.then(|| bounds.t_eff.nanos_down()),
            "critical_link": bounds.critical_link,
            "alone": bounds.alone,
            "critical": critical(side),
        })
    };
    json!({
        "format": "variopath-comparison/1",
        "demand": demand.name,
        "a": side(&sides[0]),
        "b": side(&sides[1]),
    })
}
