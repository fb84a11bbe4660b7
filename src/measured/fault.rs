//! Everything that can be wrong with a file of measurements, and the words for it.

use super::FORMAT;
use super::locate::locate;
use super::read::{MAX_DEVICES, MAX_FILE_BYTES, MAX_RATE};
use crate::base::{BusId, BytesPerSecond, SourceId, Span};
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A step into a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A field.
    Key(&'static str),
    /// An element.
    Index(usize),
}

/// Why there are no measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    TooLarge,
    Syntax(String),
    NotAnObject,
    /// A field is not there.
    Missing(&'static str),
    /// Another format, or another number of this one.
    Format(String),
    /// A field is of another kind than `wanted`.
    Kind {
        field: &'static str,
        wanted: &'static str,
        found: String,
    },
    /// A word that is none of the known ones.
    Word {
        field: &'static str,
        found: String,
        known: &'static str,
    },
    TooManyDevices(usize),
    BusTwice {
        bus: BusId,
        first: usize,
    },
    BadBus(String),
    NoSuchDevice {
        number: u64,
        devices: usize,
    },
    Itself(usize),
    /// The same transfers a second time in one series.
    Twice {
        pairs: Vec<(usize, usize)>,
        first: usize,
    },
    PairTwice(usize, usize),
    Rate {
        found: String,
        sum: bool,
    },
    Nothing(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "the file is larger than {} MiB", MAX_FILE_BYTES >> 20),
            Self::Syntax(what) => write!(f, "no JSON: {what}"),
            Self::NotAnObject => f.write_str("a file of measurements is one JSON object"),
            Self::Missing(field) => write!(f, "`{field}` is missing"),
            Self::Format(found) => write!(f, "`format` is \"{found}\", not \"{FORMAT}\""),
            Self::Kind { field, wanted, found } => {
                write!(f, "`{field}` is {found}, and {wanted} was expected")
            }
            Self::Word { field, found, .. } => write!(f, "`{field}` cannot be \"{found}\""),
            Self::TooManyDevices(count) => {
                write!(f, "{count} devices, and at most {MAX_DEVICES} are read")
            }
            Self::BusTwice { bus, first } => {
                write!(f, "bus id {bus} belongs to device {first} already")
            }
            Self::BadBus(bus) => write!(f, "`{bus}` is no PCI bus id"),
            Self::NoSuchDevice { number, devices } => {
                write!(f, "there is no device {number} among {devices}, which count from 0")
            }
            Self::Itself(device) => write!(f, "a transfer from device {device} to itself"),
            Self::Twice { pairs, first } => {
                let pairs: Vec<String> = pairs.iter().map(|(s, d)| format!("{s} to {d}")).collect();
                write!(
                    f,
                    "{} stands twice in this series, first as sample {first}",
                    pairs.join(", ")
                )
            }
            Self::PairTwice(src, dst) => write!(f, "{src} to {dst} stands twice in one sample"),
            Self::Rate { found, sum } => {
                let most = BytesPerSecond(MAX_RATE.0 * (1 + u64::from(*sum)));
                write!(f, "{found} is no rate: a whole number of bytes a second from 1 to {most}")
            }
            Self::Nothing(field) => write!(f, "`{field}` is empty"),
        }
    }
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::TooLarge | Self::TooManyDevices(_) => "measured-size",
            Self::Syntax(_) => "measured-json",
            Self::Format(_) => "measured-format",
            Self::Rate { .. } => "measured-rate",
            Self::Twice { .. } | Self::PairTwice(..) | Self::BusTwice { .. } => "measured-twice",
            _ => "measured-field",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::TooLarge | Self::TooManyDevices(_) => {
                "keep one machine's measurements in a file of its own".to_owned()
            }
            Self::NotAnObject | Self::Missing("format") | Self::Format(_) | Self::Syntax(_) => {
                format!(
                    "`variopath import` turns the output of p2pBandwidthLatencyTest into a file of \
                     the format {FORMAT}"
                )
            }
            Self::Word { known, .. } => format!("known are {known}"),
            Self::Twice { .. } => {
                "keep one of them, or put repeated runs into a series of their own".to_owned()
            }
            Self::BadBus(_) => "write it as 0000:c1:00.0".to_owned(),
            Self::Rate { .. } => "leave out what was not measured".to_owned(),
            _ => return None,
        })
    }

    /// The fault in words, at the value that `path` leads to.
    pub(super) fn at(&self, source: SourceId, text: &str, path: &[Step]) -> Diagnostic {
        let (start, end) = locate(text, path);
        // A long value is pointed at by its beginning.
        let end = text[start..end].find('\n').map_or(end, |line| start + line);
        self.at_bytes(source, start, end)
    }

    pub(super) fn at_bytes(&self, source: SourceId, start: usize, end: usize) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string());
        let diagnostic = diagnostic.at(Span::new(source, start, end), "");
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
