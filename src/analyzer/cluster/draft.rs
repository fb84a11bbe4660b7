//! One node of a cluster as a catalog of its own, before its channels are known.

use super::renumber::renumbered;
use crate::analyzer::catalog_of::{planned, vertices};
use crate::analyzer::rates::Rates;
use crate::base::{
    BytesPerSecond, DeviceKind, Initiator, LinkId, Mode, NodeId, Rank, RouteClass, RouteId,
    VertexId,
};
use crate::catalog::{
    Catalog, ChannelLimit, Families, JointCapacity, JointOf, PlannedRoute, StructureEdge,
    StructureVertex,
};
use crate::topology::{Half, PlaceLimit, ResourceKind, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// A place that ports lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A fabric.
    Fabric(VertexId),
    /// The middle of a link from card to card; its position in the machine.
    Between(usize),
}

/// A node as a catalog without channels, its tables in the order of its vertices.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// Devices in the order of declaration, then the far end of each card's link out of the node.
    pub(super) catalog: Catalog,
    /// The rank in the machine of each rank of the node.
    pub(super) ranks: Vec<Rank>,
    /// For each port where it leads to.
    pub(super) places: Vec<Place>,
}

/// What all nodes of a machine are made of.
pub(super) struct Ground<'a> {
    pub(super) topology: &'a Topology,
    pub(super) rates: Rates<'a>,
    vertices: Vec<StructureVertex>,
    ranks: Vec<Vec<Rank>>,
    devices: Vec<Vec<VertexId>>,
    /// The directed links within each node.
    links: Vec<Vec<LinkId>>,
    /// The links out of each node by their position in the machine, each with its device within the
    /// node and its directions.
    outward: Vec<BTreeMap<usize, (VertexId, Vec<LinkId>)>>,
    /// The joint capacities and memories of each node.
    joint: Vec<Vec<LinkId>>,
    apart: Vec<Vec<(RouteId, RouteId)>>,
    limits: Vec<Vec<PlaceLimit>>,
}

/// A joint capacity over links of several nodes, or of a node and the fabrics.
pub(super) struct Spanning(pub(super) LinkId);

impl<'a> Ground<'a> {
    /// Sorts what a machine has by nodes.
    pub(super) fn new(topology: &'a Topology) -> Result<Self, Spanning> {
        let nodes = topology.nodes;
        let mut ground = Self {
            topology,
            rates: Rates::new(topology),
            vertices: vertices(topology),
            ranks: vec![Vec::new(); nodes],
            devices: vec![Vec::new(); nodes],
            links: vec![Vec::new(); nodes],
            outward: vec![BTreeMap::new(); nodes],
            joint: vec![Vec::new(); nodes],
            apart: vec![Vec::new(); nodes],
            limits: vec![Vec::new(); nodes],
        };
        let node = |vertex: VertexId| topology.vertices[vertex.index()].node.map(NodeId::index);
        for index in 0..topology.vertices.len() {
            if let Some(node) = node(VertexId::new(index)) {
                ground.devices[node].push(VertexId::new(index));
            }
        }
        for rank in 0..topology.ranks.len() {
            if let Some(node) = topology.node_of(Rank::new(rank)) {
                ground.ranks[node.index()].push(Rank::new(rank));
            }
        }
        for (index, resource) in topology.resources.iter().enumerate() {
            let id = LinkId::new(index);
            match &resource.kind {
                ResourceKind::Link { from, to, link } => match (node(*from), node(*to)) {
                    (Some(a), Some(b)) if a == b => ground.links[a].push(id),
                    (a, b) => {
                        for (node, device) in [(a, *from), (b, *to)] {
                            let Some(node) = node else { continue };
                            let entry = ground.outward[node].entry(*link);
                            entry.or_insert((device, Vec::new())).1.push(id);
                        }
                    }
                },
                ResourceKind::Total { of, .. } => {
                    let places: BTreeSet<Option<usize>> =
                        of.iter().map(|link| ground.node_of_link(*link)).collect();
                    match (places.first(), places.len()) {
                        (Some(&Some(node)), 1) => ground.joint[node].push(id),
                        (Some(None), 1) => {}
                        _ => return Err(Spanning(id)),
                    }
                }
                ResourceKind::Memory { socket } => {
                    if let Some(node) = node(*socket) {
                        ground.joint[node].push(id);
                    }
                }
            }
        }
        let node_of_route = |id: RouteId| topology.node_of(topology.routes[id.index()].src);
        for pair in topology.kept_apart() {
            if let Some(node) = node_of_route(pair.0) {
                ground.apart[node.index()].push(pair);
            }
        }
        for limit in topology.limits() {
            if let Some(node) = limit.node {
                ground.limits[node.index()].push(limit);
            }
        }
        Ok(ground)
    }

