//! What a machine is, told without needing its rates: its parts, what GPUs share, what bounds an
//! exchange, which rules and defaults hold, and what is worth a warning.

mod defaults;
mod names;
mod nodes;
mod peers;
mod rules;
mod shared;
#[cfg(test)]
mod tests;
pub(super) mod tree;
mod types;
mod warnings;

pub(super) use names::{devices, listed, ranges};
pub use types::{
    Entry, Figure, GpuKind, Limit, NodeKind, PeerSurvey, RuleLine, SharedUplink, Survey,
};

use super::build::draft;
use super::fault::{Fault, link_text};
use super::uniform::Load;
use super::{Topology, values};
use crate::base::{DeviceKind, Digest};
use crate::diagnostics::{Diagnostics, Severity};
use crate::dsl::Machine;
use std::collections::{BTreeMap, BTreeSet};
use tree::Forest;

/// A machine without errors, examined.
#[derive(Debug, Clone)]
pub struct Examined {
    /// What it is.
    pub survey: Survey,
    /// The checked topology; nothing while rates that routes need are unknown.
    pub topology: Option<Topology>,
    /// What is odd about it, each a warning; those with the code [`super::UNKNOWN_RATE`] are
    /// questions whose answers the topology waits for.
    pub warnings: Diagnostics,
}

/// Examines `machine`. Unknown rates are no error here; `digest` is taken over into the topology.
///
/// # Errors
/// What [`super::build`] finds wrong beside unknown rates, and then those too.
pub fn examine(machine: &Machine, digest: Digest) -> Result<Examined, Diagnostics> {
    let (topology, faults) = draft(machine, digest);
    let diagnoses = || faults.iter().map(|fault| fault.diagnose(machine));
    if faults.iter().any(|fault| !matches!(fault, Fault::UnknownRate { .. })) {
        return Err(diagnoses().collect());
    }
    let forest = Forest::new(machine);
    let survey = of(machine, &topology, &forest);
    let mut warnings = warnings::warnings(machine, &topology, &forest, &survey);
    warnings.extend(diagnoses().map(|mut question| {
        question.severity = Severity::Warning;
        question
    }));
    Ok(Examined { survey, topology: faults.is_empty().then_some(topology), warnings })
}

/// Surveys `machine`, as far as that goes where something is wrong with it.
#[must_use]
pub fn survey(machine: &Machine) -> Survey {
    let (topology, _) = draft(machine, Digest::of(b""));
    of(machine, &topology, &Forest::new(machine))
}

fn of(machine: &Machine, topology: &Topology, forest: &Forest) -> Survey {
    let count = |kind| machine.devices.iter().filter(|device| device.kind == kind).count();
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
            node: None,
        };
        match (figure.bytes_per_second, &figure.assumed) {
            (None, _) => unknown.push(figure),
            (_, Some(_)) => assumed.push(figure),
            _ => {}
        }
    }
    let load = Load::new(topology);
    let shared = shared::shared(machine, topology, forest, &load);
    let node_kinds = nodes::kinds(machine, topology);
    let in_tree: BTreeSet<usize> = forest.up.iter().flatten().map(|up| up.0).collect();
    let node = |device: usize| topology.vertices[device].node.map(|node| node.index());
    Survey {
        name: machine.name.clone(),
        nodes: node_kinds.iter().map(|kind| kind.nodes.len()).sum(),
        sockets: count(DeviceKind::Socket),
        switches: count(DeviceKind::Switch),
        gpus: count(DeviceKind::Gpu),
        nics: count(DeviceKind::Nic),
        fabrics: count(DeviceKind::Fabric),
        gpu_kinds: gpu_kinds(machine),
        node_kinds,
        tree: forest.entries(machine, topology),
        links: all
            .iter()
            .filter(|link| !in_tree.contains(link))
            .map(|&link| {
                let (from, to) = (node(machine.links[link].from), node(machine.links[link].to));
                Figure { node: from.filter(|_| from == to), ..figure(machine, &[link]) }
            })
            .collect(),
        shared,
        peers: peers::peers(topology),
        assumed,
        unknown,
        rules: rules::rules(machine),
        defaults: defaults::defaults(machine),
        limit: Limit::new(topology, load),
    }
}

fn figure(machine: &Machine, links: &[usize]) -> Figure {
    let value = &machine.links[links[0]].value;
    Figure {
        of: links.iter().map(|&link| link_text(machine, link)).collect(),
        bytes_per_second: value.rate,
        latency_ns: value.latency.0,
        assumed: values::assumed(value).map(str::to_owned),
        node: None,
    }
}

/// The GPUs by model and architecture, in the order of the first of each.
fn gpu_kinds(machine: &Machine) -> Vec<GpuKind> {
    let mut kinds: Vec<GpuKind> = Vec::new();
    let mut known: BTreeMap<(&Option<String>, &Option<String>), usize> = BTreeMap::new();
    for gpu in machine.devices.iter().filter(|device| device.kind == DeviceKind::Gpu) {
        let at = *known.entry((&gpu.model, &gpu.arch)).or_insert(kinds.len());
        if at == kinds.len() {
            let (model, arch) = (gpu.model.clone(), gpu.arch.clone());
            kinds.push(GpuKind { count: 0, model, arch });
        }
        kinds[at].count += 1;
    }
    kinds
}
