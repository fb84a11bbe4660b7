//! Channels, catalogs and plans: the contract between analyzer, scheduler and code generation.

mod bounds;
mod check;
mod locate;
mod plan;
mod plan_json;
pub mod symmetry;
mod types;

pub use bounds::{BoundTables, bounds};
pub use check::{CatalogFault, check};
pub use locate::{Locator, canonical_channel, complete_to_maximal, structure};
pub use plan::{Bounds, ChannelName, Piece, Plan, Step};
pub use plan_json::{
    BoundsDocument, ChannelDocument, OrbitDocument, PieceDocument, PlanDocument, PlanFormatError,
    StepDocument, plan_document,
};
pub use types::{Catalog, Channel, ChannelOrbit, PlannedRoute, StructureEdge, StructureVertex};
