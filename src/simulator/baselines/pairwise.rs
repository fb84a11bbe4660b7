//! Pairwise exchange: in phase `k` ranks `i` and `i xor k` send to each other, each pair at its own pace.
//! With a number of ranks that is no power of two some of the phases leave ranks out.
//!
//! What MPICH does with messages of more than 32 KiB a pair on a power of two of ranks (the control
//! variables of its alltoall).

use super::phased;
use crate::base::{Demand, Rank};
use crate::simulator::Exchange;
use crate::topology::Topology;

pub(super) fn exchange(topology: &Topology, demand: &Demand) -> Exchange {
    let ranks = demand.ranks();
    let phases = (1..ranks.next_power_of_two()).map(|mask| {
        let pairs = (0..ranks).map(move |src| (src, src ^ mask)).filter(|(_, dst)| *dst < ranks);
        pairs.map(|(src, dst)| (Rank::new(src), Rank::new(dst))).collect()
    });
    phased(topology, demand, phases, false)
}
