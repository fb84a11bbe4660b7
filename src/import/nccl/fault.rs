//! What can be wrong with a topology file of NCCL beyond its XML.

use crate::base::Span;
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A reason to refuse the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The outermost element is not `<system>`.
    Root(String),
    /// A `<pci>` without a bus id.
    NoBus,
    /// A bus id that is none.
    BadBus(String),
    /// Two `<pci>` with one bus id.
    SameBus(String),
    /// A class that is no number.
    BadClass(String),
    /// `<pci>` elements that say nothing but their address.
    NoClass { silent: usize, processors: usize },
    /// No GPU at all.
    NoGpu,
    /// A number that is none.
    BadNumber { attribute: &'static str, text: String },
    /// More than one machine.
    Hosts(usize),
    /// More devices than a machine has.
    TooMany,
    /// An element where it cannot stand.
    Place { element: String, inside: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => write!(f, "the outermost element is `<{name}>`, not `<system>`"),
            Self::NoBus => f.write_str("a `<pci>` has no busid"),
            Self::BadBus(text) => {
                write!(f, "`{text}` is no PCI bus id; they look like 0000:17:00.0")
            }
            Self::SameBus(text) => write!(f, "two `<pci>` have the bus id {text}"),
            Self::BadClass(text) => write!(f, "`{text}` is no PCI class"),
            Self::NoClass { silent, processors } => write!(
                f,
                "the number of GPUs is not in the file: {silent} PCI devices over {processors} \
                 NUMA nodes have no class and no `<gpu>`"
            ),
            Self::NoGpu => f.write_str("the file has no GPU"),
            Self::BadNumber { attribute, text } => {
                write!(f, "`{text}` is no number for {attribute}")
            }
            Self::Hosts(hosts) => {
                write!(f, "the file describes {hosts} machines (host_hash), not one")
            }
            Self::TooMany => f.write_str("more devices than any machine has"),
            Self::Place { element, inside } => {
                write!(f, "a `<{element}>` cannot stand in `<{inside}>`")
            }
        }
    }
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::Root(_) | Self::Place { .. } => "nccl-element",
            Self::NoBus | Self::BadBus(_) | Self::SameBus(_) => "nccl-bus",
            Self::BadClass(_) | Self::NoClass { .. } => "nccl-class",
            Self::NoGpu => "import-no-gpu",
            Self::BadNumber { .. } => "nccl-number",
            Self::Hosts(_) => "nccl-hosts",
            Self::TooMany => "nccl-limit",
        }
    }

    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoBus => "write busid=\"0000:17:00.0\", as `lspci -D` prints it",
            Self::SameBus(_) => "each device stands once in the file",
            Self::BadClass(_) => "classes look like 0x030200",
            Self::NoClass { .. } => {
                "add class=\"0x030200\" to the GPUs and class=\"0x020000\" to the network cards, or \
                 let NCCL write a complete file with NCCL_TOPO_DUMP_FILE"
            }
            Self::NoGpu => "GPUs have a class 0x03.. or a `<gpu>` inside of their `<pci>`",
            Self::Hosts(_) => "import one file a machine, and join them in a .topo file",
            Self::TooMany => "a file describes one machine: check it",
            _ => return None,
        })
    }

    /// As a diagnostic at `span`.
    pub fn at(self, span: Span) -> Diagnostic {
        let (code, message) = (self.code(), self.to_string());
        let diagnostic = match self {
            Self::Hosts(_) => Diagnostic::unsupported(code, message),
            _ => Diagnostic::error(code, message),
        };
        let diagnostic = diagnostic.at(span, "");
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
