//! The search for routes between nodes, once for all pairs.

use super::fault::Fault;
use super::graph::{Part, Reach, Ways};
use super::local::{FromSockets, Ground, NoWay, Ties, Way, only};
use super::network::{Between, Card, CardWays, Half, choose};
use super::rules::Cards;
use crate::base::{DeviceKind, LinkId, NodeId, RouteClass, VertexId};
use crate::dsl::machine::PlacedRule;
use std::collections::BTreeMap;

/// A half that routes may be made of, and what is wrong with it should they be.
pub(super) struct Draft {
    pub(super) half: Half,
    pub(super) fault: Option<NoWay>,
    used: bool,
}

/// The drafts of each rank: towards cards, from cards; whether it takes all of its cards.
pub(super) type Drafts = (Vec<Vec<Draft>>, Vec<Vec<Draft>>, Vec<bool>);

impl Ground<'_> {
    /// What routes between nodes are made of, and for each directed link whether one takes it.
    /// Pairs of nodes without a route, or with two over the same cards, become faults.
    pub(super) fn between(&self, faults: &mut Vec<Fault>) -> (Between, Vec<bool>) {
        let mut used = vec![false; self.resources.len()];
        let nodes = self.ranks_of_nodes();
        if nodes.len() < 2 {
            return (Between::default(), used);
        }
        let ranks = self.ranks();
        let mut cards_of: BTreeMap<Option<NodeId>, Vec<VertexId>> = BTreeMap::new();
        for (index, vertex) in self.vertices.iter().enumerate() {
            if vertex.kind == DeviceKind::Nic {
                cards_of.entry(vertex.node).or_default().push(VertexId::new(index));
            }
        }
        let (mut egress, mut ingress, free) = self.drafts(&nodes, &cards_of);
        let networked = |kind| matches!(kind, DeviceKind::Fabric | DeviceKind::Nic);
        let mut ways = CardWays::new(self.vertices.iter().map(|vertex| networked(vertex.kind)));
        let cards = |drafts: &[Vec<Draft>]| -> Vec<Vec<Card>> {
            let card = |draft: &Draft| (draft.half.nic, draft.half.distance);
            drafts.iter().map(|drafts| drafts.iter().map(card).collect()).collect()
        };
        let (out, back) = (cards(&egress), cards(&ingress));
        let (mut ties, mut unreachable) = (Ties::default(), Vec::new());
        // The position of a card among those of its node.
        let mut position = vec![0; self.vertices.len()];
        for (&node, own) in &nodes {
            let cards = cards_of.get(&node).map_or(&[][..], Vec::as_slice);
            for (at, card) in cards.iter().enumerate() {
                position[card.index()] = at;
            }
            let reach: Vec<Reach> =
                cards.iter().map(|&card| self.network.reach(card, Part::Fabric)).collect();
            let mut wanted = vec![vec![false; self.vertices.len()]; cards.len()];
            let distance = |from: VertexId, to| reach[position[from.index()]].distance(to);
            for &s in own {
                for (_, others) in nodes.iter().filter(|&(&other, _)| other != node) {
                    for &d in others {
                        let chosen = choose(&out[s], &back[d], [free[s], free[d]], distance);
                        if chosen.is_empty() {
                            unreachable.push((ranks[s].index(), ranks[d].index()));
                        }
                        for (p, q) in chosen {
                            egress[s][p].used = true;
                            ingress[d][q].used = true;
                            wanted[position[out[s][p].0.index()]][back[d][q].0.index()] = true;
                        }
                    }
                }
            }
            for (at, &card) in cards.iter().enumerate() {
                let targets = (0..wanted[at].len()).filter(|&to| wanted[at][to]);
                for to in targets.map(VertexId::new) {
                    match reach[at].ways(to) {
                        Ways::None => {}
                        Ways::Tie(first, second) => ties.note(self.resources, &first, &second),
                        Ways::One(links) => {
                            let step =
                                |link: LinkId| Some((link, self.resources[link.index()].ends()?.1));
                            ways.add(card, links.iter().filter_map(|&link| step(link)));
                            links.iter().for_each(|link| used[link.index()] = true);
                        }
                    }
                }
            }
        }
        self.note_unreachable(&unreachable, faults);
        let mut homeless = BTreeMap::new();
        let mut finish = |drafts: Vec<Vec<Draft>>| -> Vec<Vec<Half>> {
            let mut all = Vec::with_capacity(drafts.len());
            for (rank, drafts) in drafts.into_iter().enumerate() {
                let mut halves = Vec::new();
                for draft in drafts.into_iter().filter(|draft| draft.used) {
                    match draft.fault {
                        None | Some(NoWay::Unreachable) => {}
                        Some(NoWay::NoSocket(at)) => {
                            let ends = (ranks[rank].index(), draft.half.nic.index());
                            homeless.entry(at.index()).or_insert(ends);
                        }
                        Some(NoWay::Tie(first, second)) => {
                            ties.note(self.resources, &first, &second);
                        }
                    }
                    draft.half.links.iter().for_each(|link| used[link.index()] = true);
                    draft.half.shares.iter().for_each(|share| used[share.index()] = true);
                    halves.push(draft.half);
                }
                all.push(halves);
            }
            all
        };
        let (egress, ingress) = (finish(egress), finish(ingress));
        let more = homeless.len().saturating_sub(1);
        let first = homeless.into_iter().next();
        faults.extend(first.map(|(device, (src, dst))| Fault::NoSocket { device, src, dst, more }));
        faults.extend(ties.faults);
        let caps: Vec<PlacedRule> = self.rules.caps(RouteClass::Network).cloned().collect();
        let shares = self.shares.clone();
        (Between { egress, ingress, free, ways, caps, shares }, used)
    }

    /// All halves that routes of the ranks of `nodes` may be made of.
    pub(super) fn drafts(
        &self,
        nodes: &BTreeMap<Option<NodeId>, Vec<usize>>,
        cards_of: &BTreeMap<Option<NodeId>, Vec<VertexId>>,
    ) -> Drafts {
        let count = self.machine.ranks.len();
        let empty = || (0..count).map(|_| Vec::new()).collect::<Vec<Vec<Draft>>>();
        let (mut egress, mut ingress, mut free) = (empty(), empty(), vec![false; count]);
        let mut sockets = FromSockets::new();
        for (node, ranks) in nodes {
            let cards = cards_of.get(node).map_or(&[][..], Vec::as_slice);
            let inward: Vec<Reach> =
                cards.iter().map(|&card| self.network.reach(card, Part::Node)).collect();
            for &rank in ranks {
                let gpu = VertexId::new(self.machine.ranks[rank]);
                let outward = self.network.reach(gpu, Part::Node);
                let allowed = self.rules.cards(gpu.index());
                free[rank] = allowed != Cards::Nearest;
                for (&card, inward) in cards.iter().zip(&inward) {
                    if matches!(allowed, Cards::Listed(nics) if !nics.contains(&card.index())) {
                        continue;
                    }
                    egress[rank].extend(self.draft(&outward, [gpu, card], card, gpu, &mut sockets));
                    ingress[rank].extend(self.draft(inward, [card, gpu], card, gpu, &mut sockets));
                }
            }
        }
        (egress, ingress, free)
    }

    /// The half from one end to the other, which are a GPU and a card; nothing where no links lead
    /// there.
    fn draft(
        &self,
        reach: &Reach,
        [from, to]: [VertexId; 2],
        nic: VertexId,
        gpu: VertexId,
        sockets: &mut FromSockets,
    ) -> Option<Draft> {
        let distance = reach.distance(to)?;
        let ways = reach.ways(to);
        let direct =
            self.rules.nic_peer(gpu.index(), nic.index()).is_some_and(|place| match &ways {
                Ways::None => false,
                Ways::One(links) | Ways::Tie(links, _) => self.stays(links, from, to, place),
            });
        let way = if direct {
            only(ways).map(|links| Way { links, memory: None })
        } else {
            let socket = self.vertices[gpu.index()].socket.ok_or(NoWay::NoSocket(gpu));
            socket.and_then(|socket| self.bounce(reach, to, socket, sockets))
        };
        let (way, fault) = match way {
            Ok(way) => (way, None),
            Err(fault) => (Way { links: Vec::new(), memory: None }, Some(fault)),
        };
        let shares = self.shares.of(&way.links, way.memory);
        let through_memory = way.memory.is_some();
        let half = Half { nic, links: way.links, shares, through_memory, distance };
        Some(Draft { half, fault, used: false })
    }
}
