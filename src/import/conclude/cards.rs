//! Which functions make up one card.

use super::types::effective;
use crate::base::BusId;
use crate::import::inventory::{Above, Function, FunctionKind, Inventory, PciLink, Port};
use std::collections::BTreeMap;

/// A GPU or network card before its place is known.
#[derive(Debug, Clone)]
pub struct Unit {
    pub is_gpu: bool,
    pub functions: Vec<usize>,
    pub ports: Vec<Port>,
    pub above: Above,
    pub link: PciLink,
}

/// The cards of an inventory, and the names of what was left out and of fused devices.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// GPUs first; each kind by number, then bus id, then place in the dump.
    pub units: Vec<Unit>,
    pub left_out: Vec<String>,
    pub fused: Vec<String>,
}

/// Finds the cards.
pub fn units(inventory: &Inventory) -> Units {
    let mut found = Units::default();
    let mut known: BTreeMap<Identity<'_>, usize> = BTreeMap::new();
    for (index, function) in inventory.functions.iter().enumerate() {
        let is_gpu = function.kind == FunctionKind::Gpu;
        if !is_gpu && function.kind != FunctionKind::Nic {
            continue;
        }
        let mut ports: Vec<Port> = function.ports.clone();
        if function.bus.is_none() && !is_gpu {
            ports.retain(|port| !port.is_virtual);
            let names = function.ports.iter().filter(|port| port.is_virtual);
            found.left_out.extend(names.map(|port| port.name.clone()));
            if ports.is_empty() && !function.ports.is_empty() {
                continue;
            }
        }
        let next = found.units.len();
        if let Some(identity) = identity(function).filter(|_| !is_gpu) {
            let known = *known.entry(identity).or_insert(next);
            if known != next {
                let unit = &mut found.units[known];
                unit.functions.push(index);
                unit.ports.extend(ports);
                continue;
            }
        }
        let link = effective(&function.link);
        let unit = Unit { is_gpu, functions: vec![index], ports, above: function.above, link };
        split(unit, function.bus.is_none(), &mut found);
    }
    let key = |unit: &Unit| {
        let of = |index: &usize| &inventory.functions[*index];
        let number = unit.functions.iter().filter_map(|index| of(index).number).min();
        let bus: Option<BusId> = of(&unit.functions[0]).bus;
        // What has no number stands behind what has one.
        (!unit.is_gpu, number.is_none(), number, bus.is_none(), bus, unit.functions[0])
    };
    found.units.sort_by_key(key);
    found
}

/// What the functions of one network card share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identity<'a> {
    /// Domain, bus and device.
    Device(u32, u8, u8),
    /// The identifier of ports whose function the dump hides, at one place.
    Ports(Above, &'a str),
}

fn identity(function: &Function) -> Option<Identity<'_>> {
    match function.bus {
        Some(bus) => Some(Identity::Device(bus.domain, bus.bus, bus.device)),
        None => {
            let guid = function.ports.first()?.guid.as_deref()?;
            Some(Identity::Ports(function.above, guid))
        }
    }
}

/// `mlx5_0+mlx5_1` is two cards where no function of their own tells where they are, else two ports.
fn split(unit: Unit, hidden: bool, found: &mut Units) {
    let parts: Vec<Port> = unit
        .ports
        .iter()
        .flat_map(|port| {
            let fused = port.name.contains('+');
            port.name.split('+').map(move |name| Port {
                name: name.to_owned(),
                // The figure is that of all together.
                megabits: port.megabits.filter(|_| !fused),
                ..port.clone()
            })
        })
        .collect();
    if !hidden || parts.len() == unit.ports.len() {
        found.units.push(Unit { ports: parts, ..unit });
        return;
    }
    found.fused.extend(unit.ports.iter().map(|port| port.name.clone()));
    for port in parts {
        found.units.push(Unit { ports: vec![port], ..unit.clone() });
    }
}
