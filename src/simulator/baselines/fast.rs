//! FAST (arXiv 2505.09764, sections 4 and 5, and its appendix): servers as ports of one switch.
//!
//! Bytes from one server to another are first balanced over its GPUs, so that each sends as much; then
//! GPU `i` of the one sends to GPU `i` of the other alone, in stages in which each server sends to one
//! and receives from one (a decomposition by Birkhoff and von Neumann of the matrix of servers), and what
//! arrived at the wrong GPU is passed on within the server. A stage starts when the one before has ended;
//! balancing comes before the first, passing on goes beside the next. Within a server transfers run as
//! SpreadOut, each GPU at its own pace. On a single server everything is SpreadOut.
//!
//! The description leaves open when a GPU begins what goes to its own server: here it follows what is
//! balanced, beside the first stage.

use super::birkhoff::{Stage, stages};
use super::{BaselineError, spread_out};
use crate::base::{Bytes, Demand, Rank};
use crate::simulator::Exchange;
use crate::topology::Topology;
use std::collections::VecDeque;

/// Bytes of one GPU for one of another server: the destination's number there, and how many.
type Share = VecDeque<(usize, u64)>;

/// What FAST works out of a demand before anything is sent.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Bytes that go from one GPU to another of its server before the first stage: (source, destination,
    /// bytes).
    moves: Vec<(Rank, Rank, u64)>,
    /// For each ordered pair of servers and each GPU what it sends then.
    shares: Vec<Vec<Share>>,
    /// Which server sends to which, for how many bytes a GPU.
    stages: Vec<Stage>,
}

/// The ranks of each server, as many in each.
fn servers(topology: &Topology) -> Result<Vec<Vec<Rank>>, BaselineError> {
    let mut servers: Vec<(Option<crate::base::NodeId>, Vec<Rank>)> = Vec::new();
    for rank in (0..topology.ranks.len()).map(Rank::new) {
        let node = topology.node_of(rank);
        match servers.iter_mut().find(|(other, _)| *other == node) {
            Some((_, ranks)) => ranks.push(rank),
            None => servers.push((node, vec![rank])),
        }
    }
    let sizes = || servers.iter().map(|(_, ranks)| ranks.len());
    if sizes().min() != sizes().max() {
        return Err(BaselineError::UnequalNodes);
    }
    Ok(servers.into_iter().map(|(_, ranks)| ranks).collect())
}

impl Plan {
    /// Balances every tile and takes the matrix of servers apart.
    pub(super) fn new(servers: &[Vec<Rank>], demand: &Demand) -> Self {
        let (count, gpus) = (servers.len(), servers.first().map_or(0, Vec::len));
        let mut plan = Self {
            moves: Vec::new(),
            shares: vec![vec![Share::new(); gpus]; count * count],
            stages: Vec::new(),
        };
        let mut matrix = vec![0u64; count * count];
        for s in 0..count {
            for t in (0..count).filter(|t| *t != s) {
                let tile: Vec<Vec<u64>> = (servers[s].iter())
                    .map(|src| servers[t].iter().map(|dst| demand.get(*src, *dst).0).collect())
                    .collect();
                matrix[s * count + t] = plan.balance(&servers[s], tile, s * count + t);
            }
        }
        plan.stages = stages(matrix, count);
        plan
    }

    /// Moves bytes from GPUs with more than an even share of a tile to such with less, in the order of
    /// their numbers, by destination; tells the share.
    fn balance(&mut self, ranks: &[Rank], mut tile: Vec<Vec<u64>>, at: usize) -> u64 {
        let gpus = ranks.len() as u64;
        let sums: Vec<u64> = tile.iter().map(|row| row.iter().sum()).collect();
        let share = sums.iter().sum::<u64>().div_ceil(gpus.max(1));
        let mut has = sums;
        let mut moved: Vec<Vec<(usize, u64)>> = vec![Vec::new(); ranks.len()];
        for donor in 0..ranks.len() {
            for taker in 0..ranks.len() {
                let bytes = has[donor].saturating_sub(share).min(share.saturating_sub(has[taker]));
                if donor == taker || bytes == 0 {
                    continue;
                }
                self.moves.push((ranks[donor], ranks[taker], bytes));
                (has[donor], has[taker]) = (has[donor] - bytes, has[taker] + bytes);
                let mut left = bytes;
                for (dst, own) in tile[donor].iter_mut().enumerate() {
                    let part = left.min(*own);
                    (*own, left) = (*own - part, left - part);
                    if part > 0 {
                        moved[taker].push((dst, part));
                    }
                }
            }
        }
        for (gpu, (row, more)) in tile.into_iter().zip(moved).enumerate() {
            let mut all: Vec<(usize, u64)> = row.into_iter().enumerate().chain(more).collect();
            all.retain(|(_, bytes)| *bytes > 0);
            // By destination, of each the own bytes first.
            all.sort_by_key(|(dst, _)| *dst);
            self.shares[at][gpu] = all.into();
        }
        share
    }
}

/// Takes bytes off the front of a share.
fn drain(share: &mut Share, mut bytes: u64) -> Vec<(usize, u64)> {
    let mut taken = Vec::new();
    while bytes > 0
        && let Some((dst, own)) = share.front_mut()
    {
        let part = bytes.min(*own);
        taken.push((*dst, part));
        (*own, bytes) = (*own - part, bytes - part);
        if *own == 0 {
            share.pop_front();
        }
    }
    taken
}

