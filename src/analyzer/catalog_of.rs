//! The analyzer's driver: one call a stage.

use super::channels::maximal_channels;
use super::rates::Rates;
use super::recogniser::Recogniser;
use super::unsupported::{is_cluster, unsupported, unsupported_node};
use crate::base::{DeviceKind, LinkId, Rank, RouteId, VertexId};
use crate::catalog::{
    Catalog, ChannelLimit, Families, JointCapacity, JointOf, LinkEfficiency, Paces, PlannedRoute,
    StructureEdge, StructureVertex, canonical_channel, check, structure,
};
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::topology::{ResourceKind, Route, Rule, Topology};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The work of a canonical form, in sets of transfers tried: they take about as long.
pub const FORM_WORK: u64 = 32;
/// The work of a quick form, by which most channels are recognised.
pub const QUICK_FORM_WORK: u64 = 8;

/// How far the analyzer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// At most this many orbits of strict channels, and of two-rate ones; beyond, those are bounded
    /// and marked so.
    pub max_orbits: usize,
    /// At most this much work for the channels of each kind; beyond, they are bounded and marked so.
    /// A set of transfers tried counts 1, a channel put into a quick form [`QUICK_FORM_WORK`], one
    /// put into canonical form [`FORM_WORK`] more.
    pub max_work: u64,
    /// Which channels are sought: strict ones, or two-rate ones too.
    pub paces: Paces,
}

impl Limits {
    /// Strict channels only: all that plans name.
    #[must_use]
    pub fn strict() -> Self {
        Self { paces: Paces::Solo, ..Self::default() }
    }
}

impl Default for Limits {
    /// All paces; 4096 orbits, more than twice as many as the least symmetric test platform has of
    /// strict channels; and the work of 60000 canonical forms of eight GPUs.
    fn default() -> Self {
        Self { max_orbits: 4096, max_work: 60_000 * FORM_WORK, paces: Paces::All }
    }
}

/// The most routes of an [`outline`]: more than 256 GPUs of several nodes have with one route a pair.
pub const MAX_OUTLINE_ROUTES: usize = 300_000;

/// Whether the routes of a topology are few enough for an [`outline`].
#[must_use]
pub fn fits_outline(topology: &Topology) -> bool {
    topology.route_count() <= MAX_OUTLINE_ROUTES
}

/// The catalog of a topology without its symmetry and channels, all routes in it, those between nodes
/// too: enough for the bounds of a demand, and on one node for planning without names of channels.
///
/// # Errors
/// What this version does not analyze of the machine, all at once (exit 3; exit 1 for a single rank),
/// and more than [`MAX_OUTLINE_ROUTES`] routes (exit 3).
pub fn outline(topology: &Topology) -> Result<Catalog, Diagnostics> {
    let refused = unsupported(topology);
    if !refused.is_empty() {
        return Err(refused);
    }
    if !fits_outline(topology) {
        let message = format!(
            "the machine has {} routes, and this version lists {MAX_OUTLINE_ROUTES}",
            topology.route_count()
        );
        return Err(Diagnostic::unsupported("too-many-routes", message)
            .help("look at fewer nodes of it")
            .into());
    }
    Ok(outline_of(topology))
}

fn outline_of(topology: &Topology) -> Catalog {
    let listed = Listed::of(topology);
    let rates = Rates::new(topology);
    let routes: Vec<_> = listed.routes.iter().map(|route| planned(&rates, route)).collect();
    Catalog {
        topology: topology.name.clone(),
        digest: topology.digest.clone(),
        ranks: u32::try_from(topology.ranks.len()).unwrap_or(u32::MAX),
        vertices: vertices(topology),
        links: links(topology),
        joint: joint(topology),
        efficiency: efficiency(topology, &routes),
        rank_vertices: topology.ranks.iter().map(|vertex| vertex.0).collect(),
        routes,
        forbidden: listed.kept_apart(topology),
        limits: listed.limits(topology),
        generators: Vec::new(),
        order: "1".to_owned(),
        pair_orbits: 0,
        strict: Families { orbits: Vec::new(), channels: "0".to_owned(), complete: false },
        two_rate: None,
    }
}

/// All routes of a topology by their ends.
struct Listed<'a> {
    routes: Cow<'a, [Route]>,
    /// For each route of the topology itself its position.
    local: Vec<RouteId>,
}

