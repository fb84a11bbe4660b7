//! The bundle: the contract between compiler and runtime.
//!
//! A bundle is a flat folder: `manifest.json` and the files that it lists with size and digest. It
//! is written whole or not at all, and read only when nothing in it differs from the manifest.
//!
//! `plan_buffer` is the one definition of the buffer in which a rank's part of a plan reaches the
//! kernels; `ProgramTable` is the list of channel programs that both sides number alike.

mod catalog_json;
mod error;
mod manifest;
mod parts;
pub mod plan_buffer;
mod programs;
mod read;
mod write;

pub use catalog_json::{CATALOG_FORMAT, catalog_from_json, catalog_json};
pub use error::BundleError;
pub use manifest::{FORMAT, FileEntry, Manifest, Setting};
pub use parts::{CATALOG, KERNELS, MANIFEST, Parts, TOPOLOGY};
pub use programs::{Program, ProgramTable, Transfer};
pub use read::{Bundle, read};
pub use write::write;