pub(super) fn exchange(topology: &Topology, demand: &Demand) -> Result<Exchange, BaselineError> {
    let servers = servers(topology)?;
    if servers.len() < 2 {
        return Ok(spread_out::exchange(topology, demand, false));
    }
    let mut plan = Plan::new(&servers, demand);
    let (count, gpus) = (servers.len(), servers[0].len());
    let mut sent = Sent::new(topology, demand.ranks());
    // Balancing, in the order of shifted phases.
    let place = |rank: Rank| {
        let find = |ranks: &Vec<Rank>| ranks.iter().position(|other| *other == rank);
        servers.iter().find_map(find).unwrap_or(0)
    };
    let mut moves = std::mem::take(&mut plan.moves);
    moves.sort_by_key(|(src, dst, _)| (place(*dst) + gpus - place(*src)) % gpus);
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (src, dst, bytes) in moves {
        let at = sent.local((src, dst), bytes, &[]);
        let server = servers.iter().position(|ranks| ranks.contains(&src)).unwrap_or(0);
        before[server].extend(at);
    }
    // What stays within servers.
    for shift in 1..gpus {
        for ranks in &servers {
            for src in 0..gpus {
                let pair = (ranks[src], ranks[(src + shift) % gpus]);
                sent.local(pair, demand.get(pair.0, pair.1).0, &[]);
            }
        }
    }
    let mut stage_before: Vec<u32> = before.into_iter().flatten().collect();
    for stage in &plan.stages {
        let mut now = Vec::new();
        let mut arrived: Vec<(usize, Rank, Rank, u64, u32)> = Vec::new();
        for (s, &t) in stage.to.iter().enumerate().filter(|(s, t)| s != *t) {
            for gpu in 0..gpus {
                let parts = drain(&mut plan.shares[s * count + t][gpu], stage.bytes);
                let bytes = parts.iter().map(|part| part.1).sum();
                let pair = (servers[s][gpu], servers[t][gpu]);
                let Some(at) = sent.send(pair, bytes, stage_before.clone()) else { continue };
                now.push(at);
                for (dst, bytes) in parts.into_iter().filter(|part| part.0 != gpu) {
                    let shift = (dst + gpus - gpu) % gpus;
                    arrived.push((shift, servers[t][gpu], servers[t][dst], bytes, at));
                }
            }
        }
        arrived.sort();
        for (_, src, dst, bytes, at) in arrived {
            sent.local((src, dst), bytes, &[at]);
        }
        if !now.is_empty() {
            stage_before = now;
        }
    }
    Ok(sent.exchange)
}

/// Transfers so far; those within servers go one after the other from each GPU.
struct Sent<'a> {
    topology: &'a Topology,
    exchange: Exchange,
    last: Vec<Option<u32>>,
}

impl<'a> Sent<'a> {
    fn new(topology: &'a Topology, ranks: usize) -> Self {
        Self { topology, exchange: Exchange::default(), last: vec![None; ranks] }
    }

    fn send(&mut self, pair: (Rank, Rank), bytes: u64, after: Vec<u32>) -> Option<u32> {
        if bytes == 0 {
            return None;
        }
        self.exchange.send(self.topology, pair, Bytes(bytes), after)
    }

    fn local(&mut self, pair: (Rank, Rank), bytes: u64, after: &[u32]) -> Option<u32> {
        let after: Vec<u32> = after.iter().copied().chain(self.last[pair.0.index()]).collect();
        let at = self.send(pair, bytes, after)?;
        self.last[pair.0.index()] = Some(at);
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stages are at most N^2 - 2 N + 2 for N servers: 10, 50 and 122 at 32, 64 and 96 GPUs.
    #[test]
    fn stages_are_few() {
        for (count, most) in [(4usize, 10), (8, 50), (12, 122)] {
            let servers: Vec<Vec<Rank>> =
                (0..count).map(|s| (0..8).map(|gpu| Rank::new(8 * s + gpu)).collect()).collect();
            let ranks = 8 * count;
            let mut state = 1u64;
            for _ in 0..5 {
                let entries = (0..ranks * ranks).map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 44) * u64::from(state >> 62 != 0)
                });
                let demand = Demand::new(ranks, entries.collect()).expect("a demand");
                let plan = Plan::new(&servers, &demand);
                assert!(plan.stages.len() <= most, "{count}: {}", plan.stages.len());
                // Nothing is lost by balancing, and no GPU has more than its share.
                for (at, shares) in plan.shares.iter().enumerate() {
                    let (s, t) = (at / count, at % count);
                    let tile: u64 = (servers[s].iter())
                        .flat_map(|src| servers[t].iter().map(|dst| demand.get(*src, *dst).0))
                        .sum();
                    let sums = shares.iter().map(|share| share.iter().map(|of| of.1).sum::<u64>());
                    if s != t {
                        assert_eq!(sums.clone().sum::<u64>(), tile);
                        assert!(sums.max().expect("eight") <= tile.div_ceil(8));
                    }
                }
            }
        }
    }
}
