//! The proof of a catalog: what it claims is recomputed from its links and routes.

use super::locate::{canonical_channel, structure};
use super::{Catalog, Channel};
use crate::base::{LinkId, OrbitId, RouteId};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// What a catalog claims and does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogFault {
    /// Tables of different sizes, or an id outside its table.
    #[error("the catalog's tables do not fit each other: {0}")]
    Tables(&'static str),
    /// A route that is not a path from its source to its destination at the least capacity.
    #[error("route {0} is no path between its ranks at the rate of its narrowest link")]
    Route(RouteId),
    /// A generator that is no permutation, or moves a link, colour or route to none.
    #[error("generator {0} is no symmetry")]
    Generator(usize),
    /// A representative that overfills a link.
    #[error("orbit {orbit}: the channel overfills link {link}")]
    Overfull {
        /// The family.
        orbit: OrbitId,
        /// The link.
        link: LinkId,
    },
    /// A representative to which a route can be added.
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
        let mut least = None;
        for id in &route.links {
            let link = &catalog.links[id.index()];
            if link.from != at || link.capacity.is_none() {
                return Err(CatalogFault::Route(RouteId::new(index)));
            }
            at = link.to;
            least = least.map_or(link.capacity, |rate| Some(rate).min(link.capacity));
        }
        if at != catalog.rank_vertices[route.dst.index()] || least != Some(route.rate) {
            return Err(CatalogFault::Route(RouteId::new(index)));
        }
    }
    for (index, generator) in catalog.generators.iter().enumerate() {
        generator_is_symmetry(catalog, generator).ok_or(CatalogFault::Generator(index))?;
    }
    orbits(catalog)
}

fn tables(catalog: &Catalog) -> Result<(), CatalogFault> {
    let fault = |what| Err(CatalogFault::Tables(what));
    let (n, v) = (catalog.ranks as usize, catalog.vertices.len());
    if catalog.rank_vertices.len() != n
        || catalog.rank_vertices.iter().any(|&vertex| vertex as usize >= v)
    {
        return fault("ranks");
    }
    if catalog.links.iter().any(|link| link.from as usize >= v || link.to as usize >= v) {
        return fault("links");
    }
    let expected = (0..n).flat_map(|s| (0..n).filter(move |&d| d != s).map(move |d| (s, d)));
    let pairs = catalog.routes.iter().map(|route| (route.src.index(), route.dst.index()));
    if !expected.eq(pairs) {
        return fault("routes");
    }
    let links = catalog.links.len();
    if catalog.routes.iter().any(|r| r.links.iter().any(|link| link.index() >= links)) {
        return fault("links of routes");
    }
    for orbit in &catalog.orbits {
        let members = &orbit.representative.0;
        if members.iter().any(|id| id.index() >= catalog.routes.len())
            || members.windows(2).any(|two| two[0] >= two[1])
        {
            return fault("members of channels");
        }
    }
    Ok(())
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
    let ranks: BTreeMap<u32, usize> =
        catalog.rank_vertices.iter().enumerate().map(|(rank, &vertex)| (vertex, rank)).collect();
    let rank_image = |rank: usize| ranks.get(&image(catalog.rank_vertices[rank])).copied();
    for route in &catalog.routes {
        let src = crate::base::Rank::new(rank_image(route.src.index())?);
        let dst = crate::base::Rank::new(rank_image(route.dst.index())?);
        let other = &catalog.routes[catalog.route_id(src, dst).index()];
        let mapped = route.links.iter().map(|link| link_image[link.index()]);
        if other.rate != route.rate || !mapped.eq(other.links.iter().map(|link| link.index())) {
            return None;
        }
    }
    Some(())
}

fn orbits(catalog: &Catalog) -> Result<(), CatalogFault> {
    let base = structure(catalog);
    let group = canonical_channel(&base, catalog, []).order;
    count("group order", &catalog.order, &group)?;
    let mut forms = BTreeMap::new();
    let mut total = BigUint::ZERO;
    for (index, orbit) in catalog.orbits.iter().enumerate() {
        let id = OrbitId::new(index);
        maximal(catalog, id, &orbit.representative)?;
        let members = orbit.representative.0.iter().copied();
        let canonical = canonical_channel(&base, catalog, members);
        let size = &group / &canonical.order;
        count("orbit size", &orbit.size, &size)?;
        total += size;
        if let Some(other) = forms.insert(canonical.form, id) {
            return Err(CatalogFault::Same(other, id));
        }
    }
    count("number of channels", &catalog.channels, &total)
}

fn count(what: &'static str, claimed: &str, found: &BigUint) -> Result<(), CatalogFault> {
    let found = found.to_string();
    if claimed == found {
        return Ok(());
    }
    Err(CatalogFault::Count { what, claimed: claimed.to_owned(), found })
}

/// Link by link: the sum of rates fits, and no further route does.
fn maximal(catalog: &Catalog, orbit: OrbitId, channel: &Channel) -> Result<(), CatalogFault> {
    let mut load = vec![0u64; catalog.links.len()];
    for id in &channel.0 {
        let route = &catalog.routes[id.index()];
        for link in &route.links {
            load[link.index()] += route.rate.0;
        }
    }
    let capacity = |link: LinkId| catalog.links[link.index()].capacity.map_or(0, |rate| rate.0);
    for (index, &rate) in load.iter().enumerate() {
        let link = LinkId::new(index);
        if rate > capacity(link) && rate > 0 {
            return Err(CatalogFault::Overfull { orbit, link });
        }
    }
    for (index, route) in catalog.routes.iter().enumerate() {
        let id = RouteId::new(index);
        let fits = |link: &LinkId| load[link.index()] + route.rate.0 <= capacity(*link);
        if channel.0.binary_search(&id).is_err() && route.links.iter().all(fits) {
            return Err(CatalogFault::NotMaximal { orbit, route: id });
        }
    }
    Ok(())
}
