//! Files of measurements, `variopath-measured/1`: what transfers between GPUs reached, alone and
//! together. `docs/measured.md` describes the format.
//!
//! Within the format's number fields are only added, so that a reader passes over fields that it does
//! not know. A cell that was not measured is not there; nothing stands for zero.

mod fault;
mod locate;
mod read;
mod write;

pub use read::{MAX_DEVICES, MAX_FILE_BYTES, MAX_RATE, read};
pub use write::write;

use crate::base::{BusId, BytesPerSecond, Initiator, Mode};

/// The name of the format.
pub const FORMAT: &str = "variopath-measured/1";

/// Measurements of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measured {
    /// The GPUs, in the order in which the tool counted them.
    pub devices: Vec<Device>,
    /// What was measured, a matrix or a list each.
    pub series: Vec<Series>,
}

/// A GPU that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// The name it is sold under.
    pub name: Option<String>,
    /// Its PCI bus id, `0000:c1:00.0`.
    pub bus: Option<BusId>,
}

/// Measurements that were made in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// What ran at once, and what the rates count.
    pub direction: Direction,
    /// Who moved the bytes over the bus; `None` where it is not known.
    pub mode: Option<Mode>,
    /// What carried the transfers out; `None` where it is not known.
    pub initiator: Option<Initiator>,
    /// Whether the GPUs of these transfers reached each other's memory; without it the bytes go
    /// through host memory. `None` where it is not known.
    pub peer_access: Option<bool>,
    /// Where the figures come from.
    pub evidence: Evidence,
    /// One for each run; no two of the same transfers.
    pub samples: Vec<Sample>,
}

/// What ran at once in each sample of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// One transfer alone.
    Unidirectional,
    /// A transfer and its reverse, of equally many bytes; the rate is the sum of both.
    Bidirectional,
    /// Several transfers, each with its own rate.
    Together,
}

/// Where figures come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The file they were read from.
    pub file: Option<String>,
    /// The tool that measured.
    pub tool: Option<String>,
    /// The line of that file, from 1.
    pub line: Option<u64>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// What ran at once, at least one; exactly one but for [`Direction::Together`]. The reverse
    /// transfer of [`Direction::Bidirectional`] is not listed.
    pub transfers: Vec<Transfer>,
}

/// A transfer and what it reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// From (a position among the devices).
    pub src: usize,
    /// To; differs from `src`.
    pub dst: usize,
    /// Payload bytes a second, 1 to [`MAX_RATE`]; twice that as the sum of both directions.
    pub rate: BytesPerSecond,
}

impl Direction {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unidirectional => "unidirectional",
            Self::Bidirectional => "bidirectional",
            Self::Together => "together",
        }
    }

    /// The direction that `word` names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Unidirectional, Self::Bidirectional, Self::Together]
            .into_iter()
            .find(|direction| direction.word() == word)
    }
}
