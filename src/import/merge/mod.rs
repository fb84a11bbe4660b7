//! Several dumps of one machine to one inventory, matched by bus id.
//!
//! The dump with the most PCI functions in a tree is the base. Every other fills in what the base
//! leaves open; where both speak and differ, what cannot be one machine is an error and everything
//! else is said and settled: the finer tree, the slower link.

mod fault;
mod functions;
mod labels;
mod order;
mod overlay;
mod processors;

pub use fault::Fault;
pub use labels::agree;
pub use overlay::merge;

use crate::import::inventory::Inventory;

/// A dump with the name of its file.
#[derive(Debug, Clone)]
pub struct Dump {
    /// The file, for messages.
    pub name: String,
    /// What it tells.
    pub inventory: Inventory,
}
