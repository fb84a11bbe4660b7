//! Topology files of hwloc 1, 2 and 3.
//!
//! hwloc tells every PCI function with the bridges above it, the package and the NUMA node it is
//! near, and one speed a function: what its link runs at when the file is written, in GB/s. That
//! is less than a generation and a width, and less than what an idle GPU is able to.

mod fabric;
mod fault;
mod functions;
mod links;
mod object;
mod places;
mod read;
#[cfg(test)]
mod tests;

pub use read::read;
