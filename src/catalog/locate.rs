//! From a maximal channel to its family and back.

use super::symmetry::{Canonical, Form, Structure, canonical, mapping};
use super::{Catalog, Channel, ChannelName};
use crate::base::{BytesPerSecond, OrbitId, Rank, RouteId};
use rustc_hash::FxHashMap;

/// The topology of a catalog as a labelled structure: colours of vertices as stored, links coloured
/// by their capacity.
#[must_use]
pub fn structure(catalog: &Catalog) -> Structure {
    let mut capacities: Vec<Option<BytesPerSecond>> =
        catalog.links.iter().map(|link| link.capacity).collect();
    capacities.sort_unstable();
    capacities.dedup();
    let mut structure =
        Structure::new(catalog.vertices.iter().map(|vertex| vertex.colour).collect());
    for link in &catalog.links {
        let colour = capacities.binary_search(&link.capacity).unwrap_or(0);
        structure.add_edge(link.from, link.to, colour as u32 + 1);
    }
    structure
}

/// Colour of the edges that stand for transfers; links have the colours from 1.
const TRANSFER: u32 = 0;

/// The topology with a channel's transfers drawn in: two channels are images of each other under
/// the symmetry exactly when these structures have equal canonical forms.
#[must_use]
pub fn canonical_channel(
    base: &Structure,
    catalog: &Catalog,
    channel: impl IntoIterator<Item = RouteId>,
) -> Canonical {
    let mut structure = base.clone();
    for id in channel {
        let route = &catalog.routes[id.index()];
        let vertex = |rank: Rank| catalog.rank_vertices[rank.index()];
        structure.add_edge(vertex(route.src), vertex(route.dst), TRANSFER);
    }
    canonical(&structure)
}

/// Extends a feasible set of routes to a maximal channel, trying routes in ascending order. What
/// does not fit stays out.
#[must_use]
pub fn complete_to_maximal(catalog: &Catalog, set: &[RouteId]) -> Channel {
    let mut left: Vec<u64> =
        catalog.links.iter().map(|link| link.capacity.map_or(0, |rate| rate.0)).collect();
    let mut chosen = vec![false; catalog.routes.len()];
    for &id in set {
        take(catalog, &mut left, &mut chosen, id);
    }
    for index in 0..catalog.routes.len() {
        if !chosen[index] {
            take(catalog, &mut left, &mut chosen, RouteId::new(index));
        }
    }
    let members = (0..chosen.len()).filter(|&index| chosen[index]).map(RouteId::new);
    Channel(members.collect())
}

/// Adds the route where every link on its way has room for its rate.
fn take(catalog: &Catalog, left: &mut [u64], chosen: &mut [bool], id: RouteId) {
    let route = &catalog.routes[id.index()];
    for (done, link) in route.links.iter().enumerate() {
        let room = &mut left[link.index()];
        match room.checked_sub(route.rate.0) {
            Some(rest) => *room = rest,
            None => {
                for link in &route.links[..done] {
                    left[link.index()] += route.rate.0;
                }
                return;
            }
        }
    }
    chosen[id.index()] = true;
}

/// Finds the family of maximal channels. Answers are kept, since a plan's steps repeat.
#[derive(Debug)]
pub struct Locator<'a> {
    catalog: &'a Catalog,
    base: Structure,
    orbits: FxHashMap<Form, (OrbitId, Vec<u32>)>,
    known: FxHashMap<Channel, ChannelName>,
}

impl<'a> Locator<'a> {
    /// Prepares the catalog's families.
    #[must_use]
    pub fn new(catalog: &'a Catalog) -> Self {
        let base = structure(catalog);
        let orbits = catalog
            .orbits
            .iter()
            .enumerate()
            .map(|(index, orbit)| {
                let members = orbit.representative.0.iter().copied();
                let canonical = canonical_channel(&base, catalog, members);
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
        let canonical = canonical_channel(&self.base, self.catalog, channel.0.iter().copied());
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
