//! Min-congestion programs: bytes of commodities are split over routes so that the fullest resource,
//! by load over capacity, is as little full as it can be.
//!
//! The dual gives each resource a weight. Whatever the weights are, no split is faster than the sum of
//! weight times fixed load, plus each commodity's bytes times the least weight of its routes, over the
//! sum of weight times capacity: each byte adds the weight of its route to the weighted load, and in a
//! time T no more than T times the weighted capacity is carried. Weights are whole numbers here and
//! that quotient is worked out exactly, so that it holds however the weights were found.
//!
//! What shares no resource through any commodity is solved apart.

use super::covering::LpError;
use super::normalised::Normalised;
use std::collections::BTreeMap;

/// The largest relative gap between the two ends of an answer.
const GAP: f64 = 1e-6;
/// The largest weight: exact in every tool that reads numbers of JSON as doubles.
const LARGEST_WEIGHT: f64 = (1u64 << 52) as f64;

/// The resources that a route takes, ascending, each with how often (at least once).
pub type RouteLoad = Vec<(u32, u64)>;

/// Bytes that may take several routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commodity {
    /// How many.
    pub bytes: u64,
    /// The routes; at least one.
    pub routes: Vec<RouteLoad>,
}

/// A min-congestion program in bytes and bytes a second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Congestion {
    capacities: Vec<u64>,
    fixed: Vec<u64>,
    commodities: Vec<Commodity>,
}

/// A fraction of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds {
    /// Numerator.
    pub over: u128,
    /// Denominator, not zero.
    pub under: u128,
}

impl Seconds {
    /// For texts and comparisons within tolerances.
    #[must_use]
    pub fn approximate(self) -> f64 {
        self.over as f64 / self.under as f64
    }
}

/// The answer to a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Congested {
    /// By commodity and route: bytes, which add up to those of the commodity.
    pub split: Vec<Vec<u64>>,
    /// What the best split takes where bytes may be divided, in seconds; not exact.
    pub upper: f64,
    /// A weight for each resource, not all zero.
    pub weights: Vec<u64>,
    /// What no split is faster than, by these weights.
    pub lower: Seconds,
    /// (upper - lower) / upper; 0 without load.
    pub gap: f64,
}

impl Congestion {
    /// A program over resources of these capacities, each at least 1.
    #[must_use]
    pub fn new(capacities: Vec<u64>) -> Self {
        let fixed = vec![0; capacities.len()];
        Self { capacities, fixed, commodities: Vec::new() }
    }

    /// Adds bytes that cross a resource in any case.
    ///
    /// # Errors
    /// [`LpError`] when the load leaves 64 bits.
    pub fn add_load(&mut self, resource: u32, bytes: u64, times: u64) -> Result<(), LpError> {
        let load = &mut self.fixed[resource as usize];
        *load = bytes.checked_mul(times).and_then(|all| all.checked_add(*load)).ok_or_else(wide)?;
        Ok(())
    }

    /// Adds a commodity.
    pub fn add(&mut self, commodity: Commodity) {
        self.commodities.push(commodity);
    }

    /// The capacities, bytes a second.
    #[must_use]
    pub fn capacities(&self) -> &[u64] {
        &self.capacities
    }

    /// What crosses each resource in any case, bytes.
    #[must_use]
    pub fn fixed(&self) -> &[u64] {
        &self.fixed
    }

    /// The commodities.
    #[must_use]
    pub fn commodities(&self) -> &[Commodity] {
        &self.commodities
    }

