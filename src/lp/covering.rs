//! Covering programs by their packing dual: maximise `weights . y` with `y >= 0` and the sum of `y`
//! over each column's rows, each times the part that the column covers of it, at most one.
//!
//! The solver works in floating point with absolute tolerances, so the weights are normalised to
//! about 1..1000 before it sees them and every answer is checked here afterwards.

use minilp::{ComparisonOp, OptimizationDirection, Problem};
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LpError {
    /// The solver gave up or contradicted itself.
    #[error("the linear program's solver failed: {0}")]
    Solver(String),
    /// The answer violates a constraint beyond tolerance.
    #[error("the linear program's answer fails its check: {0}")]
    Check(String),
}

/// Largest violation of a constraint that still counts as rounding.
const TOLERANCE: f64 = 1e-6;
/// No program of this size takes longer on any machine worth using.
const LIMIT: Duration = Duration::from_secs(60);

/// The rows that a column covers, ascending, each with how much of a unit it covers of it: above 0,
/// at most 1.
pub type Column = Vec<(u32, f64)>;

/// A packing program over rows with columns added one batch after the other.
#[derive(Debug, Clone)]
pub struct Covering {
    weights: Vec<f64>,
    columns: Vec<Column>,
}

impl Covering {
    /// A program with one variable a weight. Weights are positive; their largest becomes 1000.
    #[must_use]
    pub fn new(weights: &[f64]) -> Self {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let scale = if largest > 0.0 { 1000.0 / largest } else { 1.0 };
        Self { weights: weights.iter().map(|w| w * scale).collect(), columns: Vec::new() }
    }

    /// Adds a column; its rows are below the number of weights.
    pub fn add_column(&mut self, column: Column) {
        self.columns.push(column);
    }

    /// The columns so far.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The dual values `y` of the best solution over the columns so far; every row lies in a column.
    ///
    /// # Errors
    /// [`LpError`] when the solver fails or its answer does not hold.
    pub fn duals(&self) -> Result<Vec<f64>, LpError> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<_> =
            self.weights.iter().map(|&weight| problem.add_var(weight, (0.0, 1.0))).collect();
        for column in &self.columns {
            let terms: Vec<_> =
                column.iter().map(|&(row, part)| (variables[row as usize], part)).collect();
            problem.add_constraint(&terms[..], ComparisonOp::Le, 1.0);
        }
        let values = solve(problem, &variables)?;
        for column in &self.columns {
            let sum: f64 = column.iter().map(|&(row, part)| values[row as usize] * part).sum();
            if sum > 1.0 + TOLERANCE {
                return Err(LpError::Check(format!("a column adds up to {sum}")));
            }
        }
        if values.iter().any(|value| *value < -TOLERANCE) {
            return Err(LpError::Check("a dual value is negative".to_owned()));
        }
        Ok(values.into_iter().map(|value| value.max(0.0)).collect())
    }

    /// Times `x` a column that cover every row's weight at the least sum, in the caller's units.
    ///
    /// # Errors
    /// [`LpError`] when the solver fails or its answer does not hold.
    pub fn cover(&self) -> Result<Vec<f64>, LpError> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<_> =
            self.columns.iter().map(|_| problem.add_var(1.0, (0.0, f64::INFINITY))).collect();
        for (row, &weight) in self.weights.iter().enumerate() {
            let terms: Vec<_> = self
                .columns
                .iter()
                .zip(&variables)
                .filter_map(|(column, &variable)| Some((variable, part(column, row)?)))
                .collect();
            problem.add_constraint(&terms[..], ComparisonOp::Ge, weight);
        }
        let values = solve(problem, &variables)?;
        for (row, &weight) in self.weights.iter().enumerate() {
            let covered: f64 = self
                .columns
                .iter()
                .zip(&values)
                .filter_map(|(column, value)| Some(value * part(column, row)?))
                .sum();
            if covered < weight * (1.0 - TOLERANCE) - TOLERANCE {
                return Err(LpError::Check(format!("a row is covered {covered} of {weight}")));
            }
        }
        Ok(values)
    }

    /// The weights as the solver sees them, at most 1000.
    #[must_use]
    pub fn normalised_weights(&self) -> &[f64] {
        &self.weights
    }
}

/// How much a column covers of a row; nothing where it does not have it.
fn part(column: &Column, row: usize) -> Option<f64> {
    let at = column.binary_search_by_key(&(row as u32), |entry| entry.0).ok()?;
    Some(column[at].1)
}

pub(super) fn solve(
    mut problem: Problem,
    variables: &[minilp::Variable],
) -> Result<Vec<f64>, LpError> {
    problem.set_time_limit(LIMIT);
    let outcome = problem.solve().map_err(|error| LpError::Solver(error.to_string()))?;
    let solution = outcome
        .into_solution()
        .map_err(|_| LpError::Solver("no optimum within the time limit".to_owned()))?;
    Ok(variables.iter().map(|&variable| solution.var_value(variable)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng as _, SeedableRng as _};

    /// The same packing program by the solver that the present one continues.
    fn by_the_original(weights: &[f64], columns: &[Column]) -> f64 {
        use minilp_original::{ComparisonOp, OptimizationDirection, Problem};
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<_> =
            weights.iter().map(|&weight| problem.add_var(weight, (0.0, 1.0))).collect();
        for column in columns {
            let terms: Vec<_> =
                column.iter().map(|&(row, part)| (variables[row as usize], part)).collect();
            problem.add_constraint(&terms[..], ComparisonOp::Le, 1.0);
        }
        problem.solve().expect("an optimum").objective()
    }

    #[test]
    fn dual_primal_and_another_solver_agree() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for _ in 0..40 {
            let rows: u32 = random.random_range(2..24);
            let weights: Vec<f64> = (0..rows).map(|_| random.random_range(1e6..1e12)).collect();
            let mut program = Covering::new(&weights);
            for row in 0..rows {
                program.add_column(vec![(row, 1.0)]);
            }
            for _ in 0..rows * 3 {
                let mut part =
                    || if random.random_bool(0.5) { 1.0 } else { random.random_range(0.2..1.0) };
                let parts: Vec<f64> = (0..rows).map(|_| part()).collect();
                let chosen = (0..rows).filter(|_| random.random_bool(0.3));
                program.add_column(chosen.map(|row| (row, parts[row as usize])).collect());
            }
            let normalised = program.normalised_weights();
            let values = program.duals().expect("duals");
            let dual: f64 = normalised.iter().zip(&values).map(|(w, y)| w * y).sum();
            let primal: f64 = program.cover().expect("a cover").iter().sum();
            let original = by_the_original(normalised, program.columns());
            assert!((dual - primal).abs() <= 1e-6 * dual, "{dual} {primal}");
            assert!((dual - original).abs() <= 1e-6 * dual, "{dual} {original}");
        }
    }
}
