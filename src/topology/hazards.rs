//! Which routes of a node the rules keep apart, and how many may run at once in a place.

use super::{Route, Topology};
use crate::base::{DeviceKind, LinkId, Mode, NodeId, RouteId, VertexId};
use crate::dsl::machine::{PlacedRule, Rule};
use crate::dsl::tree::{Place, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// At most so many transfers at once in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceLimit {
    /// The rule (position in [`Topology::rules`]).
    pub rule: usize,
    /// The routes in the place, ascending; more than `most`.
    pub routes: Vec<RouteId>,
    /// How many may run; at least 1.
    pub most: u64,
    /// The place: `over sw[0]`, `at g[3]`.
    pub place: String,
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
        let mut pairs = BTreeSet::new();
        for PlacedRule { scope, rule, .. } in &self.rules {
            let Rule::Avoid { mode, from, to, .. } = rule else { continue };
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
                        pairs.insert((RouteId::new(a), RouteId::new(b)));
                    }
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// The limits that can bind. A transfer is in the GPUs at its ends, in every switch on its way,
    /// in the uplinks that it crosses, in the sockets of its ends and in its node. Of several rules
    /// of one part that limit a place in one mode the last holds; those of a part and of what is
    /// around it hold side by side, since they speak of different transfers.
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
                    for spot in self.spots(route, *place) {
                        spots.entry(spot).or_default().push(RouteId::new(index));
                    }
                }
            }
            for (spot, routes) in spots {
                if settled.insert((scope.start, scope.end, *mode, spot))
                    && routes.len() as u64 > *count
                {
                    let place = self.spot_name(spot);
                    limits.push(PlaceLimit { rule, routes, most: *count, place });
                }
            }
        }
        limits.sort_by(|a: &PlaceLimit, b| (a.rule, &a.routes).cmp(&(b.rule, &b.routes)));
        limits
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

    /// Every place of a kind that a transfer is in.
    fn spots(&self, route: &Route, place: Place) -> BTreeSet<Spot> {
        let ends = self.ends(route);
        let of_ends = || ends.iter().filter_map(|&end| self.spot(end, place));
        match place {
            Place::Gpu | Place::Socket | Place::Node => of_ends().collect(),
            Place::Switch => route
                .links
                .iter()
                .filter_map(|link| self.resources[link.index()].ends())
                .flat_map(|(from, to)| [from, to])
                .filter(|vertex| self.vertices[vertex.index()].switch == Some(*vertex))
                .map(Spot::Device)
                .collect(),
            Place::Uplink => of_ends().filter(|spot| self.crosses(route, *spot)).collect(),
        }
    }

    /// Whether a route crosses an uplink, in either direction.
    fn crosses(&self, route: &Route, spot: Spot) -> bool {
        let Spot::Uplink(uplink) = spot else { return false };
        let link = self.resources[uplink.index()].link();
        route.links.iter().any(|id| self.resources[id.index()].link() == link)
    }
}
