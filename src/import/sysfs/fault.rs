//! Why this machine is not read.

use crate::diagnostics::{Diagnostic, Exit};
use std::fmt;

/// A reason to refuse it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The kernel tells no PCI devices.
    NoPci(String),
    /// PCI devices, but no GPU.
    NoGpu(usize),
    /// More devices than any machine has.
    TooMany(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPci(folder) => write!(f, "no PCI devices in {folder}"),
            Self::NoGpu(1) => f.write_str("this machine has no GPU: its PCI device is none"),
            Self::NoGpu(count) => {
                write!(f, "this machine has no GPU: none of its {count} PCI devices is one")
            }
            Self::TooMany(count) => write!(f, "more than {count} PCI devices"),
        }
    }
}

impl Fault {
    /// As a diagnostic.
    pub fn told(self) -> Diagnostic {
        let diagnostic = Diagnostic::error("import-machine", self.to_string());
        match self {
            Self::NoPci(_) => diagnostic.exit(Exit::File).help(
                "run it on the machine itself, outside of containers that hide /sys, or give a dump: \
                 `variopath import topo.txt`",
            ),
            Self::NoGpu(_) => diagnostic.help(
                "run it on the machine with the GPUs, or give a dump of it: `variopath import \
                 topo.txt`",
            ),
            Self::TooMany(_) => diagnostic.help("give a dump: `variopath import topo.txt`"),
        }
    }
}
