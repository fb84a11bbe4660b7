//! The exact optimum over channels, by column generation: the yardstick of plans.
//!
//! A demand is covered by giving each channel a time so that every transfer runs long enough; the
//! least total time is a linear program with a column a channel. Only columns that improve are made:
//! the dual program values each transfer, and a channel worth more than one is a new column. When
//! none is, the optimum is found. Once the total reaches the bound by single resources it is found, too.

use super::exact_price::Pricing;
use crate::base::{Demand, Picos, UnitOverflow};
use crate::catalog::{Bounds, Catalog, Paces, bounds};
use crate::lp::{Covering, LpError};

/// Why there is no optimum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExactError {
    /// The linear program failed.
    #[error(transparent)]
    Lp(#[from] LpError),
    /// A time leaves its range.
    #[error(transparent)]
    Overflow(#[from] UnitOverflow),
}

/// Where the optimum lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// No plan is shorter: the bound by single resources or a dual solution scaled to hold.
    pub lower: Picos,
    /// A preemptive plan of this length exists.
    pub upper: Picos,
}

/// Rounds of column generation; the platforms tried need fewer than a hundred.
const ROUNDS: usize = 400;
/// Sets of transfers that the exhaustive searches of all rounds try before they give up. A count, not a
/// time, so that the answer is the same everywhere.
const NODES: u64 = 20_000_000;
/// Relative gap at which a bound counts as reached.
const CLOSE: f64 = 1e-7;

/// The exact optimum for a demand, over strict or over two-rate channels. `upper` is the length of a
/// known plan: where it equals the bound by single resources there is nothing to search.
///
/// # Errors
/// [`ExactError`] when the solver fails or a time leaves its range.
pub fn exact_optimum(
    catalog: &Catalog,
    demand: &Demand,
    paces: Paces,
    upper: Option<Picos>,
) -> Result<Exact, ExactError> {
    let Bounds { t_star, t_eff, .. } = bounds(catalog, demand)?;
    let least = if paces == Paces::Solo { t_eff } else { t_star };
    if least.0 == 0 {
        return Ok(Exact { lower: least, upper: least });
    }
    // The bound is rounded down and plans round each piece up: a nanosecond is no difference.
    if let Some(upper) = upper.filter(|upper| upper.0 <= least.0 + 1000) {
        return Ok(Exact { lower: least, upper });
    }
    // A row for each demanded pair: how long it takes over the fastest of its routes.
    let mut times = Vec::new();
    let mut pairs = Vec::new();
    for pair in catalog.pairs() {
        let routes = &catalog.routes[pair.clone()];
        let fastest = routes.iter().map(|route| route.rate).max().unwrap_or_default();
        let time = fastest.time_of(demand.get(routes[0].src, routes[0].dst))?;
        if time.0 > 0 {
            times.push(time.0 as f64);
            pairs.push(pair);
        }
    }
    let pricing = Pricing::new(catalog, &pairs, paces);
    let mut program = Covering::new(&times);
    for transfer in 0..pricing.transfers() {
        program.add_column(pricing.greedy(&[(transfer, 0)], &pricing.worths(&times)));
    }
    let largest = times.iter().copied().fold(0.0, f64::max);
    let unit = largest / 1000.0;
    let bound = least.0 as f64;
    let mut lower = bound;
    let mut left = NODES;
    for _ in 0..ROUNDS {
        let values = program.duals()?;
        let weights = program.normalised_weights();
        let total: f64 = weights.iter().zip(&values).map(|(w, y)| w * y).sum::<f64>() * unit;
        if total <= bound * (1.0 + CLOSE) {
            break;
        }
        let mut columns = pricing.improving(&values);
        if columns.is_empty() {
            if left == 0 {
                break;
            }
            let best = pricing.best(&values, left);
            left = left.saturating_sub(best.nodes);
            if best.complete {
                // Divided by the worth of the best channel the values satisfy every column.
                lower = lower.max(total / best.worth.max(1.0));
            }
            if best.worth <= 1.0 + CLOSE {
                break;
            }
            columns.push(best.column);
        }
        for column in columns {
            program.add_column(column);
        }
        if total <= lower * (1.0 + CLOSE) {
            break;
        }
    }
    let cover: f64 = program.cover()?.iter().sum::<f64>() * unit;
    let lower = Picos((lower * (1.0 - 1e-9)) as u64).max(least);
    let upper = Picos((cover * (1.0 + 1e-6)).ceil() as u64).max(lower);
    Ok(Exact { lower, upper })
}
