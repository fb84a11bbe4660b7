//! Topology files of NCCL and RCCL: what `NCCL_TOPO_DUMP_FILE` writes and `NCCL_TOPO_FILE` reads.
//!
//! A `<pci>` element is a device or the upstream port of a switch or card; ports that face
//! downwards do not appear. Its speed and width are the lower of what it and the port above can do.

mod fault;
mod read;
#[cfg(test)]
mod tests;
mod words;

pub use read::read;
