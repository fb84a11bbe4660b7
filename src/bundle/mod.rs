//! The bundle: the contract between compiler and runtime.
//!
//! `plan_buffer` is the one definition of the buffer in which a rank's part of a plan reaches the
//! kernels; `ProgramTable` is the list of channel programs that both sides number alike.

pub mod plan_buffer;
mod programs;

pub use programs::{Program, ProgramTable, Transfer};
