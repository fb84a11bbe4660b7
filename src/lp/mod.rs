//! Linear programs: the only user of the solver.

mod congestion;
mod covering;
mod minima;
mod normalised;

pub use congestion::{Commodity, Congested, Congestion, RouteLoad, Seconds};
pub use covering::{Column, Covering, LpError};
pub use minima::{Fitted, Minimum, fit_minima};
