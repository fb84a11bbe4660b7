//! Where each pair's bytes lie in the send and receive windows.

use crate::base::{Bytes, Demand, Rank};

/// A range that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The number of offsets is not the square of the number of ranks.
    #[error("{ranks} ranks need {expected} offsets, not {found}")]
    Shape {
        /// The number of ranks.
        ranks: usize,
        /// Offsets needed.
        expected: usize,
        /// Offsets given.
        found: usize,
    },
    /// A range ends beyond 2^64 - 1.
    #[error("the bytes from rank {src} to rank {dst} leave the 64-bit address range")]
    Range {
        /// From.
        src: Rank,
        /// To.
        dst: Rank,
    },
    /// A piece reaches beyond the bytes of its pair.
    #[error("a piece from rank {src} to rank {dst} reaches beyond their {bytes} bytes")]
    Piece {
        /// From.
        src: Rank,
        /// To.
        dst: Rank,
        /// What the pair has.
        bytes: Bytes,
    },
}

/// Offsets of every pair's bytes: in its source's send window and in its destination's receive
/// window. Every rank must use the same; they are part of the digest that travels with `ready`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    ranks: usize,
    bytes: Vec<u64>,
    send: Vec<u64>,
    receive: Vec<u64>,
}

impl Window {
    /// Windows without gaps: a rank's send window holds its destinations in order of rank, its
    /// receive window its sources.
    #[must_use]
    pub fn packed(demand: &Demand) -> Self {
        let n = demand.ranks();
        let bytes = demand.entries().to_vec();
        let (mut send, mut receive) = (vec![0; n * n], vec![0; n * n]);
        // Totals of a demand stay below 2^53, so no sum here can overflow.
        for a in 0..n {
            let (mut sent, mut received) = (0, 0);
            for b in 0..n {
                send[a * n + b] = sent;
                sent += bytes[a * n + b];
                receive[b * n + a] = received;
                received += bytes[b * n + a];
            }
        }
        Self { ranks: n, bytes, send, receive }
    }

    /// Windows with the given offsets, row by row: row is the source, column the destination.
    ///
    /// # Errors
    /// [`WindowError`] when the shape is wrong or a range leaves 64 bits.
    pub fn new(demand: &Demand, send: Vec<u64>, receive: Vec<u64>) -> Result<Self, WindowError> {
        let ranks = demand.ranks();
        let expected = ranks * ranks;
        for found in [send.len(), receive.len()] {
            if found != expected {
                return Err(WindowError::Shape { ranks, expected, found });
            }
        }
        let bytes = demand.entries().to_vec();
        for at in 0..expected {
            let fits = |start: u64| start.checked_add(bytes[at]).is_some();
            if !fits(send[at]) || !fits(receive[at]) {
                let (src, dst) = (Rank::new(at / ranks), Rank::new(at % ranks));
                return Err(WindowError::Range { src, dst });
            }
        }
        Ok(Self { ranks, bytes, send, receive })
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The bytes of a pair.
    #[must_use]
    pub fn bytes(&self, src: Rank, dst: Rank) -> u64 {
        self.bytes[self.at(src, dst)]
    }

    /// Where they start in the send window of `src`.
    #[must_use]
    pub fn send(&self, src: Rank, dst: Rank) -> u64 {
        self.send[self.at(src, dst)]
    }

    /// Where they start in the receive window of `dst`.
    #[must_use]
    pub fn receive(&self, src: Rank, dst: Rank) -> u64 {
        self.receive[self.at(src, dst)]
    }

    /// The length of a rank's send window: the end of its last range.
    #[must_use]
    pub fn send_bytes(&self, rank: Rank) -> u64 {
        let end = |peer| self.send(rank, peer) + self.bytes(rank, peer);
        (0..self.ranks).map(|peer| end(Rank::new(peer))).max().unwrap_or(0)
    }

    /// The length of a rank's receive window: the end of its last range.
    #[must_use]
    pub fn receive_bytes(&self, rank: Rank) -> u64 {
        let end = |peer| self.receive(peer, rank) + self.bytes(peer, rank);
        (0..self.ranks).map(|peer| end(Rank::new(peer))).max().unwrap_or(0)
    }

    /// All sizes and offsets, for the digest.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.iter().chain(&self.send).chain(&self.receive).copied()
    }

    fn at(&self, src: Rank, dst: Rank) -> usize {
        src.index() * self.ranks + dst.index()
    }
}
