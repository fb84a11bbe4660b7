//! Which nodes are alike, and the symmetry of the whole; the essay at `catalog::ClusterCatalog`'s
//! module says why it is right.

use super::draft::{Draft, Ground, HalfRates, Place};
use crate::analyzer::catalog_of::planned;
use crate::analyzer::channels::route_orbits;
use crate::base::{BytesPerSecond, DeviceKind, LinkId, Rank, RouteId, VertexId};
use crate::catalog::symmetry::{Canonical, mapping};
use crate::catalog::{
    Catalog, ChannelLimit, JointCapacity, JointOf, Move, Palette, StructureEdge, StructureVertex,
    canonical_channel, drawing,
};
use crate::topology::{ResourceKind, Route, Topology};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes of which any two may be exchanged while the core stays where it is.
pub(super) struct Group {
    /// The nodes, ascending.
    pub(super) nodes: Vec<usize>,
    /// Each node's ranks in the order in which the first node's are.
    pub(super) ranks: Vec<Vec<Rank>>,
    /// The first node, and where each of its ports leads to.
    pub(super) draft: Draft,
    /// The symmetries of a node that leave the core alone.
    pub(super) own: Canonical,
}

/// The symmetry of the whole machine.
pub(super) struct Symmetry {
    pub(super) order: BigUint,
    pub(super) pair_orbits: u64,
    pub(super) moves: Vec<Move>,
}

/// The places of the core, fabrics first.
pub(super) fn places(ground: &Ground<'_>, groups: &[Group]) -> Vec<Place> {
    let topology = ground.topology;
    let fabrics = (0..topology.vertices.len()).map(VertexId::new);
    let mut places: Vec<Place> =
        fabrics.filter(|vertex| ground.is_fabric(*vertex)).map(Place::Fabric).collect();
    let between: BTreeSet<Place> = groups
        .iter()
        .flat_map(|group| &group.draft.places)
        .filter(|place| matches!(place, Place::Between(_)))
        .copied()
        .collect();
    places.extend(between);
    places
}

