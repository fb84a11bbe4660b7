//! Machines on which a route between nodes takes what its two cards take, whichever they are.

use super::{Half, Topology};
use crate::base::{LinkId, Rank, VertexId};
use std::collections::BTreeMap;

/// What a card's bytes take between it and the fabric, where that does not depend on the other card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardChoice {
    /// By card: what it sends over. Joint capacities behind the link, as often as they are taken.
    sends: BTreeMap<VertexId, Vec<LinkId>>,
    /// By card: what it receives over.
    receives: BTreeMap<VertexId, Vec<LinkId>>,
}

impl CardChoice {
    /// Of a machine where every pair of ranks of different nodes has a route for each two of its cards,
    /// without caps, each over one fabric by the card's own links. Nothing where that is not so, where
    /// pairs within nodes have several routes, and in a single node.
    #[must_use]
    pub fn of(topology: &Topology) -> Option<Self> {
        let between = &topology.between;
        let alike = |a: &super::Route, b: &super::Route| (a.src, a.dst) == (b.src, b.dst);
        if !between.caps.is_empty() || topology.routes.windows(2).any(|two| alike(&two[0], &two[1]))
        {
            return None;
        }
        // Of cards at unequal distances a rank takes some for some destinations only.
        let is_even = |rank: usize, halves: &[Half]| {
            between.free.get(rank) == Some(&true)
                || halves.windows(2).all(|two| two[0].distance == two[1].distance)
        };
        let cards = |sides: &[Vec<Half>]| -> Option<Vec<VertexId>> {
            let even = (0..).zip(sides).all(|(rank, halves)| is_even(rank, halves));
            let mut cards: Vec<VertexId> = sides.iter().flatten().map(|half| half.nic).collect();
            cards.sort_unstable();
            cards.dedup();
            (even && sides.iter().all(|halves| !halves.is_empty())).then_some(cards)
        };
        let (from, to) = (cards(&between.egress)?, cards(&between.ingress)?);
        let node = |card: VertexId| topology.vertices[card.index()].node;
        let mut found = Self::default();
        for &p in &from {
            for &q in to.iter().filter(|&&q| node(q) != node(p)) {
                let mut way = between.ways.backwards(topology, p, q);
                let (Some(last), Some(first), None) = (way.next(), way.next(), way.next()) else {
                    return None;
                };
                for (side, card, link) in
                    [(&mut found.sends, p, first), (&mut found.receives, q, last)]
                {
                    let taken = side.entry(card).or_insert_with(|| {
                        let shares = between.shares.of(&[link], None);
                        std::iter::once(link).chain(shares).collect()
                    });
                    if taken[0] != link {
                        return None;
                    }
                }
            }
        }
        (!found.sends.is_empty()).then_some(found)
    }

    /// By card of a rank, in the order of [`Topology::egress`] or [`Topology::ingress`]: all that its
    /// part of a route to or from another node takes, each resource as often as it is taken.
    pub fn parts<'a>(
        &'a self,
        topology: &'a Topology,
        rank: Rank,
        sends: bool,
    ) -> impl Iterator<Item = Vec<LinkId>> + 'a {
        let (halves, beyond) = match sends {
            true => (topology.egress(rank), &self.sends),
            false => (topology.ingress(rank), &self.receives),
        };
        halves.iter().map(|half| {
            let beyond = beyond.get(&half.nic).into_iter().flatten();
            half.links.iter().chain(&half.shares).chain(beyond).copied().collect()
        })
    }
}
