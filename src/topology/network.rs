//! Routes between nodes. There are too many to keep, so they are put together on demand: from a GPU
//! to a card, over fabrics to another card, and from there to the other GPU.

use super::rate::{Shares, least};
use super::rules::cap;
use super::{Route, Topology};
use crate::base::{Initiator, LinkId, Mode, Rank, RouteClass, VertexId};
use crate::dsl::machine::PlacedRule;
use std::collections::{BTreeMap, BTreeSet};

/// The part of routes between nodes that lies within one of them: from a GPU to a network card or
/// from a card to a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// The card.
    pub nic: VertexId,
    /// The directed links in order.
    pub links: Vec<LinkId>,
    /// Joint capacities and socket memory on the way, ascending, each as often as it is taken.
    pub shares: Vec<LinkId>,
    /// Whether it goes through host memory, the GPU and the card having no peer access.
    pub through_memory: bool,
    /// Links between GPU and card by the plain way, by which cards are chosen.
    pub(super) distance: u32,
}

/// What routes between nodes are made of. It holds only what some route is made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Between {
    /// From each rank's GPU to cards, by card.
    pub(super) egress: Vec<Vec<Half>>,
    /// From cards to each rank's GPU, by card.
    pub(super) ingress: Vec<Vec<Half>>,
    /// Whether a rank takes all of its cards rather than the nearest.
    pub(super) free: Vec<bool>,
    /// The ways between cards.
    pub(super) ways: CardWays,
    /// The caps of the class, the strongest first.
    pub(super) caps: Vec<PlacedRule>,
    /// The joint capacities of links.
    pub(super) shares: Shares,
}

/// The ways between network cards, over fabrics or a link of their own: from each card the last
/// link of the way to each fabric and card.
#[derive(Debug, Clone, Default)]
pub(super) struct CardWays {
    /// By vertex: the position of a fabric or card in a row, else [`NOWHERE`].
    columns: Vec<u32>,
    /// By vertex: where the row of a card starts, else [`NOWHERE`].
    rows: Vec<u32>,
    /// How long a row is.
    width: usize,
    /// Rows of link ids, [`NOWHERE`] where there is no way.
    steps: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl CardWays {
    /// No ways yet, between vertices of which `part` tells whether they are fabrics or cards.
    pub(super) fn new(part: impl Iterator<Item = bool>) -> Self {
        let mut ways = Self::default();
        for inside in part {
            ways.columns.push(if inside { ways.width as u32 } else { NOWHERE });
            ways.width += usize::from(inside);
        }
        ways.rows = vec![NOWHERE; ways.columns.len()];
        ways
    }

    /// Adds a way's links, whose last devices are `to`, to the row of `card`.
    pub(super) fn add(&mut self, card: VertexId, way: impl Iterator<Item = (LinkId, VertexId)>) {
        let row = &mut self.rows[card.index()];
        if *row == NOWHERE {
            *row = (self.steps.len() / self.width.max(1)) as u32;
            self.steps.resize(self.steps.len() + self.width, NOWHERE);
        }
        let start = *row as usize * self.width;
        for (link, to) in way {
            if let Some(column) = self.columns.get(to.index()).filter(|&&c| c != NOWHERE) {
                self.steps[start + *column as usize] = link.0;
            }
        }
    }

    /// The links of the way from one card to another, the last first; none where there is no way.
    pub(super) fn backwards<'a>(
        &'a self,
        topology: &'a Topology,
        from: VertexId,
        to: VertexId,
    ) -> impl Iterator<Item = LinkId> + 'a {
        let row = self.rows.get(from.index()).copied().filter(|&row| row != NOWHERE);
        let mut at = to;
        std::iter::from_fn(move || {
            let column = *self.columns.get(at.index()).filter(|&&c| c != NOWHERE)?;
            if at == from {
                return None;
            }
            let step = *self.steps.get(row? as usize * self.width + column as usize)?;
            let link = LinkId(step);
            at = topology.resources.get(link.index())?.ends()?.0;
            Some(link)
        })
    }
}

