//! The output of p2pBandwidthLatencyTest, and matrices like its own, to measurements.

mod fault;
mod parse;
mod series;
#[cfg(test)]
mod tests;

pub(super) use parse::is_header;
pub use series::{Measurements, measurements};
