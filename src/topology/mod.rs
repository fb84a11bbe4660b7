//! The checked graph: resources, routes and their solo rates.
//!
//! [`build`] turns a machine into a [`Topology`] or says everything that is wrong with it.
//! The graph library stays inside this module.

mod build;
mod fault;
mod graph;
mod types;
mod values;

#[cfg(test)]
mod build_tests;
#[cfg(test)]
mod test_machine;

pub use build::{Built, MAX_RANKS, build};
pub use types::{Resource, Route, Topology, Vertex};
