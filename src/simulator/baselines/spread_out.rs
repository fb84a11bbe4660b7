//! SpreadOut, or the linear shift: in phase `k` rank `i` sends to rank `i + k`, so that each rank sends
//! to one other and receives from one. With barriers a phase takes as long as its slowest transfer, and
//! a skewed demand the sum of those; without, each rank goes on when its own transfer has left, and
//! phases run into each other.
//!
//! The classic algorithm of MPI libraries, and what FAST (arXiv 2505.09764, section 4) runs inside a
//! server.

use super::phased;
use crate::base::{Demand, Rank};
use crate::simulator::Exchange;
use crate::topology::Topology;

pub(super) fn exchange(topology: &Topology, demand: &Demand, barriers: bool) -> Exchange {
    let ranks = demand.ranks();
    let phases = (1..ranks).map(|shift| {
        (0..ranks).map(|src| (Rank::new(src), Rank::new((src + shift) % ranks))).collect()
    });
    phased(topology, demand, phases, barriers)
}