    /// The node that a directed link belongs to: its own, or that of the card whose link out it is;
    /// nothing for links between fabrics and for those from card to card of two nodes.
    fn node_of_link(&self, link: LinkId) -> Option<usize> {
        let (from, to) = self.topology.resources[link.index()].ends()?;
        let node = |vertex: VertexId| self.topology.vertices[vertex.index()].node;
        match (node(from), node(to)) {
            (Some(a), Some(b)) => (a == b).then_some(a.index()),
            (a, b) => a.or(b).map(NodeId::index),
        }
    }

    /// The place that a card's link out of its node leads to.
    pub(super) fn place(&self, link: LinkId) -> Option<Place> {
        let resource = &self.topology.resources[link.index()];
        let (from, to) = resource.ends()?;
        let fabric = [from, to].into_iter().find(|v| self.is_fabric(*v));
        match (fabric, resource.link()) {
            (Some(fabric), _) => Some(Place::Fabric(fabric)),
            (None, Some(link)) => Some(Place::Between(link)),
            (None, None) => None,
        }
    }

    pub(super) fn is_fabric(&self, vertex: VertexId) -> bool {
        self.topology.vertices[vertex.index()].kind == DeviceKind::Fabric
    }

    pub(super) fn colour(&self, vertex: VertexId) -> u32 {
        self.vertices[vertex.index()].colour
    }

