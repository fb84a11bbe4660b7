//! Bridges and devices in the order of the file.

use super::super::inventory::{Above, Function, FunctionKind, Port};
use super::super::pci;
use super::fault::Fault;
use super::object::{bus, info, is, link_speed, pci_type, span};
use super::places::Places;
use super::read::Version;
use crate::base::{BusId, SourceId};
use crate::diagnostics::{Diagnostic, Diagnostics};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Which end of a link a bridge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The CPU's side: a root bus.
    Host,
    /// A port with a link below it: a root port or the lower port of a switch.
    Lower,
    /// A port with a link above it: the upper port of a switch, a bridge on a card.
    Upper,
    /// Not a bridge.
    Device,
}

/// A function before its link is concluded.
pub struct Found {
    pub function: Function,
    pub role: Role,
    /// GB/s of the link that the function is an end of.
    pub speed: Option<f64>,
    /// Whether NVML wrote the speed: then it is what the GPU is able to, not what it runs at.
    pub is_maximum: bool,
    /// InfiniBand and RoCE devices of a network card.
    verbs: Vec<String>,
    /// Its network interfaces.
    interfaces: Vec<String>,
}

impl Found {
    fn new(function: Function, role: Role, speed: Option<f64>) -> Self {
        let (verbs, interfaces) = (Vec::new(), Vec::new());
        Self { function, role, speed, is_maximum: false, verbs, interfaces }
    }
}

/// All functions, and which objects of the file they are.
pub struct Forest {
    pub found: Vec<Found>,
    /// The function of a bridge, a device, or an operating system device.
    pub of_object: BTreeMap<usize, usize>,
}

/// Reads bridges and devices.
///
/// # Errors
/// Every function without a bus id, with one that stands twice, or with values that are none.
pub fn functions(
    document: &Document,
    version: Version,
    places: &Places,
    source: SourceId,
) -> Result<Forest, Diagnostics> {
    let mut forest = Forest { found: Vec::new(), of_object: BTreeMap::new() };
    let mut faults = Diagnostics::new();
    let mut seen = BTreeSet::new();
    for node in document.descendants() {
        let above = node
            .parent()
            .and_then(|parent| forest.of_object.get(&parent.id().get_usize()).copied());
        if is(node, &["OSDev"]) {
            if let Some(above) = above {
                forest.of_object.insert(node.id().get_usize(), above);
                os_device(node, version, &mut forest.found[above]);
            }
        } else if is(node, &["Bridge", "PCIDev"]) {
            match found(node, above, &forest, places, source, &mut seen) {
                Ok(found) => {
                    forest.of_object.insert(node.id().get_usize(), forest.found.len());
                    forest.found.push(found);
                }
                Err(fault) => faults.push(fault),
            }
        }
    }
    for found in &mut forest.found {
        // A verbs device and an interface of one card are the same port.
        let names = if found.verbs.is_empty() { &found.interfaces } else { &found.verbs };
        found.function.ports = names.iter().map(|name| port(name)).collect();
    }
    if faults.has_errors() { Err(faults) } else { Ok(forest) }
}

fn found(
    node: Node,
    above: Option<usize>,
    forest: &Forest,
    places: &Places,
    source: SourceId,
    seen: &mut BTreeSet<BusId>,
) -> Result<Found, Diagnostic> {
    let place = span(node, source);
    let above_it = above.map_or_else(|| places.above(node), Above::Function);
    let mut function = Function {
        numa: places.numa(node),
        span: Some(place),
        ..Function::new(FunctionKind::HostBridge, above_it)
    };
    let is_bridge = is(node, &["Bridge"]);
    if is_bridge {
        match node.attribute("bridge_type") {
            Some("0-1") => {
                return Ok(Found::new(function, Role::Host, None));
            }
            Some("1-1") => {}
            other => {
                let fault = Fault::BridgeType(other.unwrap_or_default().to_owned());
                return Err(fault.at(place));
            }
        }
    }
    let told = |(fault, span): (Fault, _)| fault.at(span);
    let bus = bus(node, source).map_err(told)?;
    let pci = pci_type(node, source).map_err(told)?;
    let speed = link_speed(node, source).map_err(told)?;
    if !seen.insert(bus) {
        return Err(Fault::RepeatedBusId(bus.to_string()).at(place));
    }
    function.bus = Some(bus);
    function.ids = Some((pci.vendor, pci.device));
    function.model = info(node, "PCIDevice").map(str::to_owned);
    function.kind = match (is_bridge, node.attribute("subtype")) {
        (true, _) => FunctionKind::Bridge,
        (false, Some("NVSwitch")) => FunctionKind::NvSwitch,
        (false, _) => pci::kind(pci.class, pci.vendor, pci.device),
    };
    let role = match (is_bridge, above.map(|above| forest.found[above].role)) {
        (false, _) => Role::Device,
        (true, None | Some(Role::Host | Role::Upper | Role::Device)) => Role::Lower,
        (true, Some(Role::Lower)) => Role::Upper,
    };
    Ok(Found::new(function, role, speed))
}

fn port(name: &str) -> Port {
    Port { name: name.to_owned(), megabits: None, guid: None, is_virtual: false }
}

/// What the operating system calls a device; a GPU has up to five names.
fn os_device(node: Node, version: Version, found: &mut Found) {
    let name = node.attribute("name").unwrap_or_default();
    match found.function.kind {
        FunctionKind::Gpu => {
            if let Some(model) = info(node, "GPUModel") {
                found.function.model = Some(model.to_owned());
            }
            let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
            // The number of nvidia-smi and rocm-smi; CUDA's own order may be another.
            if let Some(number) = number("nvml").or_else(|| number("rsmi")) {
                found.function.number = Some(number);
                found.is_maximum |= name.starts_with("nvml");
            }
        }
        FunctionKind::Nic => {
            let kind = node.attribute("osdev_type").and_then(|kind| kind.parse::<u32>().ok());
            let (network, fabric) = match (version, kind) {
                // A mask of bits since version 3, a number before.
                (Version::Three, Some(bits)) => (bits & 16 != 0, bits & 32 != 0),
                (Version::One | Version::Two, kind) => (kind == Some(2), kind == Some(3)),
                (Version::Three, None) => (false, false),
            };
            if fabric {
                found.verbs.push(name.to_owned());
            } else if network {
                found.interfaces.push(name.to_owned());
            }
        }
        _ => {}
    }
}
