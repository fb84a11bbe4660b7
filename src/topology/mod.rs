//! The checked graph: resources, routes and their solo rates.

mod types;

pub use types::{Resource, Route, Topology, Vertex};
