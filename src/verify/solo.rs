//! Solo rates, worked out from the topology alone.
//!
//! A rate at which a number of transfers would overfill a resource by at most 2 % of it is lowered to
//! the even share; see [`SoloRates::fitted`].

use crate::base::{BytesPerSecond, LinkId};
use crate::topology::{Route, Topology};
use std::collections::BTreeMap;

/// What solo rates follow from.
pub(super) struct SoloRates {
    /// How many routes take of each resource.
    users: BTreeMap<LinkId, u64>,
}

impl SoloRates {
    pub(super) fn of(topology: &Topology) -> Self {
        let mut users = BTreeMap::new();
        for route in &topology.routes {
            for id in times(route).into_keys() {
                *users.entry(id).or_default() += 1;
            }
        }
        Self { users }
    }

    /// The solo rate of a route as the topology has it.
    pub(super) fn of_route(&self, topology: &Topology, route: &Route) -> BytesPerSecond {
        self.fitted(topology, &times(route), route.rate)
    }

    /// The solo rate of a route that takes of these resources and reaches `alone`. Of every resource
    /// and every number of transfers of which one fewer would leave room and all take too much, though
    /// not more than 2 % at the rate alone, the largest even share is taken; as long as there is one.
    pub(super) fn fitted(
        &self,
        topology: &Topology,
        times: &BTreeMap<LinkId, u64>,
        alone: BytesPerSecond,
    ) -> BytesPerSecond {
        let mut rate = u128::from(alone.0);
        let width = |id: LinkId| {
            let resource = topology.resources.get(id.index());
            resource.and_then(|resource| resource.capacity).map_or(0, |rate| u128::from(rate.0))
        };
        loop {
            let mut shares = Vec::new();
            for (&id, &times) in times {
                let width = width(id) / u128::from(times);
                let users = self.users.get(&id).copied().unwrap_or(0);
                let crowds = (2..=u128::from(users)).filter(|&count| {
                    let fewer = width / (count - 1);
                    fewer > rate && width / count < rate && count * rate > width
                });
                let near = |count: &u128| count * u128::from(alone.0) * 100 <= width * 102;
                shares.extend(crowds.filter(near).map(|count| width / count));
            }
            match shares.into_iter().max() {
                Some(share) => rate = share,
                None => return BytesPerSecond(u64::try_from(rate).unwrap_or(u64::MAX)),
            }
        }
    }
}

/// How often a route takes each resource.
fn times(route: &Route) -> BTreeMap<LinkId, u64> {
    let mut times = BTreeMap::new();
    for id in route.takes() {
        *times.entry(id).or_default() += 1;
    }
    times
}
