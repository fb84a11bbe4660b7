//! The demand as on one crossbar switch: filled up to equal sums of rows and columns and taken apart
//! into permutations (Birkhoff and von Neumann), of which each runs for as long as its smallest entry,
//! one after the other. On a crossbar this takes exactly the largest row or column; on a tree the
//! transfers of a permutation share links, of which it knows nothing.

use super::demanded;
use crate::base::{Bytes, Demand, Rank};
use crate::simulator::Exchange;
use crate::topology::Topology;

pub(super) fn exchange(topology: &Topology, demand: &Demand) -> Exchange {
    let ranks = demand.ranks();
    let mut own = vec![0u64; ranks * ranks];
    for (src, dst) in demanded(demand) {
        own[src.index() * ranks + dst.index()] = demand.get(src, dst).0;
    }
    let mut exchange = Exchange::default();
    let mut before: Vec<u32> = Vec::new();
    for stage in stages(own.clone(), ranks) {
        let mut now = Vec::new();
        for (src, &dst) in stage.to.iter().enumerate() {
            // Of what was filled up nothing is sent.
            let left = &mut own[src * ranks + dst];
            let bytes = stage.bytes.min(*left);
            *left -= bytes;
            if bytes > 0 {
                let pair = (Rank::new(src), Rank::new(dst));
                now.extend(exchange.send(topology, pair, Bytes(bytes), before.clone()));
            }
        }
        if !now.is_empty() {
            before = now;
        }
    }
    exchange
}

/// A permutation and for how many bytes it lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    /// For each source its destination.
    pub(super) to: Vec<usize>,
    /// What each of them is sent at most.
    pub(super) bytes: u64,
}

/// A square matrix as a sum of permutations, after it has been filled up to equal sums; the total of all
/// stages is its largest row or column.
pub(super) fn stages(mut matrix: Vec<u64>, size: usize) -> Vec<Stage> {
    let rows = |matrix: &[u64]| -> Vec<u64> {
        matrix.chunks(size.max(1)).map(|row| row.iter().sum()).collect()
    };
    let columns = |matrix: &[u64]| -> Vec<u64> {
        (0..size).map(|at| matrix.iter().skip(at).step_by(size.max(1)).sum()).collect()
    };
    let (mut row, mut column) = (rows(&matrix), columns(&matrix));
    let total = row.iter().chain(&column).copied().max().unwrap_or(0);
    for src in 0..size {
        for dst in 0..size {
            let more = (total - row[src]).min(total - column[dst]);
            matrix[src * size + dst] += more;
            (row[src], column[dst]) = (row[src] + more, column[dst] + more);
        }
    }
    let mut stages = Vec::new();
    let mut left = total;
    while left > 0 {
        let Some(to) = matching(&matrix, size) else { break };
        let bytes = to.iter().enumerate().map(|(src, dst)| matrix[src * size + dst]).min();
        let bytes = bytes.unwrap_or(left);
        to.iter().enumerate().for_each(|(src, dst)| matrix[src * size + dst] -= bytes);
        left -= bytes;
        stages.push(Stage { to, bytes });
    }
    stages
}

/// A perfect matching over the entries above zero, by augmenting paths.
fn matching(matrix: &[u64], size: usize) -> Option<Vec<usize>> {
    fn augment(
        matrix: &[u64],
        size: usize,
        src: usize,
        seen: &mut [bool],
        from: &mut [Option<usize>],
    ) -> bool {
        for dst in 0..size {
            if matrix[src * size + dst] > 0 && !std::mem::replace(&mut seen[dst], true) {
                let is_free = match from[dst] {
                    None => true,
                    Some(other) => augment(matrix, size, other, seen, from),
                };
                if is_free {
                    from[dst] = Some(src);
                    return true;
                }
            }
        }
        false
    }
    let mut from = vec![None; size];
    for src in 0..size {
        if !augment(matrix, size, src, &mut vec![false; size], &mut from) {
            return None;
        }
    }
    let mut to = vec![0; size];
    for (dst, src) in from.into_iter().enumerate() {
        to[src?] = dst;
    }
    Some(to)
}
