//! From a machine to a checked topology.

use super::fault::{BELIEVABLE, Fault};
use super::graph::{Network, Ways};
use super::values;
use super::{Resource, Route, Topology, Vertex};
use crate::base::{
    BytesPerSecond, DeviceKind, Digest, Initiator, LinkId, Mode, Rank, RouteClass, VertexId,
};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use std::collections::BTreeSet;

/// The most ranks of an exchange.
pub const MAX_RANKS: usize = 16;

/// A topology and what is worth knowing about it.
#[derive(Debug, Clone)]
pub struct Built {
    /// The checked topology.
    pub topology: Topology,
    /// Notes and warnings; never an error.
    pub notes: Diagnostics,
}

/// Checks `machine` and finds the route of every ordered pair of ranks: the one with the fewest
/// links, over switches and sockets only. `digest` is taken over into the topology.
///
/// # Errors
/// Everything that is wrong with the machine, at once: exit 1 for what its author must mend
/// (unreachable pairs, ties, impossible rates, unknown rates on routes), exit 3 for what this
/// version does not carry out (rules, several nodes, links between GPUs, more than [`MAX_RANKS`]).
pub fn build(machine: &Machine, digest: Digest) -> Result<Built, Diagnostics> {
    let ends = directed_ends(machine);
    let network = Network::new(machine, &ends.iter().map(|e| e.1).collect::<Vec<_>>());
    let mut faults = local_faults(machine, &network);
    // Without a sane set of ranks in one node there is no question of routes.
    let countable = rank_fault(machine, &network);
    let mut routes = Vec::new();
    match countable {
        Some(fault) => faults.push(fault),
        None => routes = find_routes(machine, &network, &ends, &mut faults),
    }
    let used: BTreeSet<usize> =
        routes.iter().flat_map(|route| &route.links).map(|link| ends[link.index()].0).collect();
    // What would change a plan is refused where it is not carried out, never ignored. One of the
    // links of a statement stands for all.
    let mut places = BTreeSet::new();
    for &link in &used {
        let late = machine.links[link].value.latency.0 > 0;
        if late && places.insert(machine.links[link].span) {
            faults.push(Fault::Latency { link });
        }
    }
    for (device, data) in machine.devices.iter().enumerate() {
        if data.memory.is_some() && places.insert(data.span) {
            faults.push(Fault::Memory { device });
        }
    }
    for links in values::unknown_groups(machine, &used) {
        faults.push(Fault::UnknownRate { links });
    }
    if !faults.is_empty() {
        return Err(faults.iter().map(|fault| fault.diagnose(machine)).collect());
    }
    let assumed = values::assumed_groups(machine, &used).len();
    let mut notes = Diagnostics::new();
    if assumed > 0 {
        let values = if assumed == 1 { "1 value" } else { &format!("{assumed} values") };
        notes.push(Diagnostic::note("assumed", format!("routes rest on {values} assumed")));
    }
    let topology = Topology {
        name: machine.name.clone(),
        digest,
        vertices: vertices(machine, &network),
        resources: resources(machine, &ends),
        ranks: machine.ranks.iter().map(|&device| VertexId::new(device)).collect(),
        routes,
        assumed,
    };
    Ok(Built { topology, notes })
}

/// The directed links: (position of the machine's link, its ends).
type Ends = (usize, (VertexId, VertexId));

fn directed_ends(machine: &Machine) -> Vec<Ends> {
    let mut ends = Vec::new();
    for (position, link) in machine.links.iter().enumerate() {
        let (from, to) = (VertexId::new(link.from), VertexId::new(link.to));
        ends.push((position, (from, to)));
        if link.duplex {
            ends.push((position, (to, from)));
        }
    }
    ends
}

/// What is wrong with single rules, links and GPUs.
fn local_faults(machine: &Machine, network: &Network) -> Vec<Fault> {
    let mut faults: Vec<Fault> =
        (0..machine.rules.len()).map(|index| Fault::Rule { index }).collect();
    for (position, link) in machine.links.iter().enumerate() {
        let kinds = [machine.devices[link.from].kind, machine.devices[link.to].kind];
        if link.from == link.to {
            faults.push(Fault::SelfLink { link: position });
        } else if kinds == [DeviceKind::Gpu; 2] {
            faults.push(Fault::DirectLink { link: position });
        }
        match link.value.rate {
            Some(BytesPerSecond(0)) => faults.push(Fault::ZeroCapacity { link: position }),
            Some(rate) if rate < BELIEVABLE.0 || rate > BELIEVABLE.1 => {
                faults.push(Fault::AbsurdCapacity { link: position, rate });
            }
            _ => {}
        }
    }
    for &device in &machine.ranks {
        if machine.ranks.len() > 1 && !network.is_linked(VertexId::new(device)) {
            faults.push(Fault::NoLink { device });
        }
    }
    faults
}

