//! What a run on the host may use, and what it found.

use crate::bundle::plan_buffer::Status;
use std::path::PathBuf;

/// How to run on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOptions {
    /// Blocks a rank, 1 to 1024. Each is a thread of the operating system.
    pub blocks: u32,
    /// Threads a block, 1 to 1024.
    pub threads: u32,
    /// Seed of the random bytes that are sent.
    pub seed: u64,
    /// The most memory that all windows together may take, in bytes.
    pub budget: u64,
    /// The longest time that a call may take before it fails, in milliseconds; zero for no limit.
    pub timeout_ms: u64,
    /// Factor on the time limits of link waits. A CPU is slower than the machine that the plan was
    /// made for, so that limits meant for that machine would nearly always expire.
    pub patience: u64,
    /// Where compiled kernels are kept; `None` for the user's cache folder.
    pub cache: Option<PathBuf>,
}

impl Default for HostOptions {
    /// 2 blocks of 32 threads a rank, seed 0, 4 GiB, 30 s, patience 10 000.
    fn default() -> Self {
        Self {
            blocks: 2,
            threads: 32,
            seed: 0,
            budget: 4 << 30,
            timeout_ms: 30_000,
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
    /// Bytes that arrived as they were sent.
    pub verified: u64,
    /// The first byte that is wrong, for each pair that has one: source, destination, offset within
    /// the pair's bytes.
    pub wrong: Vec<(u32, u32, u64)>,
    /// Ranks with a changed byte in a guard zone or in what they only read.
    pub damaged: Vec<u32>,
    /// Link waits in the plan.
    pub link_waits: u64,
    /// Link waits given up by time.
    pub overruns: u64,
    /// The ranks whose call failed, and why, in order of rank.
    pub failures: Vec<Status>,
}

impl Report {
    /// Whether every byte is where it belongs, nothing else changed and no call failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verified == self.bytes
            && self.wrong.is_empty()
            && self.damaged.is_empty()
            && self.failures.is_empty()
    }
}
