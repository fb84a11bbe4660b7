//! A bus id for every device that needs one.

use super::forest::Forest;
use crate::base::{BusId, DeviceKind};
use crate::dsl::Machine;
use std::collections::BTreeSet;

/// The bus ids of the devices of one node.
#[derive(Debug, Clone)]
pub struct BusIds {
    /// By position in the machine; `None` for sockets, fabrics, devices of other nodes, and cards on
    /// a socket whose link is unknown too: of those no more is known than that they are there.
    pub of: Vec<Option<BusId>>,
    /// The devices whose ids the description does not tell.
    pub invented: Vec<usize>,
}

impl BusIds {
    /// Those that the machine tells, and made-up ones for the others.
    pub fn new(machine: &Machine, forest: &Forest, node: usize) -> Self {
        let inside = |device: usize| forest.node[device] == Some(node);
        let mut used: BTreeSet<BusId> = BTreeSet::new();
        let mut of: Vec<Option<BusId>> = machine
            .devices
            .iter()
            .enumerate()
            .map(|(device, found)| found.bus.filter(|bus| inside(device) && used.insert(*bus)))
            .collect();
        let mut spare = spare().filter(|bus| !used.contains(bus));
        let mut invented = Vec::new();
        for (device, found) in machine.devices.iter().enumerate() {
            let on_socket_of_unknown_rate = forest.parent[device].is_some_and(|(above, link)| {
                machine.devices[above].kind == DeviceKind::Socket
                    && machine.links[link].value.rate.is_none()
            });
            let has_none = match found.kind {
                DeviceKind::Socket | DeviceKind::Fabric => true,
                DeviceKind::Nic => on_socket_of_unknown_rate,
                DeviceKind::Gpu | DeviceKind::Switch => false,
            };
            if of[device].is_none() && inside(device) && !has_none {
                of[device] = spare.next();
                invented.push(device);
            }
        }
        Self { of, invented }
    }
}

/// From ffff:ff:01.0 on: a domain that no device has, as virtual machines number the switches that
/// they do not show. Devices 1 to 31 of bus ff, then of bus fe, and so on through the domains.
fn spare() -> impl Iterator<Item = BusId> {
    let buses =
        (0..=0xffff).rev().flat_map(|domain| (0..=0xff).rev().map(move |bus| (domain, bus)));
    buses.flat_map(|(domain, bus)| {
        (1..32).map(move |device| BusId { domain, bus, device, function: 0 })
    })
}
