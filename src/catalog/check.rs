//! The proof of a catalog: what it claims is recomputed from its links and routes.

use super::locate::{RouteKind, canonical_channel, least_capacity, structure};
use super::symmetry::Labeller;
use super::{
    Catalog, Channel, ChannelLimit, Families, Filling, Fit, JointOf, LinkEfficiency, Paces,
    PlannedRoute, Transfer, offered,
};
use crate::base::{BytesPerSecond, LinkId, OrbitId, RouteId};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a catalog claims and does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogFault {
    /// Tables of different sizes, or an id outside its table.
    #[error("the catalog's tables do not fit each other: {0}")]
    Tables(&'static str),
    /// A route that is not a path from its source to its destination within every capacity.
    #[error("route {0} is no path between its ranks within the capacities on its way")]
    Route(RouteId),
    /// A generator that is no permutation, or moves a link, colour or route to none.
    #[error("generator {0} is no symmetry")]
    Generator(usize),
    /// A representative of which not all routes run together.
    #[error("orbit {orbit}: route {route} does not fit beside those before it")]
    Overfull {
        /// The family.
        orbit: OrbitId,
        /// The first route that does not fit.
        route: RouteId,
    },
    /// A representative to which a route can be added, or in which one can run faster.
    #[error("orbit {orbit}: the channel is not maximal, route {route} fits")]
    NotMaximal {
        /// The family.
        orbit: OrbitId,
        /// The route that fits.
        route: RouteId,
    },
    /// Two orbits that are one.
    #[error("orbits {0} and {1} are the same up to symmetry")]
    Same(OrbitId, OrbitId),
    /// A size, order or count that differs.
    #[error("the catalog's {what} is {claimed}, not {found}")]
    Count {
        /// Which number.
        what: &'static str,
        /// As stored.
        claimed: String,
        /// As recomputed.
        found: String,
    },
}

/// Recomputes everything but completeness, which rests on the search that made the catalog (and is
/// held against brute force in tests).
///
/// # Errors
/// The first fault found.
pub fn check(catalog: &Catalog) -> Result<(), CatalogFault> {
    tables(catalog)?;
    for (index, route) in catalog.routes.iter().enumerate() {
        let mut at = catalog.rank_vertices[route.src.index()];
        for id in &route.links {
            let link = &catalog.links[id.index()];
            if link.from != at || link.capacity.is_none() {
                return Err(CatalogFault::Route(RouteId::new(index)));
            }
            at = link.to;
        }
        // Caps are part of the rate and not of the catalog, so the rate may be less.
        let least = least_capacity(catalog, route);
        if at != catalog.rank_vertices[route.dst.index()]
            || route.rate.0 == 0
            || !paces_fall(route)
            || least.is_none_or(|least| route.rate > least)
            || !is_offered_alone(catalog, route)
        {
            return Err(CatalogFault::Route(RouteId::new(index)));
        }
    }
    for (index, generator) in catalog.generators.iter().enumerate() {
        generator_is_symmetry(catalog, generator).ok_or(CatalogFault::Generator(index))?;
    }
    orbits(catalog)
}

/// Every link offers a transfer that is alone its solo rate.
fn is_offered_alone(catalog: &Catalog, route: &PlannedRoute) -> bool {
    catalog.efficiency.iter().filter(|of| of.counts(route)).all(|of| {
        let capacity = catalog.capacity(of.link).map_or(0, |rate| rate.0);
        let times = route.links.iter().filter(|link| **link == of.link).count() as u64;
        route.rate.0.saturating_mul(times) <= offered(capacity, &of.steps, 1)
    })
}

/// Paced rates are below the solo rate, each below the one before it, and not zero.
fn paces_fall(route: &PlannedRoute) -> bool {
    let mut last = route.rate;
    let falls = |rate: &BytesPerSecond| rate.0 > 0 && *rate < std::mem::replace(&mut last, *rate);
    route.paced.iter().all(falls) && route.paced.len() < usize::from(u8::MAX)
}

fn tables(catalog: &Catalog) -> Result<(), CatalogFault> {
    let fault = |what| Err(CatalogFault::Tables(what));
    let (n, v) = (catalog.rank_vertices.len(), catalog.vertices.len());
    if n < catalog.ranks as usize
        || catalog.rank_vertices.iter().any(|&vertex| vertex as usize >= v)
    {
        return fault("ranks");
    }
    if catalog.links.iter().any(|link| link.from as usize >= v || link.to as usize >= v) {
        return fault("links");
    }
    let ends = |route: &PlannedRoute| (route.src, route.dst);
    let alike = |pair: Range<usize>| {
        let links = |index: usize| &catalog.routes[index].links;
        let mut all: Vec<_> = pair.map(links).collect();
        all.sort_unstable();
        all.windows(2).any(|two| two[0] == two[1])
    };
    if catalog.routes.windows(2).any(|two| ends(&two[0]) > ends(&two[1]))
        || catalog.pairs().any(alike)
        || catalog.routes.iter().any(|r| r.src == r.dst || r.src.max(r.dst).index() >= n)
    {
        return fault("routes");
    }
    let links = catalog.links.len();
    if catalog.routes.iter().any(|r| r.links.iter().any(|link| link.index() >= links)) {
        return fault("links of routes");
    }
    let beyond = |id: &LinkId| id.index() < links || id.index() >= catalog.resources();
    if catalog.routes.iter().any(|route| route.shares.iter().any(beyond)) {
        return fault("joint capacities of routes");
    }
    for joint in &catalog.joint {
        let sound = match &joint.of {
            JointOf::Links(of) => {
                of.iter().all(|link| link.index() < links)
                    && of.windows(2).all(|two| two[0] < two[1])
            }
            JointOf::Memory(vertex) => (*vertex as usize) < v,
        };
        if !sound {
            return fault("joint capacities");
        }
    }
    if !catalog.efficiency.iter().all(|of| is_sound(catalog, of))
        || !catalog.efficiency.is_sorted_by(|a, b| (a.link, a.mode) < (b.link, b.mode))
    {
        return fault("efficiency of links");
    }
    let known = |id: &RouteId| id.index() < catalog.routes.len();
    if catalog.forbidden.iter().any(|(a, b)| a >= b || !known(b))
        || catalog.forbidden.windows(2).any(|two| two[0] >= two[1])
    {
        return fault("forbidden pairs");
    }
    if catalog.limits.iter().any(|limit| {
        limit.most == 0
            || !limit.routes.iter().all(known)
            || limit.routes.windows(2).any(|two| two[0] >= two[1])
    }) {
        return fault("limits");
    }
    let two_rate = catalog.two_rate.iter().flat_map(|families| &families.orbits);
    let paced = |member: &Transfer| member.pace > 0;
    for orbit in &catalog.strict.orbits {
        if orbit.representative.0.iter().any(paced) {
            return fault("strict channels");
        }
    }
    for orbit in catalog.strict.orbits.iter().chain(two_rate) {
        let members = &orbit.representative.0;
        let known = |member: &Transfer| {
            let route = catalog.routes.get(member.route.index());
            route.is_some_and(|route| route.rate_at(member.pace).is_some())
        };
        if !members.iter().all(known) || members.windows(2).any(|two| two[0].route >= two[1].route)
        {
            return fault("members of channels");
        }
    }
    Ok(())
}

/// Steps ascend in number and never in what is offered, and are of a link.
fn is_sound(catalog: &Catalog, of: &LinkEfficiency) -> bool {
    let Some(capacity) = catalog.links.get(of.link.index()).and_then(|link| link.capacity) else {
        return false;
    };
    let (mut number, mut rate) = (0, capacity);
    of.steps.iter().all(|&(from, offered)| {
        let falls = from > number && offered <= rate && offered.0 > 0;
        (number, rate) = (from, offered);
        falls
    })
}

/// `Some` when the permutation preserves colours, links with their capacities, ranks and routes.
fn generator_is_symmetry(catalog: &Catalog, generator: &[u32]) -> Option<()> {
    let mut sorted = generator.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..catalog.vertices.len() as u32) {
        return None;
    }
    let image = |vertex: u32| generator[vertex as usize];
    for (vertex, data) in (0u32..).zip(&catalog.vertices) {
        if catalog.vertices[image(vertex) as usize].colour != data.colour {
            return None;
        }
    }
    let links: BTreeMap<(u32, u32), usize> =
        catalog.links.iter().enumerate().map(|(id, link)| ((link.from, link.to), id)).collect();
    let mut link_image = Vec::with_capacity(catalog.links.len());
    for link in &catalog.links {
        let id = *links.get(&(image(link.from), image(link.to)))?;
        if catalog.links[id].capacity != link.capacity {
            return None;
        }
        link_image.push(id);
    }
    let moved = catalog.efficiency.iter().map(|of| {
        let link = LinkId::new(link_image[of.link.index()]);
        LinkEfficiency { link, ..of.clone() }
    });
    let mut moved: Vec<LinkEfficiency> = moved.collect();
    moved.sort_unstable();
    if moved != catalog.efficiency {
        return None;
    }
    let ranks: BTreeMap<u32, usize> =
        catalog.rank_vertices.iter().enumerate().map(|(rank, &vertex)| (vertex, rank)).collect();
    let rank_image = |rank: usize| ranks.get(&image(catalog.rank_vertices[rank])).copied();
    joint_images(catalog, &image, &mut link_image)?;
    let mut route_image = Vec::with_capacity(catalog.routes.len());
    for route in &catalog.routes {
        let src = crate::base::Rank::new(rank_image(route.src.index())?);
        let dst = crate::base::Rank::new(rank_image(route.dst.index())?);
        // Routes of one pair take different links.
        let takes = |id: &usize| {
            let mapped = route.links.iter().map(|link| link_image[link.index()]);
            mapped.eq(catalog.routes[*id].links.iter().map(|link| link.index()))
        };
        let id = catalog.routes_of(src, dst).find(takes)?;
        let other = &catalog.routes[id];
        let mut shares: Vec<usize> = route.shares.iter().map(|id| link_image[id.index()]).collect();
        shares.sort_unstable();
        if RouteKind::of(other) != RouteKind::of(route)
            || other.paced != route.paced
            || !shares.into_iter().eq(other.shares.iter().map(|id| id.index()))
        {
            return None;
        }
        route_image.push(RouteId::new(id));
    }
    let image = |id: RouteId| route_image[id.index()];
    let pairs = catalog.forbidden.iter().map(|&(a, b)| {
        let (a, b) = (image(a), image(b));
        (a.min(b), a.max(b))
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    let limits = catalog.limits.iter().map(|limit| {
        let mut routes: Vec<RouteId> = limit.routes.iter().map(|&id| image(id)).collect();
        routes.sort_unstable();
        ChannelLimit { routes, most: limit.most }
    });
    let (mut limits, mut own): (Vec<_>, Vec<_>) = (limits.collect(), catalog.limits.clone());
    limits.sort_unstable();
    own.sort_unstable();
    (pairs == catalog.forbidden && limits == own).then_some(())
}

/// Adds the images of the joint capacities to those of the links.
fn joint_images(
    catalog: &Catalog,
    image: &dyn Fn(u32) -> u32,
    link_image: &mut Vec<usize>,
) -> Option<()> {
    let links = catalog.links.len();
    for joint in &catalog.joint {
        let of = match &joint.of {
            JointOf::Memory(vertex) => JointOf::Memory(image(*vertex)),
            JointOf::Links(of) => {
                let mut of: Vec<LinkId> =
                    of.iter().map(|link| LinkId::new(link_image[link.index()])).collect();
                of.sort_unstable();
                JointOf::Links(of)
            }
        };
        let mut same = catalog
            .joint
            .iter()
            .enumerate()
            .filter(|(_, other)| other.of == of && other.capacity == joint.capacity);
        // Several equal ones over the same are taken alike by every route, so any of them will do,
        // and the first is taken for the first.
        let (at, _) = same.find(|(at, _)| !link_image[links..].contains(&(links + at)))?;
        link_image.push(links + at);
    }
    Some(())
}

fn orbits(catalog: &Catalog) -> Result<(), CatalogFault> {
    let base = structure(catalog);
    let group = canonical_channel(&base, catalog, &[]).order;
    count("group order", &catalog.order, &group)?;
    families(catalog, &base, &group, &catalog.strict, Paces::Solo)?;
    match &catalog.two_rate {
        Some(two_rate) => families(catalog, &base, &group, two_rate, Paces::All),
        None => Ok(()),
    }
}

fn families(
    catalog: &Catalog,
    base: &Labeller,
    group: &BigUint,
    families: &Families,
    paces: Paces,
) -> Result<(), CatalogFault> {
    let fit = Fit::new(catalog, paces);
    let mut forms = BTreeMap::new();
    let mut total = BigUint::ZERO;
    for (index, orbit) in families.orbits.iter().enumerate() {
        let id = OrbitId::new(index);
        maximal(&fit, id, &orbit.representative)?;
        let canonical = canonical_channel(base, catalog, &orbit.representative.0);
        let size = group / &canonical.order;
        count("orbit size", &orbit.size, &size)?;
        total += size;
        if let Some(other) = forms.insert(canonical.form, id) {
            return Err(CatalogFault::Same(other, id));
        }
    }
    count("number of channels", &families.channels, &total)
}

fn count(what: &'static str, claimed: &str, found: &BigUint) -> Result<(), CatalogFault> {
    let found = found.to_string();
    if claimed == found {
        return Ok(());
    }
    Err(CatalogFault::Count { what, claimed: claimed.to_owned(), found })
}

/// All members run together, no further route beside them, and none any faster.
fn maximal(fit: &Fit, orbit: OrbitId, channel: &Channel) -> Result<(), CatalogFault> {
    let mut filling = Filling::new(fit);
    for &member in &channel.0 {
        if !filling.take(member) {
            return Err(CatalogFault::Overfull { orbit, route: member.route });
        }
    }
    let more = (0..fit.routes()).map(RouteId::new).find(|&id| filling.faster(id).is_some());
    more.map_or(Ok(()), |route| Err(CatalogFault::NotMaximal { orbit, route }))
}
