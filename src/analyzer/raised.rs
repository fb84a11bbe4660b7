//! Bounds of a demand with `T*` over all routes.

use super::t_star::{Certificate, TStarError, t_star};
use crate::base::{Demand, LinkId};
use crate::catalog::{Bounds, Catalog, bounds};
use crate::topology::Topology;

/// Bounds, and what proves `T*` where pairs have several routes.
#[derive(Debug, Clone, PartialEq)]
pub struct RaisedBounds {
    /// The bounds. Where weights of several resources prove the critical one, its link is that with the
    /// most of weight times capacity.
    pub bounds: Bounds,
    /// What proves `T*`; nothing where each pair has one route, and where there are more routes than a
    /// program takes: then `T*` counts what every route of a pair takes, and may be low.
    pub certificate: Option<Certificate>,
}

/// The bounds of `demand` on the machine of `topology`, whose `catalog` or outline it is: those of
/// [`bounds`], with `T*` raised to the least time over all routes where pairs have several. No strict
/// plan is faster than that, so that `T_eff` is no less.
///
/// # Errors
/// [`TStarError`] when a program fails or a time leaves its range.
pub fn raised_bounds(
    topology: &Topology,
    catalog: &Catalog,
    demand: &Demand,
) -> Result<RaisedBounds, TStarError> {
    let mut bounds = bounds(catalog, demand)?;
    if !catalog.has_alternatives() {
        return Ok(RaisedBounds { bounds, certificate: None });
    }
    let found = match t_star(topology, demand) {
        Ok(found) => found,
        Err(TStarError::TooLarge) => return Ok(RaisedBounds { bounds, certificate: None }),
        Err(error) => return Err(error),
    };
    bounds.t_star = bounds.t_star.max(found.time);
    if found.time > bounds.t_eff {
        bounds.t_eff = found.time;
        bounds.alone = None;
        match &found.certificate {
            Certificate::Link(link) => bounds.critical_link = Some(*link),
            Certificate::Weights { resources, .. } => {
                let share = |&(id, weight): &(LinkId, u64)| {
                    let capacity = topology.resources[id.index()].capacity.map_or(0, |rate| rate.0);
                    u128::from(weight) * u128::from(capacity)
                };
                // The first of equals.
                let heaviest = resources.iter().rev().max_by_key(|entry| share(entry));
                bounds.critical_link = heaviest.map(|entry| entry.0).or(bounds.critical_link);
            }
            Certificate::Pair(src, dst) => bounds.alone = Some((*src, *dst)),
            Certificate::Nothing => {}
        }
    }
    Ok(RaisedBounds { bounds, certificate: Some(found.certificate) })
}
