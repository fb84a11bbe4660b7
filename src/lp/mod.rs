//! Linear programs: the only user of the solver.

mod covering;
mod minima;

pub use covering::{Column, Covering, LpError};
pub use minima::{Fitted, Minimum, fit_minima};
