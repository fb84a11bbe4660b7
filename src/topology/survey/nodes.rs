//! Which nodes are like each other.

use super::NodeKind;
use crate::base::DeviceKind;
use crate::dsl::Machine;
use crate::dsl::machine::LinkValue;
use crate::topology::Topology;
use std::collections::{BTreeMap, HashMap};

/// What makes nodes alike: devices in their order without names, ids and places, and the links
/// between them and to fabrics.
#[derive(PartialEq, Eq, Hash, Default)]
struct Shape {
    devices: Vec<String>,
    links: Vec<String>,
}

fn value_text(value: &LinkValue) -> String {
    format!("{:?} {:?} {:?}", value.rate, value.latency, value.origin)
}

/// The nodes with GPUs, those that are alike together, in the order of their first devices.
pub(super) fn kinds(machine: &Machine, topology: &Topology) -> Vec<NodeKind> {
    let node = |device: usize| topology.vertices[device].node.map(|node| node.index());
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); topology.nodes];
    // Where a device stands among those of its node.
    let mut place = vec![0; machine.devices.len()];
    for (device, place) in place.iter_mut().enumerate() {
        let Some(node) = node(device) else { continue };
        *place = members[node].len();
        members[node].push(device);
    }
    let mut ranked = vec![false; machine.devices.len()];
    machine.ranks.iter().for_each(|&device| ranked[device] = true);
    let shape = |own: &Vec<usize>| Shape::of(machine, own, &ranked);
    let mut shapes: Vec<Shape> = members.iter().map(shape).collect();
    for link in &machine.links {
        let (from, to) = (node(link.from), node(link.to));
        for (own, near, other, far) in
            [(from, link.from, to, link.to), (to, link.to, from, link.from)]
        {
            let Some(own) = own else { continue };
            let end = if other == Some(own) {
                // The other end tells of it too, the other way round.
                format!("{}", place[far])
            } else {
                machine.devices[far].kind.word().to_owned()
            };
            let way = if link.duplex {
                "--"
            } else if near == link.from {
                "->"
            } else {
                "<-"
            };
            let value = value_text(&link.value);
            shapes[own].links.push(format!("{} {way} {end} {value}", place[near]));
        }
    }
    let mut ranks: Vec<Vec<usize>> = vec![Vec::new(); topology.nodes];
    for (rank, &device) in machine.ranks.iter().enumerate() {
        if let Some(node) = node(device) {
            ranks[node].push(rank);
        }
    }
    let mut kinds: Vec<NodeKind> = Vec::new();
    let mut known: HashMap<Shape, usize> = HashMap::new();
    for (index, (own, mut shape)) in members.iter().zip(shapes).enumerate() {
        if !own.iter().any(|&device| machine.devices[device].kind == DeviceKind::Gpu) {
            continue;
        }
        shape.links.sort_unstable();
        let count = kinds.len();
        let at = *known.entry(shape).or_insert(count);
        if at == count {
            let mut devices = BTreeMap::new();
            own.iter().for_each(|&d| *devices.entry(machine.devices[d].kind).or_default() += 1);
            kinds.push(NodeKind {
                nodes: Vec::new(),
                names: Vec::new(),
                ranks: Vec::new(),
                devices,
            });
        }
        kinds[at].nodes.push(index);
        kinds[at].names.push(name(machine, own));
        kinds[at].ranks.extend(&ranks[index]);
    }
    kinds
}

impl Shape {
    fn of(machine: &Machine, own: &[usize], ranked: &[bool]) -> Self {
        let text = |&position: &usize| {
            let device = &machine.devices[position];
            let memory = device.memory.as_ref().map(value_text);
            let rank = ranked[position];
            format!("{:?} {:?} {:?} {memory:?} {rank}", device.kind, device.arch, device.model)
        };
        Self { devices: own.iter().map(text).collect(), links: Vec::new() }
    }
}

/// The part of the machine that a node is, `h[3]`; else by its first GPU.
fn name(machine: &Machine, own: &[usize]) -> String {
    let paths = || own.iter().map(|&device| machine.devices[device].path.as_str());
    let first = paths().next().unwrap_or_default();
    let same = first
        .match_indices('.')
        .map(|(at, _)| at)
        .rfind(|&at| paths().all(|path| path.get(..=at) == first.get(..=at)));
    if let Some(at) = same {
        return first[..at].to_owned();
    }
    let gpu = own.iter().find(|&&device| machine.devices[device].kind == DeviceKind::Gpu);
    format!("node of {}", gpu.map_or(first, |&gpu| machine.devices[gpu].path.as_str()))
}
