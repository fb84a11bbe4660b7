//! A catalog with its vertices renamed, and all its tables in the order that the names imply.

use crate::base::{LinkId, Rank, RouteId};
use crate::catalog::{Catalog, ChannelLimit, JointOf, PlannedRoute};

/// A renumbered catalog without channels, and where each of its entries was before.
pub(super) struct Renumbered {
    pub(super) catalog: Catalog,
    /// For each end its number before.
    pub(super) ends: Vec<usize>,
}

/// Vertex `v` becomes `to[v]`. Ends follow their vertices, ranks before ports; links are sorted by
/// their ends, joint capacities by what they are over, routes by their ends. Two catalogs of
/// isomorphic nodes are equal (but for paths) once the one is renumbered by an isomorphism.
pub(super) fn renumbered(catalog: &Catalog, to: &[u32]) -> Renumbered {
    let vertex = |v: u32| to[v as usize];
    let mut vertices = catalog.vertices.clone();
    for (old, entry) in catalog.vertices.iter().enumerate() {
        vertices[to[old] as usize] = entry.clone();
    }
    let mut links: Vec<(u32, u32, usize)> = (catalog.links.iter().enumerate())
        .map(|(old, link)| (vertex(link.from), vertex(link.to), old))
        .collect();
    links.sort_unstable();
    let count = catalog.links.len();
    let mut resource = vec![LinkId(0); catalog.resources()];
    for (new, &(.., old)) in links.iter().enumerate() {
        resource[old] = LinkId::new(new);
    }
    let mut joint: Vec<_> = (catalog.joint.iter().enumerate())
        .map(|(old, joint)| {
            let of = match &joint.of {
                JointOf::Memory(of) => JointOf::Memory(vertex(*of)),
                JointOf::Links(of) => {
                    let mut of: Vec<LinkId> = of.iter().map(|id| resource[id.index()]).collect();
                    of.sort_unstable();
                    JointOf::Links(of)
                }
            };
            (of, joint.capacity, old)
        })
        .collect();
    joint.sort_unstable();
    for (new, &(.., old)) in joint.iter().enumerate() {
        resource[count + old] = LinkId::new(count + new);
    }
    let ranks = catalog.ranks as usize;
    let mut ends: Vec<usize> = (0..catalog.rank_vertices.len()).collect();
    ends.sort_by_key(|&end| (end >= ranks, vertex(catalog.rank_vertices[end])));
    let mut end_now = vec![Rank(0); ends.len()];
    for (new, &old) in ends.iter().enumerate() {
        end_now[old] = Rank::new(new);
    }
    let mut routes: Vec<(usize, PlannedRoute)> = (catalog.routes.iter().enumerate())
        .map(|(old, route)| {
            let of = |ids: &[LinkId]| ids.iter().map(|id| resource[id.index()]).collect();
            let (links, mut shares): (Vec<LinkId>, Vec<LinkId>) =
                (of(&route.links), of(&route.shares));
            shares.sort_unstable();
            let (src, dst) = (end_now[route.src.index()], end_now[route.dst.index()]);
            (old, PlannedRoute { src, dst, links, shares, ..route.clone() })
        })
        .collect();
    routes.sort_by_key(|(_, route)| (route.src, route.dst));
    let mut route_now = vec![RouteId(0); routes.len()];
    for (new, &(old, _)) in routes.iter().enumerate() {
        route_now[old] = RouteId::new(new);
    }
    let now = |id: &RouteId| route_now[id.index()];
    let pair = |(a, b): &(RouteId, RouteId)| (now(a).min(now(b)), now(a).max(now(b)));
    let mut forbidden: Vec<_> = catalog.forbidden.iter().map(pair).collect();
    forbidden.sort_unstable();
    let limit = |limit: &ChannelLimit| {
        let mut routes: Vec<RouteId> = limit.routes.iter().map(now).collect();
        routes.sort_unstable();
        ChannelLimit { routes, most: limit.most }
    };
    let mut limits: Vec<ChannelLimit> = catalog.limits.iter().map(limit).collect();
    limits.sort_unstable();
    let old_links = &catalog.links;
    let catalog = Catalog {
        vertices,
        links: (links.iter())
            .map(|&(from, to, old)| crate::catalog::StructureEdge { from, to, ..old_links[old] })
            .collect(),
        joint: (joint.into_iter())
            .map(|(of, capacity, _)| crate::catalog::JointCapacity { of, capacity })
            .collect(),
        rank_vertices: ends.iter().map(|&end| vertex(catalog.rank_vertices[end])).collect(),
        routes: routes.into_iter().map(|(_, route)| route).collect(),
        forbidden,
        limits,
        ..catalog.clone()
    };
    Renumbered { catalog, ends }
}
