//! Network cards that are far from their GPUs or shared by them.

use super::names;
use crate::base::{DeviceKind, Rank, VertexId};
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;
use crate::topology::graph::{Network, Part};
use crate::topology::rules::{Cards, Rules};
use crate::topology::{Resource, Topology};
use std::collections::BTreeMap;

/// Groups that a message names.
const SHOWN: usize = 3;

/// Warnings about the cards by which GPUs reach other nodes, or would if there were any.
pub(super) fn cards(machine: &Machine, topology: &Topology) -> Vec<Diagnostic> {
    if !machine.devices.iter().any(|device| device.kind == DeviceKind::Nic) {
        return Vec::new();
    }
    let of_ranks = cards_of_ranks(machine, topology);
    let mut found = Vec::new();
    found.extend(far(machine, topology, &of_ranks));
    found.extend(shared(machine, topology, &of_ranks));
    found
}

/// The cards that each rank uses, ascending.
fn cards_of_ranks(machine: &Machine, topology: &Topology) -> Vec<Vec<usize>> {
    let ranks = 0..topology.ranks.len();
    if !topology.between.egress.is_empty() {
        let nics = |rank| topology.egress(Rank::new(rank)).iter().map(|half| half.nic.index());
        return ranks.map(|rank| nics(rank).collect()).collect();
    }
    let network = Network::new(machine, topology.resources.iter().filter_map(Resource::ends));
    let rules = Rules::new(&machine.rules);
    let nics: Vec<usize> = (0..machine.devices.len())
        .filter(|&device| machine.devices[device].kind == DeviceKind::Nic)
        .collect();
    let of = |gpu: VertexId| -> Vec<usize> {
        let reach = network.reach(gpu, Part::Node);
        let distance = |&nic: &usize| reach.distance(VertexId::new(nic));
        match rules.cards(gpu.index()) {
            Cards::Listed(nics) => nics.to_vec(),
            Cards::Any => nics.iter().copied().filter(|nic| distance(nic).is_some()).collect(),
            Cards::Nearest => {
                let least = nics.iter().filter_map(distance).min();
                let nearest = |nic: &usize| least.is_some() && distance(nic) == least;
                nics.iter().copied().filter(nearest).collect()
            }
        }
    };
    topology.ranks.iter().map(|&gpu| of(gpu)).collect()
}

/// GPUs none of whose cards is on their socket.
fn far(machine: &Machine, topology: &Topology, of_ranks: &[Vec<usize>]) -> Option<Diagnostic> {
    let socket = |device: usize| topology.vertices[device].socket;
    let mut gpus = Vec::new();
    let mut first = None;
    for (gpu, cards) in topology.ranks.iter().zip(of_ranks) {
        let own = socket(gpu.index());
        let apart = |&card: &usize| own.is_some() && socket(card).is_some() && socket(card) != own;
        if !cards.is_empty() && cards.iter().all(apart) {
            gpus.push(machine.devices[gpu.index()].path.as_str());
            first = first.or(Some((gpu.index(), cards[0])));
        }
    }
    let (gpu, card) = first?;
    let path = |device: usize| machine.devices[device].path.as_str();
    let whose = if gpus.len() == 1 { "its" } else { "their" };
    let message = format!(
        "{} no NIC on {whose} socket: {} uses {} on {}, across the link between sockets",
        super::subject(gpus, "has", "have"),
        path(gpu),
        path(card),
        socket(card).map_or("another", |socket| path(socket.index())),
    );
    let diagnostic = Diagnostic::warning("nic-off-socket", message)
        .help("move a card to a slot of that socket, or name others with `via`");
    Some(diagnostic.at(machine.devices[card].span, "the nearest card"))
}

/// Cards that serve more GPUs than they are.
fn shared(machine: &Machine, topology: &Topology, of_ranks: &[Vec<usize>]) -> Option<Diagnostic> {
    let mut groups: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for (gpu, cards) in topology.ranks.iter().zip(of_ranks).filter(|(_, cards)| !cards.is_empty()) {
        groups.entry(cards).or_default().push(gpu.index());
    }
    groups.retain(|cards, gpus| gpus.len() > cards.len());
    let (first, _) = groups.first_key_value()?;
    let names = |devices: &[usize]| {
        names::devices(devices.iter().map(|&device| machine.devices[device].path.as_str()))
    };
    let shown: Vec<String> = groups
        .iter()
        .take(if groups.len() == SHOWN + 1 { groups.len() } else { SHOWN })
        .map(|(cards, gpus)| format!("{} by {}", names(cards), names(gpus)))
        .collect();
    let cards: usize = groups.keys().map(|cards| cards.len()).sum();
    let gpus: usize = groups.values().map(Vec::len).sum();
    let more = match groups.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "{gpus} GPUs share {cards} NIC{}: {}{more}",
        if cards == 1 { "" } else { "s" },
        shown.join("; ")
    );
    let span = machine.devices[first[0]].span;
    let diagnostic = Diagnostic::warning("shared-nic", message).help(
        "transfers to other nodes get a part of the card's rate each; a card for each GPU would \
         not be shared",
    );
    Some(diagnostic.at(span, "shared"))
}
