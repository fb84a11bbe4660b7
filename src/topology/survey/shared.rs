//! What several GPUs share, and what is left to each.

use super::SharedUplink;
use super::tree::Forest;
use crate::base::{BytesPerSecond, DeviceKind, LinkId, Rank};
use crate::dsl::Machine;
use crate::topology::fault::link_text;
use crate::topology::uniform::Load;
use crate::topology::{ResourceKind, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// Every link and joint capacity that two or more GPUs share: uplinks as the tree has them, other
/// links in order of declaration, joint capacities, socket memory. What lies within a node is
/// counted by the transfers within it; cards and what is beyond them by those between nodes.
pub(super) fn shared(
    machine: &Machine,
    topology: &Topology,
    forest: &Forest,
    load: &Load,
) -> Vec<SharedUplink> {
    let sources = |id: usize| match load.near_sources[id] {
        0 => load.sources[id],
        near => near,
    };
    // By link: the most GPUs that send over one of its directions.
    let mut users: BTreeMap<usize, usize> = BTreeMap::new();
    for (id, resource) in topology.resources.iter().enumerate() {
        if let Some(link) = resource.link() {
            let most = users.entry(link).or_default();
            *most = sources(id).max(*most);
        }
    }
    let mut all = Vec::new();
    let mut in_tree = BTreeSet::new();
    let cards = gpus_of_cards(topology);
    let node = |device: usize| topology.vertices[device].node.map(|node| node.index());
    let mut add = |link: usize, gpus: Vec<String>, users: usize| {
        let value = &machine.links[link].value;
        let ends = [machine.links[link].from, machine.links[link].to];
        all.push(SharedUplink {
            link: link_text(machine, link),
            gpus,
            users,
            bytes_per_second: value.rate,
            bytes_per_second_each: each(value.rate, users),
            joint: false,
            node: ends.into_iter().find_map(node),
        });
    };
    for (_, device) in forest.all() {
        let Some((link, _)) = forest.up[device] else { continue };
        in_tree.insert(link);
        let gpus = match machine.devices[device].kind {
            DeviceKind::Gpu => continue,
            DeviceKind::Nic => cards.get(&device).cloned().unwrap_or_default(),
            _ => gpus_below(machine, forest, device),
        };
        if gpus.len() > 1 {
            let count = gpus.len();
            add(link, gpus, count);
        }
    }
    for (&link, &users) in users.iter().filter(|(link, _)| !in_tree.contains(*link)) {
        let ends = [machine.links[link].from, machine.links[link].to];
        // A GPU's own link is not shared, however many send to it.
        if ends.iter().any(|&end| machine.devices[end].kind == DeviceKind::Gpu) {
            continue;
        }
        let gpus = ends.iter().find_map(|end| cards.get(end)).cloned().unwrap_or_default();
        let users = if gpus.is_empty() { users } else { gpus.len() };
        if users > 1 {
            add(link, gpus, users);
        }
    }
    for (id, resource) in topology.resources.iter().enumerate().skip(topology.links) {
        let users = sources(id);
        if users < 2 {
            continue;
        }
        let first = match &resource.kind {
            ResourceKind::Total { of, .. } => {
                let ends = of.first().and_then(|link| topology.resources[link.index()].ends());
                ends.map(|(from, _)| from)
            }
            ResourceKind::Memory { socket } => Some(*socket),
            ResourceKind::Link { .. } => None,
        };
        all.push(SharedUplink {
            link: topology.resource_name(LinkId::new(id)),
            gpus: Vec::new(),
            users,
            bytes_per_second: resource.capacity,
            bytes_per_second_each: each(resource.capacity, users),
            joint: true,
            node: first.and_then(|vertex| node(vertex.index())),
        });
    }
    all
}

fn each(rate: Option<BytesPerSecond>, users: usize) -> Option<BytesPerSecond> {
    rate.map(|rate| BytesPerSecond(rate.0 / users.max(1) as u64))
}

fn gpus_below(machine: &Machine, forest: &Forest, device: usize) -> Vec<String> {
    let below = forest.walk(device).into_iter().map(|(_, below)| &machine.devices[below]);
    below.filter(|below| below.kind == DeviceKind::Gpu).map(|gpu| gpu.path.clone()).collect()
}

/// The GPUs whose transfers to other nodes leave by each card.
fn gpus_of_cards(topology: &Topology) -> BTreeMap<usize, Vec<String>> {
    let mut cards: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (rank, gpu) in topology.ranks.iter().enumerate() {
        for half in topology.egress(Rank::new(rank)) {
            let path = topology.vertices[gpu.index()].path.clone();
            cards.entry(half.nic.index()).or_default().push(path);
        }
    }
    cards
}
