//! The catalog: everything about a machine that planning needs, without the graph.

use crate::base::{BytesPerSecond, Digest, Initiator, LinkId, Mode, Rank, RouteClass, RouteId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What the analyzer found out about a machine; the scheduler's only input beside the demand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    /// The topology's name.
    pub topology: String,
    /// The topology's digest.
    pub digest: Digest,
    /// The number of ranks.
    pub ranks: u32,
    /// The labelled structure whose automorphisms are the symmetry: its vertices, ...
    pub vertices: Vec<StructureVertex>,
    /// ... and its directed links; the position is the [`LinkId`].
    pub links: Vec<StructureEdge>,
    /// Capacities beside those of single links; their [`LinkId`]s follow those of the links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointCapacity>,
    /// What links offer when transfers share them, ascending by link and mode; only where some route
    /// counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efficiency: Vec<LinkEfficiency>,
    /// The vertex (by position) of each end of routes: the ranks, and after them the ports of a node
    /// template, whose numbers follow those of the ranks.
    pub rank_vertices: Vec<u32>,
    /// By (source, destination). A whole machine has one or several of each ordered pair of ranks;
    /// those of one pair take different links and never run together.
    pub routes: Vec<PlannedRoute>,
    /// Pairs of routes that never run together, the lower one first, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<(RouteId, RouteId)>,
    /// Sets of routes of which only so many run at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<ChannelLimit>,
    /// Permutations of all vertices that generate the group.
    pub generators: Vec<Vec<u32>>,
    /// The order of the group of vertex permutations, in decimal.
    pub order: String,
    /// The number of orbits of ordered pairs of ranks.
    pub pair_orbits: u32,
    /// The maximal channels in which every transfer runs at its solo rate.
    pub strict: Families,
    /// The maximal channels in which transfers run at their solo or a paced rate; nothing where no
    /// route has a paced rate, and the strict ones are all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_rate: Option<Families>,
}

/// Maximal channels up to symmetry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Families {
    /// One entry an orbit, sorted by representative.
    pub orbits: Vec<ChannelOrbit>,
    /// The number of maximal channels that the orbits stand for, in decimal.
    pub channels: String,
    /// Whether the orbits are all there are.
    pub complete: bool,
}

/// A vertex of the labelled structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureVertex {
    /// The device's path.
    pub path: String,
    /// Equal colours may be exchanged by a symmetry.
    pub colour: u32,
}

/// A directed link of the labelled structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureEdge {
    /// Position of the vertex it leaves.
    pub from: u32,
    /// Position of the vertex it enters.
    pub to: u32,
    /// Payload bytes a second; `None` where unknown (then no route uses it).
    pub capacity: Option<BytesPerSecond>,
}

/// A capacity that is not one of a single directed link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointCapacity {
    /// Whose it is.
    pub of: JointOf,
    /// Payload bytes a second.
    pub capacity: BytesPerSecond,
}

/// Whose a joint capacity is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JointOf {
    /// What these directed links carry together; each once, ascending.
    Links(Vec<LinkId>),
    /// The memory of a socket (position of the vertex): reads plus writes.
    Memory(u32),
}

/// What a directed link offers by the number of transfers that cross it, each counted once however
/// often it takes the link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinkEfficiency {
    /// The link.
    pub link: LinkId,
    /// Only transfers of this mode count; all without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// From so many transfers on the link offers so much; below the first, its capacity. Numbers
    /// ascend from at least 1; what is offered never rises, so that subsets of channels are channels.
    pub steps: Vec<(u64, BytesPerSecond)>,
}

impl LinkEfficiency {
    /// Whether a transfer over a route counts.
    #[must_use]
    pub fn counts(&self, route: &PlannedRoute) -> bool {
        self.mode.is_none_or(|mode| mode == route.mode) && route.links.contains(&self.link)
    }
}

/// What a resource offers to so many transfers: the last of the steps that they reach, the capacity
/// before the first.
#[must_use]
pub fn offered(capacity: u64, steps: &[(u64, BytesPerSecond)], transfers: u64) -> u64 {
    let reached = steps.iter().take_while(|(from, _)| *from <= transfers);
    reached.last().map_or(capacity, |(_, rate)| rate.0)
}

/// The most transfers at once in some place of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChannelLimit {
    /// The routes that count, ascending.
    pub routes: Vec<RouteId>,
    /// How many may run; at least 1.
    pub most: u64,
}

