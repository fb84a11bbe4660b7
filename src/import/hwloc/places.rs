//! Packages and NUMA nodes, and which of them an object is near.

use super::super::inventory::{Above, Processor};
use super::object::{info, is, os_index, span};
use crate::base::SourceId;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

const PACKAGE: &[&str] = &["Package", "Socket"];
const NUMA: &[&str] = &["NUMANode"];

/// The packages of a machine; its NUMA nodes where it names no packages.
pub struct Places {
    pub processors: Vec<Processor>,
    /// The processors inside of an object.
    inside: BTreeMap<usize, Vec<usize>>,
    /// The NUMA nodes directly below an object, the version 1 objects themselves among them.
    memory: BTreeMap<usize, Vec<u32>>,
}

impl Places {
    /// Looks through all objects.
    pub fn of(document: &Document, source: SourceId) -> Self {
        let objects = || document.descendants().filter(|node| node.has_tag_name("object"));
        let by_package = objects().any(|node| is(node, PACKAGE));
        let types = if by_package { PACKAGE } else { NUMA };
        let mut places =
            Self { processors: Vec::new(), inside: BTreeMap::new(), memory: BTreeMap::new() };
        for node in objects().filter(|node| is(*node, types)) {
            let index = places.processors.len();
            places.processors.push(Processor {
                socket: os_index(node).filter(|_| by_package),
                numa: Vec::new(),
                cpus: node.attribute("cpuset").map(str::to_owned),
                model: info(node, "CPUModel").map(str::to_owned),
                span: Some(span(node, source)),
            });
            for around in node.ancestors() {
                places.inside.entry(around.id().get_usize()).or_default().push(index);
            }
        }
        for node in objects().filter(|node| is(*node, NUMA)) {
            let Some(numa) = os_index(node) else { continue };
            for near in [Some(node), node.parent()].into_iter().flatten() {
                places.memory.entry(near.id().get_usize()).or_default().push(numa);
            }
            if let Some(processor) = places.processor(node) {
                places.processors[processor].numa.push(numa);
            }
        }
        if places.processors.is_empty()
            && let Some(machine) = objects().next()
        {
            places.processors.push(Processor {
                socket: None,
                numa: Vec::new(),
                cpus: machine.attribute("cpuset").map(str::to_owned),
                model: info(machine, "CPUModel").map(str::to_owned),
                span: Some(span(machine, source)),
            });
        }
        places
    }

    /// The one processor around or inside of the nearest object that has any.
    fn processor(&self, node: Node) -> Option<usize> {
        let near = node.ancestors().find_map(|around| self.inside.get(&around.id().get_usize()))?;
        match near[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// What a host bridge hangs on.
    pub fn above(&self, host_bridge: Node) -> Above {
        match self.processor(host_bridge) {
            Some(processor) => Above::Processor(processor),
            None if self.processors.len() == 1 => Above::Processor(0),
            None => Above::Unknown,
        }
    }

    /// The NUMA node an object is near; `None` where several are as near.
    pub fn numa(&self, node: Node) -> Option<u32> {
        let near = node.ancestors().find_map(|around| self.memory.get(&around.id().get_usize()))?;
        match near[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}
