//! What a run on the host may use, and what it found.

use crate::base::{PieceId, Rank};
use crate::bundle::plan_buffer::Status;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How to run on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOptions {
    /// Blocks a rank, 1 to 1024. Each is a thread of the operating system.
    pub blocks: u32,
    /// Threads a block, 1 to 1024.
    pub threads: u32,
    /// Seed of the random bytes that are sent.
    pub seed: u64,
    /// The longest time that the call may take before it fails; zero for no limit.
    pub budget: Duration,
    /// The most memory that all windows together may take, in bytes.
    pub memory: u64,
    /// Whether every byte is compared with what was sent.
    pub check: bool,
    /// Factor on the time limits of link waits. A CPU is slower than the machine that the plan was
    /// made for, so that limits meant for that machine would nearly always expire.
    pub patience: u64,
    /// Where compiled kernels are kept; `None` for the user's cache folder.
    pub cache: Option<PathBuf>,
}

impl Default for HostOptions {
    /// 2 blocks of 32 threads a rank, seed 0, 30 s, 4 GiB, checked, patience 10 000.
    fn default() -> Self {
        Self {
            blocks: 2,
            threads: 32,
            seed: 0,
            budget: Duration::from_secs(30),
            memory: 4 << 30,
            check: true,
            patience: 10_000,
            cache: None,
        }
    }
}

/// What a run found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Bytes of the demand, the diagonal included.
    pub bytes: u64,
    /// Bytes that arrived as they were sent; zero where nothing was compared.
    pub verified: u64,
    /// Bytes that did not; zero where nothing was compared.
    pub wrong: u64,
    /// Link waits in the plan.
    pub link_waits: u64,
    /// Link waits given up by time.
    pub overruns: u64,
    /// Everything that went wrong: failed calls, then wrong bytes, then damage, in order of rank.
    pub faults: Vec<Fault>,
    /// The first fault in words.
    pub first_fault: Option<String>,
}

/// Something that went wrong in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The call of a rank failed.
    Failed {
        /// Why.
        status: Status,
        /// The piece that was under way.
        piece: Option<PieceId>,
    },
    /// Bytes of a pair differ from what was sent.
    Wrong {
        /// From.
        src: Rank,
        /// To.
        dst: Rank,
        /// How many.
        count: u64,
        /// Offset of the first, within the pair's bytes.
        first: u64,
    },
    /// Memory of a rank changed that nothing may write: a guard zone, or what it sends.
    Damaged {
        /// Whose.
        rank: Rank,
    },
}

impl Report {
    /// Whether nothing went wrong and, unless nothing was compared, every byte is right.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { status, piece } => {
                write!(f, "{status}")?;
                piece.map_or(Ok(()), |piece| write!(f, ", in piece {piece}"))
            }
            Self::Wrong { src, dst, count, first } => write!(
                f,
                "{count} bytes from rank {src} to rank {dst} are wrong, the first at offset {first}"
            ),
            Self::Damaged { rank } => {
                write!(f, "memory of rank {rank} changed that nothing may write")
            }
        }
    }
}
