//! PCI functions by their paths.

use super::access;
use super::files::{bytes, names, number, text};
use crate::base::BusId;
use crate::import::inventory::{
    Above, Function, FunctionKind, LinkReport, PciLink, Port, Processor,
};
use crate::import::pci;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The functions at `paths`, with the ports above them and a host bridge for each root bus.
pub fn functions(root: &Path, paths: &[PathBuf], processors: &[Processor]) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
    let mut known: BTreeMap<BusId, usize> = BTreeMap::new();
    for path in paths {
        let mut above = Above::Unknown;
        let mut so_far = PathBuf::new();
        for component in path.components() {
            so_far.push(component);
            let Component::Normal(name) = component else { continue };
            let Some(name) = name.to_str() else { continue };
            if let Some(bus) = name.strip_prefix("pci").filter(|bus| bus.contains(':')) {
                let index = *hosts.entry(bus.to_owned()).or_insert(found.len());
                if index == found.len() {
                    found.push(Function::new(FunctionKind::HostBridge, Above::Unknown));
                }
                above = Above::Function(index);
            } else if let (Ok(bus), true) = (name.parse::<BusId>(), name.contains('.')) {
                let index = *known.entry(bus).or_insert(found.len());
                if index == found.len() {
                    found.push(one(root, &so_far, bus, above));
                }
                above = Above::Function(index);
            }
        }
    }
    sockets(&mut found, processors);
    found
}

fn one(root: &Path, folder: &Path, bus: BusId, above: Above) -> Function {
    let read = |name: &str| number(&folder.join(name));
    let class = read("class").map_or(0xffff, |class| class >> 8);
    let id = |name: &str| read(name).and_then(|id| u16::try_from(id).ok());
    let ids = id("vendor").zip(id("device"));
    let (vendor, device) = ids.unwrap_or_default();
    let kind = pci::kind(u16::try_from(class).unwrap_or(u16::MAX), vendor, device);
    let kind = match kind {
        // A virtual function shares the link of its physical one.
        FunctionKind::Gpu | FunctionKind::Nic if folder.join("physfn").exists() => {
            FunctionKind::Other
        }
        // A host bridge is also an ordinary function on its own bus.
        FunctionKind::HostBridge => FunctionKind::Other,
        kind => kind,
    };
    let link = |prefix: &str| PciLink {
        generation: text(&folder.join(format!("{prefix}_link_speed")))
            .and_then(|speed| pci::generation_in(&speed)),
        // 255 stands for unknown.
        width: read(&format!("{prefix}_link_width")).filter(|width| (1..=32).contains(width)),
    };
    let is_bridge = kind == FunctionKind::Bridge;
    Function {
        bus: Some(bus),
        link: LinkReport { capable: link("max"), current: link("current") },
        ids,
        numa: read("numa_node"),
        ports: if kind == FunctionKind::Nic { ports(root, folder) } else { Vec::new() },
        acs_redirect: bytes(&folder.join("config"))
            .filter(|_| is_bridge)
            .and_then(|config| access::redirects(&config)),
        ..Function::new(kind, above)
    }
}

/// InfiniBand and RoCE devices; interfaces where a card has none of them.
fn ports(root: &Path, folder: &Path) -> Vec<Port> {
    let verbs = folder.join("infiniband");
    let port = |name: String, megabits: Option<u64>, guid: Option<String>| Port {
        name,
        megabits,
        guid,
        is_virtual: false,
    };
    let mut ports: Vec<Port> = names(&verbs)
        .into_iter()
        .map(|name| {
            let device = verbs.join(&name);
            let rate = text(&device.join("ports/1/rate")).and_then(|rate| gigabits(&rate));
            let guid = text(&device.join("sys_image_guid"));
            port(name, rate, guid)
        })
        .collect();
    if ports.is_empty() {
        ports.extend(names(&folder.join("net")).into_iter().map(|name| {
            // -1 while the link is down.
            let speed = number(&root.join("class/net").join(&name).join("speed"));
            port(name, speed.filter(|speed| *speed > 0).map(u64::from), None)
        }));
    }
    ports
}

/// Megabits a second in `400 Gb/sec (4X NDR)`.
fn gigabits(rate: &str) -> Option<u64> {
    let (number, unit) = rate.split_once(' ')?;
    let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u64 = whole.parse().ok().filter(|whole| *whole <= 1_000_000)?;
    let tenth: u64 = tenth.parse().ok().filter(|tenth| *tenth < 10)?;
    (unit.starts_with("Gb/sec") && whole + tenth > 0).then_some(whole * 1000 + tenth * 100)
}

/// Root buses hang on the socket of the NUMA node that the devices below tell.
fn sockets(found: &mut [Function], processors: &[Processor]) {
    for index in (0..found.len()).rev() {
        let numa = found[index].numa;
        if let Above::Function(above) = found[index].above {
            found[above].numa = found[above].numa.or(numa);
        } else {
            let near = processors
                .iter()
                .position(|processor| numa.is_some_and(|numa| processor.numa.contains(&numa)));
            let only = (processors.len() == 1).then_some(0);
            found[index].above = near.or(only).map_or(Above::Unknown, Above::Processor);
        }
    }
}
