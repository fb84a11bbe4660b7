//! Variables fitted so that minima over them come near to observed values: least relative residuals.
//!
//! An observed value is predicted as the least of `variable / load` over a list of variables, and of a
//! constant. What lies below the observed value is linear; what lies above is not, so each round
//! charges it at the variable that binds at present, which is never too little, and solves a linear
//! program. The error falls from round to round.

use super::covering::{LpError, solve};
use minilp::{ComparisonOp, OptimizationDirection, Problem};

/// What a variable's size costs beside the residuals, so that a value that nothing determines becomes
/// the least one that the observations allow.
const WEIGHT_OF_SIZE: f64 = 1e-4;
/// The largest of the observed values as the solver sees it.
const SCALE: f64 = 100.0;
/// How many values stand for the observations of one prediction: neighbours in size are gathered
/// around their median.
const VALUES: usize = 64;
/// Largest violation that still counts as rounding, in units of [`SCALE`].
const TOLERANCE: f64 = 1e-5;

/// Observed values that one prediction stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// What the prediction is at most whatever the variables are; may be infinite.
    pub constant: f64,
    /// The variables that bound it (positions), each with its load, which is positive.
    pub terms: Vec<(usize, f64)>,
    /// What was observed, each positive and finite.
    pub observed: Vec<f64>,
}

/// Values of the variables, and how far predictions lie from what was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// One a variable.
    pub values: Vec<f64>,
    /// The sum of |predicted - observed| / observed.
    pub residual: f64,
}

impl Minimum {
    /// The prediction and, where a variable binds, the position of its term.
    fn predict(&self, values: &[f64]) -> (f64, Option<usize>) {
        let mut least = (self.constant, None);
        for (at, &(variable, load)) in self.terms.iter().enumerate() {
            let bound = values[variable] / load;
            if bound < least.0 {
                least = (bound, Some(at));
            }
        }
        least
    }
}

/// A minimum with values that stand for what was observed, each with the cost of a unit of distance.
struct Gathered {
    minimum: Minimum,
    weights: Vec<f64>,
}

impl Gathered {
    /// In units of the solver.
    fn new(minimum: &Minimum, scale: f64) -> Self {
        let mut observed: Vec<f64> = minimum.observed.iter().map(|value| value * scale).collect();
        observed.sort_by(f64::total_cmp);
        let chunks: Vec<&[f64]> = if observed.len() <= VALUES {
            observed.chunk_by(|a, b| a.to_bits() == b.to_bits()).collect()
        } else {
            observed.chunks(observed.len().div_ceil(VALUES)).collect()
        };
        let weights = chunks.iter().map(|chunk| chunk.iter().map(|value| 1.0 / value).sum());
        let weights = weights.collect();
        let observed = chunks.iter().map(|chunk| chunk[chunk.len() / 2]).collect();
        let constant = minimum.constant * scale;
        Self { minimum: Minimum { constant, terms: minimum.terms.clone(), observed }, weights }
    }

    fn residual(&self, values: &[f64]) -> f64 {
        let predicted = self.minimum.predict(values).0;
        let all = self.minimum.observed.iter().zip(&self.weights);
        all.map(|(observed, weight)| (predicted - observed).abs() * weight).sum()
    }
}

/// Fits the variables, which stay within `bounds`, from the values `start` on, until the residual
/// falls no more or for so many `rounds`; three or four are usual.
///
/// # Errors
/// [`LpError`] when the solver fails or its answer does not hold.
pub fn fit_minima(
    minima: &[Minimum],
    bounds: &[(f64, f64)],
    start: &[f64],
    rounds: usize,
) -> Result<Fitted, LpError> {
    let largest = minima.iter().flat_map(|m| &m.observed).copied().fold(0.0, f64::max);
    let scale = if largest > 0.0 { SCALE / largest } else { 1.0 };
    let gathered: Vec<Gathered> = minima.iter().map(|one| Gathered::new(one, scale)).collect();
    let residual =
        |values: &[f64]| -> f64 { gathered.iter().map(|one| one.residual(values)).sum() };
    let bounds: Vec<_> = bounds.iter().map(|(low, high)| (low * scale, high * scale)).collect();
    let clamped = start.iter().zip(&bounds);
    let mut values: Vec<f64> =
        clamped.map(|(value, (low, high))| (value * scale).clamp(*low, *high)).collect();
    let mut best = residual(&values);
    for _ in 0..rounds {
        let next = round(&gathered, &bounds, &values)?;
        let error = residual(&next);
        if error > best + TOLERANCE * gathered.len() as f64 {
            return Err(LpError::Check(format!("the residual rises from {best} to {error}")));
        }
        let settled = error > best - TOLERANCE;
        (values, best) = (next, error);
        if settled {
            break;
        }
    }
    let values: Vec<f64> = values.iter().map(|value| value / scale).collect();
    let of = |minimum: &Minimum| -> f64 {
        let predicted = minimum.predict(&values).0;
        minimum.observed.iter().map(|observed| (predicted - observed).abs() / observed).sum()
    };
    let residual = minima.iter().map(of).sum();
    Ok(Fitted { values, residual })
}

