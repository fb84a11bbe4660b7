//! What a launch passes to the kernel, and the status word it leaves.

use crate::base::Rank;
use std::fmt;

/// The arguments of a launch, in the order of the kernel's argument record: every field is 64 bits
/// wide, pointers as addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// The rank that is launched.
    pub rank: u64,
    /// Address of the rank's plan buffer, a multiple of 8.
    pub plan: u64,
    /// Address of its send window.
    pub send: u64,
    /// Address of its state, a multiple of 8.
    pub state: u64,
    /// Longest time that the call may take, in ns; zero for no limit.
    pub budget_ns: u64,
    /// Factor on the time limits of link waits: 1 on the machine that the plan was made for.
    pub patience: u64,
    /// Address of every rank's receive window.
    pub receive: Vec<u64>,
    /// Address of every rank's signal memory, multiples of 8.
    pub slots: Vec<u64>,
}

impl Arguments {
    /// The record as words.
    #[must_use]
    pub fn words(&self) -> Vec<u64> {
        let mut words =
            vec![self.rank, self.plan, self.send, self.state, self.budget_ns, self.patience];
        words.extend(&self.receive);
        words.extend(&self.slots);
        words
    }
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusKind {
    /// No `ready` from the peer within the budget.
    NotReady = 1,
    /// Not all bytes of the peer arrived within the budget.
    NotArrived = 2,
    /// The peer is in another call, or has another bundle, plan or windows.
    Mismatch = 3,
    /// The peer ended the exchange.
    Poisoned = 4,
    /// This rank was told to end the exchange.
    Aborted = 5,
    /// The plan buffer is not for these kernels or this rank.
    ForeignPlan = 6,
}

impl StatusKind {
    /// Every kind, in order of number.
    pub const ALL: &'static [Self] = &[
        Self::NotReady,
        Self::NotArrived,
        Self::Mismatch,
        Self::Poisoned,
        Self::Aborted,
        Self::ForeignPlan,
    ];

    pub(super) fn c_name(self) -> &'static str {
        match self {
            Self::NotReady => "NOT_READY",
            Self::NotArrived => "NOT_ARRIVED",
            Self::Mismatch => "MISMATCH",
            Self::Poisoned => "POISONED",
            Self::Aborted => "ABORTED",
            Self::ForeignPlan => "FOREIGN_PLAN",
        }
    }

    pub(super) fn doc(self) -> &'static str {
        match self {
            Self::NotReady => "no `ready` within the budget",
            Self::NotArrived => "not all bytes within the budget",
            Self::Mismatch => "another call, bundle, plan or windows",
            Self::Poisoned => "a peer ended the exchange",
            Self::Aborted => "told to end the exchange",
            Self::ForeignPlan => "the plan buffer is for something else",
        }
    }
}

/// A decoded status word: bits 0 to 7 the kind, 8 to 15 the rank, 16 to 23 the peer, 32 to 63 the
/// entry or all ones for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What happened.
    pub kind: StatusKind,
    /// The rank it happened to.
    pub rank: Rank,
    /// The rank it waited for; itself where no peer is concerned.
    pub peer: Rank,
    /// The entry of the rank's plan buffer that was under way.
    pub entry: Option<u32>,
}

impl Status {
    /// Reads a status word; `None` for zero and for words that no kernel writes.
    #[must_use]
    pub fn from_word(word: u64) -> Option<Self> {
        let kind = StatusKind::ALL.iter().copied().find(|kind| *kind as u64 == word & 0xff)?;
        let byte = |shift: u32| Rank(((word >> shift) & 0xff) as u32);
        let entry = u32::try_from(word >> 32).ok().filter(|entry| *entry != u32::MAX);
        Some(Self { kind, rank: byte(8), peer: byte(16), entry })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, peer) = (self.rank, self.peer);
        match self.kind {
            StatusKind::NotReady => {
                write!(f, "rank {rank} waited for rank {peer} to get ready, longer than the budget")
            }
            StatusKind::NotArrived => {
                write!(f, "rank {rank} waited for the bytes of rank {peer}, longer than the budget")
            }
            StatusKind::Mismatch => write!(
                f,
                "rank {rank} and rank {peer} differ in call number, bundle, plan or windows"
            ),
            StatusKind::Poisoned => write!(f, "rank {rank} stopped because rank {peer} failed"),
            StatusKind::Aborted => write!(f, "rank {rank} was told to stop"),
            StatusKind::ForeignPlan => {
                write!(f, "the plan buffer of rank {rank} does not belong to these kernels")
            }
        }
    }
}
