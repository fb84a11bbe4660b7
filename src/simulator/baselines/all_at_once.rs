//! Everything is posted at once, and the machine shares its links as it can.
//!
//! What grouped sends and receives come to on few ranks, where all of them are under way together
//! (NCCL's schedule separates no rounds), and what a plain loop of asynchronous copies does.

use super::demanded;
use crate::base::Demand;
use crate::simulator::Exchange;
use crate::topology::Topology;

pub(super) fn exchange(topology: &Topology, demand: &Demand) -> Exchange {
    let mut exchange = Exchange::default();
    for (src, dst) in demanded(demand) {
        exchange.send(topology, (src, dst), demand.get(src, dst), Vec::new());
    }
    exchange
}
