//! Machines in the formats of other tools: topology files of NCCL, drawings for Graphviz.

mod bus_ids;
mod dot;
mod forest;
mod nccl;
mod speed;

use crate::diagnostics::Diagnostics;

pub use dot::dot;
pub use nccl::nccl_xml;

/// A machine in another format.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The whole file.
    pub text: String,
    /// What the format cannot say, and what had to be invented.
    pub notes: Diagnostics,
}
