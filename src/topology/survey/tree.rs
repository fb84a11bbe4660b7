//! The devices hung under sockets.

use super::{Entry, figure};
use crate::base::DeviceKind;
use crate::dsl::Machine;
use crate::topology::Topology;
use std::collections::VecDeque;

/// The devices hung under sockets, each by the fewest links.
pub(in crate::topology) struct Forest {
    /// The link and device above each device.
    pub(super) up: Vec<Option<(usize, usize)>>,
    /// The devices below each device, in the order of their links.
    below: Vec<Vec<usize>>,
    /// The devices at the top.
    tops: Vec<usize>,
}

impl Forest {
    pub(in crate::topology) fn new(machine: &Machine) -> Self {
        let devices = machine.devices.len();
        let mut neighbours: Vec<Vec<(usize, usize)>> = vec![Vec::new(); devices];
        for (link, ends) in machine.links.iter().enumerate() {
            neighbours[ends.from].push((link, ends.to));
            neighbours[ends.to].push((link, ends.from));
        }
        let mut forest =
            Self { up: vec![None; devices], below: vec![Vec::new(); devices], tops: Vec::new() };
        let mut placed = vec![false; devices];
        let of_kind = |kind| (0..devices).filter(move |&d| machine.devices[d].kind == kind);
        // All sockets at once, so that each device goes to the nearest; then what is left, one by
        // one, switches before what hangs on them.
        let mut starts: Vec<Vec<usize>> = vec![of_kind(DeviceKind::Socket).collect()];
        for kind in [DeviceKind::Switch, DeviceKind::Gpu, DeviceKind::Nic] {
            starts.extend(of_kind(kind).map(|device| vec![device]));
        }
        for start in starts {
            let mut queue = VecDeque::new();
            for device in start {
                if !placed[device] {
                    placed[device] = true;
                    forest.tops.push(device);
                    queue.push_back(device);
                }
            }
            while let Some(device) = queue.pop_front() {
                if !matches!(machine.devices[device].kind, DeviceKind::Socket | DeviceKind::Switch)
                {
                    continue;
                }
                for &(link, other) in &neighbours[device] {
                    if placed[other] || machine.devices[other].kind == DeviceKind::Fabric {
                        continue;
                    }
                    placed[other] = true;
                    forest.up[other] = Some((link, device));
                    forest.below[device].push(other);
                    queue.push_back(other);
                }
            }
        }
        forest
    }

    /// The link above a device, and that device.
    pub(in crate::topology) fn above(&self, device: usize) -> Option<(usize, usize)> {
        self.up[device]
    }

    /// A device and everything below it with the depth, each before what hangs on it.
    pub(super) fn walk(&self, top: usize) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        let mut stack = vec![(0, top)];
        while let Some((depth, device)) = stack.pop() {
            order.push((depth, device));
            stack.extend(self.below[device].iter().rev().map(|&below| (depth + 1, below)));
        }
        order
    }

    /// All devices but fabrics, each before what hangs on it.
    pub(super) fn all(&self) -> Vec<(usize, usize)> {
        self.tops.iter().flat_map(|&top| self.walk(top)).collect()
    }

    pub(super) fn entries(&self, machine: &Machine, topology: &Topology) -> Vec<Entry> {
        let mut ranks = vec![None; machine.devices.len()];
        for (rank, &device) in machine.ranks.iter().enumerate() {
            ranks[device] = Some(rank);
        }
        let entry = |(depth, position): (usize, usize)| {
            let device = &machine.devices[position];
            Entry {
                depth,
                path: device.path.clone(),
                kind: device.kind,
                rank: ranks[position],
                details: [&device.arch, &device.model]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .chain(device.bus.map(|bus| bus.to_string()))
                    .collect(),
                bus: device.bus,
                uplink: self.up[position].map(|(link, _)| figure(machine, &[link])),
                node: topology.vertices[position].node.map(|node| node.index()),
            }
        };
        self.all().into_iter().map(entry).collect()
    }
}
