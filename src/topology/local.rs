//! The routes within nodes.

use super::fault::Fault;
use super::graph::{Network, Part, Reach, Ways};
use super::rate::{Shares, least};
use super::rules::{Rules, cap};
use super::{Resource, Route, Vertex};
use crate::base::{DeviceKind, Initiator, LinkId, Mode, NodeId, Rank, RouteClass, VertexId};
use crate::dsl::Machine;
use crate::dsl::tree::Place;
use std::collections::{BTreeMap, BTreeSet};

/// What the search for ways needs to know.
pub(super) struct Ground<'a> {
    pub(super) machine: &'a Machine,
    pub(super) network: &'a Network,
    pub(super) vertices: &'a [Vertex],
    pub(super) resources: &'a [Resource],
    pub(super) shares: &'a Shares,
    pub(super) rules: &'a Rules<'a>,
}

/// Links from one device to another, with the socket whose memory they go through, if any.
pub(super) struct Way {
    pub(super) links: Vec<LinkId>,
    pub(super) memory: Option<VertexId>,
}

/// Why there is no way.
pub(super) enum NoWay {
    /// None at all.
    Unreachable,
    /// Through host memory, and no socket is the nearest of this device.
    NoSocket(VertexId),
    /// Two with the fewest links.
    Tie(Vec<LinkId>, Vec<LinkId>),
}

/// Pairs that a fault shows.
const SHOWN: usize = 3;

/// The shortest ways that start at sockets, each found once.
pub(super) type FromSockets = BTreeMap<VertexId, Reach>;

impl Ground<'_> {
    /// The devices that links lead to.
    fn targets<'a>(&'a self, links: &'a [LinkId]) -> impl Iterator<Item = &'a Vertex> {
        links
            .iter()
            .filter_map(|link| self.resources[link.index()].ends())
            .map(|(_, to)| &self.vertices[to.index()])
    }

    /// How many sockets a way passes or enters.
    pub(super) fn sockets(&self, links: &[LinkId]) -> usize {
        self.targets(links).filter(|vertex| vertex.kind == DeviceKind::Socket).count()
    }

    /// Whether a way from one device to another stays within a place.
    pub(super) fn stays(
        &self,
        links: &[LinkId],
        from: VertexId,
        to: VertexId,
        place: Place,
    ) -> bool {
        let sockets = self.sockets(links);
        let uplink = |vertex: VertexId| self.vertices[vertex.index()].uplink;
        match place {
            Place::Gpu => false,
            Place::Switch => sockets == 0,
            Place::Uplink => sockets == 0 || uplink(from).is_some() && uplink(from) == uplink(to),
            Place::Socket => sockets <= 1,
            Place::Node => true,
        }
    }

    /// The way from the source of `reach` to `to` through the memory of `socket`.
    pub(super) fn bounce(
        &self,
        reach: &Reach,
        to: VertexId,
        socket: VertexId,
        sockets: &mut FromSockets,
    ) -> Result<Way, NoWay> {
        let down = sockets.entry(socket).or_insert_with(|| self.network.reach(socket, Part::Node));
        let mut links = only(reach.ways(socket))?;
        links.extend(only(down.ways(to))?);
        Ok(Way { links, memory: Some(socket) })
    }

    /// The way of a pair of GPUs of one node, by whatever their peer access allows.
    fn way(
        &self,
        reach: &Reach,
        src: VertexId,
        dst: VertexId,
        sockets: &mut FromSockets,
    ) -> Result<Way, NoWay> {
        let (s, d) = (src.index(), dst.index());
        let place =
            self.rules.peer(s, d).filter(|_| self.rules.forbidden_modes(s, d) != [true, true]);
        if let Some(place) = place {
            let ways = reach.ways(dst);
            let near = match &ways {
                Ways::None => place == Place::Node,
                Ways::One(links) | Ways::Tie(links, _) => self.stays(links, src, dst, place),
            };
            if near {
                return Ok(Way { links: only(ways)?, memory: None });
            }
        }
        let at = if self.rules.bounces_at_source(s, d) { src } else { dst };
        let socket = self.vertices[at.index()].socket.ok_or(NoWay::NoSocket(at))?;
        self.bounce(reach, dst, socket, sockets)
    }

    /// The route over a way, as a push by the kernel: the first of its candidates.
    fn route(&self, src: usize, dst: usize, way: Way) -> Route {
        let class = match (way.memory, way.links.len(), self.sockets(&way.links)) {
            (Some(_), ..) => RouteClass::Bounce,
            (None, 1, _) => RouteClass::Direct,
            (None, _, 0) => RouteClass::Switch,
            (None, _, 1) => RouteClass::Socket,
            _ => RouteClass::Cross,
        };
        let shares = self.shares.of(&way.links, way.memory);
        let ranks = &self.machine.ranks;
        let least = least(self.resources, &way.links, &shares);
        let cap = cap(self.rules.caps(class), class, [ranks[src], ranks[dst]]);
        Route {
            src: Rank::new(src),
            dst: Rank::new(dst),
            class,
            mode: Mode::Push,
            initiator: Initiator::Kernel,
            links: way.links,
            shares,
            rate: cap.map_or(least, |cap| cap.min(least)),
        }
    }

    /// A fault for pairs without a route. A GPU without any link has a fault of its own.
    pub(super) fn note_unreachable(&self, pairs: &[(usize, usize)], faults: &mut Vec<Fault>) {
        let linked = |device| self.network.is_linked(VertexId::new(device));
        let mut left = pairs.iter().filter(|pair| linked(pair.0) && linked(pair.1));
        let shown: Vec<(usize, usize)> = left.by_ref().take(SHOWN).copied().collect();
        if !shown.is_empty() {
            faults.push(Fault::Unreachable { pairs: shown, more: left.count() });
        }
    }

    /// The GPU of each rank.
    pub(super) fn ranks(&self) -> Vec<VertexId> {
        self.machine.ranks.iter().map(|&device| VertexId::new(device)).collect()
    }

    /// The ranks of each node that has some.
    pub(super) fn ranks_of_nodes(&self) -> BTreeMap<Option<NodeId>, Vec<usize>> {
        let mut ranks: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (rank, &device) in self.machine.ranks.iter().enumerate() {
            ranks.entry(self.vertices[device].node).or_default().push(rank);
        }
        ranks
    }

    /// The routes of all pairs of ranks within their nodes, by (source, destination), and where
    /// those of each source start. Pairs without one, or with two, become faults.
    pub(super) fn local_routes(&self, faults: &mut Vec<Fault>) -> (Vec<Route>, Vec<usize>) {
        let ranks = self.ranks();
        let mates = self.ranks_of_nodes();
        let (mut routes, mut starts) = (Vec::new(), vec![0]);
        let mut sockets = FromSockets::new();
        let mut ties = Ties::default();
        let (mut unreachable, mut homeless) = (Vec::new(), Vec::new());
        for (s, &src) in ranks.iter().enumerate() {
            let mates = &mates[&self.vertices[src.index()].node];
            if mates.len() > 1 {
                let reach = self.network.reach(src, Part::Node);
                for &d in mates.iter().filter(|&&d| d != s) {
                    let dst = ranks[d];
                    match self.way(&reach, src, dst, &mut sockets) {
                        Ok(way) => routes.push(self.route(s, d, way)),
                        Err(NoWay::Unreachable) => unreachable.push((src.index(), dst.index())),
                        Err(NoWay::NoSocket(at)) => homeless.push((at.index(), (s, d))),
                        Err(NoWay::Tie(first, second)) => {
                            ties.note(self.resources, &first, &second);
                        }
                    }
                }
            }
            starts.push(routes.len());
        }
        self.note_unreachable(&unreachable, faults);
        faults.extend(no_socket(&ranks, &homeless));
        faults.extend(ties.faults);
        (routes, starts)
    }
}

