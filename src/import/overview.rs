//! An imported machine at a glance.

use super::format::Format;
use super::layout::Parent;
use super::sketch::Sketch;
use crate::dsl;
use std::collections::BTreeMap;

/// Counts, who shares what, and which link speeds there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Where it comes from.
    pub format: Format,
    /// The number of GPUs.
    pub gpus: usize,
    /// The number of network cards (ports, where a dump knows only those).
    pub nics: usize,
    /// The number of sockets.
    pub sockets: usize,
    /// The number of switches, upstream ones included.
    pub switches: usize,
    /// GPUs on one switch, ascending; only groups of two and more.
    pub same_switch: Vec<Vec<usize>>,
    /// GPUs below one root port, likewise.
    pub same_root_port: Vec<Vec<usize>>,
    /// The GPUs of each socket, ascending; sockets without a GPU are empty.
    pub on_socket: Vec<Vec<usize>>,
    /// For each value of a link its text and how many PCIe links have it, in order of declaration.
    pub links: Vec<(String, usize)>,
}

impl Overview {
    /// The overview of what is about to be written.
    pub(super) fn new(format: Format, sketch: &Sketch) -> Self {
        let mut near: BTreeMap<Parent, Vec<usize>> = BTreeMap::new();
        let mut root: BTreeMap<Parent, Vec<usize>> = BTreeMap::new();
        let mut on_socket = vec![Vec::new(); sketch.sockets];
        for (index, gpu) in sketch.gpus.elements.iter().enumerate() {
            near.entry(gpu.parent).or_default().push(index);
            let mut top = gpu.parent;
            for place in sketch.ways_up(gpu.parent) {
                match place {
                    Parent::Socket(socket) => on_socket[socket].push(index),
                    switch => top = switch,
                }
            }
            root.entry(top).or_default().push(index);
        }
        let groups = |map: BTreeMap<Parent, Vec<usize>>| {
            let mut groups: Vec<Vec<usize>> = map
                .into_iter()
                .filter(|(place, group)| !matches!(place, Parent::Socket(_)) && group.len() > 1)
                .map(|(_, group)| group)
                .collect();
            groups.sort();
            groups
        };
        let arrays = [&sketch.gpus, &sketch.upstream, &sketch.switches, &sketch.nics];
        let mut counts = vec![0; sketch.links.len()];
        for element in arrays.iter().flat_map(|array| &array.elements) {
            counts[element.link] += 1;
        }
        let mut links: Vec<(String, usize)> = Vec::new();
        for (line, count) in sketch.links.iter().zip(counts).filter(|(_, count)| *count > 0) {
            let text = dsl::value_text(&line.value);
            match links.iter_mut().find(|known| known.0 == text) {
                Some(known) => known.1 += count,
                None => links.push((text, count)),
            }
        }
        Self {
            format,
            gpus: sketch.gpus.elements.len(),
            nics: sketch.nics.elements.len(),
            sockets: sketch.sockets,
            switches: sketch.upstream.elements.len() + sketch.switches.elements.len(),
            same_switch: groups(near),
            same_root_port: groups(root),
            on_socket,
            links,
        }
    }
}
