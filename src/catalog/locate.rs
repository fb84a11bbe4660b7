//! From a maximal channel to its family and back.

use super::symmetry::{Canonical, Edge, Form, Labeller, Structure, mapping};
use super::{Catalog, Channel, ChannelName, JointOf, PlannedRoute, Transfer};
use crate::base::{BytesPerSecond, Initiator, LinkId, Mode, OrbitId, Rank, RouteClass};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Colour of the edges that stand for transfers at their solo rates.
const TRANSFER: u32 = 0;
/// To this is added the pace of a paced transfer, for the colour of its edge.
const PACED: u32 = 1 << 29;
/// Colours of edges from here on stand for kinds of routes.
const ROUTES: u32 = 1 << 20;
/// Colour of the edges from a link to the joint capacities over it.
const MEMBER: u32 = 1 << 30;
/// Colour of the edges that join a route to its ends; those from here on to devices on its way.
const WAY: u32 = 1 << 28;
/// Colours of vertices from here on stand for kinds of routes.
const ROUTE_KINDS: u32 = 1 << 26;
/// Colours of vertices from here on stand for links and joint capacities.
const LINKS: u32 = 1 << 20;
const JOINT: u32 = 1 << 24;

/// The topology of a catalog as a labelled structure: colours of vertices as stored, links coloured
/// by their capacity and what they lose of it. The vertices of the catalog come first. A link under a joint capacity is a
/// vertex of its own, as is the joint capacity; and a pair whose route is not what its links alone
/// say (a push by the kernel at their least capacity), or which ends at a port, has an edge that tells its
/// kind. Where pairs have several routes, each route is a vertex.
#[must_use]
pub fn structure(catalog: &Catalog) -> Labeller {
    drawing(catalog).0
}

/// What the colours of a [`structure`] stand for: two machines without efficiencies have structures
/// of the same meaning where these are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Palette {
    vertices: Vec<u32>,
    capacities: Vec<Option<BytesPerSecond>>,
    joint: Vec<Vec<BytesPerSecond>>,
    kinds: Vec<RouteKind>,
}

/// As [`structure`], with the meaning of its colours.
#[must_use]
pub fn drawing(catalog: &Catalog) -> (Labeller, Palette) {
    let capacities = sorted(catalog.links.iter().map(|link| link.capacity));
    let mut lost = vec![Vec::new(); catalog.links.len()];
    for of in &catalog.efficiency {
        if let Some(lost) = lost.get_mut(of.link.index()) {
            lost.push((of.mode, of.steps.as_slice()));
        }
    }
    let kind = |index: usize| Some((catalog.links.get(index)?.capacity, lost.get(index)?));
    let link_kinds = sorted((0..catalog.links.len()).map(kind));
    let colour = |index: usize| link_kinds.binary_search(&kind(index)).unwrap_or(0) as u32;
    // One vertex for all capacities over the same links, so that none can be exchanged for another.
    let mut joint: BTreeMap<&[LinkId], Vec<BytesPerSecond>> = BTreeMap::new();
    for capacity in &catalog.joint {
        if let JointOf::Links(of) = &capacity.of {
            joint.entry(of).or_default().push(capacity.capacity);
        }
    }
    joint.values_mut().for_each(|capacities| capacities.sort_unstable());
    let joint_kinds = sorted(joint.values().cloned());
    let members: BTreeSet<LinkId> = joint.keys().copied().flatten().copied().collect();

    let mut colours: Vec<u32> = catalog.vertices.iter().map(|vertex| vertex.colour).collect();
    let mut edges = Vec::new();
    if catalog.has_alternatives() {
        draw_routes(catalog, &mut colours, &mut edges);
    }
    let mut link_vertex = BTreeMap::new();
    for &id in &members {
        link_vertex.insert(id, colours.len() as u32);
        colours.push(LINKS + colour(id.index()));
    }
    let first_joint = colours.len() as u32;
    let kind = |of: &Vec<_>| joint_kinds.binary_search(of).unwrap_or(0) as u32;
    colours.extend(joint.values().map(|of| JOINT + kind(of)));
    for (index, link) in catalog.links.iter().enumerate() {
        match link_vertex.get(&LinkId::new(index)) {
            None => edges.push((link.from, link.to, colour(index) + 1)),
            Some(&middle) => {
                edges.push((link.from, middle, MEMBER));
                edges.push((middle, link.to, MEMBER));
            }
        }
    }
    for (vertex, of) in (first_joint..).zip(joint.keys()) {
        for id in *of {
            edges.push((vertex, link_vertex[id], MEMBER));
        }
    }
    let is_drawn = catalog.has_alternatives();
    // Between GPUs there is a route in any case; which ports a GPU uses is told by no link.
    let told = |route: &&PlannedRoute| {
        let is_half = route.src.0.max(route.dst.0) >= catalog.ranks;
        !is_drawn && (is_half || RouteKind::of(route) != RouteKind::plain(catalog, route))
    };
    let kinds = sorted(catalog.routes.iter().filter(told).map(RouteKind::of));
    for route in catalog.routes.iter().filter(told) {
        let kind = kinds.binary_search(&RouteKind::of(route)).unwrap_or(0) as u32;
        let vertex = |rank: Rank| catalog.rank_vertices[rank.index()];
        edges.push((vertex(route.src), vertex(route.dst), ROUTES + kind));
    }
    let mut vertices = colours.clone();
    vertices.sort_unstable();
    let palette = Palette { vertices, capacities, joint: joint_kinds, kinds };
    (Labeller::new(Structure::new(colours, edges)), palette)
}

