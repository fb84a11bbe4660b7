//! What bytes of a pair take whichever of its routes they use.

use super::solo::SoloRates;
use crate::base::{LinkId, Rank};
use crate::topology::{Route, Topology};
use std::collections::BTreeMap;

/// The routes of each pair, in the order of the topology.
pub(super) fn pairs(topology: &Topology) -> BTreeMap<(Rank, Rank), Vec<&Route>> {
    let mut pairs: BTreeMap<_, Vec<&Route>> = BTreeMap::new();
    for route in &topology.routes {
        pairs.entry((route.src, route.dst)).or_default().push(route);
    }
    pairs
}

/// How often each resource is taken by every one of these routes, at least.
pub(super) fn least_taken(routes: &[&Route]) -> BTreeMap<LinkId, u128> {
    let times = |route: &Route| {
        let mut times: BTreeMap<LinkId, u128> = BTreeMap::new();
        for id in route.takes() {
            *times.entry(id).or_default() += 1;
        }
        times
    };
    let mut all = routes.iter().map(|route| times(route));
    let first = all.next().unwrap_or_default();
    all.fold(first, |least, other| {
        let both = |(id, times)| Some((id, other.get(&id)?.min(&times).to_owned()));
        least.into_iter().filter_map(both).collect()
    })
}

/// What every one of these routes takes equally often, where all of them run at one rate; as often as
/// they take it.
pub(super) fn taken_alike(topology: &Topology, solo: &SoloRates, routes: &[&Route]) -> Vec<LinkId> {
    let rate = |route: &Route| solo.of_route(topology, route);
    if routes.iter().any(|route| rate(route) != rate(routes[0])) {
        return Vec::new();
    }
    let times = |route: &Route, id| route.takes().filter(|one| *one == id).count();
    let by_all = |id: &LinkId| routes.iter().all(|r| times(r, *id) == times(routes[0], *id));
    routes[0].takes().filter(by_all).collect()
}