impl<'a> Listed<'a> {
    fn of(topology: &'a Topology) -> Self {
        if !is_cluster(topology) {
            let local = (0..topology.routes.len()).map(RouteId::new).collect();
            return Self { routes: Cow::Borrowed(&topology.routes), local };
        }
        let (mut routes, mut local) = (Vec::new(), Vec::new());
        let ranks = || (0..topology.ranks.len()).map(Rank::new);
        for src in ranks() {
            for dst in ranks() {
                // Routes within nodes have the same order.
                let own = topology.route_ids(src, dst).len();
                local.extend((routes.len()..routes.len() + own).map(RouteId::new));
                routes.extend(topology.routes_between(src, dst));
            }
        }
        Self { routes: Cow::Owned(routes), local }
    }

    fn kept_apart(&self, topology: &Topology) -> Vec<(RouteId, RouteId)> {
        let now = |id: RouteId| self.local[id.index()];
        topology.kept_apart().into_iter().map(|(a, b)| (now(a), now(b))).collect()
    }

    fn limits(&self, topology: &Topology) -> Vec<ChannelLimit> {
        let limits = topology.limits();
        let mut counted: Vec<Vec<RouteId>> = (limits.iter())
            .map(|limit| limit.routes.iter().map(|id| self.local[id.index()]).collect())
            .collect();
        let mut of_node: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, limit) in limits.iter().enumerate() {
            of_node.entry(limit.node).or_default().push(index);
        }
        for (id, route) in self.routes.iter().enumerate().filter(|_| !limits.is_empty()) {
            let nodes = [topology.node_of(route.src), topology.node_of(route.dst)];
            if nodes[0] != nodes[1] {
                for &index in nodes.iter().filter_map(|node| of_node.get(node)).flatten() {
                    if topology.counts(&limits[index], route) {
                        counted[index].push(RouteId::new(id));
                    }
                }
            }
        }
        counted.iter_mut().for_each(|routes| routes.sort_unstable());
        let limits = counted.into_iter().zip(limits);
        limits.map(|(routes, limit)| ChannelLimit { routes, most: limit.most }).collect()
    }
}

/// Finds the symmetry of a topology and all its maximal channels up to symmetry, strict and
/// two-rate. The catalog has passed [`check`].
///
/// # Errors
/// What this version does not carry out of the machine, all at once (exit 3; exit 1 for a single
/// rank), and an internal error (exit 3) when the catalog fails its own proof.
pub fn analyze(topology: &Topology, limits: &Limits) -> Result<Catalog, Diagnostics> {
    let refused = unsupported_node(topology);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut catalog = outline_of(topology);
    fill(&mut catalog, limits)?;
    Ok(catalog)
}

/// Finds the symmetry and the channels of a catalog that has neither, and proves it.
pub(super) fn fill(catalog: &mut Catalog, limits: &Limits) -> Result<(), Diagnostics> {
    let base = structure(catalog);
    let group = canonical_channel(&base, catalog, &[]);
    catalog.pair_orbits = pair_orbits(catalog, &group.generators);
    catalog.order = group.order.to_string();
    // What stands behind the devices in the structure goes where they go.
    let devices = catalog.vertices.len();
    catalog.generators = group.generators;
    catalog.generators.iter_mut().for_each(|generator| generator.truncate(devices));
    let mut recogniser = Recogniser::new(catalog, &base);
    let mut families =
        |paces| maximal_channels(catalog, paces, &mut recogniser, &group.order, limits);
    let paced =
        limits.paces == Paces::All && catalog.routes.iter().any(|route| !route.paced.is_empty());
    let (strict, two_rate) = (families(Paces::Solo), paced.then(|| families(Paces::All)));
    (catalog.strict, catalog.two_rate) = (strict, two_rate);
    check(catalog).map_err(|fault| fails_its_proof(&fault).into())
}

/// A catalog that contradicts itself.
pub(super) fn fails_its_proof(fault: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("internal", format!("the catalog fails its proof: {fault}"))
        .help("this is a fault of variopath; please report it with the topology file")
        .exit(Exit::Failed)
}