    /// The draft of a node. `rates` tells the rates of the half-routes between a card's link out and
    /// a GPU, the highest first; without it all halves there might be are in, at no rate.
    pub(super) fn draft(&self, node: usize, rates: Option<&HalfRates>) -> Draft {
        let topology = self.topology;
        let devices = &self.devices[node];
        let vertex_of: BTreeMap<VertexId, u32> = devices.iter().copied().zip(0..).collect();
        let mut vertices: Vec<StructureVertex> =
            devices.iter().map(|v| self.vertices[v.index()].clone()).collect();
        // The far ends of links out of the node have a colour of their own.
        let far = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        let mut links: Vec<(LinkId, u32, u32)> = Vec::new();
        for &id in &self.links[node] {
            if let Some((from, to)) = topology.resources[id.index()].ends() {
                links.push((id, vertex_of[&from], vertex_of[&to]));
            }
        }
        // Ports by their link, and the two directions of each.
        let mut ports: Vec<(usize, VertexId, Place, [Option<LinkId>; 2])> = Vec::new();
        for (&link, (card, directions)) in &self.outward[node] {
            let card = *card;
            let is_card = topology.vertices[card.index()].kind == DeviceKind::Nic;
            let (mut ways, mut place) = ([None; 2], None);
            let jack = vertices.len() as u32;
            for &id in directions {
                place = self.place(id);
                let Some((from, _)) = topology.resources[id.index()].ends() else { continue };
                let leaves = from == card;
                ways[usize::from(!leaves)] = Some(id);
                let at = vertex_of[&card];
                links.push(if leaves { (id, at, jack) } else { (id, jack, at) });
            }
            let Some(place) = place else { continue };
            let path = format!("{} out", topology.vertices[card.index()].path);
            vertices.push(StructureVertex { path, colour: far });
            if is_card {
                ports.push((link, card, place, ways));
            }
        }
        links.sort_unstable_by_key(|&(id, ..)| id);
        let position: BTreeMap<LinkId, LinkId> =
            links.iter().enumerate().map(|(new, &(id, ..))| (id, LinkId::new(new))).collect();
        let joint: BTreeMap<LinkId, LinkId> = (self.joint[node].iter().enumerate())
            .map(|(new, &id)| (id, LinkId::new(links.len() + new)))
            .collect();
        let own = |ids: &[LinkId]| -> Vec<LinkId> {
            ids.iter().filter_map(|id| position.get(id).or(joint.get(id))).copied().collect()
        };
        let ranks = &self.ranks[node];
        let local = |rank: Rank| Rank::new(ranks.binary_search(&rank).unwrap_or(ranks.len()));
        let mut routes: Vec<PlannedRoute> = Vec::new();
        for &rank in ranks {
            for route in topology.routes_of(rank) {
                let whole = planned(&self.rates, route);
                routes.push(PlannedRoute {
                    src: local(route.src),
                    dst: local(route.dst),
                    links: own(&route.links),
                    shares: own(&route.shares),
                    ..whole
                });
            }
        }
        let mut halves: Vec<(Rank, &Half, (Rank, Rank))> = Vec::new();
        for (at, &rank) in ranks.iter().enumerate() {
            for (number, &(link, card, _, ways)) in ports.iter().enumerate() {
                let port = Rank::new(ranks.len() + number);
                for (direction, found) in
                    [topology.egress(rank), topology.ingress(rank)].into_iter().enumerate()
                {
                    let half = found.iter().find(|half| half.nic == card);
                    let (Some(half), Some(way)) = (half, ways[direction]) else { continue };
                    let key = (rank, link, direction == 0);
                    let rates = match rates {
                        None => &[][..],
                        Some(rates) => match rates.get(&key) {
                            Some(rates) => rates,
                            None => continue,
                        },
                    };
                    let mut route = self.half(half, way, direction == 0);
                    route.rate = rates.first().copied().unwrap_or_default();
                    route.paced = self.half_paces(&route, rates);
                    (route.links, route.shares) = (own(&route.links), own(&route.shares));
                    let gpu = Rank::new(at);
                    (route.src, route.dst) = if direction == 0 { (gpu, port) } else { (port, gpu) };
                    halves.push((rank, half, (route.src, route.dst)));
                    routes.push(route);
                }
            }
        }
        routes.sort_by_key(|route| (route.src, route.dst));
        let found = |ends: (Rank, Rank)| {
            routes.binary_search_by_key(&ends, |r| (r.src, r.dst)).ok().map(RouteId::new)
        };
        let id_of = |id: &RouteId| {
            let route = &topology.routes[id.index()];
            found((local(route.src), local(route.dst)))
        };
        let mut forbidden: Vec<(RouteId, RouteId)> = (self.apart[node].iter())
            .filter_map(|(a, b)| {
                let (a, b) = (id_of(a)?, id_of(b)?);
                Some((a.min(b), a.max(b)))
            })
            .collect();
        forbidden.sort_unstable();
        let limits = self.limits[node].iter().map(|limit| {
            let counted =
                halves.iter().filter(|(rank, half, _)| topology.counts_half(limit, *rank, half));
            let mut routes: Vec<RouteId> = limit.routes.iter().filter_map(id_of).collect();
            routes.extend(counted.filter_map(|(.., ends)| found(*ends)));
            routes.sort_unstable();
            ChannelLimit { routes, most: limit.most }
        });
        let limits: Vec<ChannelLimit> =
            limits.filter(|limit| limit.routes.len() as u64 > limit.most).collect();
        let joint_of = |id: &LinkId| {
            let resource = &topology.resources[id.index()];
            let of = match &resource.kind {
                ResourceKind::Memory { socket } => JointOf::Memory(vertex_of[socket]),
                ResourceKind::Total { of, .. } => JointOf::Links(own(of)),
                ResourceKind::Link { .. } => JointOf::Links(Vec::new()),
            };
            JointCapacity { of, capacity: resource.capacity.unwrap_or_default() }
        };
        let jacks = devices.len() as u32;
        let gpu = |rank: &Rank| vertex_of[&topology.ranks[rank.index()]];
        let outs: Vec<usize> = self.outward[node].keys().copied().collect();
        let jack = |link: &usize| jacks + outs.binary_search(link).unwrap_or(0) as u32;
        let rank_vertices: Vec<u32> =
            ranks.iter().map(gpu).chain(ports.iter().map(|(link, ..)| jack(link))).collect();
        let catalog = Catalog {
            topology: topology.name.clone(),
            digest: topology.digest.clone(),
            ranks: ranks.len() as u32,
            vertices,
            links: (links.iter())
                .map(|&(id, from, to)| StructureEdge {
                    from,
                    to,
                    capacity: topology.resources[id.index()].capacity,
                })
                .collect(),
            joint: self.joint[node].iter().map(joint_of).collect(),
            efficiency: Vec::new(),
            rank_vertices,
            routes,
            forbidden,
            limits,
            generators: Vec::new(),
            order: "1".to_owned(),
            pair_orbits: 0,
            strict: Families { orbits: Vec::new(), channels: "0".to_owned(), complete: false },
            two_rate: None,
        };
        let draft = Draft {
            catalog,
            ranks: ranks.clone(),
            places: ports.iter().map(|&(_, _, place, _)| place).collect(),
        };
        let identity: Vec<u32> = (0..draft.catalog.vertices.len() as u32).collect();
        draft.renumbered(&identity)
    }

