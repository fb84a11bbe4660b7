//! Text to tree, with nom over tokens. A statement that does not fit is reported and skipped, so
//! that all independent errors of a file come out at once.

mod block;
mod fault;
mod pcie_slips;
mod rules;
mod slips;
mod statement;
mod value_slips;
mod values;

pub use block::parse;
