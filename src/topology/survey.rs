//! What a machine is, told without needing its rates.

use super::fault::link_text;
use super::values;
use crate::base::{BytesPerSecond, DeviceKind};
use crate::dsl::Machine;
use crate::dsl::machine::Rule;
use serde::Serialize;
use std::collections::{BTreeSet, VecDeque};

/// What `check` shows of a machine. It is made of sound machines and of those that no topology can
/// be built from, with unknown rates too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// The name in the header.
    pub name: String,
    /// The number of sockets.
    pub sockets: usize,
    /// The number of switches.
    pub switches: usize,
    /// The number of GPUs.
    pub gpus: usize,
    /// The number of NICs.
    pub nics: usize,
    /// The number of fabrics.
    pub fabrics: usize,
    /// The devices as a tree, each before what hangs on it: sockets first, then what no socket
    /// reaches. Fabrics are left out.
    pub tree: Vec<Entry>,
    /// The links that are not part of the tree: between sockets, to fabrics, second ways.
    pub links: Vec<Figure>,
    /// The links to switches that two or more GPUs share.
    pub shared: Vec<SharedUplink>,
    /// The assumed figures, links with the same figure together.
    pub assumed: Vec<Figure>,
    /// The unknown figures, links of one statement together.
    pub unknown: Vec<Figure>,
    /// What holds because the machine does not say otherwise.
    pub defaults: Vec<String>,
}

/// A device of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// How many devices are above it.
    pub depth: usize,
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Its rank, for a GPU that has one.
    pub rank: Option<usize>,
    /// Compute architecture, marketing name and PCI bus id, as far as known.
    pub details: Vec<String>,
    /// The link to the device above; nothing at the top.
    pub uplink: Option<Figure>,
}

/// What one or several links are worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The links as the language writes them, or a socket's memory; at least one.
    pub of: Vec<String>,
    /// Payload bytes a second in each direction; nothing when unknown.
    pub bytes_per_second: Option<BytesPerSecond>,
    /// Delay of the first byte in nanoseconds.
    pub latency_ns: u64,
    /// Why it is assumed, perhaps without a reason; nothing when it is not.
    pub assumed: Option<String>,
}

/// A link that several GPUs share on their way to the rest of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedUplink {
    /// The link as the language writes it.
    pub link: String,
    /// The GPUs behind it, at least two.
    pub gpus: Vec<String>,
}

/// Surveys `machine`.
#[must_use]
pub fn survey(machine: &Machine) -> Survey {
    let count = |kind| machine.devices.iter().filter(|device| device.kind == kind).count();
    let forest = Forest::new(machine);
    let all: BTreeSet<usize> = (0..machine.links.len()).collect();
    let figures = |groups: Vec<Vec<usize>>| -> Vec<Figure> {
        groups.iter().map(|group| figure(machine, group)).collect()
    };
    let mut assumed = figures(values::assumed_groups(machine, &all));
    let mut unknown = figures(values::unknown_groups(machine, &all));
    for device in &machine.devices {
        let Some(memory) = &device.memory else { continue };
        let figure = Figure {
            of: vec![format!("memory of {}", device.path)],
            bytes_per_second: memory.rate,
            latency_ns: memory.latency.0,
            assumed: values::assumed(memory).map(str::to_owned),
        };
        match (figure.bytes_per_second, &figure.assumed) {
            (None, _) => unknown.push(figure),
            (_, Some(_)) => assumed.push(figure),
            _ => {}
        }
    }
    Survey {
        name: machine.name.clone(),
        sockets: count(DeviceKind::Socket),
        switches: count(DeviceKind::Switch),
        gpus: count(DeviceKind::Gpu),
        nics: count(DeviceKind::Nic),
        fabrics: count(DeviceKind::Fabric),
        tree: forest.entries(machine),
        links: all
            .iter()
            .filter(|link| !forest.up.iter().flatten().any(|up| up.0 == **link))
            .map(|&link| figure(machine, &[link]))
            .collect(),
        shared: forest.shared(machine),
        assumed,
        unknown,
        defaults: defaults(machine),
    }
}

