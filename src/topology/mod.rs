//! The checked graph: resources, routes and their solo rates.
//!
//! [`build`] turns a machine into a [`Topology`] or says everything that is wrong with it.
//! The graph library stays inside this module.

mod build;
mod candidates;
mod card_choice;
mod cross;
mod draw;
mod efficiency;
mod fault;
mod graph;
mod hazards;
mod local;
mod loopback;
mod network;
mod rate;
mod rules;
mod survey;
mod types;
mod uniform;
mod values;

#[cfg(test)]
mod build_tests;
#[cfg(test)]
mod test_machine;

pub use crate::dsl::machine::{PlacedRule, Rule};
pub use build::{Built, MAX_NODE_RANKS, MAX_RANKS, build};
pub use candidates::Abilities;
pub use card_choice::CardChoice;
pub use efficiency::Efficiency;
pub use hazards::PlaceLimit;
pub use network::Half;
pub use survey::{
    Entry, Examined, Figure, GpuKind, Limit, NodeKind, PeerSurvey, RuleLine, SharedUplink, Survey,
    examine, survey,
};
pub use types::{Resource, ResourceKind, Route, Topology, Vertex};
pub use uniform::{UniformLimit, uniform};

/// The code of the diagnostics of [`build`] and [`examine`] that ask for a rate which routes need.
pub const UNKNOWN_RATE: &str = "unknown-rate";
