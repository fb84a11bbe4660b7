//! What an operator should know before trusting a machine's figures, each with its reason and what
//! to do about it. None of it hinders anything.

mod cards;
mod isolated;
mod narrow;

use super::names;
use super::tree::Forest;
use super::types::Survey;
use crate::base::DeviceKind;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use crate::dsl::machine::{Rule, ValueOrigin};
use crate::topology::Topology;
use std::collections::BTreeMap;

/// All warnings, in the order of what they speak of.
pub(super) fn warnings(
    machine: &Machine,
    topology: &Topology,
    forest: &Forest,
    survey: &Survey,
) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    warnings.extend(narrow::narrow(machine, forest));
    warnings.extend(cards::cards(machine, topology));
    warnings.extend(peers(machine, survey));
    warnings.extend(uneven(machine, topology, survey));
    warnings.extend(isolated::isolated(machine));
    warnings.extend(assumed(machine, survey));
    warnings
}

/// Pairs whose bytes go through host memory, and GPUs that network cards do not reach.
fn peers(machine: &Machine, survey: &Survey) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let rule = |test: fn(&Rule) -> bool| {
        let placed = machine.rules.iter().find(|placed| test(&placed.rule));
        placed.and_then(|placed| placed.span)
    };
    let peers = &survey.peers;
    if peers.without() > 0 {
        let message = format!(
            "{} of {} pairs have no peer access ({}): their bytes go through host memory, twice \
             over its bus",
            peers.without(),
            peers.pairs,
            peers.places()
        );
        let span = rule(|r| matches!(r, Rule::Peer { nic: false, .. } | Rule::Forbid { .. }));
        found.push(Diagnostic::warning("no-peer-access", message).at(span, "by this rule").help(
            "`nvidia-smi topo -p2p w` tells what the driver allows; where it allows more, \
                 change the rule",
        ));
    }
    let gpus = &peers.gpus_without_gpudirect;
    if !gpus.is_empty() {
        let message = format!(
            "{} no GPUDirect to network cards of theirs: transfers to other nodes go through host \
             memory",
            subject(gpus.iter().map(String::as_str), "has", "have"),
        );
        let span = rule(|r| matches!(r, Rule::Peer { nic: true, .. }));
        found.push(
            Diagnostic::warning("no-gpudirect", message)
                .at(span, "by this rule")
                .help("where the cards can read GPU memory, change the rule"),
        );
    }
    found
}

/// `g[0], g[1] have`
fn subject<'a>(names: impl IntoIterator<Item = &'a str>, singular: &str, plural: &str) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let verb = if names.len() == 1 { singular } else { plural };
    format!("{} {verb}", names::devices(names))
}

/// Sockets of one node with different numbers of GPUs; sockets without any do not count.
fn uneven(machine: &Machine, topology: &Topology, survey: &Survey) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for kind in &survey.node_kinds {
        let mut gpus: BTreeMap<usize, usize> = BTreeMap::new();
        for gpu in &topology.ranks {
            let vertex = &topology.vertices[gpu.index()];
            if vertex.node.map(|node| node.index()) == kind.nodes.first().copied()
                && let Some(socket) = vertex.socket
            {
                *gpus.entry(socket.index()).or_default() += 1;
            }
        }
        let mut counts = gpus.values();
        let Some(first) = counts.next() else { continue };
        if counts.all(|count| count == first) {
            continue;
        }
        let path = |socket: usize| &machine.devices[socket].path;
        let texts: Vec<String> =
            gpus.iter().map(|(&socket, count)| format!("{} has {count}", path(socket))).collect();
        let nodes = match kind.nodes.len() {
            1 => String::new(),
            n => format!(" (so in {n} nodes)"),
        };
        let message =
            format!("the sockets have uneven numbers of GPUs: {}{nodes}", texts.join(", "));
        let span = gpus.keys().next().and_then(|&socket| machine.devices[socket].span);
        found.push(Diagnostic::warning("uneven-sockets", message).at(span, "").help(
            "a GPU of the smaller socket sends more of its bytes across; `variopath advise` tells \
             whether moving a card helps, and `ranks` names the GPUs that take part",
        ));
    }
    found
}

fn assumed(machine: &Machine, survey: &Survey) -> Option<Diagnostic> {
    let count = survey.assumed.len();
    if count == 0 {
        return None;
    }
    let links = machine.links.iter().map(|link| (&link.value, link.span));
    let sockets = machine.devices.iter().filter(|device| device.kind == DeviceKind::Socket);
    let memories = sockets.filter_map(|device| Some((device.memory.as_ref()?, device.span)));
    let span = links
        .chain(memories)
        .find(|(value, _)| matches!(value.origin, ValueOrigin::Assumed(_)))
        .and_then(|(_, span)| span);
    let message = match count {
        1 => "1 value is assumed, not measured".to_owned(),
        _ => format!("{count} values are assumed, not measured"),
    };
    Some(Diagnostic::warning("assumed", message).at(span, "assumed").help(
        "measure it: `variopath calibrate FILE.topo --measured FILE...`; or state it with its \
         source: `… from \"where it is measured\"`",
    ))
}