fn figure(machine: &Machine, links: &[usize]) -> Figure {
    let value = &machine.links[links[0]].value;
    Figure {
        of: links.iter().map(|&link| link_text(machine, link)).collect(),
        bytes_per_second: value.rate,
        latency_ns: value.latency.0,
        assumed: values::assumed(value).map(str::to_owned),
    }
}

/// The devices hung under sockets, each by the fewest links.
struct Forest {
    /// The link and device above each device.
    up: Vec<Option<(usize, usize)>>,
    /// The devices below each device, in the order of their links.
    below: Vec<Vec<usize>>,
    /// The devices at the top.
    tops: Vec<usize>,
}

impl Forest {
    fn new(machine: &Machine) -> Self {
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

    /// A device and everything below it with the depth, each before what hangs on it.
    fn walk(&self, top: usize) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        let mut stack = vec![(0, top)];
        while let Some((depth, device)) = stack.pop() {
            order.push((depth, device));
            stack.extend(self.below[device].iter().rev().map(|&below| (depth + 1, below)));
        }
        order
    }

    fn entries(&self, machine: &Machine) -> Vec<Entry> {
        let entry = |(depth, position): (usize, usize)| {
            let device = &machine.devices[position];
            Entry {
                depth,
                path: device.path.clone(),
                kind: device.kind,
                rank: machine.ranks.iter().position(|&rank| rank == position),
                details: [&device.arch, &device.model, &device.bus]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect(),
                uplink: self.up[position].map(|(link, _)| figure(machine, &[link])),
            }
        };
        self.tops.iter().flat_map(|&top| self.walk(top)).map(entry).collect()
    }

    fn shared(&self, machine: &Machine) -> Vec<SharedUplink> {
        let mut shared = Vec::new();
        let order = self.tops.iter().flat_map(|&top| self.walk(top));
        for (_, device) in order {
            let Some((link, _)) = self.up[device] else { continue };
            let gpus: Vec<String> = self
                .walk(device)
                .into_iter()
                .map(|(_, below)| &machine.devices[below])
                .filter(|below| below.kind == DeviceKind::Gpu)
                .map(|below| below.path.clone())
                .collect();
            if gpus.len() > 1 {
                shared.push(SharedUplink { link: link_text(machine, link), gpus });
            }
        }
        shared
    }
}

/// The defaults in force, leaving out those that the machine overrides or has no use for.
fn defaults(machine: &Machine) -> Vec<String> {
    let has = |kind| machine.devices.iter().any(|device| device.kind == kind);
    let rule = |test: fn(&Rule) -> bool| machine.rules.iter().any(|placed| test(&placed.rule));
    let mut lines = Vec::new();
    if !rule(|r| matches!(r, Rule::Peer { nic: false, .. })) {
        lines.push("peer access between all GPUs of the node, push and pull");
    }
    lines.push("routes take the fewest links; GPUs and NICs never forward");
    if has(DeviceKind::Nic) {
        if !rule(|r| matches!(r, Rule::ViaNearest | Rule::ViaAny | Rule::Via { .. })) {
            lines.push("GPUs use the nearest NICs (via nearest)");
        }
        if !rule(|r| matches!(r, Rule::Loopback)) {
            lines.push("no loopback over NICs");
        }
    }
    if machine.links.iter().any(|link| link.value.latency.0 == 0) {
        lines.push("latency 0 where none is given");
    }
    let mut sockets = machine.devices.iter().filter(|d| d.kind == DeviceKind::Socket);
    if sockets.any(|socket| socket.memory.is_none()) {
        lines.push("socket memory unlimited where none is given");
    }
    let profile = |r: &Rule| {
        matches!(
            r,
            Rule::Cap { .. } | Rule::Efficiency { .. } | Rule::Avoid { .. } | Rule::Cost { .. }
        )
    };
    if !rule(profile) {
        lines.push("no profile: links lose nothing when transfers share them");
    }
    if machine.devices.iter().any(|d| d.kind == DeviceKind::Gpu && d.arch.is_none()) {
        lines.push("PTX for compute_80 where no arch is given");
    }
    let declared =
        (0..machine.devices.len()).filter(|&d| machine.devices[d].kind == DeviceKind::Gpu);
    if machine.ranks.iter().copied().eq(declared) {
        lines.push("ranks in order of declaration");
    }
    lines.into_iter().map(str::to_owned).collect()
}
