//! The command line: arguments, exit codes, one file a verb. It drives all stages and none of them
//! knows of it.

mod arguments;
mod bench_analyze;
mod bench_plan;
mod context;
mod failure;
mod input;
mod mistaken;
mod pipeline;
mod target;
mod verbs;

pub use arguments::main;
