//! What can be wrong with a matrix of rates, and the words for it.

use crate::base::{BusId, SourceId, Span};
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A reason to refuse measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// No matrix of rates in the text.
    NoMatrix,
    /// Matrices of one GPU.
    NoPair,
    /// A matrix without a title.
    Bare,
    /// A title without GB/s.
    Unit,
    /// Columns that do not count up from 0.
    Columns { found: String, expected: usize },
    /// Matrices, or the list of devices, of different sizes.
    Size { found: usize, first: usize },
    /// Two titles for the same measurements.
    Repeated,
    /// A row with more cells than columns.
    LongRow { row: usize, cell: String },
    /// A cell that is no rate.
    Cell { cell: String, why: &'static str },
    /// A line `Device: …` that does not read so.
    Device,
    /// A bus id twice.
    BusTwice { bus: BusId },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMatrix => f.write_str("there is no matrix of rates in this output"),
            Self::NoPair => f.write_str("one GPU: no transfer between two was measured"),
            Self::Bare => f.write_str(
                "the matrix has no title: it does not say whether a rate is of one direction or \
                 the sum of both, nor its unit",
            ),
            Self::Unit => f.write_str("the title does not say GB/s"),
            Self::Columns { found, expected } => {
                write!(f, "column `{found}` stands where column {expected} should")
            }
            Self::Size { found, first } => {
                write!(f, "{found} devices here, and {first} in what comes before")
            }
            Self::Repeated => f.write_str("the same measurements a second time"),
            Self::LongRow { row, cell } => {
                write!(f, "row {row} has more cells than there are columns: `{cell}`")
            }
            Self::Cell { cell, why } => write!(f, "`{cell}` is no rate: {why}"),
            Self::Device => f.write_str("this line does not tell a device's name and bus id"),
            Self::BusTwice { bus } => write!(f, "two devices have the bus id {bus}"),
        }
    }
}

impl Fault {
    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoMatrix => "copy the whole output of p2pBandwidthLatencyTest",
            Self::NoPair => "run p2pBandwidthLatencyTest with all GPUs visible",
            Self::Bare => {
                "copy the line above it too, or say what it is, in GB/s: `--matrix unidirectional` \
                 or `--matrix bidirectional`"
            }
            Self::Columns { .. } | Self::Size { .. } => {
                "keep the output of one run in a file, as the tool printed it"
            }
            Self::Repeated => "keep each run in a file of its own; `calibrate` takes several",
            Self::Cell { .. } => "unmeasured cells are -, N/A or X",
            Self::Device => {
                "expected `Device: 0, NAME, pciBusID: c1, pciDeviceID: 0, pciDomainID:0`"
            }
            _ => return None,
        })
    }

    pub(super) fn at(&self, span: Span) -> Diagnostic {
        let code = match self {
            Self::Bare => "import-matrix-kind",
            Self::Cell { .. } => "import-rate",
            _ => "import-matrix",
        };
        let diagnostic = Diagnostic::error(code, self.to_string()).at(span, "");
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    pub(super) fn of_text(&self, source: SourceId) -> Diagnostic {
        self.at(Span::new(source, 0, 0))
    }
}
