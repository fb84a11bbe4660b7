//! Words shared by every stage: typed ids, units, spans, the demand matrix, digests.
//!
//! Nothing here knows of a file format, a graph or a schedule, and nothing here imports another
//! module of the crate.

mod bus_id;
mod demand;
mod digest;
mod forest;
mod ids;
mod route_kind;
mod span;
mod units;

pub use bus_id::{BusId, BusIdError};
pub use demand::{Demand, DemandError, MAX_TOTAL_BYTES};
pub use digest::Digest;
pub use forest::Forest;
pub use ids::{LinkId, NodeId, OrbitId, PieceId, Rank, RouteId, VertexId};
pub use route_kind::{DeviceKind, Initiator, Mode, RouteClass, Setting};
pub use span::{SourceId, Span};
pub use units::{Bytes, BytesPerSecond, Nanos, Picos, UnitOverflow};
