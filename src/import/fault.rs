//! What can be wrong with a dump. Faults carry data; the words are all here.

use super::label::PairLabel;
use super::scan::{MAX_LINES, MAX_WORDS};
use crate::base::Span;
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A reason to refuse a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is no dump that is known.
    NotRecognised,
    /// The text is a topology file already.
    TopologyFile,
    /// There is nothing in it.
    Empty,
    /// Bytes of zero stand in it.
    Binary,
    /// More lines or words than any dump has.
    TooLong,
    /// Measurements of a machine, which say nothing of its links.
    Measurements,
    /// The log of a collective of nccl-tests.
    Collective,
    /// A matrix of `topo -p2p` about NVLink, atomics or properties.
    NotPeerAccess,
    /// Rows stand there, but nothing names their columns.
    NoHeader { row: String, labels: usize },
    /// A column of the header is neither a device nor an affinity.
    UnknownColumn(String),
    /// A name stands twice in the header.
    RepeatedColumn(String),
    /// A header without rows, or with fewer rows than devices.
    MissingRows { found: usize, missing: Vec<String> },
    /// A row that should be another device's.
    RowOrder { found: String, expected: String },
    /// A row with fewer cells than there are devices.
    ShortRow { row: String, found: usize, expected: usize },
    /// More cells than columns.
    LongRow { row: String, cell: String },
    /// A cell that is no label.
    UnknownLabel { cell: String, row: String, column: String },
    /// A cell that says nothing about peer access.
    UnknownStatus { cell: String, row: String, column: String },
    /// `X` away from the diagonal, or something else on it.
    Diagonal { row: String, column: String, label: PairLabel },
    /// The two halves disagree.
    Asymmetric { row: String, column: String, label: PairLabel, back: PairLabel },
    /// No tree has these labels.
    Contradiction { row: String, column: String, label: PairLabel, expected: PairLabel },
    /// A second matrix.
    SecondMatrix,
    /// `--assume` with a generation whose rate is not known.
    Generation(u32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRecognised => f.write_str("this is no dump that can be imported"),
            Self::TopologyFile => f.write_str("this is a topology file already, no dump"),
            Self::Measurements => f.write_str(
                "these are rates between GPUs: they do not say how the machine is built",
            ),
            Self::Collective => f.write_str(
                "a log of nccl-tests times whole collectives: it has no rate of any pair, and does \
                 not say how the machine is built",
            ),
            Self::NotPeerAccess => {
                f.write_str("this matrix of nvidia-smi topo -p2p is not about reads or writes")
            }
            Self::Empty => f.write_str("the file is empty"),
            Self::TooLong => {
                write!(f, "the file has more than {MAX_LINES} lines or {MAX_WORDS} words")
            }
            Self::Binary => {
                f.write_str("the file holds bytes of zero: it is no text, or text in UTF-16")
            }
            Self::NoHeader { row, labels } => write!(
                f,
                "the matrix has no header: row {row} has {labels} labels and nothing names their \
                 columns"
            ),
            Self::UnknownColumn(name) => write!(f, "unknown column `{name}` in the header"),
            Self::RepeatedColumn(name) => write!(f, "`{name}` stands twice in the header"),
            Self::MissingRows { found, missing } => {
                let rows = if *found == 1 { "row" } else { "rows" };
                write!(f, "the matrix ends after {found} {rows}; missing: {}", missing.join(", "))
            }
            Self::RowOrder { found, expected } => {
                write!(f, "row `{found}` stands where row `{expected}` should")
            }
            Self::ShortRow { row, found, expected } => {
                write!(f, "row {row} has {found} labels, but the header names {expected} devices")
            }
            Self::LongRow { row, cell } => {
                write!(f, "row {row} has more cells than the header has columns: `{cell}`")
            }
            Self::UnknownLabel { cell, row, column } => {
                write!(f, "unknown label `{cell}` in row {row}, column {column}")
            }
            Self::UnknownStatus { cell, row, column } => {
                write!(f, "unknown status `{cell}` in row {row}, column {column}")
            }
            Self::Diagonal { row, column, label: PairLabel::Own } => {
                write!(f, "`X` (self) in row {row}, column {column}")
            }
            Self::Diagonal { row, label, .. } => {
                write!(f, "row {row} has `{label}` for itself instead of `X`")
            }
            Self::Asymmetric { row, column, label, back } => write!(
                f,
                "the matrix is not symmetric: {row} to {column} is {label}, {column} to {row} is \
                 {back}"
            ),
            Self::Contradiction { row, column, label, expected } => write!(
                f,
                "no PCIe tree has these labels: {row} to {column} is {label}, but their relations \
                 to other devices make it {expected}"
            ),
            Self::SecondMatrix => f.write_str("a second matrix: one file describes one machine"),
            Self::Generation(generation) => {
                write!(f, "cannot assume PCIe gen{generation}: gen1 to gen6 are known")
            }
        }
    }
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::NotRecognised | Self::TopologyFile | Self::Empty | Self::Binary => {
                "import-format"
            }
            Self::TooLong => "import-limit",
            Self::NotPeerAccess | Self::Measurements | Self::Collective => "import-unsupported",
            Self::NoHeader { .. } => "import-header",
            Self::UnknownColumn(_) | Self::RepeatedColumn(_) => "import-column",
            Self::MissingRows { .. } | Self::RowOrder { .. } => "import-rows",
            Self::ShortRow { .. } | Self::LongRow { .. } => "import-row",
            Self::UnknownLabel { .. } | Self::UnknownStatus { .. } => "import-label",
            Self::Diagonal { .. } => "import-diagonal",
            Self::Asymmetric { .. } => "import-asymmetric",
            Self::Contradiction { .. } => "import-contradiction",
            Self::SecondMatrix => "import-second",
            Self::Generation(_) => "import-assume",
        }
    }

    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotRecognised => {
                "looked for a header `GPU0 GPU1 …` (nvidia-smi topo), `<system>` (NCCL), `<topology>` \
                 (hwloc), `-[0000:00]-` (lspci -tv), `LnkCap:` (lspci -vv), a matrix \
                 of p2pBandwidthLatencyTest: `variopath import --help` names the commands"
            }
            Self::TopologyFile => "it needs no import: `variopath check` reads it as it stands",
            Self::Empty => "run the command again: `nvidia-smi topo -m > topo.txt`",
            Self::TooLong => "no dump of a machine is like that: check the file",
            Self::Binary => {
                "save it as UTF-8; PowerShell does with `nvidia-smi topo -m | Out-File -Encoding \
                 utf8 topo.txt`"
            }
            Self::NoHeader { .. } => {
                "copy the line above the first row too: it starts with GPU0 and names every column"
            }
            Self::UnknownColumn(_) => {
                "columns are GPUs, network cards, CPU Affinity, NUMA Affinity, GPU NUMA ID"
            }
            Self::MissingRows { .. } | Self::ShortRow { .. } => {
                "copy the whole output of `nvidia-smi topo -m`"
            }
            Self::UnknownLabel { .. } => "labels are X, NV#, PIX, PXB, PHB, NODE, SYS (old: SOC)",
            Self::NotPeerAccess => "give the output of `nvidia-smi topo -p2p r` or `w`",
            Self::Measurements => {
                "import them alone into a file of measurements, and the machine's dumps into a \
                 topology file; `variopath calibrate` puts the two together"
            }
            Self::Collective => {
                "run p2pBandwidthLatencyTest of the CUDA samples for rates of pairs"
            }
            Self::UnknownStatus { .. } => {
                "states are X (the GPU itself), OK, CNS, GNS, TNS, NS, DR, U"
            }
            Self::SecondMatrix => "import each matrix from a file of its own",
            _ => return None,
        })
    }

    fn label(&self) -> String {
        match self {
            Self::Measurements | Self::Collective => "recognised by this line".to_string(),
            Self::NoHeader { .. } => "the first row".to_string(),
            Self::UnknownLabel { row, column, .. } => format!("{row} to {column}"),
            Self::RowOrder { expected, .. } => format!("expected {expected}"),
            Self::ShortRow { expected, .. } => format!("expected {expected} labels"),
            Self::MissingRows { .. } => "the header".to_string(),
            Self::Diagonal { label: PairLabel::Own, .. } => "only for the device itself".into(),
            Self::Diagonal { .. } => "expected X".into(),
            Self::Contradiction { expected, .. } => format!("expected {expected}"),
            _ => String::new(),
        }
    }

    /// As a diagnostic at `span`.
    pub fn at(self, span: Option<Span>) -> Diagnostic {
        let (code, message) = (self.code(), self.to_string());
        let diagnostic = match self {
            Self::Measurements | Self::Collective => Diagnostic::unsupported(code, message),
            _ => Diagnostic::error(code, message),
        };
        let diagnostic = diagnostic.at(span, self.label());
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
