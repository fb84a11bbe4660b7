//! NCCL's grouped sends and receives, which its all-to-all is too (NVIDIA/nccl at 5067397c, June 2026:
//! `enqueue.cc`, `init.cc` for the order of peers, `graph/paths.cc` for the transport).
//!
//! - **Order**: ranks form groups (all of them on one node, else 8 each). Groups are served at the
//!   distances 0, 1, 3, 6, 10, … modulo the next power of two; within a pair of groups a rank sends to the
//!   one of its own number plus `d`, for `d` = 0, 1, ….
//! - **Not phased**: nothing separates rounds. So many peers a rank are under way at once: 8 for each of 2
//!   channels. Here the next one starts when the one that many before it has ended.
//! - **Transport**: peer access where only switches lie between two GPUs; else through a buffer in host
//!   memory, written by the one and read by the other, at most 20 GB/s on links of Gen4 and 37 on such of
//!   Gen5 (what is measured one way, NVIDIA/nccl #814 and #1264).
//! - **Direction**: writes, the default on PCIe.

use crate::base::{BytesPerSecond, Demand, DeviceKind, Mode, Rank, RouteClass};
use crate::simulator::{Exchange, Transfer};
use crate::topology::{Route, Topology};

/// Peers of a rank that are under way at once: 8 a channel, 2 channels on PCIe.
const WINDOW: usize = 16;
/// Ranks of a group on several nodes.
const GROUP: usize = 8;
/// From this rate on a link counts as Gen5.
const FIFTH: u64 = 40_000_000_000;
/// What a transfer through host memory reaches on links of Gen4 and of Gen5.
const STAGED: [u64; 2] = [20_000_000_000, 37_000_000_000];

/// The peers of each rank in the order in which it sends to them, itself first.
fn order(ranks: usize, several_nodes: bool) -> Vec<Vec<usize>> {
    let size = if several_nodes { GROUP.min(ranks) } else { ranks };
    let groups = ranks.div_ceil(size.max(1));
    let mut distances = Vec::new();
    let mut distance = 0;
    for step in 0..groups.next_power_of_two() {
        distance = (distance + step) % groups.next_power_of_two();
        if distance < groups {
            distances.push(distance);
        }
    }
    let peers = |rank: usize| {
        let (group, own) = (rank / size, rank % size);
        let all = distances.iter().flat_map(move |distance| {
            let group = (group + distance) % groups;
            (0..size).map(move |shift| group * size + (own + shift) % size)
        });
        all.filter(|peer| *peer < ranks).collect()
    };
    (0..ranks).map(peers).collect()
}

pub(super) fn exchange(topology: &Topology, demand: &Demand) -> Exchange {
    let mut exchange = Exchange::default();
    let ranks = demand.ranks();
    let node = |rank: usize| topology.node_of(Rank::new(rank));
    let several = (1..ranks).any(|rank| node(rank) != node(0));
    let order = order(ranks, several);
    let mut sent: Vec<Vec<u32>> = vec![Vec::new(); ranks];
    for round in 0..ranks {
        for (src, peers) in order.iter().enumerate() {
            let pair = (Rank::new(src), Rank::new(peers[round]));
            let bytes = demand.get(pair.0, pair.1);
            if pair.0 == pair.1 || bytes.0 == 0 {
                continue;
            }
            let Some(route) = topology.routes_between(pair.0, pair.1).next() else { continue };
            let own = &mut sent[src];
            let after = own.len().checked_sub(WINDOW).map(|at| own[at]).into_iter().collect();
            own.push(exchange.transfers.len() as u32);
            let route = transported(topology, route);
            exchange.transfers.push(Transfer { route, bytes, most: None, after });
        }
    }
    exchange
}

/// The route as NCCL takes it.
fn transported(topology: &Topology, mut route: Route) -> Route {
    let passes_socket = route.links.iter().any(|id| {
        let ends = topology.resources[id.index()].ends();
        ends.is_some_and(|(_, to)| topology.vertices[to.index()].kind == DeviceKind::Socket)
    });
    let is_local = topology.node_of(route.src) == topology.node_of(route.dst);
    // Without the caps of the class that the planner would use.
    let narrowest = topology.uncapped_rate(&route);
    if is_local && passes_socket && route.class != RouteClass::Bounce {
        route.class = RouteClass::Bounce;
        let staged = STAGED[usize::from(narrowest.0 >= FIFTH)];
        route.rate = narrowest.min(BytesPerSecond(staged));
    }
    route.mode = Mode::Push;
    route
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn peers_come_in_shifted_rounds_by_triangular_distances() {
        assert_eq!(order(4, false)[1], [1, 2, 3, 0]);
        let wide = order(32, true);
        assert_eq!(wide[9][..4], [9, 10, 11, 12]);
        // Distances 0, 1, 3, 6 mod 4 = 2.
        assert_eq!([wide[9][8], wide[9][16], wide[9][24]], [17, 1, 25]);
        for peers in &wide {
            let mut all = peers.clone();
            all.sort_unstable();
            assert_eq!(all, (0..32).collect::<Vec<_>>());
        }
        // In each round each rank receives from one.
        for round in 0..32 {
            let mut to: Vec<usize> = wide.iter().map(|peers| peers[round]).collect();
            to.sort_unstable();
            to.dedup();
            assert_eq!(to.len(), 32);
        }
    }
}
