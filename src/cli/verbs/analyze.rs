//! `variopath analyze`: symmetry, channels and bounds of a machine.

use super::analyze_cluster::analyze_cluster;
use super::wording::{
    bounds_document, bounds_lines, count, machine_line, setting_line, short, times,
};
use crate::analyzer::{self, Bounder, Exact, Limits, RaisedBounds};
use crate::base::Setting;
use crate::base::{Initiator, Mode};
use crate::catalog::{Families, Paces};
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, NamedDemand, Platform, internal};
use crate::diagnostics::Diagnostic;
use crate::topology::ResourceKind;
use clap::Args;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Arguments of `analyze`.
#[derive(Args, Debug)]
pub(in crate::cli) struct AnalyzeArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// Also finds the least time that any sequence of channels needs, by a linear program; takes
    /// seconds where many transfers differ
    #[arg(long)]
    exact: bool,
    /// Prints one JSON document, `variopath-analysis/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Prints what the analyzer found.
pub(in crate::cli) fn analyze(context: &mut Context, args: &AnalyzeArgs) -> Outcome {
    let machine = pipeline::topology(context, &args.target, args.setting)?;
    if analyzer::is_cluster(&machine.1) {
        if args.exact {
            return Err(Diagnostic::unsupported(
                "exact-nodes",
                "the exact optimum is not sought for machines of several nodes",
            )
            .help("leave --exact out, or describe one node alone")
            .into());
        }
        let demand = pipeline::demand(&args.demand, machine.1.ranks.len())?;
        return analyze_cluster(context, machine.0.kind, &machine.1, &demand);
    }
    let platform = pipeline::platform(context, machine, &Limits::default())?;
    let demand = pipeline::demand(&args.demand, platform.topology.ranks.len())?;
    let raised = Bounder::of(&platform.topology, &platform.catalog).required(&demand.demand)?;
    let bounds = &raised.bounds;
    let setting = args.setting.asked().unwrap_or(platform.topology.setting());
    let optima = args.exact.then(|| optima(context, &platform, &demand)).transpose()?;
    if context.json {
        let mut document = document(&platform, &demand, &raised);
        document["setting"] = json!(setting);
        if let Some([strict, two_rate]) = optima {
            document["exact"] = json!({
                "strict": optimum_document(strict),
                "two_rate": optimum_document(two_rate),
            });
        }
        return context.print_json(&document);
    }
    let said = args.setting.asked().or((setting == Setting::Profile).then_some(setting));
    let mut out = text(&platform, &demand, &raised, said);
    if let Some([strict, two_rate]) = optima {
        let _ = writeln!(
            out,
            "exact       strict channels {}, {} T_eff; two-rate channels {}, {} T*",
            strict.upper.nanos_up(),
            times(strict.upper, bounds.t_eff),
            two_rate.upper.nanos_up(),
            times(two_rate.upper, bounds.t_star),
        );
        // What rounding leaves between the two ends is less than a ten-thousandth.
        let is_open = |found: &Exact| found.upper.0 - found.lower.0 > found.upper.0 / 10_000;
        if [strict, two_rate].iter().any(is_open) {
            let _ = writeln!(
                out,
                "            at least {} and {}: the search for better channels gave up",
                strict.lower.nanos_down(),
                two_rate.lower.nanos_down(),
            );
        }
    }
    context.print(&out)
}

/// The least times over strict and over two-rate channels.
fn optima(context: &mut Context, platform: &Platform, demand: &NamedDemand) -> Outcome<[Exact; 2]> {
    context.progress("searching the exact optimum");
    let optimum = |paces| {
        analyzer::exact_optimum(&platform.catalog, &demand.demand, paces, None)
            .map_err(|error| internal(&error))
    };
    let strict = optimum(Paces::Solo)?;
    let two_rate = if platform.catalog.two_rate.is_some() { optimum(Paces::All)? } else { strict };
    Ok([strict, two_rate])
}

fn optimum_document(exact: Exact) -> Value {
    json!({"lower_ns": exact.lower.nanos_down(), "upper_ns": exact.upper.nanos_up()})
}

fn text(
    platform: &Platform,
    demand: &NamedDemand,
    raised: &RaisedBounds,
    said: Option<Setting>,
) -> String {
    let catalog = &platform.catalog;
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for route in &platform.topology.routes {
        *classes.entry(route.class.word()).or_default() += 1;
    }
    let classes: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
    let mut out = String::new();
    let _ = writeln!(out, "machine     {}", machine_line(platform.kind, &platform.topology));
    out.push_str(&setting_line(said));
    let (pairs, routes) = (catalog.pairs().count(), catalog.routes.len());
    let over = if routes > pairs { format!(", {}", count(routes, "route")) } else { String::new() };
    let pairs = count(pairs, "pair");
    let _ = writeln!(out, "routes      {pairs}{over}: {}", classes.join(", "));
    let mut kinds: BTreeMap<_, usize> = BTreeMap::new();
    for route in &platform.topology.routes {
        *kinds.entry((route.mode, route.initiator)).or_default() += 1;
    }
    if kinds.keys().any(|kind| *kind != (Mode::Push, Initiator::Kernel)) {
        let each = kinds.iter().map(|((mode, by), n)| format!("{n} {mode} by {by}"));
        let _ = writeln!(out, "            {}", each.collect::<Vec<_>>().join(", "));
    }
    out.push_str(&scaled(platform));
    let _ = writeln!(
        out,
        "symmetry    order {}, {}, {} of pairs",
        short(&catalog.order),
        count(catalog.generators.len(), "generator"),
        count(catalog.pair_orbits as usize, "orbit")
    );
    let _ = writeln!(out, "channels    {}", families(&catalog.strict, "strict"));
    if let Some(two_rate) = &catalog.two_rate {
        let _ = writeln!(out, "            {}", families(two_rate, "two-rate"));
        let rates: BTreeSet<_> = catalog.routes.iter().flat_map(|route| &route.paced).collect();
        let rates: Vec<String> = rates.iter().rev().map(ToString::to_string).collect();
        let _ = writeln!(out, "paced       {}", rates.join(", "));
    }
    out.push_str(&bounds_lines(&platform.topology, &demand.name, raised));
    out
}

