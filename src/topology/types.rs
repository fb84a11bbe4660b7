//! What a checked topology consists of.

use super::Efficiency;
use super::network::Between;
use crate::base::{
    BusId, BytesPerSecond, DeviceKind, Digest, Initiator, LinkId, Mode, Nanos, NodeId, Rank,
    RouteClass, RouteId, Span, VertexId,
};
use crate::dsl::machine::PlacedRule;
use std::ops::Range;

/// A checked topology of one or several nodes.
#[derive(Debug, Clone)]
pub struct Topology {
    /// The name in the header.
    pub name: String,
    /// The digest of the machine without comments, origins and layout.
    pub digest: Digest,
    /// All devices, in order of declaration.
    pub vertices: Vec<Vertex>,
    /// All that transfers may take: first the directed links in order of declaration, the written
    /// direction first; then the joint capacities in order of declaration; then the memory of each
    /// socket that has a figure, in order of declaration.
    pub resources: Vec<Resource>,
    /// How many of the resources are directed links.
    pub links: usize,
    /// How many nodes there are, those without a GPU too. Nodes count in the order of their first
    /// device.
    pub nodes: usize,
    /// The GPU of each rank; at least one.
    pub ranks: Vec<VertexId>,
    /// The routes within nodes, by (source, destination). A pair has one of its own and, behind it,
    /// those over network cards back into the node that a `loopback` rule brings, by cards. Without
    /// such, where all ranks are in one node, the route of (s, d) has the index
    /// `s * (n - 1) + d - (d > s)`.
    pub routes: Vec<Route>,
    /// For each rank the index of its first route, then the number of routes.
    pub(super) starts: Vec<usize>,
    /// What routes between nodes are made of.
    pub(super) between: Between,
    /// The rules of the machine, as they stand; positions of devices are [`VertexId`]s. Peer
    /// access, caps, bounces and cards are worked into the routes already.
    pub rules: Vec<PlacedRule>,
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
    pub bus: Option<BusId>,
    /// The node it belongs to; `None` for a fabric.
    pub node: Option<NodeId>,
    /// The socket it hangs on: the nearest one over links, itself for a socket; `None` where there
    /// is none or it is ambiguous.
    pub socket: Option<VertexId>,
    /// The link by which its way to that socket enters it; its own link where it hangs there
    /// directly. `None` for a socket, and where it is ambiguous.
    pub uplink: Option<LinkId>,
    /// The only switch that it is linked to, itself for a switch; `None` where there is none or
    /// several.
    pub switch: Option<VertexId>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// What a resource is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceKind {
    /// One direction of a link.
    Link {
        /// From.
        from: VertexId,
        /// To.
        to: VertexId,
        /// The position of the link in the machine, which both directions of a link share.
        link: usize,
    },
    /// A capacity that several directions share.
    Total {
        /// What it is over, as the file writes it.
        name: String,
        /// The directions, each once, ascending.
        of: Vec<LinkId>,
    },
    /// The memory of a socket: reads plus writes.
    Memory {
        /// The socket.
        socket: VertexId,
    },
}

/// Something that transfers take and share.
#[derive(Debug, Clone)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// Payload bytes a second; `None` only where unknown and on no route.
    pub capacity: Option<BytesPerSecond>,
    /// What it offers when transfers share it, at most one a mode, in the order of modes; links only.
    pub efficiency: Vec<Efficiency>,
    /// Delay of the first byte; 0 but for links.
    pub latency: Nanos,
    /// Whether the capacity is assumed.
    pub assumed: bool,
    /// Where it is declared.
    pub span: Option<Span>,
}

impl Resource {
    /// The two ends of a directed link; nothing for what is none.
    #[must_use]
    pub fn ends(&self) -> Option<(VertexId, VertexId)> {
        match self.kind {
            ResourceKind::Link { from, to, .. } => Some((from, to)),
            _ => None,
        }
    }

    /// The position in the machine of the link that this is a direction of.
    #[must_use]
    pub fn link(&self) -> Option<usize> {
        match self.kind {
            ResourceKind::Link { link, .. } => Some(link),
            _ => None,
        }
    }
}

/// The way of an ordered pair's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// The directed links in order from the source to the destination; at least one. A way through
    /// host memory may pass a device twice.
    pub links: Vec<LinkId>,
    /// What it takes besides: joint capacities and socket memory, ascending, each as often as it is
    /// taken.
    pub shares: Vec<LinkId>,
    /// The solo rate: the least of the capacities on the way, each over its multiplicity, and of
    /// the caps of the class; at least 1.
    pub rate: BytesPerSecond,
}

