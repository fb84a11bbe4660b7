//! What can be wrong with a plan or a plan buffer.

use super::window::WindowError;
use crate::base::{PieceId, Rank};

/// Why a plan cannot be encoded, or a buffer not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanBufferError {
    /// Plan, catalog and windows speak of different numbers of ranks.
    #[error("the plan is for {plan} ranks, the catalog for {catalog}, the windows for {windows}")]
    Ranks {
        /// Of the plan.
        plan: usize,
        /// Of the catalog.
        catalog: usize,
        /// Of the windows.
        windows: usize,
    },
    /// The plan was made for another machine.
    #[error("the plan was made for topology {plan}, not for {catalog}")]
    Topology {
        /// Short digest in the plan.
        plan: String,
        /// Short digest in the catalog.
        catalog: String,
    },
    /// The rank does not exist.
    #[error("there is no rank {rank} among {ranks}")]
    NoRank {
        /// Asked for.
        rank: Rank,
        /// How many there are.
        ranks: usize,
    },
    /// A piece names ranks that do not exist, or itself as both ends.
    #[error("piece {piece} goes from rank {src} to rank {dst}, which is no pair of the exchange")]
    NoPair {
        /// The piece.
        piece: PieceId,
        /// Its source.
        src: Rank,
        /// Its destination.
        dst: Rank,
    },
    /// A piece starts in no step, or waits for a piece that does not exist or comes later.
    #[error("piece {piece} starts in no step, or comes after a piece that is not before it")]
    Order {
        /// The piece.
        piece: PieceId,
    },
    /// The channel that a step names does not hold one of its pieces.
    #[error("the channel of its step does not contain piece {piece}")]
    NotInChannel {
        /// The piece.
        piece: PieceId,
    },
    /// A group element is no permutation of the ranks.
    #[error("a group element is no permutation of the {ranks} ranks")]
    Element {
        /// How many ranks there are.
        ranks: usize,
    },
    /// More of something than the buffer can count.
    #[error("a rank has {found} {what}, more than the supported {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A range of a window leaves it or the numbers that address it.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The first word is another.
    #[error("this is no plan buffer")]
    Magic,
    /// Made by another version.
    #[error("the plan buffer has version {found}, this program reads {expected}")]
    Version {
        /// In the buffer.
        found: u32,
        /// The one known here.
        expected: u32,
    },
    /// The length differs from what the header says, or from what its counts need.
    #[error("the plan buffer is {found} bytes long and should be {expected}")]
    Length {
        /// What is there.
        found: usize,
        /// What should be.
        expected: usize,
    },
    /// A field holds a value outside its range.
    #[error("the plan buffer's {field} is out of range{}", entry.map(|e| format!(" in entry {e}")).unwrap_or_default())]
    Field {
        /// The field's name.
        field: &'static str,
        /// The entry it stands in; `None` for the header and the other tables.
        entry: Option<usize>,
    },
}
