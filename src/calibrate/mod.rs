//! Measurements to rates, caps and totals: what a topology file should say so that it predicts what
//! was measured.
//!
//! **Prediction.** A transfer alone reaches the least of the capacities on its way and of the caps of
//! its class. Transfers that run together in given proportions reach, together, the least over all
//! resources of capacity over load, the load being what one byte of the whole puts on the resource;
//! a transfer and its reverse move equally many bytes, so each is half. (`observe.rs`)
//!
//! **Fit.** Every figure of the file is a variable or stays. At first only those are variables that
//! are unknown, or lower than what was measured over them. Then whatever explains most is freed, one
//! thing at a time: the figure of a statement, a cap of a class, a total of both directions of links,
//! a statement, a link or a direction apart from the rest of its array; until nothing explains
//! enough to be worth a figure more. (`choose.rs`, `fit.rs`)
//!
//! **Edit.** The changed figures are put into the tree where they stand, with `from`, so that
//! comments and layout stay. (`edit.rs`)

mod choose;
mod devices;
mod edit;
mod fault;
mod fit;
mod model;
mod observe;
mod outcome;

pub use edit::Change;
pub use observe::{Observation, Subject};
pub use outcome::{Calibration, Prediction, calibrate, predictions, subject};

use crate::measured::Measured;

/// Measurements and the name of the file they come from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file's name without folders, for `from`.
    pub name: String,
    /// What it holds.
    pub measured: Measured,
}

/// A prediction further off than this contradicts the topology.
pub const WORST_ERROR: f64 = 0.2;
