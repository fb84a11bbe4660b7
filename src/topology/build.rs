//! From a machine to a checked topology.

use super::efficiency;
use super::fault::{BELIEVABLE, Fault, link_text};
use super::graph::Network;
use super::local::Ground;
use super::loopback::merged;
use super::network::Between;
use super::rate::Shares;
use super::rules::Rules;
use super::values;
use super::{Resource, ResourceKind, Route, Topology, Vertex};
use crate::base::{BytesPerSecond, Digest, LinkId, Nanos, NodeId, VertexId};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use crate::dsl::machine::{LinkValue, PlacedRule, Rule};
use std::collections::BTreeSet;

/// The most ranks that routes are found between.
pub const MAX_RANKS: usize = 4096;
/// The most ranks of one node that routes are found between.
pub const MAX_NODE_RANKS: usize = 1024;

/// With more faults than this of single links and GPUs, routes are not looked for.
const ENOUGH_FAULTS: usize = 100;

/// A topology and what is worth knowing about it.
#[derive(Debug, Clone)]
pub struct Built {
    /// The checked topology.
    pub topology: Topology,
    /// Notes and warnings; never an error.
    pub notes: Diagnostics,
}

/// Checks `machine` and finds the routes between its ranks. What an exchange cannot be planned with
/// yet is no matter of this stage. `digest` is taken over into the topology.
///
/// # Errors
/// Everything that is wrong with the machine, at once: exit 1 for what its author must mend
/// (unreachable pairs, ties, impossible rates, unknown rates on routes), exit 3 for more ranks than
/// [`MAX_RANKS`] or than [`MAX_NODE_RANKS`] in a node.
pub fn build(machine: &Machine, digest: Digest) -> Result<Built, Diagnostics> {
    let (topology, faults) = draft(machine, digest);
    if !faults.is_empty() {
        return Err(faults.iter().map(|fault| fault.diagnose(machine)).collect());
    }
    let mut notes = Diagnostics::new();
    let assumed = topology.assumed;
    if assumed > 0 {
        let values = if assumed == 1 { "1 value" } else { &format!("{assumed} values") };
        notes.push(Diagnostic::note("assumed", format!("routes rest on {values} assumed")));
    }
    Ok(Built { topology, notes })
}

/// The topology as far as there is one, and what is wrong with it. Where only rates are unknown all
/// of it is there but those and the rates of the routes that need them, which are 0.
pub(super) fn draft(machine: &Machine, digest: Digest) -> (Topology, Vec<Fault>) {
    let (resources, links) = resources(machine);
    let ends = resources.iter().filter_map(Resource::ends);
    let network = Network::new(machine, ends);
    let vertices = vertices(machine, &network);
    let rules = Rules::new(&machine.rules);
    let shares = Shares::new(&resources, links, vertices.len());
    let mut faults = local_faults(machine, &network);
    let ground = Ground {
        machine,
        network: &network,
        vertices: &vertices,
        resources: &resources,
        shares: &shares,
        rules: &rules,
    };
    // Without a sane set of ranks there is no question of routes.
    let countable = rank_fault(machine, &vertices);
    let (mut routes, mut starts, mut between) = (Vec::new(), Vec::new(), Between::default());
    let mut used = vec![false; resources.len()];
    match countable {
        Some(fault) => faults.push(fault),
        // The search takes long in large machines, and there is enough to mend.
        None if faults.len() > ENOUGH_FAULTS => {}
        None => {
            (routes, starts) = ground.local_routes(&mut faults);
            (between, used) = ground.between(&mut faults);
            let further = ground.loopbacks(&mut faults);
            if !further.is_empty() {
                (routes, starts) = merged(routes, further, machine.ranks.len());
            }
        }
    }
    for taken in routes.iter().flat_map(Route::takes) {
        used[taken.index()] = true;
    }
    for index in links..resources.len() {
        let ResourceKind::Total { of, .. } = &resources[index].kind else { continue };
        used[index] |= of.iter().any(|link| used[link.index()]);
    }
    let used: BTreeSet<usize> = resources
        .iter()
        .zip(&used)
        .filter(|(_, used)| **used)
        .filter_map(|(resource, _)| resource.link())
        .collect();
    for links in values::unknown_groups(machine, &used) {
        faults.push(Fault::UnknownRate { links });
    }
    let assumed = values::assumed_groups(machine, &used).len();
    let mut topology = Topology {
        name: machine.name.clone(),
        digest,
        nodes: vertices.iter().filter_map(|v| v.node).max().map_or(0, |node| node.index() + 1),
        vertices,
        resources,
        links,
        ranks: machine.ranks.iter().map(|&device| VertexId::new(device)).collect(),
        routes,
        starts,
        between,
        rules: machine.rules.clone(),
        assumed,
    };
    topology.choose_candidates();
    topology.drop_idle_loopbacks();
    (topology, faults)
}

