//! The ways in which others carry an exchange out, each in its own file with what it models and from
//! which source.

mod all_at_once;
mod birkhoff;
mod fast;
mod nccl;
mod pairwise;
mod spread_out;

use super::Exchange;
use crate::base::{Demand, Rank};
use crate::topology::Topology;

/// Why a baseline has no exchange.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// The demand has another number of ranks.
    #[error("the demand has {demand} ranks and the machine {machine}")]
    Ranks {
        /// Of the demand.
        demand: usize,
        /// Of the machine.
        machine: usize,
    },
    /// It is only defined for nodes with as many ranks each.
    #[error("nodes have different numbers of ranks, and this way is for equal ones")]
    UnequalNodes,
}

/// A way to carry an exchange out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Baseline {
    /// Everything is posted at once.
    AllAtOnce,
    /// In phase `k` rank `i` sends to `i + k`, each rank at its own pace.
    SpreadOut,
    /// The same with a barrier after each phase.
    SpreadOutBarriers,
    /// In phase `k` ranks `i` and `i xor k` exchange.
    Pairwise,
    /// The stages of a decomposition of the demand by Birkhoff and von Neumann, as on one switch.
    Birkhoff,
    /// NCCL's grouped sends and receives.
    Nccl,
    /// FAST: balanced servers as ports of a switch.
    Fast,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::AllAtOnce,
        Self::Nccl,
        Self::SpreadOut,
        Self::SpreadOutBarriers,
        Self::Pairwise,
        Self::Birkhoff,
        Self::Fast,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AllAtOnce => "all-at-once",
            Self::SpreadOut => "spread-out",
            Self::SpreadOutBarriers => "spread-out-barriers",
            Self::Pairwise => "pairwise",
            Self::Birkhoff => "birkhoff",
            Self::Nccl => "nccl",
            Self::Fast => "fast",
        }
    }

    /// The baseline of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// The transfers of a demand.
    ///
    /// # Errors
    /// [`BaselineError`].
    pub fn exchange(self, topology: &Topology, demand: &Demand) -> Result<Exchange, BaselineError> {
        let (machine, ranks) = (topology.ranks.len(), demand.ranks());
        if machine != ranks {
            return Err(BaselineError::Ranks { demand: ranks, machine });
        }
        Ok(match self {
            Self::AllAtOnce => all_at_once::exchange(topology, demand),
            Self::SpreadOut => spread_out::exchange(topology, demand, false),
            Self::SpreadOutBarriers => spread_out::exchange(topology, demand, true),
            Self::Pairwise => pairwise::exchange(topology, demand),
            Self::Birkhoff => birkhoff::exchange(topology, demand),
            Self::Nccl => nccl::exchange(topology, demand),
            Self::Fast => fast::exchange(topology, demand)?,
        })
    }
}

/// The pairs of different ranks that have something to send, in the order of their sources.
fn demanded(demand: &Demand) -> impl Iterator<Item = (Rank, Rank)> + '_ {
    let ranks = || (0..demand.ranks()).map(Rank::new);
    let pairs = ranks().flat_map(move |src| ranks().map(move |dst| (src, dst)));
    pairs.filter(|&(src, dst)| src != dst && demand.get(src, dst).0 > 0)
}

/// Phases one after the other: with barriers each starts when the one before has ended; without, each
/// rank goes on when its own transfer of the phase before has left.
fn phased(
    topology: &Topology,
    demand: &Demand,
    phases: impl Iterator<Item = Vec<(Rank, Rank)>>,
    barriers: bool,
) -> Exchange {
    let mut exchange = Exchange::default();
    let mut last: Vec<Option<u32>> = vec![None; demand.ranks()];
    let mut phase_before: Vec<u32> = Vec::new();
    for phase in phases {
        let mut now = Vec::new();
        for (src, dst) in phase {
            let bytes = demand.get(src, dst);
            if src == dst || bytes.0 == 0 {
                continue;
            }
            let after = match barriers {
                true => phase_before.clone(),
                false => last[src.index()].into_iter().collect(),
            };
            if let Some(at) = exchange.send(topology, (src, dst), bytes, after) {
                last[src.index()] = Some(at);
                now.push(at);
            }
        }
        if !now.is_empty() {
            phase_before = now;
        }
    }
    exchange
}
