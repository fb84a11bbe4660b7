//! The changes that are tried.

use crate::base::{BytesPerSecond, DeviceKind, NodeId};
use crate::dsl::{Machine, pcie_rate};

/// The lanes of a full slot.
const FULL_WIDTH: u32 = 16;

/// One change of a machine. Devices and links are positions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A link that is narrower than a full slot, or slower than others of its kind, gets this rate.
    Widen {
        /// The link.
        link: usize,
        /// What each direction carries then.
        rate: BytesPerSecond,
    },
    /// A device goes into another slot of its node: its only link within the node leads to another
    /// switch or socket. A network card keeps its cable.
    Move {
        /// The device.
        device: usize,
        /// Its link within the node.
        link: usize,
        /// The switch or socket.
        to: usize,
    },
    /// Two GPUs exchange their ranks.
    Swap {
        /// The lower rank.
        a: usize,
        /// The higher rank.
        b: usize,
    },
}

impl Change {
    /// Every change of `machine`, in a fixed order; `nodes` tells the node of each device.
    pub(super) fn all(machine: &Machine, nodes: &[Option<NodeId>]) -> Vec<Self> {
        let mut changes = Vec::new();
        changes.extend((0..machine.links.len()).filter_map(|link| widening(machine, link)));
        for (device, found) in machine.devices.iter().enumerate() {
            if !matches!(found.kind, DeviceKind::Gpu | DeviceKind::Nic) {
                continue;
            }
            let is_within = |&link: &usize| {
                end(machine, link, device).is_some_and(|far| nodes[far] == nodes[device])
            };
            let mut own = (0..machine.links.len()).filter(is_within);
            let (Some(link), None) = (own.next(), own.next()) else { continue };
            let parent = end(machine, link, device);
            // A joint capacity may be over whatever hangs on a device, which is not known here.
            let is_joint = |at: usize| {
                let joint = machine.totals.iter().flat_map(|total| &total.links);
                joint.map(|joint| joint.0).any(|link| end(machine, link, at).is_some())
            };
            if is_joint(device) || parent.is_some_and(is_joint) {
                continue;
            }
            let slots = (0..machine.devices.len()).filter(|&slot| {
                matches!(machine.devices[slot].kind, DeviceKind::Switch | DeviceKind::Socket)
                    && Some(slot) != parent
                    && nodes[slot] == nodes[device]
                    && !is_joint(slot)
            });
            changes.extend(slots.map(|to| Self::Move { device, link, to }));
        }
        for a in 0..machine.ranks.len() {
            changes.extend((a + 1..machine.ranks.len()).map(|b| Self::Swap { a, b }));
        }
        changes
    }

    /// The machine after the change; nothing where it stays as it is and only ranks change.
    pub(super) fn applied(self, machine: &Machine) -> Option<Machine> {
        let mut changed = machine.clone();
        match self {
            Self::Widen { link, rate } => changed.links[link].value.rate = Some(rate),
            Self::Move { device, link, to } => {
                let link = &mut changed.links[link];
                let far = if link.from == device { &mut link.to } else { &mut link.from };
                *far = to;
            }
            Self::Swap { .. } => return None,
        }
        Some(changed)
    }

    /// The devices that the change is about.
    pub(super) fn devices(self, machine: &Machine) -> [usize; 2] {
        match self {
            Self::Widen { link, .. } => [machine.links[link].from, machine.links[link].to],
            Self::Move { device, to, .. } => [device, to],
            Self::Swap { a, b } => [machine.ranks[a], machine.ranks[b]],
        }
    }

    /// The change in words: `g[3] -- sw[1] at 26.3 GB/s instead of 13.15 GB/s`.
    #[must_use]
    pub fn describe(self, machine: &Machine) -> String {
        let path = |device: usize| machine.devices[device].path.as_str();
        match self {
            Self::Widen { link, rate } => {
                let link = &machine.links[link];
                let arrow = if link.duplex { "--" } else { "->" };
                let now = link.value.rate.unwrap_or_default();
                let (from, to) = (path(link.from), path(link.to));
                format!("{from} {arrow} {to} at {rate} instead of {now}")
            }
            Self::Move { device, link, to } => {
                let parent = end(machine, link, device).unwrap_or(to);
                format!("{} on {} instead of {}", path(device), path(to), path(parent))
            }
            Self::Swap { a, b } => {
                let gpu = |rank: usize| path(machine.ranks[rank]);
                format!("ranks {a} and {b} exchanged between {} and {}", gpu(a), gpu(b))
            }
        }
    }
}

/// The other end of a link of `device`.
fn end(machine: &Machine, link: usize, device: usize) -> Option<usize> {
    let link = &machine.links[link];
    match device {
        _ if device == link.from => Some(link.to),
        _ if device == link.to => Some(link.from),
        _ => None,
    }
}

/// A link written with fewer lanes than a full slot could have them all; any other could be as fast
/// as the fastest between devices of the same two kinds.
fn widening(machine: &Machine, link: usize) -> Option<Change> {
    let found = &machine.links[link];
    let kinds = |link: &crate::dsl::machine::Link| {
        let kind = |device: usize| machine.devices[device].kind;
        let (a, b) = (kind(link.from), kind(link.to));
        (a.min(b), a.max(b))
    };
    let full = found.value.pcie.map(|(generation, _)| pcie_rate(generation, FULL_WIDTH).0);
    let alike = machine.links.iter().filter(|other| kinds(other) == kinds(found));
    let rate = alike.filter_map(|other| other.value.rate).chain(full).max()?;
    (rate > found.value.rate?).then_some(Change::Widen { link, rate })
}
