//! The demand of one call: how many bytes each rank sends to each other.

use super::{Bytes, Rank};

/// The largest total of a demand: 2^53 bytes, so that a total is exact in every tool that reads
/// JSON numbers as doubles.
pub const MAX_TOTAL_BYTES: u64 = 1 << 53;

/// Why a matrix is no demand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DemandError {
    /// The number of entries is not the square of the number of ranks.
    #[error("a demand of {ranks} ranks has {expected} entries, not {found}")]
    Shape {
        /// Ranks asked for.
        ranks: usize,
        /// `ranks * ranks`.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// The entries add up to more than [`MAX_TOTAL_BYTES`].
    #[error("the demand totals {total} bytes, more than the supported 2^53 = {MAX_TOTAL_BYTES}")]
    Total {
        /// The sum of all entries.
        total: u128,
    },
}

/// An N x N matrix of byte counts: row `i`, column `j` is what rank `i` sends to rank `j`. The
/// diagonal is a local copy. Zero rows, zero columns and silent ranks are ordinary. The total is
/// at most [`MAX_TOTAL_BYTES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    ranks: usize,
    bytes: Vec<u64>,
}

impl Demand {
    /// A demand from its entries, row by row.
    ///
    /// # Errors
    /// [`DemandError`] when the shape or the total is wrong.
    pub fn new(ranks: usize, bytes: Vec<u64>) -> Result<Self, DemandError> {
        let expected = ranks * ranks;
        if bytes.len() != expected {
            return Err(DemandError::Shape { ranks, expected, found: bytes.len() });
        }
        let total: u128 = bytes.iter().map(|&b| u128::from(b)).sum();
        if total > u128::from(MAX_TOTAL_BYTES) {
            return Err(DemandError::Total { total });
        }
        Ok(Self { ranks, bytes })
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// What `src` sends to `dst`.
    #[must_use]
    pub fn get(&self, src: Rank, dst: Rank) -> Bytes {
        Bytes(self.bytes[src.index() * self.ranks + dst.index()])
    }

    /// All entries, row by row.
    #[must_use]
    pub fn entries(&self) -> &[u64] {
        &self.bytes
    }

    /// The sum of all entries, the diagonal included.
    #[must_use]
    pub fn total(&self) -> Bytes {
        Bytes(self.bytes.iter().sum())
    }

    /// The demand when two ranks have each what the other one had.
    #[must_use]
    pub fn exchanged(&self, a: Rank, b: Rank) -> Self {
        let ranks = || (0..self.ranks).map(Rank::new);
        let bytes = ranks().flat_map(|src| {
            ranks().map(move |dst| self.get(src.exchanged(a, b), dst.exchanged(a, b)).0)
        });
        Self { ranks: self.ranks, bytes: bytes.collect() }
    }

    /// The number of ordered pairs of different ranks with at least one byte.
    #[must_use]
    pub fn pairs(&self) -> usize {
        (0..self.bytes.len())
            .filter(|i| i / self.ranks != i % self.ranks && self.bytes[*i] > 0)
            .count()
    }
}