/// Draws every route as a vertex of its own behind those of the catalog: coloured by its kind, with
/// edges from its source and to its destination, and to each device on its way by which routes of the
/// pair differ there, coloured by how many links lead to it. So a symmetry takes the routes of a pair to
/// those of another that pass the images of the devices.
fn draw_routes(catalog: &Catalog, colours: &mut Vec<u32>, edges: &mut Vec<Edge>) {
    let kinds = sorted(catalog.routes.iter().map(RouteKind::of));
    let vertex = |rank: Rank| catalog.rank_vertices[rank.index()];
    let passed = |index: usize| -> Vec<u32> {
        catalog.routes[index].links.iter().map(|link| catalog.links[link.index()].to).collect()
    };
    for pair in catalog.pairs() {
        let ways: Vec<Vec<u32>> = pair.clone().map(passed).collect();
        for (index, way) in pair.zip(&ways) {
            let route = &catalog.routes[index];
            let kind = kinds.binary_search(&RouteKind::of(route)).unwrap_or(0) as u32;
            let drawn = colours.len() as u32;
            colours.push(ROUTE_KINDS + kind);
            edges.push((vertex(route.src), drawn, WAY));
            edges.push((drawn, vertex(route.dst), WAY));
            for (at, device) in way.iter().enumerate() {
                if ways.iter().any(|other| other.get(at) != Some(device)) {
                    edges.push((drawn, *device, WAY + 1 + at as u32));
                }
            }
        }
    }
}

/// What a symmetry keeps of a route beside its links.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouteKind {
    class: RouteClass,
    mode: Mode,
    initiator: Initiator,
    rate: u64,
    /// The paced rates of half-routes, which may come from beyond the node.
    paced: Vec<BytesPerSecond>,
}

impl RouteKind {
    pub(super) fn of(route: &PlannedRoute) -> Self {
        let PlannedRoute { class, mode, initiator, rate, .. } = *route;
        let paced = match class {
            RouteClass::Network => route.paced.clone(),
            _ => Vec::new(),
        };
        Self { class, mode, initiator, rate: rate.0, paced }
    }

    /// The kind that the links of the route imply.
    fn plain(catalog: &Catalog, route: &PlannedRoute) -> Self {
        let class = match route.class {
            // Whether a pair goes through host memory is a matter of rules, not of links.
            RouteClass::Bounce => RouteClass::Socket,
            class => class,
        };
        let rate = least_capacity(catalog, route).unwrap_or_default();
        let (mode, initiator) = (Mode::Push, Initiator::Kernel);
        Self { class, mode, initiator, rate: rate.0, paced: Vec::new() }
    }
}

