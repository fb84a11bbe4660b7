//! A part of a min-congestion program in the solver's units.

use super::congestion::{Congestion, RouteLoad};
use super::covering::{LpError, solve};
use minilp::{ComparisonOp, OptimizationDirection, Problem};
use std::collections::BTreeSet;

/// The largest commodity or fixed load, the largest capacity and the sum of weights as the solver sees
/// them: its tolerances are absolute, about 1e-7.
const LARGEST: f64 = 1000.0;
/// A resource that is so much less full than the fullest has no weight.
const FULL: f64 = 1e-6;

/// Bytes and capacities scaled to at most [`LARGEST`]. It is made from bytes and bytes a second only,
/// so that nothing reaches the solver in other units.
pub(super) struct Normalised {
    capacities: Vec<f64>,
    fixed: Vec<f64>,
    commodities: Vec<(f64, Vec<RouteLoad>)>,
    /// A unit of time in seconds.
    second: f64,
}

/// The answer of a part.
pub(super) struct Part {
    /// By commodity and route; those of a commodity add up to 1.
    pub(super) fractions: Vec<Vec<f64>>,
    /// How long this split takes.
    pub(super) seconds: f64,
    /// The weight of each resource.
    pub(super) weights: Vec<f64>,
}

impl Normalised {
    /// The part of `program` with these resources (positions, ascending) and commodities, whose routes
    /// take no others.
    pub(super) fn new(program: &Congestion, resources: &[usize], commodities: &[usize]) -> Self {
        let capacity = |&at: &usize| program.capacities()[at] as f64;
        let load = |&at: &usize| program.fixed()[at] as f64;
        let bytes = |&at: &usize| program.commodities()[at].bytes as f64;
        let widest = resources.iter().map(capacity).fold(1.0, f64::max);
        let loads = resources.iter().map(load);
        let most = loads.chain(commodities.iter().map(bytes)).fold(1.0, f64::max);
        let local = |route: &RouteLoad| -> RouteLoad {
            let place = |at: u32| resources.partition_point(|&other| other < at as usize) as u32;
            route.iter().map(|&(at, times)| (place(at), times)).collect()
        };
        let commodity = |at: &usize| {
            let routes = program.commodities()[*at].routes.iter().map(local);
            (bytes(at) / most * LARGEST, routes.collect())
        };
        Self {
            capacities: resources.iter().map(|at| capacity(at) / widest * LARGEST).collect(),
            fixed: resources.iter().map(|at| load(at) / most * LARGEST).collect(),
            commodities: commodities.iter().map(commodity).collect(),
            second: most / widest,
        }
    }

    /// Splits and weighs.
    pub(super) fn solve(&self) -> Result<Part, LpError> {
        let fractions = self.split()?;
        let full = self.fullness(&fractions);
        let most = full.iter().copied().fold(0.0, f64::max);
        let tight: Vec<usize> =
            (0..full.len()).filter(|&at| full[at] >= most * (1.0 - FULL)).collect();
        let weights = self.weigh(&fractions, &tight)?;
        Ok(Part { fractions, seconds: most * self.second, weights })
    }

