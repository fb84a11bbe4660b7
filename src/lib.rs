//! variopath: contention-free AlltoAllv for GPU machines without NVLink.

pub mod advise;
pub mod analyzer;
pub mod base;
pub mod bundle;
pub mod calibrate;
pub mod catalog;
pub mod codegen;
pub mod demand;
pub mod diagnostics;
pub mod dsl;
pub mod export;
pub mod fluid;
pub mod import;
pub mod lp;
pub mod measured;
pub mod runtime;
pub mod scheduler;
pub mod simulator;
pub mod topology;
pub mod verify;

#[doc(hidden)]
pub mod cli;
