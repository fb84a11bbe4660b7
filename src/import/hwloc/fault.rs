//! What can be wrong with a topology file of hwloc.

use crate::base::Span;
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A reason to refuse a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another root than `topology`.
    Root(String),
    /// A version that is not known.
    Version(String),
    /// No object at all.
    NoMachine,
    /// Objects, but no PCI devices.
    NoPci,
    /// PCI devices, but no GPU.
    NoGpu(usize),
    /// A PCI device without `pci_busid`.
    NoBusId,
    /// `pci_busid` is none.
    BusId(String),
    /// A bus id stands twice.
    RepeatedBusId(String),
    /// `pci_type` is none.
    PciType(String),
    /// `pci_link_speed` is none.
    LinkSpeed(String),
    /// `bridge_type` is not known.
    BridgeType(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => write!(f, "the root is <{name}>, not <topology>"),
            Self::Version(version) => write!(f, "unknown version `{version}` of hwloc's format"),
            Self::NoMachine => f.write_str("the topology has no objects"),
            Self::NoPci => f.write_str("the topology has no PCI devices"),
            Self::NoGpu(count) => write!(f, "no GPU among the PCI functions ({count} told)"),
            Self::NoBusId => f.write_str("a PCI object without `pci_busid`"),
            Self::BusId(text) => write!(f, "`{text}` is no PCI bus id"),
            Self::RepeatedBusId(bus) => write!(f, "{bus} stands twice"),
            Self::PciType(text) => write!(f, "`{text}` is no PCI class with vendor and device"),
            Self::LinkSpeed(text) => write!(f, "`{text}` is no link speed"),
            Self::BridgeType(text) => write!(f, "unknown kind `{text}` of bridge"),
        }
    }
}

impl Fault {
    fn help(&self) -> &'static str {
        match self {
            Self::Root(_) | Self::NoMachine => "give the output of `lstopo topology.xml`",
            Self::Version(_) => "versions 1, 2 and 3 are read",
            Self::NoPci | Self::NoGpu(_) => {
                "write it with `lstopo --whole-io topology.xml`, on the machine itself"
            }
            Self::NoBusId | Self::BusId(_) => "bus ids look like 0000:17:00.0",
            Self::RepeatedBusId(_) => "a function has one place: remove the other object",
            Self::PciType(_) => "types look like `0302 [10de:2330] [10de:16c1] a1`",
            Self::LinkSpeed(_) => "link speeds are numbers of GB/s up to 10000; 0 is unknown",
            Self::BridgeType(_) => "0-1 is a host bridge, 1-1 a PCI bridge",
        }
    }

    /// As a diagnostic at `span`.
    pub fn at(self, span: Span) -> Diagnostic {
        Diagnostic::error("import-hwloc", self.to_string()).at(span, "").help(self.help())
    }
}
