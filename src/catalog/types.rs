//! The catalog: everything about a machine that planning needs, without the graph.

use crate::base::{BytesPerSecond, Digest, Initiator, LinkId, Mode, Rank, RouteClass, RouteId};
use serde::{Deserialize, Serialize};

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
    /// The vertex (by position) of each rank.
    pub rank_vertices: Vec<u32>,
    /// By (source, destination), the diagonal left out, as in the topology.
    pub routes: Vec<PlannedRoute>,
    /// Permutations of all vertices that generate the group.
    pub generators: Vec<Vec<u32>>,
    /// The order of the group of vertex permutations, in decimal.
    pub order: String,
    /// The number of orbits of ordered pairs of ranks.
    pub pair_orbits: u32,
    /// One entry an orbit of maximal strict channels, sorted by representative.
    pub orbits: Vec<ChannelOrbit>,
    /// The number of maximal strict channels that the orbits stand for, in decimal.
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
    /// The solo rate.
    pub rate: BytesPerSecond,
}

/// A set of transfers that never slow each other down: routes in ascending order, each once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Channel(pub Vec<RouteId>);

/// A family of maximal channels that symmetry maps onto each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelOrbit {
    /// The canonical one.
    pub representative: Channel,
    /// How many channels the family has, in decimal.
    pub size: String,
}

impl Catalog {
    /// The route of a pair of different ranks.
    #[must_use]
    pub fn route_id(&self, src: Rank, dst: Rank) -> RouteId {
        let (s, d) = (src.index(), dst.index());
        debug_assert!(s != d);
        RouteId::new(s * (self.ranks as usize - 1) + d - usize::from(d > s))
    }
}