    /// A half with the link by which it leaves or enters the node; ids are those of the topology.
    fn half(&self, half: &Half, way: LinkId, is_egress: bool) -> PlannedRoute {
        let mut links = half.links.clone();
        if is_egress {
            links.push(way);
        } else {
            links.insert(0, way);
        }
        let mut shares = half.shares.clone();
        let joint = self.topology.links..self.topology.resources.len();
        for (index, resource) in joint.clone().zip(&self.topology.resources[joint]) {
            if let ResourceKind::Total { of, .. } = &resource.kind
                && of.contains(&way)
            {
                shares.push(LinkId::new(index));
            }
        }
        shares.sort_unstable();
        PlannedRoute {
            src: Rank(0),
            dst: Rank(0),
            class: RouteClass::Network,
            mode: Mode::Push,
            initiator: Initiator::Kernel,
            links,
            shares,
            rate: BytesPerSecond(0),
            paced: Vec::new(),
        }
    }

    /// The slower network rates of a half, and the even shares of what it takes.
    fn half_paces(&self, route: &PlannedRoute, rates: &[BytesPerSecond]) -> Vec<BytesPerSecond> {
        if rates.is_empty() {
            return Vec::new();
        }
        let mut paces = self.rates.shares(route);
        paces.extend(rates.iter().copied().filter(|rate| *rate < route.rate && rate.0 > 0));
        paces.sort_unstable_by(|a, b| b.cmp(a));
        paces.dedup();
        // A pace is a number below 255.
        paces.truncate(usize::from(u8::MAX) - 1);
        paces
    }
}

/// The rates of half-routes: by (rank, position in the machine of the card's link out, whether it is
/// the egress half), descending.
pub(super) type HalfRates = BTreeMap<(Rank, usize, bool), Vec<BytesPerSecond>>;

impl Draft {
    /// The node with vertex `v` called `to[v]`, and its tables in the order of these names.
    pub(super) fn renumbered(&self, to: &[u32]) -> Self {
        let now = renumbered(&self.catalog, to);
        let ranks = self.ranks.len();
        Self {
            ranks: now.ends[..ranks].iter().map(|&end| self.ranks[end]).collect(),
            places: now.ends[ranks..].iter().map(|&end| self.places[end - ranks]).collect(),
            catalog: now.catalog,
        }
    }

    /// Whether two nodes are the same but for the paths of devices and their ranks.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let colours = |draft: &Self| -> Vec<u32> {
            draft.catalog.vertices.iter().map(|vertex| vertex.colour).collect()
        };
        let (a, b) = (&self.catalog, &other.catalog);
        colours(self) == colours(other)
            && a.links == b.links
            && a.joint == b.joint
            && (a.ranks, &a.rank_vertices) == (b.ranks, &b.rank_vertices)
            && a.routes == b.routes
            && a.forbidden == b.forbidden
            && a.limits == b.limits
            && a.efficiency == b.efficiency
    }
}
