//! Sockets and their NUMA nodes.

use super::files::{number, numbered, text};
use crate::import::inventory::Processor;
use std::collections::BTreeMap;
use std::path::Path;

/// More CPUs than any machine has.
const MAX_CPUS: u32 = 65_536;

/// The sockets by their numbers; NUMA nodes where the kernel tells no sockets.
pub fn processors(root: &Path) -> Vec<Processor> {
    let cpus = root.join("devices/system/cpu");
    let package = |cpu: &str| number(&cpus.join(cpu).join("topology/physical_package_id"));
    let mut sockets: BTreeMap<Option<u32>, Processor> = BTreeMap::new();
    let mut lone: Vec<Processor> = Vec::new();
    let nodes = root.join("devices/system/node");
    for (node, name) in numbered(&nodes, "node") {
        // A node without CPUs is memory only.
        let Some(list) = text(&nodes.join(name).join("cpulist")) else { continue };
        let Some(first) = first(&list) else { continue };
        let socket = package(&format!("cpu{first}"));
        let new = Processor { socket, numa: Vec::new(), cpus: None, model: None, span: None };
        let processor = match socket {
            Some(_) => sockets.entry(socket).or_insert(new),
            None => {
                lone.push(new);
                let last = lone.len() - 1;
                &mut lone[last]
            }
        };
        processor.numa.push(node);
        processor.cpus = Some(match processor.cpus.take() {
            Some(before) => format!("{before},{list}"),
            None => list,
        });
    }
    if sockets.is_empty() && lone.is_empty() {
        // A kernel without NUMA.
        for (_, name) in numbered(&cpus, "cpu") {
            if let Some(socket) = package(&name) {
                let (numa, cpus) = (Vec::new(), None);
                let new = Processor { socket: Some(socket), numa, cpus, model: None, span: None };
                sockets.entry(Some(socket)).or_insert(new);
            }
        }
    }
    sockets.into_values().chain(lone).collect()
}

/// The first CPU of a list such as `0-15,32-47`.
fn first(list: &str) -> Option<u32> {
    let end = list.find(|c: char| !c.is_ascii_digit()).unwrap_or(list.len());
    list[..end].parse().ok().filter(|cpu| *cpu < MAX_CPUS)
}
