//! Linear programs: the only user of the solver.

mod covering;

pub use covering::{Column, Covering, LpError};