/// `fit         12 pairs at 20 GB/s instead of 20.2 GB/s`, one line for each such change of rates.
fn scaled(platform: &Platform) -> String {
    let mut scaled: BTreeMap<_, usize> = BTreeMap::new();
    for (route, planned) in platform.topology.routes.iter().zip(&platform.catalog.routes) {
        if planned.rate != route.rate {
            *scaled.entry((route.rate, planned.rate)).or_default() += 1;
        }
    }
    let mut out = String::new();
    for (index, ((from, to), pairs)) in scaled.iter().rev().enumerate() {
        let name = if index == 0 { "fit" } else { "" };
        let pairs = count(*pairs, "pair");
        let _ =
            writeln!(out, "{name:<11} {pairs} at {to} instead of {from}, so that links hold them");
    }
    out
}

/// How many maximal channels there are, in how many orbits, and how many transfers they have.
pub(super) fn families(families: &Families, kind: &str) -> String {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for orbit in &families.orbits {
        *sizes.entry(orbit.representative.0.len()).or_default() += 1;
    }
    let sizes: Vec<String> = sizes
        .iter()
        .rev()
        .map(|(size, orbits)| format!("{orbits} of {}", count(*size, "transfer")))
        .collect();
    let Families { channels, complete, orbits } = families;
    let channels = short(channels);
    let orbits = count(orbits.len(), "orbit");
    let sizes = sizes.join(", ");
    if *complete {
        format!("{channels} maximal {kind} ones in {orbits}: {sizes}")
    } else {
        format!("more than {channels} maximal {kind} ones, of which {orbits} are kept: {sizes}")
    }
}

fn document(platform: &Platform, demand: &NamedDemand, raised: &RaisedBounds) -> Value {
    let topology = &platform.topology;
    let catalog = &platform.catalog;
    let path = |index: usize| topology.vertices[index].path.as_str();
    let ranks: Vec<Value> = topology
        .ranks
        .iter()
        .enumerate()
        .map(|(rank, vertex)| json!({"rank": rank, "gpu": path(vertex.index())}))
        .collect();
    let links: Vec<Value> = topology
        .resources
        .iter()
        .enumerate()
        .map(|(id, resource)| match &resource.kind {
            ResourceKind::Link { from, to, .. } => json!({
                "id": id,
                "from": path(from.index()),
                "to": path(to.index()),
                "bytes_per_second": resource.capacity,
                "latency_ns": resource.latency,
            }),
            ResourceKind::Total { of, .. } => json!({
                "id": id,
                "of": of,
                "bytes_per_second": resource.capacity,
            }),
            ResourceKind::Memory { socket } => json!({
                "id": id,
                "memory": path(socket.index()),
                "bytes_per_second": resource.capacity,
            }),
        })
        .collect();
    let limits = topology.limits().into_iter().enumerate().map(|(index, limit)| {
        json!({
            "id": topology.resources.len() + index,
            "limit": limit.most,
            "place": limit.place,
        })
    });
    let links: Vec<Value> = links.into_iter().chain(limits).collect();
    let indices = catalog.pairs().flat_map(|pair| 0..pair.len());
    let routes: Vec<Value> = topology
        .routes
        .iter()
        .zip(&catalog.routes)
        .zip(indices)
        .map(|((route, planned), index)| {
            json!({
                "src": route.src, "dst": route.dst, "index": index,
                "class": route.class, "mode": route.mode, "initiator": route.initiator,
                "links": route.takes().collect::<Vec<_>>(), "bytes_per_second": planned.rate,
                "unscaled_bytes_per_second": route.rate,
                "paced_bytes_per_second": planned.paced,
            })
        })
        .collect();
    json!({
        "format": "variopath-analysis/1",
        "topology": topology.name,
        "digest": topology.digest,
        "assumed_values": topology.assumed,
        "ranks": ranks,
        "links": links,
        "routes": routes,
        "symmetry": {
            "order": catalog.order,
            "generators": catalog.generators.len(),
            "pair_orbits": catalog.pair_orbits,
        },
        "bounds": bounds_document(&demand.name, raised),
        "catalog": {
            "strict": families_document(&catalog.strict),
            // Where no route has a paced rate, the strict channels are all there are.
            "two_rate": families_document(catalog.two_rate.as_ref().unwrap_or(&catalog.strict)),
            "complete": catalog.strict.complete
                && catalog.two_rate.as_ref().is_none_or(|two_rate| two_rate.complete),
        },
    })
}

pub(super) fn families_document(families: &Families) -> Value {
    let Families { channels, orbits, complete } = families;
    json!({"channels": channels, "orbits": orbits.len(), "complete": complete})
}
