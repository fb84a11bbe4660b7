//! The bundle: the contract between compiler and runtime.
//!
//! A folder with `manifest.json`, `topology.topo`, `catalog.json` and `kernels.cu`, written whole or
//! not at all and read only when every file is there, unchanged, and nothing else is. `plan_buffer`
//! is the one definition of the buffer in which a rank's part of a plan reaches the kernels;
//! [`ProgramTable`] is the list of channel programs that both sides number alike.

mod error;
mod manifest;
pub mod plan_buffer;
mod programs;
mod read;
mod write;

pub use error::BundleError;
pub use manifest::{FORMAT, FileEntry, Manifest, Parts};
pub use programs::{Program, ProgramTable, Transfer};
pub use read::{Bundle, read};
pub use write::write;
