//! The solo and the paced rates of routes.
//!
//! `offered(n)` is what a resource offers to `n` transfers of the route's mode over how often the route
//! takes it: without a profile its capacity, whatever `n` is.
//!
//! **Solo.** A route alone reaches the least `offered(1)` of its resources and the caps of its class.
//! Where the least number `n` of transfers at that rate that fills a resource takes more than
//! `offered(n)`, but by at most [`TOLERANCE`] in 100, measured or rounded figures would cost a whole
//! transfer; there the solo rate is the even share `floor(offered(n) / n)` instead. A lower rate may
//! overfill another resource by as little, so this goes on until nothing changes, each time with the
//! largest share; the excess is always counted from the rate of the route alone, so that no route
//! loses more than the tolerance. Only so many transfers count as there are routes over the resource.
//!
//! **Paced.** The even share `floor(offered(n) / n)` of a resource among the least number of transfers
//! that fills it or takes more than it has, where that is less than the solo rate. They are counted at
//! the rate of the route alone: what the tolerance leaves free of other resources is not worth a rate
//! of its own.
//!
//! Both depend on what resources offer, caps, and the number and rates of routes, all of which
//! symmetries keep.

use crate::base::{BytesPerSecond, LinkId, Mode};
use crate::catalog::PlannedRoute;
use crate::topology::{Resource, Route, Topology};

/// By how much transfers may overfill a resource and be slowed to fit, in percent.
const TOLERANCE: u128 = 2;

/// What the rates of the routes of a topology follow from.
pub(super) struct Rates<'a> {
    topology: &'a Topology,
    /// By resource, how many routes take of it.
    crossing: Vec<u64>,
}

impl<'a> Rates<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        Self { topology, crossing: topology.crossings() }
    }

    /// Gives a planned route its rates; `route` is the same as the topology has it.
    pub(super) fn set(&self, planned: &mut PlannedRoute, route: &Route) {
        let taken = self.taken(planned);
        let alone = taken.iter().filter_map(|taken| taken.offered(1)).min();
        let alone = alone.map_or(route.rate.0, |least| least.min(route.rate.0));
        planned.rate = BytesPerSecond(solo(alone, &taken));
        planned.paced = paced(planned.rate, alone, &taken);
    }

    /// The paced rates of a half-route from the solo rate that it has.
    pub(super) fn shares(&self, half: &PlannedRoute) -> Vec<BytesPerSecond> {
        paced(half.rate, half.rate.0, &self.taken(half))
    }

    fn taken(&self, planned: &PlannedRoute) -> Vec<Taken<'_>> {
        let of = |(id, times): (LinkId, u64)| {
            let resource = &self.topology.resources[id.index()];
            Taken { resource, times, mode: planned.mode, routes: self.crossing[id.index()] }
        };
        planned.multiplicities().into_iter().map(of).collect()
    }
}

/// What a route takes of.
struct Taken<'a> {
    resource: &'a Resource,
    times: u64,
    mode: Mode,
    /// How many routes take of it.
    routes: u64,
}

impl Taken<'_> {
    fn offered(&self, transfers: u64) -> Option<u64> {
        Some(self.resource.offers(self.mode, transfers)?.0 / self.times)
    }

    /// The least number of transfers at a rate that fills it, and what it offers to so many.
    fn filled(&self, rate: u64) -> Option<(u64, u64)> {
        if rate == 0 {
            return None;
        }
        let steps = self.resource.efficiency.iter().flat_map(|of| &of.steps);
        let mut starts: Vec<u64> = steps.map(|(from, _)| *from).chain([1]).collect();
        starts.sort_unstable();
        for (index, &start) in starts.iter().enumerate() {
            // The same is offered up to the next start.
            let offered = self.offered(start)?;
            let count = offered.div_ceil(rate).max(start);
            if starts.get(index + 1).is_none_or(|next| count < *next) {
                return Some((count, offered));
            }
        }
        None
    }
}

/// The solo rate of a route that reaches `alone` alone.
fn solo(alone: u64, taken: &[Taken<'_>]) -> u64 {
    let mut rate = alone;
    let share = |rate: u64, taken: &Taken<'_>| {
        let (count, offered) = taken.filled(rate)?;
        let wanted = u128::from(alone) * u128::from(count) * 100;
        let is_near = wanted <= u128::from(offered) * (100 + TOLERANCE);
        // Rounded down, a share may leave room for less than a byte for each.
        let is_share = count > 1 && taken.offered(count - 1)? / (count - 1) == rate;
        let share = offered / count;
        (share < rate && is_near && !is_share && count <= taken.routes).then_some(share)
    };
    while let Some(less) = taken.iter().filter_map(|taken| share(rate, taken)).max() {
        rate = less;
    }
    rate
}

/// The paced rates of a route that runs at `solo` and would reach `alone`, descending.
fn paced(solo: BytesPerSecond, alone: u64, taken: &[Taken<'_>]) -> Vec<BytesPerSecond> {
    let share = |taken: &Taken<'_>| {
        let (count, offered) = taken.filled(alone)?;
        Some(BytesPerSecond(offered / count))
    };
    let shares = taken.iter().filter_map(share);
    let mut rates: Vec<_> = shares.filter(|rate| *rate < solo && rate.0 > 0).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    rates.dedup();
    rates
}