impl Route {
    /// All that it takes, each resource as often as it is taken.
    pub fn takes(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.links.iter().chain(&self.shares).copied()
    }
}

impl Topology {
    /// The own route of a pair of different ranks within a node, which is the first of
    /// [`Self::route_ids`]; nothing between nodes.
    #[must_use]
    pub fn route_id(&self, src: Rank, dst: Rank) -> Option<RouteId> {
        self.route_ids(src, dst).next().map(RouteId::new)
    }

    /// The positions of the routes of a pair of different ranks within a node; none between nodes.
    #[must_use]
    pub fn route_ids(&self, src: Rank, dst: Rank) -> Range<usize> {
        let own = self.routes_of(src);
        let start = self.starts.get(src.index()).copied().unwrap_or(self.routes.len());
        let bound = |limit: Rank| start + own.partition_point(|route| route.dst < limit);
        bound(dst)..bound(Rank(dst.0.saturating_add(1)))
    }

    /// The routes that start at a rank and end in its node, by destination.
    #[must_use]
    pub fn routes_of(&self, src: Rank) -> &[Route] {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(self.routes.len());
        self.routes.get(bound(src.index())..bound(src.index() + 1)).unwrap_or_default()
    }

    /// The node of a rank's GPU.
    #[must_use]
    pub fn node_of(&self, rank: Rank) -> Option<NodeId> {
        self.vertices[self.ranks[rank.index()].index()].node
    }

    /// What a resource is called: `s[0] -> s[1]` for a directed link, the name of a joint capacity
    /// as the file writes it, `memory of s[0]`. Ids beyond the resources are those of
    /// [`Self::limits`]: `limit of 2 over sw[0]`.
    ///
    /// # Panics
    /// Where there is no such resource or limit.
    #[must_use]
    pub fn resource_name(&self, id: LinkId) -> String {
        let Some(resource) = self.resources.get(id.index()) else {
            let limits = self.limits();
            let limit = &limits[id.index() - self.resources.len()];
            return format!("limit of {} {}", limit.most, limit.place);
        };
        match &resource.kind {
            ResourceKind::Link { from, to, .. } => {
                format!("{} -> {}", self.path(*from), self.path(*to))
            }
            ResourceKind::Total { name, .. } => format!("total {name}"),
            ResourceKind::Memory { socket } => format!("memory of {}", self.path(*socket)),
        }
    }

    /// A directed link as the language writes the whole link, `g[0] -- s[0]` or `g[0] -> s[0]`;
    /// else the name of the resource.
    #[must_use]
    pub fn written(&self, id: LinkId) -> String {
        let resource = &self.resources[id.index()];
        let Some((from, to)) = resource.ends() else { return self.resource_name(id) };
        let same = |other: usize| {
            self.resources.get(other).is_some_and(|other| other.link() == resource.link())
        };
        if same(id.index() + 1) {
            format!("{} -- {}", self.path(from), self.path(to))
        } else if id.index().checked_sub(1).is_some_and(same) {
            format!("{} -- {}", self.path(to), self.path(from))
        } else {
            self.resource_name(id)
        }
    }

    /// What a route reaches without regard to caps: the least of the capacities on its way, each
    /// over its multiplicity.
    #[must_use]
    pub fn uncapped_rate(&self, route: &Route) -> BytesPerSecond {
        super::rate::least(&self.resources, &route.links, &route.shares)
    }

    /// The positions of the rules that cap a route in its mode and by its initiator.
    #[must_use]
    pub fn caps_of(&self, route: &Route) -> Vec<usize> {
        let kind = (route.mode, route.initiator);
        let ends = [route.src, route.dst].map(|rank| self.ranks[rank.index()].index());
        let rules = super::rules::strongest_first(&self.rules);
        let caps = super::rules::caps_in_force(rules.into_iter(), route.class, kind, ends);
        let place = |rule: &PlacedRule| self.rules.iter().position(|one| std::ptr::eq(one, rule));
        caps.into_iter().filter_map(|(rule, _)| place(rule)).collect()
    }

    fn path(&self, vertex: VertexId) -> &str {
        &self.vertices[vertex.index()].path
    }
}