/// Vertices with colours: the kind, for GPUs whether they have a rank; and where any device has such,
/// the capacity of its memory and which rules of parts hold for it.
///
/// A rule of a part that has all of a device's node in it is told by its text alone, so that two nodes
/// made of one part look alike; one of a part within the node by the place of that part, too.
pub(super) fn vertices(topology: &Topology) -> Vec<StructureVertex> {
    let ranked: BTreeSet<_> = topology.ranks.iter().collect();
    let all = 0..topology.vertices.len();
    let scoped: Vec<_> = topology.rules.iter().filter(|placed| placed.scope != all).collect();
    let mut memory = vec![None; topology.vertices.len()];
    for resource in &topology.resources {
        if let ResourceKind::Memory { socket } = resource.kind {
            memory[socket.index()] = resource.capacity;
        }
    }
    // The first and the last device of each node.
    let mut spans = vec![(usize::MAX, 0); topology.nodes];
    for index in all.clone() {
        if let Some(node) = topology.vertices[index].node {
            let (first, last) = spans[node.index()];
            spans[node.index()] = (first.min(index), last.max(index));
        }
    }
    let more = |index: usize| {
        let node = topology.vertices[index].node;
        let (first, last) = node.map_or((0, usize::MAX), |node| spans[node.index()]);
        let holds: BTreeSet<(String, Option<(isize, usize)>)> = (scoped.iter())
            .filter(|placed| placed.scope.contains(&index))
            .map(|placed| {
                let whole = placed.scope.contains(&first) && placed.scope.contains(&last);
                let start = placed.scope.start as isize - first as isize;
                (told(&placed.rule), (!whole).then_some((start, placed.scope.len())))
            })
            .collect();
        (memory[index], holds)
    };
    let more: Vec<_> = all.clone().map(more).collect();
    let plain = (None, BTreeSet::new());
    let others: BTreeSet<_> = more.iter().filter(|more| **more != plain).collect();
    let others: Vec<_> = others.into_iter().collect();
    let kinds = 2 * DeviceKind::ALL.len();
    let colour = |index: usize| {
        let kind = topology.vertices[index].kind;
        let ranked = ranked.contains(&VertexId::new(index));
        let kind = DeviceKind::ALL.iter().position(|&other| other == kind).unwrap_or(0);
        let more = others.binary_search(&&more[index]).map_or(0, |position| position + 1);
        (more * kinds + 2 * kind + usize::from(ranked)) as u32
    };
    all.map(|index| StructureVertex {
        path: topology.vertices[index].path.clone(),
        colour: colour(index),
    })
    .collect()
}

/// A rule without the devices that it names: what it does to those shows in routes.
fn told(rule: &Rule) -> String {
    match rule {
        Rule::Forbid { .. } | Rule::Via { .. } | Rule::Efficiency { .. } => rule.word().to_owned(),
        rule => format!("{rule:?}"),
    }
}

fn links(topology: &Topology) -> Vec<StructureEdge> {
    topology
        .resources
        .iter()
        .filter_map(|link| {
            let (from, to) = link.ends()?;
            Some(StructureEdge { from: from.0, to: to.0, capacity: link.capacity })
        })
        .collect()
}

fn joint(topology: &Topology) -> Vec<JointCapacity> {
    topology
        .resources
        .iter()
        .filter_map(|resource| {
            let of = match &resource.kind {
                ResourceKind::Link { .. } => return None,
                ResourceKind::Total { of, .. } => JointOf::Links(of.clone()),
                ResourceKind::Memory { socket } => JointOf::Memory(socket.0),
            };
            // What is unknown is on no route, so that nothing takes of it.
            Some(JointCapacity { of, capacity: resource.capacity.unwrap_or_default() })
        })
        .collect()
}

/// What links lose of their capacity where transfers over them count.
fn efficiency(topology: &Topology, routes: &[PlannedRoute]) -> Vec<LinkEfficiency> {
    let of_links = topology.resources.iter().enumerate().flat_map(|(index, resource)| {
        resource.efficiency.iter().map(move |of| LinkEfficiency {
            link: LinkId::new(index),
            mode: of.mode,
            steps: of.steps.clone(),
        })
    });
    of_links.filter(|of| routes.iter().any(|route| of.counts(route))).collect()
}

/// A route as plans see it.
pub(super) fn planned(rates: &Rates<'_>, route: &Route) -> PlannedRoute {
    let mut planned = PlannedRoute {
        src: route.src,
        dst: route.dst,
        class: route.class,
        mode: route.mode,
        initiator: route.initiator,
        links: route.links.clone(),
        shares: route.shares.clone(),
        rate: route.rate,
        paced: Vec::new(),
    };
    rates.set(&mut planned, route);
    planned
}

/// The number of orbits of ordered pairs of ranks; half-routes do not count.
fn pair_orbits(catalog: &Catalog, generators: &[Vec<u32>]) -> u32 {
    // Own routes go to own routes, which come first.
    let forest = super::channels::route_orbits(catalog, generators);
    let of_ranks = |pair: &std::ops::Range<usize>| {
        let route = &catalog.routes[pair.start];
        route.src.0.max(route.dst.0) < catalog.ranks
    };
    let roots = catalog.pairs().filter(|pair| forest[pair.start] == pair.start);
    roots.filter(of_ranks).count() as u32
}
