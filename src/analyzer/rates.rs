//! The solo and the paced rates of routes.
//!
//! **Solo.** A route alone reaches the least of what its resources offer, each over its multiplicity,
//! and of the caps of its class. Where `n` transfers at that rate would fill a resource but for a
//! little, so that they take more than it has by at most [`TOLERANCE`] in 100, measured or rounded
//! figures would cost a whole transfer; there the solo rate is the even share `floor(capacity / n)`
//! instead. A lower rate may overfill another resource by as little, so this goes on until nothing
//! changes, each time with the largest share; the excess is always counted from the rate of the route
//! alone, so that no route loses more than the tolerance. Only so many transfers count as there are
//! routes over the resource.
//!
//! **Paced.** The even share of a resource among the least number of transfers that fills it or takes
//! more than it has, where that is less than the solo rate. They are counted at the rate of the route
//! alone: what the tolerance leaves free of other resources is not worth a rate of its own.
//!
//! Both depend on capacities, caps, and the number and rates of routes, all of which symmetries keep.

use crate::base::{BytesPerSecond, LinkId};
use crate::catalog::PlannedRoute;
use crate::topology::{Route, Topology};

/// By how much transfers may overfill a resource and be slowed to fit, in percent.
const TOLERANCE: u128 = 2;

/// What the rates of the routes of a topology follow from.
pub(super) struct Rates<'a> {
    topology: &'a Topology,
    /// By resource, how many routes take of it.
    crossing: Vec<u64>,
}

/// What a route takes of, and how often.
type Taken = Vec<(LinkId, u64)>;

impl<'a> Rates<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        let mut crossing = vec![0; topology.resources.len()];
        for route in &topology.routes {
            let mut taken: Vec<usize> = route.takes().map(LinkId::index).collect();
            taken.sort_unstable();
            taken.dedup();
            taken.into_iter().for_each(|id| crossing[id] += 1);
        }
        Self { topology, crossing }
    }

    /// Gives a planned route its rates; `route` is the same as the topology has it.
    pub(super) fn set(&self, planned: &mut PlannedRoute, route: &Route) {
        let taken = planned.multiplicities();
        planned.rate = self.solo(route, &taken);
        planned.paced = self.paced(planned.rate, route.rate.0, &taken);
    }

    /// The paced rates of a half-route from the solo rate that it has.
    pub(super) fn shares(&self, half: &PlannedRoute) -> Vec<BytesPerSecond> {
        self.paced(half.rate, half.rate.0, &half.multiplicities())
    }

    /// What `transfers` of a route have of a resource that each takes `times`.
    fn offers(&self, (id, times): (LinkId, u64)) -> Option<u64> {
        Some(self.topology.resources[id.index()].capacity?.0 / times)
    }

    /// The least number of transfers at a rate that fills a resource, and what they have together.
    fn filling(&self, taken: (LinkId, u64), rate: u64) -> Option<(u64, u64)> {
        let offered = self.offers(taken)?;
        (rate > 0).then(|| (offered.div_ceil(rate), offered))
    }

    fn solo(&self, route: &Route, taken: &Taken) -> BytesPerSecond {
        let alone = u128::from(route.rate.0);
        let mut rate = route.rate.0;
        let share = |rate: u64, taken: (LinkId, u64)| {
            let (count, offered) = self.filling(taken, rate)?;
            let excess = alone * u128::from(count) * 100;
            let is_near = excess <= u128::from(offered) * (100 + TOLERANCE);
            // Rounded down, a share may leave room for less than a byte for each.
            let is_share = count > 1 && self.offers(taken)? / (count - 1) == rate;
            let share = offered / count.max(1);
            (share < rate && is_near && !is_share && count <= self.crossing[taken.0.index()])
                .then_some(share)
        };
        while let Some(less) = taken.iter().filter_map(|&taken| share(rate, taken)).max() {
            rate = less;
        }
        BytesPerSecond(rate)
    }

    /// The paced rates of a route that runs at `solo` and would reach `alone`, descending.
    fn paced(&self, solo: BytesPerSecond, alone: u64, taken: &Taken) -> Vec<BytesPerSecond> {
        let share = |&taken: &(LinkId, u64)| {
            let (count, offered) = self.filling(taken, alone)?;
            Some(BytesPerSecond(offered / count.max(1)))
        };
        let shares = taken.iter().filter_map(share);
        let mut rates: Vec<_> = shares.filter(|rate| *rate < solo && rate.0 > 0).collect();
        rates.sort_unstable_by(|a, b| b.cmp(a));
        rates.dedup();
        rates
    }
}