    /// The least time, the split that takes it and weights that prove it.
    ///
    /// # Errors
    /// [`LpError`] when the solver fails, when the ends of the answer lie apart by more than a
    /// millionth, or when a sum leaves its range.
    pub fn solve(&self) -> Result<Congested, LpError> {
        let mut split: Vec<Vec<u64>> =
            self.commodities.iter().map(|commodity| vec![0; commodity.routes.len()]).collect();
        let (mut upper, mut weights) = (-1.0, vec![0; self.capacities.len()]);
        for (resources, commodities) in self.parts() {
            let found = Normalised::new(self, &resources, &commodities).solve()?;
            for (&commodity, fractions) in commodities.iter().zip(&found.fractions) {
                split[commodity] = whole_bytes(self.commodities[commodity].bytes, fractions);
            }
            if found.seconds > upper {
                upper = found.seconds;
                weights = vec![0; self.capacities.len()];
                let largest = found.weights.iter().copied().fold(0.0, f64::max);
                for (&resource, weight) in resources.iter().zip(&found.weights) {
                    weights[resource] = (weight / largest * LARGEST_WEIGHT).round() as u64;
                }
            }
        }
        let upper = f64::max(upper, 0.0);
        let lower = self.bound(&weights)?;
        let gap = if upper > 0.0 { (upper - lower.approximate()) / upper } else { 0.0 };
        if gap.abs() > GAP {
            return Err(LpError::Check(format!("the ends of an answer lie apart by {gap:e}")));
        }
        Ok(Congested { split, upper, weights, lower, gap })
    }

    /// What no split is faster than by these weights, one a resource, worked out exactly.
    ///
    /// # Errors
    /// [`LpError`] when a sum leaves its range.
    pub fn bound(&self, weights: &[u64]) -> Result<Seconds, LpError> {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let mut under = 0u128;
        let mut over = 0u128;
        for ((&weight, &capacity), &load) in weights.iter().zip(&self.capacities).zip(&self.fixed) {
            under = under.checked_add(product(weight, capacity)).ok_or_else(wide)?;
            over = over.checked_add(product(weight, load)).ok_or_else(wide)?;
        }
        for commodity in &self.commodities {
            let of = |route: &RouteLoad| {
                let parts = route.iter().map(|&(at, times)| product(weights[at as usize], times));
                parts.sum::<u128>()
            };
            let least = commodity.routes.iter().map(of).min().unwrap_or_default();
            let more = least.checked_mul(u128::from(commodity.bytes)).ok_or_else(wide)?;
            over = over.checked_add(more).ok_or_else(wide)?;
        }
        if under == 0 { Ok(Seconds { over: 0, under: 1 }) } else { Ok(Seconds { over, under }) }
    }

    /// Resources, and the commodities between them, that have nothing to do with other ones.
    fn parts(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let demanded = |index: &usize| self.commodities[*index].bytes > 0;
        let demanded: Vec<usize> = (0..self.commodities.len()).filter(demanded).collect();
        let mut takers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &index in &demanded {
            for &(resource, _) in self.commodities[index].routes.iter().flatten() {
                takers.entry(resource).or_default().push(index);
            }
        }
        let mut met = vec![false; self.capacities.len()];
        let mut seen = vec![false; self.commodities.len()];
        let mut parts = Vec::new();
        for start in 0..self.capacities.len() {
            if std::mem::replace(&mut met[start], true) {
                continue;
            }
            let (mut resources, mut commodities) = (vec![start], Vec::new());
            let mut next = 0;
            while let Some(&resource) = resources.get(next) {
                next += 1;
                for &index in takers.get(&(resource as u32)).into_iter().flatten() {
                    if std::mem::replace(&mut seen[index], true) {
                        continue;
                    }
                    commodities.push(index);
                    for &(other, _) in self.commodities[index].routes.iter().flatten() {
                        if !std::mem::replace(&mut met[other as usize], true) {
                            resources.push(other as usize);
                        }
                    }
                }
            }
            resources.sort_unstable();
            commodities.sort_unstable();
            parts.push((resources, commodities));
        }
        parts
    }
}

fn wide() -> LpError {
    LpError::Check("a load leaves its range".to_owned())
}

/// Fractions that add up to 1 as whole bytes that add up to `bytes`.
fn whole_bytes(bytes: u64, fractions: &[f64]) -> Vec<u64> {
    let mut left = bytes;
    let mut split: Vec<u64> = Vec::with_capacity(fractions.len());
    for fraction in fractions {
        let part = ((bytes as f64 * fraction) as u64).min(left);
        left -= part;
        split.push(part);
    }
    let largest = (0..split.len()).max_by_key(|&at| (split[at], std::cmp::Reverse(at)));
    if let Some(largest) = largest {
        split[largest] += left;
    }
    split
}