/// The least of what a route takes, each over its multiplicity; nothing where one is unknown.
pub(super) fn least_capacity(catalog: &Catalog, route: &PlannedRoute) -> Option<BytesPerSecond> {
    let mut least = None;
    for (id, times) in route.multiplicities() {
        let capacity = BytesPerSecond(catalog.capacity(id)?.0 / times);
        least = Some(least.map_or(capacity, |least: BytesPerSecond| least.min(capacity)));
    }
    least
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The topology with a channel's transfers drawn in: two channels are images of each other under
/// the symmetry exactly when these structures have equal canonical forms.
#[must_use]
pub fn canonical_channel(base: &Labeller, catalog: &Catalog, channel: &[Transfer]) -> Canonical {
    base.canonical(&drawn(catalog, channel))
}

/// Two channels that agree here are images of each other under the symmetry; where they differ,
/// nothing follows (see [`Labeller::quick_form`]).
#[must_use]
pub fn quick_form(base: &Labeller, catalog: &Catalog, channel: &[Transfer]) -> Form {
    base.quick_form(&drawn(catalog, channel))
}

/// An edge for each transfer, from its source.
fn drawn(catalog: &Catalog, channel: &[Transfer]) -> Vec<Edge> {
    let is_drawn = catalog.has_alternatives();
    let edge = |transfer: &Transfer| {
        let route = &catalog.routes[transfer.route.index()];
        let vertex = |rank: Rank| catalog.rank_vertices[rank.index()];
        let colour = match transfer.pace {
            0 => TRANSFER,
            pace => PACED + u32::from(pace),
        };
        // A route that has a vertex of its own is not said by its ends alone.
        let to = match is_drawn {
            true => catalog.vertices.len() as u32 + transfer.route.0,
            false => vertex(route.dst),
        };
        (vertex(route.src), to, colour)
    };
    channel.iter().map(edge).collect()
}

/// Finds the family of maximal strict channels. Answers are kept, since a plan's steps repeat.
#[derive(Debug)]
pub struct Locator<'a> {
    catalog: &'a Catalog,
    base: Labeller,
    orbits: FxHashMap<Form, (OrbitId, Vec<u32>)>,
    known: FxHashMap<Channel, ChannelName>,
}

impl<'a> Locator<'a> {
    /// Prepares the catalog's families.
    #[must_use]
    pub fn new(catalog: &'a Catalog) -> Self {
        let base = structure(catalog);
        let orbits = catalog
            .strict
            .orbits
            .iter()
            .enumerate()
            .map(|(index, orbit)| {
                let canonical = canonical_channel(&base, catalog, &orbit.representative.0);
                (canonical.form, (OrbitId::new(index), canonical.labelling))
            })
            .collect();
        Self { catalog, base, orbits, known: FxHashMap::default() }
    }

    /// The family of a maximal channel and the group element that maps the representative onto it;
    /// `online` with the identity where the catalog does not have it.
    pub fn locate(&mut self, channel: &Channel) -> ChannelName {
        if let Some(name) = self.known.get(channel) {
            return name.clone();
        }
        let canonical = canonical_channel(&self.base, self.catalog, &channel.0);
        let ranks = || (0..self.catalog.ranks).map(Rank);
        let name = match self.orbits.get(&canonical.form) {
            None => ChannelName { orbit: None, element: ranks().collect() },
            Some((orbit, labelling)) => {
                let map = mapping(labelling, &canonical.labelling);
                let rank_of = |vertex: u32| {
                    let found = self.catalog.rank_vertices.iter().position(|&v| v == vertex);
                    Rank::new(found.expect("symmetries map ranks to ranks"))
                };
                let image =
                    |rank: Rank| rank_of(map[self.catalog.rank_vertices[rank.index()] as usize]);
                ChannelName { orbit: Some(*orbit), element: ranks().map(image).collect() }
            }
        };
        self.known.insert(channel.clone(), name.clone());
        name
    }
}
