//! Everything that can be wrong with a demand, and the words for it.

use crate::base::DemandError;
use crate::diagnostics::{Diagnostic, Diagnostics};

/// Beyond this many ranks no matrix is generated: it would not fit in memory at some point.
pub(super) const MAX_GENERATED_RANKS: usize = 4096;

/// Why there is no demand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("unknown kind of demand `{name}`")]
    UnknownKind { name: String, near: Option<&'static str>, known: Vec<&'static str> },
    #[error("`{kind}` has no key `{key}`")]
    UnknownKey {
        kind: &'static str,
        key: String,
        near: Option<&'static str>,
        known: Vec<&'static str>,
    },
    #[error("`{kind}` takes no value, but `{value}` is given")]
    NoKeys { kind: &'static str, value: String },
    #[error("`{part}` is no `key=value`")]
    NoValue { part: String },
    #[error("the key `{key}` is given twice")]
    Twice { key: &'static str },
    #[error("`{key}={value}`: {why}")]
    Value { key: &'static str, value: String, why: String },
    #[error("`min` is {min} bytes, more than `max` with {max}")]
    Reversed { min: u64, max: u64 },
    #[error("a demand of {ranks} ranks is not generated, only of up to {MAX_GENERATED_RANKS}")]
    TooManyRanks { ranks: usize },
    #[error("no rank {rank} among {ranks} ranks, which count from 0")]
    NoRank { rank: u64, ranks: usize },
    #[error("a token goes to {topk} different experts, but there are {experts}")]
    FewExperts { topk: u64, experts: u64 },
    #[error("the file's suffix must be .csv, .json or .npy")]
    Suffix,
    #[error("line {line}, field {field}: {what}")]
    CsvCell { line: u64, field: usize, what: CellFault },
    #[error("row {row}, column {column}: {what}")]
    Cell { row: usize, column: usize, what: CellFault },
    #[error("line {line}: {what}")]
    CsvSyntax { line: u64, what: String },
    #[error("line {line}, column {column}: {what}")]
    JsonSyntax { line: usize, column: usize, what: String },
    #[error("{what}")]
    JsonShape { what: String },
    #[error("{what}")]
    Npy { what: String },
    #[error("{bytes} bytes are no demand of {ranks} ranks")]
    TooLong { bytes: usize, ranks: usize },
    #[error("the file holds no numbers")]
    Empty,
    #[error("not square: {place} has {found}, and there are {rows} rows")]
    Ragged { place: String, found: String, rows: usize },
    #[error("the demand is of {found} ranks, and the machine has {ranks}")]
    Ranks { found: usize, ranks: usize },
    #[error(transparent)]
    Demand(#[from] DemandError),
}

/// What is wrong with one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CellFault {
    #[error("`{0}` is negative, and bytes are not")]
    Negative(String),
    #[error("`{0}` is not a whole number of bytes")]
    Fraction(String),
    #[error("`{0}` is not a number")]
    NotANumber(String),
    #[error("`{0}` is more than the supported 2^53 bytes")]
    TooLarge(String),
    #[error("nothing stands here; write 0 for no bytes")]
    Missing,
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownKind { .. } | Self::UnknownKey { .. } => "unknown-name",
            Self::Ragged { .. } | Self::Ranks { .. } | Self::TooLong { .. } | Self::Empty => {
                "demand-shape"
            }
            Self::CsvCell { .. } | Self::Cell { .. } => "demand-entry",
            Self::Demand(_) => "demand-total",
            Self::Suffix
            | Self::CsvSyntax { .. }
            | Self::JsonSyntax { .. }
            | Self::JsonShape { .. }
            | Self::Npy { .. } => "demand-file",
            _ => "demand-spec",
        }
    }

    /// The fault in words.
    pub(super) fn diagnose(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string());
        match self {
            Self::UnknownKind { near, known, .. } | Self::UnknownKey { near, known, .. } => {
                match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("known are {}", known.join(", "))),
                }
            }
            Self::Ranks { .. } | Self::Ragged { .. } | Self::TooLong { .. } | Self::Empty => diagnostic.help(
                "a demand of N ranks is N rows of N numbers: row i, column j is what rank i sends to rank j, in bytes",
            ),
            Self::NoValue { .. } => {
                diagnostic.help("a specification is KIND[:VALUE][,key=value]…, as in `zipf:0.8,seed=3`")
            }
            _ => diagnostic,
        }
    }

    /// The fault in words, of this file.
    pub(super) fn in_file(&self, name: &str) -> Diagnostics {
        self.diagnose().in_file(name).into()
    }
}
