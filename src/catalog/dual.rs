//! Bounds by stored weights.

use super::{Catalog, PlannedRoute};
use crate::base::{Demand, LinkId, Picos, RouteId, UnitOverflow};
use serde::{Deserialize, Serialize};

/// Weights that prove how long a demand takes at least whichever routes its pairs use: those that prove
/// the least time of one demand hold for any other, and may prove less.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DualWeights {
    /// Of resources with a capacity, each once.
    pub resources: Vec<(LinkId, u64)>,
    /// Of routes by what holds them back beside their resources, each once.
    pub routes: Vec<(RouteId, u64)>,
}

impl DualWeights {
    /// The time that no split of `demand` is faster than, rounded down: each byte has the weight of the
    /// lightest route of its pair, and in a unit of time no more than the weighted capacities pass. Zero
    /// where nothing has a weight.
    ///
    /// # Errors
    /// [`UnitOverflow`] when a number leaves its range.
    pub fn bound(&self, catalog: &Catalog, demand: &Demand) -> Result<Picos, UnitOverflow> {
        let product = |weight: u64, by: u64| u128::from(weight) * u128::from(by);
        let of = |id: LinkId| self.resources.iter().find(|entry| entry.0 == id);
        let weight = |index: usize, route: &PlannedRoute| -> u128 {
            let own = self.routes.iter().find(|entry| entry.0 == RouteId::new(index));
            let taken = route.takes().filter_map(of);
            taken.map(|entry| u128::from(entry.1)).sum::<u128>()
                + own.map_or(0, |entry| u128::from(entry.1))
        };
        let mut under = 0u128;
        for &(id, one) in &self.resources {
            let capacity = catalog.capacity(id).ok_or(UnitOverflow)?;
            under = under.checked_add(product(one, capacity.0)).ok_or(UnitOverflow)?;
        }
        for &(id, one) in &self.routes {
            let route = catalog.routes.get(id.index()).ok_or(UnitOverflow)?;
            under = under.checked_add(product(one, route.rate.0)).ok_or(UnitOverflow)?;
        }
        if under == 0 {
            return Ok(Picos(0));
        }
        let mut over = 0u128;
        for pair in catalog.pairs() {
            let routes = &catalog.routes[pair.clone()];
            let bytes = demand.get(routes[0].src, routes[0].dst).0;
            let least = pair.zip(routes).map(|(index, route)| weight(index, route)).min();
            let more = least.unwrap_or_default().checked_mul(u128::from(bytes));
            over = over.checked_add(more.ok_or(UnitOverflow)?).ok_or(UnitOverflow)?;
        }
        Picos::of_fraction(over, under)
    }
}