/// What is wrong with single links, figures and GPUs.
fn local_faults(machine: &Machine, network: &Network) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (position, link) in machine.links.iter().enumerate() {
        if link.from == link.to {
            faults.push(Fault::SelfLink { link: position });
        }
        match link.value.rate {
            Some(BytesPerSecond(0)) => faults.push(Fault::ZeroCapacity { link: position }),
            Some(rate) if is_absurd(rate) => {
                let what = format!("the link {} has capacity", link_text(machine, position));
                faults.push(Fault::AbsurdCapacity { what, span: link.span, rate });
            }
            _ => {}
        }
    }
    // Below, halves and shares of it would be rounded to nothing.
    let mut figure = |what: String, value: &LinkValue, span| {
        if let Some(rate) = value.rate.filter(|rate| is_absurd(*rate)) {
            faults.push(Fault::AbsurdCapacity { what, span, rate });
        }
    };
    for total in &machine.totals {
        figure(format!("the total {} has capacity", total.name), &total.value, total.span);
    }
    for device in &machine.devices {
        if let Some(memory) = &device.memory {
            figure(format!("the memory of {} has capacity", device.path), memory, device.span);
        }
    }
    for PlacedRule { rule, span, .. } in &machine.rules {
        if let Rule::Cap { class, value, .. } = rule {
            figure(format!("the cap of class {class} is"), value, *span);
        }
    }
    for &device in &machine.ranks {
        if machine.ranks.len() > 1 && !network.is_linked(VertexId::new(device)) {
            faults.push(Fault::NoLink { device });
        }
    }
    faults
}

/// Whether nobody builds anything of such a rate.
fn is_absurd(rate: BytesPerSecond) -> bool {
    rate < BELIEVABLE.0 || rate > BELIEVABLE.1
}

/// What is wrong with the set of ranks as a whole.
fn rank_fault(machine: &Machine, vertices: &[Vertex]) -> Option<Fault> {
    let ranks = machine.ranks.len();
    if ranks == 0 {
        return Some(Fault::NoGpu);
    }
    if ranks > MAX_RANKS {
        return Some(Fault::TooManyRanks { ranks });
    }
    let mut mates = vec![0_usize; machine.devices.len()];
    for &device in &machine.ranks {
        let Some(node) = vertices[device].node else { continue };
        mates[node.index()] += 1;
        if mates[node.index()] > MAX_NODE_RANKS {
            let of = |other: &&usize| vertices[**other].node == Some(node);
            let ranks = machine.ranks.iter().filter(of).count();
            return Some(Fault::CrowdedNode { ranks, device });
        }
    }
    None
}

fn vertices(machine: &Machine, network: &Network) -> Vec<Vertex> {
    let places = network.places();
    let nodes = network.nodes();
    machine
        .devices
        .iter()
        .zip(nodes.iter().zip(&places))
        .map(|(device, (node, place))| Vertex {
            path: device.path.clone(),
            kind: device.kind,
            arch: device.arch.clone(),
            model: device.model.clone(),
            bus: device.bus,
            node: node.map(NodeId::new),
            socket: place.socket,
            uplink: place.uplink,
            switch: place.switch,
            span: device.span,
        })
        .collect()
}

/// All resources, and how many of them are directed links.
fn resources(machine: &Machine) -> (Vec<Resource>, usize) {
    let of = |kind: ResourceKind, value: &LinkValue, span| Resource {
        kind,
        capacity: value.rate,
        efficiency: Vec::new(),
        latency: Nanos(0),
        assumed: values::assumed(value).is_some(),
        span,
    };
    let offers = efficiency::of_links(machine);
    let mut resources = Vec::new();
    // The first direction of each link.
    let mut firsts = Vec::new();
    for (position, link) in machine.links.iter().enumerate() {
        firsts.push(resources.len());
        let (from, to) = (VertexId::new(link.from), VertexId::new(link.to));
        for (from, to) in [(from, to), (to, from)].into_iter().take(1 + usize::from(link.duplex)) {
            let kind = ResourceKind::Link { from, to, link: position };
            let latency = link.value.latency;
            let efficiency = offers[position].clone();
            resources.push(Resource { efficiency, latency, ..of(kind, &link.value, link.span) });
        }
    }
    let links = resources.len();
    for total in &machine.totals {
        let direction = |&(position, forward): &(usize, bool)| {
            let second = !forward && machine.links[position].duplex;
            LinkId::new(firsts[position] + usize::from(second))
        };
        let mut directions: Vec<LinkId> = total.links.iter().map(direction).collect();
        directions.sort_unstable();
        let kind = ResourceKind::Total { name: total.name.clone(), of: directions };
        resources.push(of(kind, &total.value, total.span));
    }
    for (position, device) in machine.devices.iter().enumerate() {
        let Some(memory) = &device.memory else { continue };
        let kind = ResourceKind::Memory { socket: VertexId::new(position) };
        resources.push(of(kind, memory, device.span));
    }
    (resources, links)
}