    /// The fractions of each commodity by route at the least time.
    fn split(&self) -> Result<Vec<Vec<f64>>, LpError> {
        if self.commodities.iter().all(|(_, routes)| routes.len() == 1) {
            return Ok(vec![vec![1.0]; self.commodities.len()]);
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let time = problem.add_var(1.0, (0.0, f64::INFINITY));
        let mut variables = Vec::new();
        let mut rows: Vec<Vec<(minilp::Variable, f64)>> =
            self.capacities.iter().map(|capacity| vec![(time, -capacity / LARGEST)]).collect();
        for (bytes, routes) in &self.commodities {
            let own: Vec<_> = routes.iter().map(|_| problem.add_var(0.0, (0.0, *bytes))).collect();
            let sum: Vec<_> = own.iter().map(|&variable| (variable, 1.0)).collect();
            problem.add_constraint(&sum[..], ComparisonOp::Eq, *bytes);
            for (route, &variable) in routes.iter().zip(&own) {
                for &(at, times) in route {
                    rows[at as usize].push((variable, times as f64));
                }
            }
            variables.extend(own);
        }
        for (row, fixed) in rows.iter().zip(&self.fixed) {
            problem.add_constraint(&row[..], ComparisonOp::Le, -fixed);
        }
        let values = solve(problem, &variables)?;
        let mut values = values.into_iter().map(|value| value.max(0.0));
        // Scaled to add up, so that the split is one whatever the solver's tolerance was.
        let fractions = self.commodities.iter().map(|(bytes, routes)| {
            let parts: Vec<f64> = values.by_ref().take(routes.len()).collect();
            let sum: f64 = parts.iter().sum();
            if (sum - bytes).abs() > 1e-6 * bytes.max(1.0) {
                return Err(LpError::Check(format!("a commodity of {bytes} is split into {sum}")));
            }
            if sum > 0.0 {
                return Ok(parts.iter().map(|part| part / sum).collect());
            }
            // So little that the solver takes it for nothing.
            Ok((0..routes.len()).map(|at| f64::from(u8::from(at == 0))).collect())
        });
        fractions.collect()
    }

    /// Load over capacity of each resource.
    fn fullness(&self, fractions: &[Vec<f64>]) -> Vec<f64> {
        let mut loads = self.fixed.clone();
        for ((bytes, routes), fractions) in self.commodities.iter().zip(fractions) {
            for (route, fraction) in routes.iter().zip(fractions) {
                for &(at, times) in route {
                    loads[at as usize] += bytes * fraction * times as f64;
                }
            }
        }
        loads.iter().zip(&self.capacities).map(|(load, capacity)| load / capacity).collect()
    }

    /// Weights of resources that prove the split best. What is not full weighs nothing and the routes
    /// that are used are the lightest of their commodities, as in every optimum, so that the program
    /// has the full resources as its variables alone.
    fn weigh(&self, fractions: &[Vec<f64>], tight: &[usize]) -> Result<Vec<f64>, LpError> {
        let mut weights = vec![0.0; self.capacities.len()];
        if let [only] = tight {
            weights[*only] = 1.0;
            return Ok(weights);
        }
        let place: Vec<Option<usize>> =
            (0..weights.len()).map(|at| tight.binary_search(&at).ok()).collect();
        let mut gains: Vec<f64> = tight.iter().map(|&at| self.fixed[at]).collect();
        let mut rows: BTreeSet<Vec<(usize, i64)>> = BTreeSet::new();
        for ((bytes, routes), fractions) in self.commodities.iter().zip(fractions) {
            let most = (0..routes.len()).max_by(|&a, &b| fractions[a].total_cmp(&fractions[b]));
            let Some(most) = most else { continue };
            for &(at, times) in &routes[most] {
                if let Some(at) = place[at as usize] {
                    gains[at] += bytes * times as f64;
                }
            }
            for other in routes.iter().filter(|&other| *other != routes[most]) {
                let row = difference(&routes[most], other, &place);
                if row.iter().any(|entry| entry.1 > 0) {
                    rows.insert(row);
                }
            }
        }
        // A variable is weight times capacity.
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<_> = tight
            .iter()
            .zip(&gains)
            .map(|(&at, gain)| problem.add_var(gain / self.capacities[at], (0.0, LARGEST)))
            .collect();
        let sum: Vec<_> = variables.iter().map(|&variable| (variable, 1.0)).collect();
        problem.add_constraint(&sum[..], ComparisonOp::Eq, LARGEST);
        for row in &rows {
            let capacity = |&(at, _): &(usize, i64)| self.capacities[tight[at]];
            let least = row.iter().map(capacity).fold(f64::INFINITY, f64::min);
            let term = |entry: &(usize, i64)| {
                (variables[entry.0], entry.1 as f64 * least / capacity(entry))
            };
            let terms: Vec<_> = row.iter().map(term).collect();
            problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
        }
        let values = solve(problem, &variables)?;
        for (&at, value) in tight.iter().zip(values) {
            weights[at] = value.max(0.0) / self.capacities[at];
        }
        Ok(weights)
    }
}

/// How much more often `one` takes each of the placed resources than `other`.
fn difference(one: &RouteLoad, other: &RouteLoad, place: &[Option<usize>]) -> Vec<(usize, i64)> {
    let signed = |route: &RouteLoad, sign: i64| -> Vec<(usize, i64)> {
        let placed = route.iter().filter_map(|&(at, times)| Some((place[at as usize]?, times)));
        placed.map(|(at, times)| (at, sign * times as i64)).collect()
    };
    let mut all = signed(one, 1);
    all.extend(signed(other, -1));
    all.sort_unstable();
    let mut row: Vec<(usize, i64)> = Vec::with_capacity(all.len());
    for (at, times) in all {
        match row.last_mut() {
            Some(last) if last.0 == at => last.1 += times,
            _ => row.push((at, times)),
        }
    }
    row.retain(|entry| entry.1 != 0);
    row
}