/// A card and how many links it is away from the GPU.
pub(super) type Card = (VertexId, u32);

/// The pairs (position in `egress`, position in `ingress`) of cards that routes of two ranks take,
/// ascending. `free` says of each of the two whether it takes all of its cards; else those with the
/// fewest links in total are taken, for each card of the other end where that one is free.
pub(super) fn choose(
    egress: &[Card],
    ingress: &[Card],
    free: [bool; 2],
    distance: impl Fn(VertexId, VertexId) -> Option<u32>,
) -> Vec<(usize, usize)> {
    // Most often there is nothing to choose; of a large cluster all pairs pass here.
    if let ([(from, _)], [(to, _)]) = (egress, ingress) {
        return distance(*from, *to).map(|_| (0, 0)).into_iter().collect();
    }
    // What competes has one key: all, or what goes over one card of the free end.
    let key = |p: usize, q: usize| match free {
        [false, false] => 0,
        [true, false] => p,
        [false, true] => q,
        [true, true] => p * ingress.len() + q,
    };
    let mut least = vec![u32::MAX; egress.len() * ingress.len()];
    let mut all = Vec::with_capacity(least.len());
    for (p, &(from, out)) in egress.iter().enumerate() {
        for (q, &(to, back)) in ingress.iter().enumerate() {
            let Some(between) = distance(from, to) else { continue };
            let total = out + between + back;
            let bound = &mut least[key(p, q)];
            *bound = total.min(*bound);
            all.push((total, p, q));
        }
    }
    let best = |&&(total, p, q): &&(u32, usize, usize)| total == least[key(p, q)];
    all.iter().filter(best).map(|&(_, p, q)| (p, q)).collect()
}

impl Topology {
    /// The ways from a rank's GPU to the cards that its routes to other nodes take, by card; empty
    /// in a single node.
    #[must_use]
    pub fn egress(&self, rank: Rank) -> &[Half] {
        self.between.egress.get(rank.index()).map_or(&[], Vec::as_slice)
    }

    /// The ways to a rank's GPU from the cards that its routes from other nodes take, by card;
    /// empty in a single node.
    #[must_use]
    pub fn ingress(&self, rank: Rank) -> &[Half] {
        self.between.ingress.get(rank.index()).map_or(&[], Vec::as_slice)
    }

    /// The halves that each route of two ranks of different nodes is made of, with the positions of
    /// the cards ascending.
    pub(super) fn pairs_of_cards(&self, src: Rank, dst: Rank) -> Vec<(&Half, &Half)> {
        let (egress, ingress) = (self.egress(src), self.ingress(dst));
        // As in `choose`, without lists of cards.
        if let ([from], [to]) = (egress, ingress) {
            let reached = self.between.ways.backwards(self, from.nic, to.nic).next().is_some();
            return reached.then_some((from, to)).into_iter().collect();
        }
        let free = [src, dst].map(|rank| self.between.free.get(rank.index()) == Some(&true));
        let distance = |from, to| {
            let count = self.between.ways.backwards(self, from, to).count() as u32;
            (count > 0).then_some(count)
        };
        let cards = |halves: &[Half]| -> Vec<Card> {
            halves.iter().map(|half| (half.nic, half.distance)).collect()
        };
        choose(&cards(egress), &cards(ingress), free, distance)
            .into_iter()
            .map(|(p, q)| (&egress[p], &ingress[q]))
            .collect()
    }

