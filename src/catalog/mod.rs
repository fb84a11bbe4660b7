//! Channels, catalogs and plans: the contract between analyzer, scheduler and code generation.

mod plan;
mod types;

pub use plan::{Bounds, ChannelName, Piece, Plan, Step};
pub use types::{Catalog, Channel, ChannelOrbit, PlannedRoute, StructureEdge, StructureVertex};
