//! Which routes of a node the rules keep apart, and how many may run at once in a place.

use super::{Half, Route, Topology};
use crate::base::{BytesPerSecond, DeviceKind, LinkId, Mode, NodeId, Rank, RouteId, VertexId};
use crate::dsl::machine::{PlacedRule, Rule};
use crate::dsl::tree::{Place, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// At most so many transfers at once in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceLimit {
    /// The rule (position in [`Topology::rules`]).
    pub rule: usize,
    /// The routes in the place, ascending, those between nodes left out; with them, of which
    /// [`Topology::counts`] tells, more than `most`.
    pub routes: Vec<RouteId>,
    /// How many may run; at least 1.
    pub most: u64,
    /// The place: `over sw[0]`, `at g[3]`.
    pub place: String,
    /// The node that the place is in.
    pub node: Option<NodeId>,
    spot: Spot,
}

/// One place of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    Device(VertexId),
    Uplink(LinkId),
    Node(NodeId),
}

impl Topology {
    /// The pairs of routes that an `avoid` keeps from running together: the lower one first,
    /// ascending. An `avoid` that speaks of uplinks sees only transfers that leave by their own.
    #[must_use]
    pub fn kept_apart(&self) -> Vec<(RouteId, RouteId)> {
        self.avoided().into_keys().collect()
    }

    /// The pairs of [`Self::kept_apart`] of which it is known what both reach together.
    #[must_use]
    pub fn hampered(&self) -> Vec<(RouteId, RouteId, BytesPerSecond)> {
        let known = self.avoided().into_iter();
        known.filter_map(|((a, b), together)| Some((a, b, together?))).collect()
    }

    /// The pairs that rules keep apart, with the least that they reach together where that is known.
    fn avoided(&self) -> BTreeMap<(RouteId, RouteId), Option<BytesPerSecond>> {
        let mut pairs: BTreeMap<_, Option<BytesPerSecond>> = BTreeMap::new();
        for PlacedRule { scope, rule, .. } in &self.rules {
            let Rule::Avoid { mode, from, to, value } = rule else { continue };
            let together = value.as_ref().and_then(|value| value.rate);
            let uplinks = [from, to].iter().any(|(_, place)| *place == Place::Uplink);
            let seen: Vec<usize> = (0..self.routes.len())
                .filter(|&index| {
                    let route = &self.routes[index];
                    self.speaks_of(scope, *mode, route)
                        && (!uplinks || self.leaves_by_its_uplink(route))
                })
                .collect();
            for (position, &a) in seen.iter().enumerate() {
                for &b in &seen[position + 1..] {
                    let [src_a, dst_a] = self.ends(&self.routes[a]);
                    let [src_b, dst_b] = self.ends(&self.routes[b]);
                    if src_a != src_b
                        && self.related(*from, src_a, src_b)
                        && self.related(*to, dst_a, dst_b)
                    {
                        let known = pairs.entry((RouteId::new(a), RouteId::new(b))).or_default();
                        *known = (*known).into_iter().chain(together).min();
                    }
                }
            }
        }
        pairs
    }

    /// The limits that can bind. A transfer is in the GPUs at its ends, in every switch on its way,
    /// in the uplinks that it crosses, in the sockets of its ends and in its node, and one between
    /// nodes in those of both. Of several rules of one part that limit a place in one mode the last
    /// holds; those of a part and of what is around it hold side by side, since they speak of
    /// different transfers.
    #[must_use]
    pub fn limits(&self) -> Vec<PlaceLimit> {
        let mut limits = Vec::new();
        let mut settled = BTreeSet::new();
        for rule in (0..self.rules.len()).rev() {
            let PlacedRule { scope, rule: Rule::Limit { mode, place, count }, .. } =
                &self.rules[rule]
            else {
                continue;
            };
            let mut spots: BTreeMap<Spot, Vec<RouteId>> = BTreeMap::new();
            for (index, route) in self.routes.iter().enumerate() {
                if self.speaks_of(scope, *mode, route) {
                    for spot in self.spots(&self.ends(route), &route.links, *place) {
                        spots.entry(spot).or_default().push(RouteId::new(index));
                    }
                }
            }
            // At most so many transfers to and from other nodes.
            let mut between: BTreeMap<Spot, u64> = BTreeMap::new();
            let speaks = self.speaks_of_network(scope, *mode);
            for rank in (0..self.ranks.len()).map(Rank::new).filter(|_| speaks) {
                for half in self.egress(rank).iter().chain(self.ingress(rank)) {
                    for spot in self.spots(&[self.ranks[rank.index()]], &half.links, *place) {
                        *between.entry(spot).or_default() += self.ranks.len() as u64;
                    }
                }
            }
            for &spot in between.keys() {
                spots.entry(spot).or_default();
            }
            for (spot, routes) in spots {
                let all = routes.len() as u64 + between.get(&spot).copied().unwrap_or(0);
                if settled.insert((scope.start, scope.end, *mode, spot)) && all > *count {
                    let (place, node) = (self.spot_name(spot), self.node_of_spot(spot));
                    limits.push(PlaceLimit { rule, routes, most: *count, place, node, spot });
                }
            }
        }
        limits.sort_by(|a: &PlaceLimit, b| {
            (a.rule, &a.routes, a.spot).cmp(&(b.rule, &b.routes, b.spot))
        });
        limits
    }

    /// Whether a route counts for a limit, be it within a node or between two.
    #[must_use]
    pub fn counts(&self, limit: &PlaceLimit, route: &Route) -> bool {
        let PlacedRule { scope, rule: Rule::Limit { mode, place, .. }, .. } =
            &self.rules[limit.rule]
        else {
            return false;
        };
        self.speaks_of(scope, *mode, route)
            && self.spots(&self.ends(route), &route.links, *place).contains(&limit.spot)
    }

