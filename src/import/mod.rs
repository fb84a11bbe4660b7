//! Dumps of other tools, read into the syntax tree of the topology language.
//!
//! This version reads the matrix of `nvidia-smi topo -m`; other dumps are recognised by
//! [`detect`] so that they can be refused by name. An import never guesses silently: what the dump
//! leaves open becomes `unknown` or `assumed` in the tree and a note beside it.

mod emit;
mod fault;
mod format;
pub mod hwloc;
pub mod inventory;
mod label;
mod layout;
pub mod lspci;
mod matrix;
mod notes;
pub mod pci;
mod prune;
mod read;
mod scan;
#[cfg(test)]
mod tests;

pub use format::{Format, detect};
pub use label::PairLabel;
pub use read::{Imported, Summary, read};