/// A route as the scheduler sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRoute {
    /// From.
    pub src: Rank,
    /// To.
    pub dst: Rank,
    /// What kind of path it is.
    pub class: RouteClass,
    /// Who moves the bytes over the bus.
    pub mode: Mode,
    /// What carries it out.
    pub initiator: Initiator,
    /// The directed links in order, a link repeated by its multiplicity.
    pub links: Vec<LinkId>,
    /// The joint capacities that it takes, ascending, each repeated by its multiplicity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<LinkId>,
    /// The solo rate.
    pub rate: BytesPerSecond,
    /// The paced rates: each the even share of a resource on the way that is wider than the solo
    /// rate and no multiple of it. Descending, all below the solo rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paced: Vec<BytesPerSecond>,
}

/// A route of a channel and how fast it runs. Written as the route's number alone, or as the pair
/// of numbers where it is paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "TransferNumbers", into = "TransferNumbers")]
pub struct Transfer {
    /// The route.
    pub route: RouteId,
    /// 0 for its solo rate, `n` for the `n`-th of its paced rates.
    pub pace: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TransferNumbers {
    Solo(RouteId),
    Paced(RouteId, u8),
}

impl From<RouteId> for Transfer {
    fn from(route: RouteId) -> Self {
        Self { route, pace: 0 }
    }
}

impl From<TransferNumbers> for Transfer {
    fn from(numbers: TransferNumbers) -> Self {
        match numbers {
            TransferNumbers::Solo(route) => route.into(),
            TransferNumbers::Paced(route, pace) => Self { route, pace },
        }
    }
}

impl From<Transfer> for TransferNumbers {
    fn from(Transfer { route, pace }: Transfer) -> Self {
        if pace == 0 { Self::Solo(route) } else { Self::Paced(route, pace) }
    }
}

/// A set of transfers that never slow each other down: in ascending order of routes, each once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Channel(pub Vec<Transfer>);

impl Channel {
    /// These routes (ascending), each at its solo rate.
    pub fn strict(routes: impl IntoIterator<Item = RouteId>) -> Self {
        Self(routes.into_iter().map(Transfer::from).collect())
    }

    /// Its routes, ascending.
    pub fn routes(&self) -> impl Iterator<Item = RouteId> + '_ {
        self.0.iter().map(|transfer| transfer.route)
    }
}

/// A family of maximal channels that symmetry maps onto each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelOrbit {
    /// The canonical one.
    pub representative: Channel,
    /// How many channels the family has, in decimal.
    pub size: String,
}

impl Catalog {
    /// The positions of the routes of a pair of ends; none where it has none.
    #[must_use]
    pub fn routes_of(&self, src: Rank, dst: Rank) -> Range<usize> {
        let start = self.routes.partition_point(|route| (route.src, route.dst) < (src, dst));
        let own =
            self.routes[start..].iter().take_while(|route| (route.src, route.dst) == (src, dst));
        start..start + own.count()
    }

    /// The routes of each pair of ends that has some: positions, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut end = 0;
        self.routes.chunk_by(|a, b| (a.src, a.dst) == (b.src, b.dst)).map(move |routes| {
            let start = end;
            end += routes.len();
            start..end
        })
    }

    /// Whether some pair of ends has several routes.
    #[must_use]
    pub fn has_alternatives(&self) -> bool {
        self.routes.windows(2).any(|two| (two[0].src, two[0].dst) == (two[1].src, two[1].dst))
    }

    /// The number of resources: directed links and joint capacities.
    #[must_use]
    pub fn resources(&self) -> usize {
        self.links.len() + self.joint.len()
    }

    /// What a limit is called where links are named: the ids of limits follow those of resources.
    #[must_use]
    pub fn limit_id(&self, limit: usize) -> LinkId {
        LinkId::new(self.resources() + limit)
    }

    /// The capacity of a resource; nothing where it is unknown or there is no such resource.
    #[must_use]
    pub fn capacity(&self, id: LinkId) -> Option<BytesPerSecond> {
        match self.links.get(id.index()) {
            Some(link) => link.capacity,
            None => Some(self.joint.get(id.index() - self.links.len())?.capacity),
        }
    }
}

impl PlannedRoute {
    /// The rate at a pace; nothing where it has no such pace.
    #[must_use]
    pub fn rate_at(&self, pace: u8) -> Option<BytesPerSecond> {
        match pace {
            0 => Some(self.rate),
            _ => self.paced.get(usize::from(pace) - 1).copied(),
        }
    }

    /// All that it takes, each resource as often as it is taken.
    pub fn takes(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.links.iter().chain(&self.shares).copied()
    }

    /// The resources that it takes, ascending, each with its multiplicity.
    #[must_use]
    pub fn multiplicities(&self) -> Vec<(LinkId, u64)> {
        let mut taken: Vec<LinkId> = self.takes().collect();
        taken.sort_unstable();
        taken.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
    }
}
