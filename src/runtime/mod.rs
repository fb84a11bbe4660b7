//! Carrying plans out.
//!
//! `host` runs the emitted kernels on the CPU: it proves bytes and order, not speed.

pub mod host;
