//! The machine that the program runs on, as its kernel tells it below `/sys`.
//!
//! The kernel's paths are the tree: `devices/pci0000:16/0000:16:01.0/0000:17:00.0` hangs on the
//! port before it. Links are told with what they run at and what their ends are able to.

mod access;
mod fault;
mod files;
mod functions;
mod processors;
mod read;

pub use read::read;