/// One fault for all devices that are no socket's, with the first pair that suffers.
fn no_socket(ranks: &[VertexId], homeless: &[(usize, (usize, usize))]) -> Option<Fault> {
    let &(device, (s, d)) = homeless.first()?;
    let devices: BTreeSet<usize> = homeless.iter().map(|(at, _)| *at).collect();
    let (src, dst) = (ranks[s].index(), ranks[d].index());
    Some(Fault::NoSocket { device, src, dst, more: devices.len() - 1 })
}

/// The only way of several, or why there is none.
pub(super) fn only(ways: Ways) -> Result<Vec<LinkId>, NoWay> {
    match ways {
        Ways::One(links) => Ok(links),
        Ways::None => Err(NoWay::Unreachable),
        Ways::Tie(first, second) => Err(NoWay::Tie(first, second)),
    }
}

/// Ties, each with the number of pairs that it leaves undecided.
#[derive(Default)]
pub(super) struct Ties {
    places: BTreeMap<(usize, usize), usize>,
    pub(super) faults: Vec<Fault>,
}

impl Ties {
    /// Adds a tie, or counts it with an earlier one that leaves and meets again at the same
    /// devices, in whichever direction.
    pub(super) fn note(&mut self, resources: &[Resource], first: &[LinkId], second: &[LinkId]) {
        let ends = |link: &LinkId| resources[link.index()].ends();
        let devices = |links: &[LinkId]| -> Vec<usize> {
            let ends: Vec<_> = links.iter().filter_map(ends).collect();
            let start = ends.first().map(|ends| ends.0.index());
            start.into_iter().chain(ends.iter().map(|ends| ends.1.index())).collect()
        };
        let differing: Vec<usize> =
            (0..first.len().min(second.len())).filter(|&i| first[i] != second[i]).collect();
        let (Some(&low), Some(&high)) = (differing.first(), differing.last()) else { return };
        let (Some((leave, _)), Some((_, meet))) = (ends(&first[low]), ends(&first[high])) else {
            return;
        };
        let place = (leave.index().min(meet.index()), leave.index().max(meet.index()));
        if let Some(&index) = self.places.get(&place) {
            if let Some(Fault::Tie { more, .. }) = self.faults.get_mut(index) {
                *more += 1;
            }
            return;
        }
        self.places.insert(place, self.faults.len());
        let links = [first, second]
            .iter()
            .flat_map(|way| &way[low..=high])
            .filter_map(|link| resources[link.index()].link())
            .collect();
        let (first, second) = (devices(first), devices(second));
        self.faults.push(Fault::Tie { first, second, links, more: 0 });
    }
}
