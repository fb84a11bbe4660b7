//! What two dumps of one machine can disagree on; the words are all here.

use crate::base::{BusId, Span};
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A disagreement of two files, `first` and `second`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No device of one is in the other.
    NothingShared { first: String, second: String },
    /// The dump has no bus ids, so that nothing of it can be matched.
    NoBusIds { file: String },
    /// None of the files tells what hangs on what.
    NoTree { file: String },
    /// A GPU here, a network card there.
    Kind { bus: BusId, first: (String, &'static str), second: (String, &'static str) },
    /// Vendor and device id differ.
    Ids { bus: BusId, first: (String, (u16, u16)), second: (String, (u16, u16)) },
    /// A GPU that a list of all devices does not have.
    NotListed { bus: BusId, list: String, file: String },
    /// It hangs on different ports.
    Above { bus: BusId, first: (String, Option<BusId>), second: (String, Option<BusId>) },
    /// A root of the base has devices on different processors of the other.
    Roots { first: String, second: String, one: BusId, other: BusId },
    /// The number of GPUs of a matrix is another.
    GpuCount { first: (String, usize), second: (String, usize) },
    /// A label of the matrix that the tree denies.
    Label { pair: (usize, usize), label: String, first: String, tree: &'static str, file: String },
    /// Two matrices of `topo -m`.
    TwoMatrices { first: String, second: String },
    /// Peer access alone, with the states of pairs, each once.
    PeersAlone { gpus: usize, states: Vec<&'static str> },
    /// Two matrices of peer access for the same mode differ.
    PeersDiffer { row: String, column: String, first: String, second: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingShared { first, second } => {
                write!(f, "{second} shares no device with {first}: these are two machines")
            }
            Self::NoBusIds { file } => {
                write!(f, "{file} has no PCI bus ids, so that nothing in it can be matched")
            }
            Self::NoTree { file } => {
                write!(f, "{file} tells links but not what hangs on what")
            }
            Self::Kind { bus, first, second } => write!(
                f,
                "{bus} is a {} in {} and a {} in {}: these are two machines",
                first.1, first.0, second.1, second.0
            ),
            Self::Ids { bus, first, second } => write!(
                f,
                "{bus} is device {:04x}:{:04x} in {} and {:04x}:{:04x} in {}: these are two \
                 machines",
                first.1.0, first.1.1, first.0, second.1.0, second.1.1, second.0
            ),
            Self::NotListed { bus, list, file } => write!(
                f,
                "{bus} is a GPU in {file}, but {list}, which lists every device, does not have it: \
                 these are two machines"
            ),
            Self::Above { bus, first, second } => write!(
                f,
                "{bus} hangs on {} in {} and on {} in {}: these are two machines",
                port(first.1),
                first.0,
                port(second.1),
                second.0
            ),
            Self::Roots { first, second, one, other } => write!(
                f,
                "{one} and {other} are below one root in {first} and on different processors in \
                 {second}"
            ),
            Self::GpuCount { first, second } => write!(
                f,
                "{} has {} GPUs and {} has {}: these are two machines",
                first.0, first.1, second.0, second.1
            ),
            Self::Label { pair, label, first, tree, file } => write!(
                f,
                "GPU{} and GPU{} are {label} to each other in {first}, but {tree} in {file}",
                pair.0, pair.1
            ),
            Self::TwoMatrices { first, second } => {
                write!(f, "{first} and {second} are both matrices of nvidia-smi topo -m")
            }
            Self::PeersAlone { gpus, states } => write!(
                f,
                "this is the matrix of nvidia-smi topo -p2p ({gpus} GPUs, {}): it tells who may \
                 access whom, not how the machine is wired, and is not read alone",
                states.join(", ")
            ),
            Self::PeersDiffer { row, column, first, second } => write!(
                f,
                "two matrices of peer access differ: {row} to {column} is {first} and {second}"
            ),
        }
    }
}

fn port(bus: Option<BusId>) -> String {
    bus.map_or_else(|| "no bridge".to_owned(), |bus| bus.to_string())
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::NothingShared { .. } | Self::GpuCount { .. } | Self::NotListed { .. } => {
                "import-two-machines"
            }
            Self::NoBusIds { .. } => "import-no-bus-ids",
            Self::NoTree { .. } => "import-no-tree",
            Self::Kind { .. } | Self::Ids { .. } | Self::Above { .. } | Self::Roots { .. } => {
                "import-contradiction"
            }
            Self::Label { .. } | Self::PeersDiffer { .. } => "import-contradiction",
            Self::TwoMatrices { .. } => "import-second",
            Self::PeersAlone { .. } => "import-unsupported",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::NoBusIds { .. } => "import that file alone",
            Self::NoTree { .. } => {
                "give the tree too: `lspci -tv > tree.txt`, then `variopath import tree.txt \
                 details.txt`"
            }
            Self::TwoMatrices { .. } => "give one of them",
            Self::PeersAlone { .. } => {
                "give the output of `nvidia-smi topo -m` too: `import topo.txt p2p.txt`"
            }
            Self::PeersDiffer { .. } => {
                "give one matrix, or keep the command above each: `nvidia-smi topo -p2p r` is pull, \
                 `w` push"
            }
            _ => "give files of one machine, taken at one time",
        }
    }

    /// As an error at the places where the files tell it.
    pub fn at(self, spans: &[Option<Span>]) -> Diagnostic {
        let (code, message) = (self.code(), self.to_string());
        let diagnostic = match self {
            Self::PeersAlone { .. } => Diagnostic::unsupported(code, message),
            _ => Diagnostic::error(code, message),
        };
        let diagnostic = diagnostic.help(self.help());
        spans.iter().flatten().fold(diagnostic, |diagnostic, span| diagnostic.at(*span, ""))
    }
}