/// Sorts all nodes into groups. Half-routes are in, at no rates yet.
pub(super) fn groups(ground: &Ground<'_>) -> Vec<Group> {
    let mut groups: Vec<(Group, Palette)> = Vec::new();
    for node in 0..ground.topology.nodes {
        let draft = ground.draft(node, None);
        // Most nodes are written alike, which is quickly seen.
        let same = groups
            .iter_mut()
            .find(|(group, _)| group.draft.is_like(&draft) && group.draft.places == draft.places);
        if let Some((group, _)) = same {
            group.nodes.push(node);
            group.ranks.push(draft.ranks);
            continue;
        }
        let labelled = assembled(ground, &[(&draft, 0)], Core::Labelled);
        let (base, palette) = drawing(&labelled);
        let own = canonical_channel(&base, &labelled, &[]);
        let devices = draft.catalog.vertices.len();
        let same = groups.iter_mut().find_map(|(group, other)| {
            if *other != palette || group.own.form != own.form {
                return None;
            }
            // From this node's vertices to those of the group's first node.
            let to = mapping(&own.labelling, &group.own.labelling);
            let moved = draft.renumbered(to.get(..devices)?);
            let is_like = group.draft.is_like(&moved) && group.draft.places == moved.places;
            is_like.then_some((group, moved.ranks))
        });
        if let Some((group, ranks)) = same {
            group.nodes.push(node);
            group.ranks.push(ranks);
            continue;
        }
        let ranks = vec![draft.ranks.clone()];
        groups.push((Group { nodes: vec![node], ranks, draft, own }, palette));
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

/// Gives the half-routes of each group's first node the rates that network routes over them have.
/// Nodes of a group are exchangeable, so one node of each group, and a second one of its own group,
/// stand for all others.
pub(super) fn rate_halves(ground: &Ground<'_>, groups: &mut [Group]) {
    let topology = ground.topology;
    let mut rates: BTreeMap<(Rank, usize, bool), BTreeSet<BytesPerSecond>> = BTreeMap::new();
    let mut note = |route: &Route| {
        let nic = |vertex: VertexId| topology.vertices[vertex.index()].kind == DeviceKind::Nic;
        let ends = |link: &LinkId| topology.resources[link.index()].ends();
        let position = |link: &LinkId| topology.resources[link.index()].link();
        // A half leaves its node over the link that leaves the first card, and enters the other one
        // over the link that enters the last.
        let leaves = route.links.iter().find(|link| ends(link).is_some_and(|(from, _)| nic(from)));
        let enters = route.links.iter().rfind(|link| ends(link).is_some_and(|(_, to)| nic(to)));
        let planned = planned(&ground.rates, route);
        for (rank, link, egress) in [(route.src, leaves, true), (route.dst, enters, false)] {
            if let Some(link) = link.and_then(position) {
                let known = rates.entry((rank, link, egress)).or_default();
                known.insert(planned.rate);
                known.extend(&planned.paced);
            }
        }
    };
    for a in groups.iter() {
        for b in groups.iter() {
            let other = if std::ptr::eq(a, b) { b.ranks.get(1) } else { b.ranks.first() };
            let (Some(own), Some(other)) = (a.ranks.first(), other) else { continue };
            for &src in own {
                for &dst in other {
                    topology.routes_between(src, dst).for_each(|route| note(&route));
                    topology.routes_between(dst, src).for_each(|route| note(&route));
                }
            }
        }
    }
    let rates: HalfRates =
        rates.into_iter().map(|(key, rates)| (key, rates.into_iter().rev().collect())).collect();
    for group in groups {
        group.draft = ground.draft(group.nodes[0], Some(&rates));
        group.ranks[0].clone_from(&group.draft.ranks);
    }
}

/// How the core is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Core {
    /// Every place is itself alone; links between fabrics do not matter.
    Labelled,
    /// Places are exchangeable as far as what is around them is.
    Free,
}

/// Several nodes, each with a number that tells it apart, and the core, as one catalog: first the
/// vertices of the nodes, then those of the core.
fn assembled(ground: &Ground<'_>, nodes: &[(&Draft, usize)], core: Core) -> Catalog {
    let topology = ground.topology;
    let mut whole = nodes[0].0.catalog.clone();
    (whole.ranks, whole.vertices, whole.links) = (0, Vec::new(), Vec::new());
    (whole.joint, whole.rank_vertices, whole.routes) = (Vec::new(), Vec::new(), Vec::new());
    (whole.forbidden, whole.limits) = (Vec::new(), Vec::new());
    // Ranks come before ports; of both the ends of the first node first.
    let all_ranks: u32 = nodes.iter().map(|(draft, _)| draft.catalog.ranks).sum();
    let (mut rank, mut port) = (0, all_ranks);
    let mut port_vertices = Vec::new();
    let mut colours: Vec<(u32, usize)> = Vec::new();
    let places = match core {
        Core::Labelled => {
            let places: BTreeSet<Place> =
                nodes.iter().flat_map(|(draft, _)| &draft.places).copied().collect();
            places.into_iter().collect()
        }
        Core::Free => {
            let mut fabrics: Vec<Place> = (0..topology.vertices.len())
                .map(VertexId::new)
                .filter(|vertex| ground.is_fabric(*vertex))
                .map(Place::Fabric)
                .collect();
            let others: BTreeSet<Place> = nodes
                .iter()
                .flat_map(|(draft, _)| &draft.places)
                .filter(|place| matches!(place, Place::Between(_)))
                .copied()
                .collect();
            fabrics.extend(others);
            fabrics
        }
    };
    let devices: usize = nodes.iter().map(|(draft, _)| draft.catalog.vertices.len()).sum();
    let vertex_of = |place: Place| {
        let at = places.iter().position(|other| *other == place).unwrap_or(0);
        (devices + at) as u32
    };
    let mut joint: Vec<JointCapacity> = Vec::new();
    let links_before: Vec<usize> = nodes
        .iter()
        .scan(0, |sum, (draft, _)| {
            let before = *sum;
            *sum += draft.catalog.links.len();
            Some(before)
        })
        .collect();
    // Links of all nodes, then those that tie ports to places, then those between fabrics; joint
    // capacities follow all links.
    let mut ties = Vec::new();
    let trunks = if core == Core::Free { trunks(topology, ground) } else { Vec::new() };
    let trunk_ids: Vec<LinkId> = trunks.iter().map(|&(.., id)| id).collect();
    let ports: usize = nodes.iter().map(|(draft, _)| draft.places.len()).sum();
    let node_links: usize = nodes.iter().map(|(draft, _)| draft.catalog.links.len()).sum();
    let all_links = node_links + 2 * ports + trunks.len();
    for (&(draft, tag), &link_shift) in nodes.iter().zip(&links_before) {
        let own = &draft.catalog;
        let (shift, joint_shift) = (whole.vertices.len() as u32, joint.len());
        let resource = |id: &LinkId| match id.index().checked_sub(own.links.len()) {
            None => LinkId::new(link_shift + id.index()),
            Some(at) => LinkId::new(all_links + joint_shift + at),
        };
        whole.vertices.extend(own.vertices.iter().cloned());
        colours.extend(own.vertices.iter().map(|vertex| (vertex.colour, tag)));
        whole.links.extend(own.links.iter().map(|link| StructureEdge {
            from: link.from + shift,
            to: link.to + shift,
            ..*link
        }));
        joint.extend(own.joint.iter().map(|joint| JointCapacity {
            of: match &joint.of {
                JointOf::Memory(of) => JointOf::Memory(of + shift),
                JointOf::Links(of) => JointOf::Links(of.iter().map(resource).collect()),
            },
            ..joint.clone()
        }));
        let (ranks, first_route) = (own.ranks, whole.routes.len());
        let end = |end: Rank| match end.0.checked_sub(ranks) {
            None => Rank(rank + end.0),
            Some(at) => Rank(port + at),
        };
        whole.routes.extend(own.routes.iter().map(|route| crate::catalog::PlannedRoute {
            src: end(route.src),
            dst: end(route.dst),
            links: route.links.iter().map(resource).collect(),
            shares: route.shares.iter().map(resource).collect(),
            ..route.clone()
        }));
        let route = |id: &RouteId| RouteId::new(first_route + id.index());
        whole.forbidden.extend(own.forbidden.iter().map(|(a, b)| (route(a), route(b))));
        whole.limits.extend(own.limits.iter().map(|limit| ChannelLimit {
            routes: limit.routes.iter().map(route).collect(),
            most: limit.most,
        }));
        let (own_ranks, own_ports) = own.rank_vertices.split_at(ranks as usize);
        whole.rank_vertices.extend(own_ranks.iter().map(|vertex| vertex + shift));
        port_vertices.extend(own_ports.iter().map(|vertex| vertex + shift));
        for (vertex, place) in own_ports.iter().zip(&draft.places) {
            let (jack, place) = (vertex + shift, vertex_of(*place));
            ties.push((jack, place));
            ties.push((place, jack));
        }
        (rank, port) = (rank + ranks, port + own_ports.len() as u32);
    }
    whole.ranks = all_ranks;
    whole.rank_vertices.extend(port_vertices);
    let between = |(from, to)| StructureEdge { from, to, capacity: None };
    whole.links.extend(ties.into_iter().map(between));
    for (number, place) in places.iter().enumerate() {
        let (path, colour, tag) = match (place, core) {
            (_, Core::Labelled) => (String::new(), u32::MAX, place_number(ground, *place)),
            (Place::Fabric(at), Core::Free) => (String::new(), ground.colour(*at), usize::MAX),
            (Place::Between(_), Core::Free) => (String::new(), u32::MAX, usize::MAX),
        };
        debug_assert_eq!(whole.vertices.len(), devices + number);
        whole.vertices.push(StructureVertex { path, colour: 0 });
        colours.push((colour, tag));
    }
    for (from, to, id) in trunks {
        let vertex = |v| vertex_of(Place::Fabric(v));
        let capacity = topology.resources[id.index()].capacity;
        whole.links.push(StructureEdge { from: vertex(from), to: vertex(to), capacity });
    }
    let first_trunk = (node_links + 2 * ports) as u32;
    if core == Core::Free {
        joint.extend(core_joint(topology, &trunk_ids).into_iter().map(|joint| JointCapacity {
            of: match joint.of {
                JointOf::Links(of) => {
                    JointOf::Links(of.iter().map(|id| LinkId(first_trunk + id.0)).collect())
                }
                of => of,
            },
            ..joint
        }));
    }
    whole.joint = joint;
    // Colours of one node are those of any other, so that nodes can be compared; where several are
    // drawn they are numbered afresh.
    match core {
        Core::Labelled => {
            for (vertex, (colour, tag)) in whole.vertices.iter_mut().zip(colours) {
                let places = LABELS.saturating_add(tag as u32);
                vertex.colour = if colour == u32::MAX { places } else { colour };
            }
        }
        Core::Free => {
            let all: BTreeSet<(u32, usize)> = colours.iter().copied().collect();
            let number: BTreeMap<(u32, usize), u32> = all.into_iter().zip(0..).collect();
            for (vertex, colour) in whole.vertices.iter_mut().zip(colours) {
                vertex.colour = number[&colour];
            }
        }
    }
    whole
}

/// Colours of places that are themselves alone start here; devices have lower ones.
const LABELS: u32 = 1 << 18;

/// A number of a place that is its own.
fn place_number(ground: &Ground<'_>, place: Place) -> usize {
    match place {
        Place::Fabric(vertex) => vertex.index(),
        Place::Between(link) => ground.topology.vertices.len() + link,
    }
}

/// The directed links between fabrics.
pub(super) fn trunks(
    topology: &Topology,
    ground: &Ground<'_>,
) -> Vec<(VertexId, VertexId, LinkId)> {
    let ends = (0..topology.links).map(LinkId::new).filter_map(|id| {
        let (from, to) = topology.resources[id.index()].ends()?;
        (ground.is_fabric(from) && ground.is_fabric(to)).then_some((from, to, id))
    });
    ends.collect()
}

/// The symmetry of the whole from one node of each group.
pub(super) fn symmetry(ground: &Ground<'_>, groups: &[Group]) -> Symmetry {
    let nodes: Vec<(&Draft, usize)> =
        groups.iter().map(|group| (&group.draft, group.nodes.len())).collect();
    let reduced = assembled(ground, &nodes, Core::Free);
    let found = canonical_channel(&drawing(&reduced).0, &reduced, &[]);
    let mut order = found.order.clone();
    for group in groups {
        for nodes in 1..group.nodes.len() {
            order *= &group.own.order;
            order *= BigUint::from(nodes + 1);
        }
    }
    let pair_orbits = pair_orbits(groups, &reduced, &found.generators);
    let devices: Vec<usize> = groups
        .iter()
        .scan(0, |sum, group| {
            *sum += group.draft.catalog.vertices.len();
            Some(*sum)
        })
        .collect();
    let first_place = devices.last().copied().unwrap_or(0);
    let moves = found.generators.iter().filter_map(|generator| {
        let places: Vec<u32> = generator[first_place..reduced.vertices.len()]
            .iter()
            .map(|image| image - first_place as u32)
            .collect();
        if places.iter().zip(0..).all(|(image, at)| *image == at) {
            return None;
        }
        let group_of = |vertex: u32| devices.partition_point(|end| *end <= vertex as usize) as u32;
        let first = |group: usize| if group == 0 { 0 } else { devices[group - 1] };
        let groups = (0..devices.len()).map(|group| group_of(generator[first(group)])).collect();
        Some(Move { places, groups })
    });
    Symmetry { order, pair_orbits, moves: moves.collect() }
}

/// Orbits of pairs within a node, found on the reduced machine; and of pairs across nodes: there
/// the two ends are turned independently of each other, so that a pair of orbits of single GPUs is
/// what counts.
fn pair_orbits(groups: &[Group], reduced: &Catalog, generators: &[Vec<u32>]) -> u64 {
    let forest = route_orbits(reduced, generators);
    let is_local = |index: usize| {
        let route = &reduced.routes[index];
        route.src.0.max(route.dst.0) < reduced.ranks
    };
    let local = (0..forest.len()).filter(|&index| forest[index] == index && is_local(index));
    let local = local.count() as u64;
    // The orbit of each GPU of the reduced machine under the symmetries of its node alone.
    let mut class_of = vec![usize::MAX; reduced.vertices.len()];
    let mut classes: Vec<usize> = Vec::new();
    let mut shift = 0;
    for (number, group) in groups.iter().enumerate() {
        let gpus = &group.draft.catalog.rank_vertices[..group.draft.catalog.ranks as usize];
        for &gpu in gpus {
            let images = orbit(gpu, &group.own.generators);
            let known =
                images.iter().map(|v| class_of[shift + *v as usize]).find(|c| *c != usize::MAX);
            class_of[shift + gpu as usize] = known.unwrap_or_else(|| {
                classes.push(number);
                classes.len() - 1
            });
        }
        shift += group.draft.catalog.vertices.len();
    }
    let member = |class: usize| class_of.iter().position(|other| *other == class);
    let images: Vec<Vec<usize>> = generators
        .iter()
        .map(|generator| {
            (0..classes.len())
                .filter_map(|class| Some(class_of[generator[member(class)?] as usize]))
                .collect()
        })
        .collect();
    let mut seen = BTreeSet::new();
    let mut across = 0;
    for a in 0..classes.len() {
        for b in 0..classes.len() {
            let alone = classes[a] == classes[b] && groups[classes[a]].nodes.len() < 2;
            if alone || !seen.insert((a, b)) {
                continue;
            }
            across += 1;
            let mut queue = vec![(a, b)];
            while let Some((a, b)) = queue.pop() {
                for image in &images {
                    let next = (image[a], image[b]);
                    if seen.insert(next) {
                        queue.push(next);
                    }
                }
            }
        }
    }
    local + across
}

/// All images of a vertex.
fn orbit(vertex: u32, generators: &[Vec<u32>]) -> BTreeSet<u32> {
    let mut orbit = BTreeSet::from([vertex]);
    let mut queue = vec![vertex];
    while let Some(at) = queue.pop() {
        for generator in generators {
            if orbit.insert(generator[at as usize]) {
                queue.push(generator[at as usize]);
            }
        }
    }
    orbit
}

/// The joint capacities over links between fabrics alone.
pub(super) fn core_joint(topology: &Topology, trunks: &[LinkId]) -> Vec<JointCapacity> {
    let own = topology.resources.iter().filter_map(|resource| {
        let ResourceKind::Total { of, .. } = &resource.kind else { return None };
        let of: Option<Vec<LinkId>> = (of.iter())
            .map(|id| trunks.iter().position(|other| other == id).map(LinkId::new))
            .collect();
        Some(JointCapacity {
            of: JointOf::Links(of?),
            capacity: resource.capacity.unwrap_or_default(),
        })
    });
    own.collect()
}
