//! What lspci prints: the tree of `lspci -tv`, and the details of `lspci -vv` that go with it.
//!
//! The tree tells what hangs on what, but neither classes nor speeds: GPUs and network cards are
//! told by their names. The details tell classes, links, NUMA nodes and access control, but not
//! what hangs on what. Together they are whole.

mod details;
mod fault;
mod names;
#[cfg(test)]
mod tests;
mod tree;

pub use details::read as read_details;
pub use tree::{CUT, read as read_tree};
