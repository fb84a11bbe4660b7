//! Carrying plans out.
//!
//! `host` runs the emitted kernels on the CPU: it proves bytes and order, not speed.

mod driver;
pub mod host;

pub use driver::cuda_driver_present;