/// What is wrong with the set of ranks as a whole.
fn rank_fault(machine: &Machine, network: &Network) -> Option<Fault> {
    match machine.ranks[..] {
        [] => return Some(Fault::NoGpu),
        [device] => return Some(Fault::OneRank { device }),
        _ => {}
    }
    // Without a network, separate parts are a forgotten link rather than several nodes.
    if network.has_network() {
        let nodes = network.nodes();
        let linked: Vec<(usize, usize)> = machine
            .ranks
            .iter()
            .filter(|&&device| network.is_linked(VertexId::new(device)))
            .filter_map(|&device| Some((nodes[device]?, device)))
            .collect();
        let distinct: BTreeSet<usize> = linked.iter().map(|entry| entry.0).collect();
        if let Some(&(home, first)) = linked.first()
            && let Some(&(_, second)) = linked.iter().find(|entry| entry.0 != home)
        {
            return Some(Fault::SeveralNodes { nodes: distinct.len(), first, second });
        }
    }
    let ranks = machine.ranks.len();
    (ranks > MAX_RANKS).then_some(Fault::TooManyRanks { ranks })
}

/// The routes of all ordered pairs, by (source, destination). Pairs without one, or with two,
/// become faults.
fn find_routes(
    machine: &Machine,
    network: &Network,
    ends: &[Ends],
    faults: &mut Vec<Fault>,
) -> Vec<Route> {
    let mut routes = Vec::new();
    let mut unreachable = Vec::new();
    let mut ties: Vec<((usize, usize), Fault)> = Vec::new();
    for (s, &src) in machine.ranks.iter().enumerate() {
        let reach = network.reach(VertexId::new(src));
        for (d, &dst) in machine.ranks.iter().enumerate() {
            if s == d {
                continue;
            }
            let linked = |device| network.is_linked(VertexId::new(device));
            match network.ways(&reach, VertexId::new(dst)) {
                Ways::One(links) => routes.push(route(machine, ends, s, d, links)),
                Ways::None if linked(src) && linked(dst) => unreachable.push((src, dst)),
                Ways::None => {}
                Ways::Tie(first, second) => note_tie(ends, &first, &second, &mut ties),
            }
        }
    }
    if !unreachable.is_empty() {
        faults.push(Fault::Unreachable { pairs: unreachable });
    }
    faults.extend(ties.into_iter().map(|(_, fault)| fault));
    routes
}

/// Adds a tie, or counts it with an earlier one that leaves and meets again at the same devices,
/// in whichever direction.
fn note_tie(
    ends: &[Ends],
    first: &[LinkId],
    second: &[LinkId],
    ties: &mut Vec<((usize, usize), Fault)>,
) {
    let devices = |links: &[LinkId]| -> Vec<usize> {
        let start = links.first().map(|link| ends[link.index()].1.0.index());
        start.into_iter().chain(links.iter().map(|link| ends[link.index()].1.1.index())).collect()
    };
    let differing: Vec<usize> =
        (0..first.len().min(second.len())).filter(|&i| first[i] != second[i]).collect();
    let (Some(&low), Some(&high)) = (differing.first(), differing.last()) else { return };
    let leave = ends[first[low].index()].1.0.index();
    let meet = ends[first[high].index()].1.1.index();
    let place = (leave.min(meet), leave.max(meet));
    if let Some((_, Fault::Tie { more, .. })) = ties.iter_mut().find(|tie| tie.0 == place) {
        *more += 1;
        return;
    }
    let links = [first, second]
        .iter()
        .flat_map(|way| &way[low..=high])
        .map(|link| ends[link.index()].0)
        .collect();
    let fault = Fault::Tie { first: devices(first), second: devices(second), links, more: 0 };
    ties.push((place, fault));
}

fn route(machine: &Machine, ends: &[Ends], src: usize, dst: usize, links: Vec<LinkId>) -> Route {
    let sockets = links
        .iter()
        .filter(|link| machine.devices[ends[link.index()].1.1.index()].kind == DeviceKind::Socket)
        .count();
    let class = match (links.len(), sockets) {
        (1, _) => RouteClass::Direct,
        (_, 0) => RouteClass::Switch,
        (_, 1) => RouteClass::Socket,
        _ => RouteClass::Cross,
    };
    // An unknown rate is a fault of its own, so that the zero never leaves this module.
    let rate = links
        .iter()
        .map(|link| machine.links[ends[link.index()].0].value.rate.unwrap_or_default())
        .min()
        .unwrap_or_default();
    Route {
        src: Rank::new(src),
        dst: Rank::new(dst),
        class,
        mode: Mode::Push,
        initiator: Initiator::Kernel,
        links,
        rate,
    }
}

fn vertices(machine: &Machine, network: &Network) -> Vec<Vertex> {
    machine
        .devices
        .iter()
        .enumerate()
        .map(|(position, device)| Vertex {
            path: device.path.clone(),
            kind: device.kind,
            arch: device.arch.clone(),
            model: device.model.clone(),
            bus: device.bus.clone(),
            socket: network.nearest_socket(VertexId::new(position)),
        })
        .collect()
}

fn resources(machine: &Machine, ends: &[Ends]) -> Vec<Resource> {
    ends.iter()
        .map(|&(position, (from, to))| {
            let value = &machine.links[position].value;
            Resource {
                from,
                to,
                capacity: value.rate,
                latency: value.latency,
                assumed: values::assumed(value).is_some(),
            }
        })
        .collect()
}
