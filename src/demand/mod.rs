//! Demands: generated from a short specification, read from a file, written to one.
//!
//! Everything here is a pure function of its arguments: a specification with the same seed gives
//! the same bytes on every machine.

mod cell;
mod fault;
mod generate;
mod kinds;
mod npy;
mod random;
mod read;
mod spec;
mod units;
mod write;

#[cfg(test)]
mod tests;

pub use kinds::{Key, Kind, eleven, kinds};
pub use read::read_file;
pub use spec::parse_spec;
pub use write::{Format, write};
