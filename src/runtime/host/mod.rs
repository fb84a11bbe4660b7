//! The engine without a GPU: the bundle's `kernels.cu` compiled by the C++ compiler of this machine
//! and run by its threads.
//!
//! `compiler` turns the text into a library, once for each text, compiler and set of flags;
//! `library` loads and calls it (the only unsafe code); `memory` holds windows between guard zones;
//! `engine` puts them together and checks every byte.

mod compiler;
mod engine;
mod error;
mod library;
mod memory;
mod options;

pub use compiler::{Compiler, LAUNCHER, SHIM};
pub use engine::carry_out;
pub use error::HostError;
pub use options::{Fault, HostOptions, Report};
