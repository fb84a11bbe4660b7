//! Windows between guard zones.

use super::HostError;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes of a guard zone, on either side of a window.
pub(super) const GUARD: usize = 4096;
/// What guard zones and receive windows hold before a call.
const PATTERN: u8 = 0xa5;

/// A window in memory, with a guard zone before and behind it.
#[derive(Debug)]
pub(super) struct Window {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Window {
    /// A window filled with the pattern, starting at a multiple of 256 as device memory does.
    pub(super) fn new(bytes: u64) -> Result<Self, HostError> {
        let no_memory = || HostError::Memory { bytes };
        let length = usize::try_from(bytes).map_err(|_| no_memory())?;
        let all = length.checked_add(2 * GUARD + 256).ok_or_else(no_memory)?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(all).map_err(|_| no_memory())?;
        memory.resize(all, PATTERN);
        let start = GUARD + memory[GUARD..].as_ptr().align_offset(256).min(256);
        Ok(Self { memory, start, length })
    }

    /// Fills the window with random bytes that depend on the seed and the rank only.
    pub(super) fn randomise(&mut self, seed: u64, rank: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(rank);
        let (start, end) = (self.start, self.start + self.length);
        random.fill_bytes(&mut self.memory[start..end]);
    }

    /// The address of its first byte.
    pub(super) fn address(&mut self) -> u64 {
        self.memory[self.start..].as_mut_ptr() as u64
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// Whether both guard zones are as they were.
    pub(super) fn intact(&self) -> bool {
        let untouched = |zone: &[u8]| zone.iter().all(|byte| *byte == PATTERN);
        untouched(&self.memory[..self.start]) && untouched(&self.memory[self.start + self.length..])
    }
}
