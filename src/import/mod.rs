//! Dumps of other tools, read into the syntax tree of the topology language.
//!
//! This version reads the matrix of `nvidia-smi topo -m` and topology files of NCCL; other dumps
//! are recognised by [`detect`] so that they can be refused by name. An import never guesses silently: what the dump
//! leaves open becomes `unknown` or `assumed` in the tree and a note beside it.

mod conclude;
mod emit;
mod fault;
mod format;
pub mod inventory;
mod label;
mod layout;
mod matrix;
mod matrix_sketch;
mod nccl;
mod notes;
mod overview;
mod read;
mod scan;
mod sketch;
#[cfg(test)]
mod tests;
mod xml;

pub use format::{Format, detect};
pub use label::PairLabel;
pub use overview::Overview;
pub use read::{Imported, Summary, read};
