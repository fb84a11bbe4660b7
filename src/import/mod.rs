//! Dumps of other tools, read into the syntax tree of the topology language.
//!
//! [`detect`] tells dumps apart; those that are not read are refused by name. An import never guesses
//! silently: what the dump leaves open becomes `unknown` or `assumed` in the tree and a note beside it.

mod bandwidth;
mod conclude;
mod dumps;
mod emit;
mod fault;
mod format;
pub mod hwloc;
pub mod inventory;
mod label;
mod layout;
pub mod lspci;
mod matrix;
mod matrix_sketch;
mod merge;
mod nccl;
mod notes;
mod overview;
pub mod pci;
mod peers;
mod prune;
mod read;
mod scan;
mod sketch;
mod summary;
pub mod sysfs;
#[cfg(test)]
mod tests;
mod wording;
mod xml;

pub use bandwidth::{Measurements, measurements};
pub use dumps::is_topology;
pub use format::{Format, detect};
pub use label::PairLabel;
pub use overview::Overview;
pub use read::{Imported, read, read_machine};
pub use summary::Summary;
