//! Routes over network cards back into the same node.
//!
//! Where a `loopback` rule holds for two GPUs of a node, they have further routes beside their own: from
//! the source to a card, over fabrics or a link between cards to another card of the node, and from
//! there to the destination. They are made of the same halves as routes to other nodes, the cards
//! chosen by `via` likewise. The two cards differ: what a single card passes on within itself does not
//! come by the links that it is described with. A pair whose cards no fabric joins has its own route
//! only.
//!
//! A detour that takes all that the own route takes, as often, and is no faster brings nothing: wherever
//! it runs the own route could, under every rule, since it leaves by no other uplink and is in no other
//! place, unless it is of another mode. Such detours are left out: on one socket mostly all of them.

use super::cross::Draft;
use super::fault::Fault;
use super::graph::{Part, Reach, Ways};
use super::local::{Ground, NoWay, Ties};
use super::network::{Card, choose};
use super::rate::least;
use super::rules::cap;
use super::{Route, Topology};
use crate::base::{DeviceKind, Initiator, LinkId, Mode, NodeId, Rank, RouteClass, VertexId};
use std::collections::BTreeMap;

/// The most routes over cards back into their nodes.
pub(super) const MAX_LOOPBACKS: usize = 1 << 18;

impl Ground<'_> {
    /// The routes over cards back into the same node, by (source, destination), those of a pair in the
    /// order of their cards. Ways that tie, and halves through host memory where there is none, become
    /// faults.
    pub(super) fn loopbacks(&self, faults: &mut Vec<Fault>) -> Vec<Route> {
        if !self.rules.has_loopback() {
            return Vec::new();
        }
        let mut cards_of: BTreeMap<Option<NodeId>, Vec<VertexId>> = BTreeMap::new();
        for (index, vertex) in self.vertices.iter().enumerate() {
            if vertex.kind == DeviceKind::Nic {
                cards_of.entry(vertex.node).or_default().push(VertexId::new(index));
            }
        }
        let nodes = self.ranks_of_nodes();
        let (egress, ingress, free) = self.drafts(&nodes, &cards_of);
        let cards = |drafts: &[Draft]| -> Vec<Card> {
            drafts.iter().map(|draft| (draft.half.nic, draft.half.distance)).collect()
        };
        let (mut routes, mut ties, mut homeless) = (Vec::new(), Ties::default(), Vec::new());
        for (node, own) in &nodes {
            let cards_here = cards_of.get(node).map_or(&[][..], Vec::as_slice);
            let reach: BTreeMap<VertexId, Reach> = cards_here
                .iter()
                .map(|&card| (card, self.network.reach(card, Part::Fabric)))
                .collect();
            let distance = |from: VertexId, to: VertexId| {
                reach.get(&from).filter(|_| from != to)?.distance(to)
            };
            for &s in own {
                let out = cards(&egress[s]);
                for &d in own.iter().filter(|&&d| d != s) {
                    let ends = [s, d].map(|rank| self.machine.ranks[rank]);
                    if !self.rules.loops_back(ends[0], ends[1]) {
                        continue;
                    }
                    let back = cards(&ingress[d]);
                    for (p, q) in choose(&out, &back, [free[s], free[d]], distance) {
                        let (from, to) = (&egress[s][p], &ingress[d][q]);
                        let ways = reach.get(&from.half.nic).map(|reach| reach.ways(to.half.nic));
                        let between = match ways {
                            Some(Ways::One(links)) => links,
                            Some(Ways::Tie(first, second)) => {
                                ties.note(self.resources, &first, &second);
                                continue;
                            }
                            None | Some(Ways::None) => continue,
                        };
                        for (draft, ends) in [
                            (from, [ends[0], out[p].0.index()]),
                            (to, [back[q].0.index(), ends[1]]),
                        ] {
                            match &draft.fault {
                                None | Some(NoWay::Unreachable) => {}
                                Some(NoWay::NoSocket(at)) => homeless.push((at.index(), ends)),
                                Some(NoWay::Tie(first, second)) => {
                                    ties.note(self.resources, first, second);
                                }
                            }
                        }
                        if routes.len() == MAX_LOOPBACKS {
                            faults.push(Fault::TooManyLoopbacks);
                            return routes;
                        }
                        routes.push(self.loopback([s, d], ends, from, &between, to));
                    }
                }
            }
        }
        homeless.sort_unstable();
        homeless.dedup_by_key(|(device, _)| *device);
        if let Some(&(device, [src, dst])) = homeless.first() {
            faults.push(Fault::NoSocket { device, src, dst, more: homeless.len() - 1 });
        }
        faults.extend(ties.faults);
        routes.sort_by_key(|route| (route.src, route.dst));
        routes
    }

    fn loopback(
        &self,
        [src, dst]: [usize; 2],
        ends: [usize; 2],
        from: &Draft,
        between: &[LinkId],
        to: &Draft,
    ) -> Route {
        let mut links = from.half.links.clone();
        links.extend(between);
        links.extend(&to.half.links);
        let mut shares = self.shares.of(between, None);
        shares.extend(&from.half.shares);
        shares.extend(&to.half.shares);
        shares.sort_unstable();
        let class = RouteClass::Loopback;
        let least = least(self.resources, &links, &shares);
        let cap = cap(self.rules.caps(class), class, ends);
        Route {
            src: Rank::new(src),
            dst: Rank::new(dst),
            class,
            mode: Mode::Push,
            initiator: Initiator::Kernel,
            links,
            shares,
            rate: cap.map_or(least, |cap| cap.min(least)),
        }
    }
}

impl Topology {
    /// Leaves out detours that bring nothing beside the own routes, whose modes and rates are settled.
    pub(super) fn drop_idle_loopbacks(&mut self) {
        if self.routes.iter().all(|route| route.class != RouteClass::Loopback) {
            return;
        }
        let taken = |route: &Route| {
            let mut taken: Vec<LinkId> = route.takes().collect();
            taken.sort_unstable();
            taken
        };
        let mut kept: Vec<Route> = Vec::with_capacity(self.routes.len());
        for routes in self.routes.chunk_by(|a, b| (a.src, a.dst) == (b.src, b.dst)) {
            let own = &routes[0];
            let needs = taken(own);
            let is_idle = |route: &Route| {
                let takes = taken(route);
                let mut rest = takes.iter();
                let all = needs.iter().all(|need| rest.any(|one| one == need));
                route.class == RouteClass::Loopback
                    && all
                    && own.mode == route.mode
                    && own.rate >= route.rate
            };
            kept.extend(routes.iter().filter(|route| !is_idle(route)).cloned());
        }
        (self.routes, self.starts) = merged(kept, Vec::new(), self.ranks.len());
    }
}

/// Puts further routes behind the own ones of their pairs. Both are by (source, destination); returns
/// for each rank the index of its first route, then the number of routes.
pub(super) fn merged(
    own: Vec<Route>,
    further: Vec<Route>,
    ranks: usize,
) -> (Vec<Route>, Vec<usize>) {
    let mut routes = own;
    routes.extend(further);
    // Stable, so that of one pair the own route stays first.
    routes.sort_by_key(|route| (route.src, route.dst));
    let start = |rank: usize| routes.partition_point(|route| route.src.index() < rank);
    let starts = (0..=ranks).map(start).collect();
    (routes, starts)
}
