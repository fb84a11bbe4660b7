//! Typed ids. Each is an index into exactly one table, and they do not mix.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the entry at `index`. Tables stay far below 2^32 entries.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables hold fewer than 2^32 entries"))
            }

            /// The position in the table that this id belongs to.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A participant of the exchange: one GPU. Ranks count from 0 without gaps.
    Rank
);
id!(
    /// A vertex of the topology: a GPU, NIC, switch, socket or fabric.
    VertexId
);
id!(
    /// A resource of the topology: one direction of a link, a joint capacity, a socket's memory.
    LinkId
);
id!(
    /// A node of the topology: a computer, what hangs together without a network.
    NodeId
);
id!(
    /// A route of an ordered pair of ranks, in the order of (source, destination).
    RouteId
);
id!(
    /// A family of channels that symmetry maps onto each other.
    OrbitId
);
id!(
    /// A piece of a plan, in the order in which pieces start.
    PieceId
);

impl Rank {
    /// The rank after two have been exchanged.
    #[must_use]
    pub fn exchanged(self, a: Self, b: Self) -> Self {
        match self {
            _ if self == a => b,
            _ if self == b => a,
            _ => self,
        }
    }
}
