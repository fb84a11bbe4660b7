//! What a checked topology consists of.

use crate::base::{
    BytesPerSecond, DeviceKind, Digest, Initiator, LinkId, Mode, Nanos, Rank, RouteClass, RouteId,
    VertexId,
};

/// A checked topology of one node. Every ordered pair of ranks has exactly one route.
#[derive(Debug, Clone)]
pub struct Topology {
    /// The name in the header.
    pub name: String,
    /// The digest of the machine without comments, origins and layout.
    pub digest: Digest,
    /// All devices, in order of declaration.
    pub vertices: Vec<Vertex>,
    /// All directed links: order of declaration, the written direction first.
    pub resources: Vec<Resource>,
    /// The GPU of each rank.
    pub ranks: Vec<VertexId>,
    /// By (source, destination), the diagonal left out: the route of (s, d) has the index
    /// `s * (n - 1) + d - (d > s)`.
    pub routes: Vec<Route>,
    /// How many of the values that routes rest on are assumed.
    pub assumed: usize,
}

/// A device.
#[derive(Debug, Clone)]
pub struct Vertex {
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Compute architecture, GPUs only.
    pub arch: Option<String>,
    /// Marketing name.
    pub model: Option<String>,
    /// PCI bus id.
    pub bus: Option<String>,
    /// The socket it hangs on: the nearest one over links, itself for a socket; `None` where there
    /// is none or it is ambiguous.
    pub socket: Option<VertexId>,
}

/// One direction of a link.
#[derive(Debug, Clone)]
pub struct Resource {
    /// From.
    pub from: VertexId,
    /// To.
    pub to: VertexId,
    /// Payload bytes a second; `None` only where unknown and on no route.
    pub capacity: Option<BytesPerSecond>,
    /// Delay of the first byte.
    pub latency: Nanos,
    /// Whether the capacity is assumed.
    pub assumed: bool,
}

/// The way of an ordered pair's bytes.
#[derive(Debug, Clone)]
pub struct Route {
    /// From.
    pub src: Rank,
    /// To; differs from `src`.
    pub dst: Rank,
    /// What kind of path it is.
    pub class: RouteClass,
    /// Who moves the bytes over the bus.
    pub mode: Mode,
    /// What carries it out.
    pub initiator: Initiator,
    /// The directed links in order; at least one.
    pub links: Vec<LinkId>,
    /// The solo rate: the least capacity on the way; at least 1.
    pub rate: BytesPerSecond,
}

impl Topology {
    /// The route of a pair of different ranks.
    #[must_use]
    pub fn route_id(&self, src: Rank, dst: Rank) -> RouteId {
        let (s, d) = (src.index(), dst.index());
        debug_assert!(s != d);
        RouteId::new(s * (self.ranks.len() - 1) + d - usize::from(d > s))
    }

    /// The path of the two ends, as people write it: `s[0] -> s[1]`.
    #[must_use]
    pub fn resource_name(&self, link: LinkId) -> String {
        let resource = &self.resources[link.index()];
        let name = |v: VertexId| self.vertices[v.index()].path.as_str();
        format!("{} -> {}", name(resource.from), name(resource.to))
    }
}