fn round(minima: &[Gathered], bounds: &[(f64, f64)], values: &[f64]) -> Result<Vec<f64>, LpError> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let variables: Vec<_> =
        bounds.iter().map(|&range| problem.add_var(WEIGHT_OF_SIZE, range)).collect();
    for Gathered { minimum, weights } in minima {
        let binding = minimum.predict(values).1.map(|at| minimum.terms[at]);
        let below = problem.add_var(0.0, (0.0, minimum.constant));
        for &(variable, load) in &minimum.terms {
            let terms = [(below, load), (variables[variable], -1.0)];
            problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
        }
        for (&observed, &weight) in minimum.observed.iter().zip(weights) {
            let over = match binding {
                None => (minimum.constant - observed).max(0.0),
                Some(_) => 0.0,
            };
            let distance = problem.add_var(weight, (over, f64::INFINITY));
            let terms = [(distance, 1.0), (below, 1.0)];
            problem.add_constraint(&terms[..], ComparisonOp::Ge, observed);
            if let Some((variable, load)) = binding {
                let terms = [(distance, 1.0), (variables[variable], -1.0 / load)];
                problem.add_constraint(&terms[..], ComparisonOp::Ge, -observed);
            }
        }
    }
    let found = solve(problem, &variables)?;
    for (value, (low, high)) in found.iter().zip(bounds) {
        if !(low - TOLERANCE..=high + TOLERANCE).contains(value) {
            return Err(LpError::Check(format!("{value} lies outside {low} to {high}")));
        }
    }
    Ok(found.iter().zip(bounds).map(|(value, (low, high))| value.clamp(*low, *high)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng as _, SeedableRng as _};

    fn minimum(constant: f64, terms: &[(usize, f64)], observed: &[f64]) -> Minimum {
        Minimum { constant, terms: terms.to_vec(), observed: observed.to_vec() }
    }

    #[test]
    fn a_median_and_a_bound() {
        let minima = [
            minimum(f64::INFINITY, &[(0, 1.0)], &[20e9, 21e9, 40e9]),
            minimum(f64::INFINITY, &[(0, 1.0), (1, 1.0)], &[10e9]),
            minimum(f64::INFINITY, &[(0, 0.5)], &[42e9]),
            // Below what its other variable gives: the least value that is enough.
            minimum(f64::INFINITY, &[(0, 1.0), (2, 2.0)], &[21e9]),
        ];
        let bounds = [(1e6, 1e13); 3];
        let fitted = fit_minima(&minima, &bounds, &[40e9, 40e9, 90e9], 20).expect("a fit");
        let expected = [21e9, 10e9, 42e9];
        for (value, expected) in fitted.values.iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-4, "{:?}", fitted.values);
        }
    }

    #[test]
    fn bounds_and_constants_hold() {
        let minima = [minimum(15.0, &[(0, 1.0)], &[20.0]), minimum(99.0, &[(0, 1.0)], &[12.0])];
        let fitted = fit_minima(&minima, &[(1.0, 11.0)], &[50.0], 20).expect("a fit");
        assert!((fitted.values[0] - 11.0).abs() < 1e-6);
        assert!((fitted.residual - (9.0 / 20.0 + 1.0 / 12.0)).abs() < 1e-6);
    }

    #[test]
    fn exact_observations_are_met() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20 {
            // A star: each port has a rate, each pair the lower of two.
            let ports: Vec<f64> = (0..6).map(|_| random.random_range(1e9..60e9)).collect();
            let mut minima = Vec::new();
            for a in 0..6 {
                for b in 0..a {
                    let observed = f64::min(ports[a], ports[b]);
                    let terms = [(a, 1.0), (b, 1.0)];
                    minima.push(minimum(f64::INFINITY, &terms, &[observed]));
                }
            }
            let least = |port: usize| {
                let of = minima.iter().filter(|m| m.terms.iter().any(|term| term.0 == port));
                of.map(|m| m.observed[0]).fold(0.0, f64::max)
            };
            let start: Vec<f64> = (0..6).map(least).collect();
            let fitted = fit_minima(&minima, &[(1e6, 1e13); 6], &start, 20).expect("a fit");
            assert!(fitted.residual < 1e-3, "{}", fitted.residual);
        }
    }
}