    /// All routes of an ordered pair of different ranks. Between nodes there is one for each pair of
    /// cards that are equally good, or that the rules name, in the order of the cards; within a node
    /// those stand behind the own route where a `loopback` rule brings them. Empty for a rank and
    /// itself.
    pub fn routes_between(&self, src: Rank, dst: Rank) -> impl Iterator<Item = Route> + '_ {
        let local = self.routes.get(self.route_ids(src, dst)).unwrap_or_default();
        let apart = src != dst && local.is_empty();
        let cards = if apart { self.pairs_of_cards(src, dst) } else { Vec::new() };
        local.iter().cloned().chain(
            cards.into_iter().map(move |(egress, ingress)| self.join(src, dst, egress, ingress)),
        )
    }

    /// How many routes there are, within nodes and between them.
    #[must_use]
    pub fn route_count(&self) -> usize {
        let between = self.pairs_of_nodes().map(|(src, dst)| self.pairs_of_cards(src, dst).len());
        self.routes.len() + between.sum::<usize>()
    }

    /// Whether some pair of ranks has several routes.
    #[must_use]
    pub fn has_alternatives(&self) -> bool {
        let is_alike = |two: &[Route]| (two[0].src, two[0].dst) == (two[1].src, two[1].dst);
        self.routes.windows(2).any(is_alike)
            || self.pairs_of_nodes().any(|(src, dst)| self.pairs_of_cards(src, dst).len() > 1)
    }

    /// The ordered pairs of ranks of different nodes, ascending.
    fn pairs_of_nodes(&self) -> impl Iterator<Item = (Rank, Rank)> + '_ {
        let ranks = || (0..self.ranks.len()).map(Rank::new);
        // Without ways to cards there is nothing between nodes.
        let sources = ranks().filter(|src| !self.egress(*src).is_empty());
        sources.flat_map(move |src| {
            let apart = move |dst: &Rank| self.node_of(*dst) != self.node_of(src);
            ranks().filter(apart).map(move |dst| (src, dst))
        })
    }

    /// By resource, how many routes take of it, within nodes and between them. A route between nodes
    /// counts for each of its parts: the way to a card, the way between cards and the way from one.
    #[must_use]
    pub fn crossings(&self) -> Vec<u64> {
        let mut crossings = vec![0; self.resources.len()];
        let mut add = |taken: Vec<LinkId>, routes: u64| {
            let taken: BTreeSet<LinkId> = taken.into_iter().collect();
            taken.into_iter().for_each(|id| crossings[id.index()] += routes);
        };
        self.routes.iter().for_each(|route| add(route.takes().collect(), 1));
        let mut halves: BTreeMap<(Rank, bool, VertexId), (&Half, u64)> = BTreeMap::new();
        let mut ways: BTreeMap<(VertexId, VertexId), u64> = BTreeMap::new();
        for (src, dst) in self.pairs_of_nodes() {
            for (egress, ingress) in self.pairs_of_cards(src, dst) {
                for (rank, leaves, half) in [(src, true, egress), (dst, false, ingress)] {
                    halves.entry((rank, leaves, half.nic)).or_insert((half, 0)).1 += 1;
                }
                *ways.entry((egress.nic, ingress.nic)).or_default() += 1;
            }
        }
        for (half, routes) in halves.into_values() {
            add(half.links.iter().chain(&half.shares).copied().collect(), routes);
        }
        for ((from, to), routes) in ways {
            let mut taken: Vec<LinkId> = self.between.ways.backwards(self, from, to).collect();
            taken.extend(self.between.shares.of(&taken, None));
            add(taken, routes);
        }
        crossings
    }

    fn join(&self, src: Rank, dst: Rank, egress: &Half, ingress: &Half) -> Route {
        let mut links = egress.links.clone();
        links.extend(self.between.ways.backwards(self, egress.nic, ingress.nic));
        links[egress.links.len()..].reverse();
        let mut shares = self.between.shares.of(&links[egress.links.len()..], None);
        links.extend(&ingress.links);
        shares.extend(&egress.shares);
        shares.extend(&ingress.shares);
        shares.sort_unstable();
        let ends = [src, dst].map(|rank| self.ranks[rank.index()].index());
        let least = least(&self.resources, &links, &shares);
        let cap = cap(self.between.caps.iter(), RouteClass::Network, ends);
        Route {
            src,
            dst,
            class: RouteClass::Network,
            mode: Mode::Push,
            initiator: Initiator::Kernel,
            links,
            shares,
            rate: cap.map_or(least, |cap| cap.min(least)),
        }
    }
}