    /// Whether transfers between nodes that go over a half of a rank count for a limit in its node.
    #[must_use]
    pub fn counts_half(&self, limit: &PlaceLimit, rank: Rank, half: &Half) -> bool {
        let PlacedRule { scope, rule: Rule::Limit { mode, place, .. }, .. } =
            &self.rules[limit.rule]
        else {
            return false;
        };
        let gpu = self.ranks[rank.index()];
        self.speaks_of_network(scope, *mode)
            && self.spots(&[gpu], &half.links, *place).contains(&limit.spot)
    }

    /// Whether a rule makes transfers of one node depend on where those of another one go: an `avoid`
    /// that speaks of transfers between nodes, or of such as start in different nodes; a `limit` that
    /// counts some of the transfers between nodes and not others.
    #[must_use]
    pub fn binds_nodes(&self, placed: &PlacedRule) -> bool {
        let inside = self.ranks.iter().filter(|gpu| placed.scope.contains(&gpu.index()));
        let nodes: BTreeSet<_> =
            inside.clone().map(|gpu| self.vertices[gpu.index()].node).collect();
        if nodes.len() < 2 {
            return false;
        }
        match &placed.rule {
            Rule::Avoid { mode, from, .. } => {
                *mode != Some(Mode::Pull) || from.0 == Relation::Different
            }
            Rule::Limit { mode, .. } => {
                *mode != Some(Mode::Pull) && inside.count() < self.ranks.len()
            }
            _ => false,
        }
    }

    /// Whether a rule of this scope and mode speaks of transfers between nodes, which are pushes; see
    /// [`Self::binds_nodes`] for rules that speak of some only.
    fn speaks_of_network(&self, scope: &Range<usize>, mode: Option<Mode>) -> bool {
        mode != Some(Mode::Pull) && self.ranks.iter().all(|gpu| scope.contains(&gpu.index()))
    }

    /// Whether a rule of this scope and mode speaks of a route.
    fn speaks_of(&self, scope: &Range<usize>, mode: Option<Mode>, route: &Route) -> bool {
        mode.is_none_or(|mode| mode == route.mode)
            && self.ends(route).iter().all(|end| scope.contains(&end.index()))
    }

    fn spot_name(&self, spot: Spot) -> String {
        match spot {
            Spot::Device(at) => {
                let found = &self.vertices[at.index()];
                let word = match found.kind {
                    DeviceKind::Switch => "over",
                    _ => "at",
                };
                format!("{word} {}", found.path)
            }
            Spot::Uplink(link) => format!("over {}", self.written(link)),
            Spot::Node(node) => match self.nodes {
                1 => "in the node".to_owned(),
                _ => format!("in node {node}"),
            },
        }
    }

    fn node_of_spot(&self, spot: Spot) -> Option<NodeId> {
        match spot {
            Spot::Device(at) => self.vertices[at.index()].node,
            Spot::Uplink(link) => {
                let (from, to) = self.resources[link.index()].ends()?;
                self.vertices[from.index()].node.or(self.vertices[to.index()].node)
            }
            Spot::Node(node) => Some(node),
        }
    }

    pub(super) fn ends(&self, route: &Route) -> [VertexId; 2] {
        [self.ranks[route.src.index()], self.ranks[route.dst.index()]]
    }

    pub(super) fn leaves_by_its_uplink(&self, route: &Route) -> bool {
        let [src, _] = self.ends(route);
        self.vertices[src.index()].uplink.is_some_and(|uplink| route.links.contains(&uplink))
    }

    /// Whether two devices lie in the same place, or in different ones. What is in no such place
    /// shares none.
    fn related(&self, (relation, place): (Relation, Place), a: VertexId, b: VertexId) -> bool {
        let spot = |vertex: VertexId| self.spot(vertex, place);
        let same = spot(a).is_some() && spot(a) == spot(b);
        match relation {
            Relation::Same => same,
            Relation::Different => !same,
        }
    }

    /// The place of a kind that a device is in.
    pub(super) fn spot(&self, vertex: VertexId, place: Place) -> Option<Spot> {
        let found = &self.vertices[vertex.index()];
        match place {
            Place::Gpu => Some(Spot::Device(vertex)),
            Place::Switch => found.switch.map(Spot::Device),
            Place::Uplink => found.uplink.map(Spot::Uplink),
            Place::Socket => found.socket.map(Spot::Device),
            Place::Node => found.node.map(Spot::Node),
        }
    }

    /// Every place of a kind that a transfer between GPUs over links is in.
    fn spots(&self, gpus: &[VertexId], links: &[LinkId], place: Place) -> BTreeSet<Spot> {
        let of_ends = || gpus.iter().filter_map(|&end| self.spot(end, place));
        match place {
            Place::Gpu | Place::Socket | Place::Node => of_ends().collect(),
            Place::Switch => links
                .iter()
                .filter_map(|link| self.resources[link.index()].ends())
                .flat_map(|(from, to)| [from, to])
                .filter(|vertex| self.vertices[vertex.index()].switch == Some(*vertex))
                .map(Spot::Device)
                .collect(),
            Place::Uplink => of_ends().filter(|spot| self.crosses(links, *spot)).collect(),
        }
    }

    /// Whether one of the links is an uplink, in either direction, be it written as one link or as two.
    fn crosses(&self, links: &[LinkId], spot: Spot) -> bool {
        let Spot::Uplink(uplink) = spot else { return false };
        let ends =
            |id: LinkId| self.resources[id.index()].ends().map(|(a, b)| (a.min(b), a.max(b)));
        links.iter().any(|id| ends(*id) == ends(uplink))
    }
}
