//! List scheduling driven by events: whenever links become free, start the transfer whose links
//! have the most left to do, until nothing more fits; what has started runs to its end.

use super::PlanError;
use super::bits::Bits;
use super::tables::{SHARE, Tables};
use crate::base::{Bytes, Demand, UnitOverflow};

/// The most routes that word sets hold.
pub(super) const MAX_ROUTES: usize = 256;
/// Loads are scaled down to fewer bits than this, so that scores never overflow.
const LOAD_BITS: u32 = 38;
/// Scores closer than the largest one over 2^17 count as equal; about 1e-5.
const TIE_BITS: u32 = 17;

/// What counts in the choice of the next transfer: weights of the fullest link on its way, of the
/// second fullest, and of its own time. At most 128 each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weights {
    pub(super) first: u64,
    pub(super) second: u64,
    pub(super) own: u64,
}

/// Tried in this order until a plan is near its bound.
pub(super) const WEIGHTS: [Weights; 4] = [
    Weights { first: 128, second: 64, own: 1 },
    Weights { first: 128, second: 128, own: 32 },
    Weights { first: 128, second: 8, own: 96 },
    Weights { first: 64, second: 64, own: 128 },
];

/// A demand in picoseconds a route.
#[derive(Debug, Clone)]
pub(super) struct Work<const W: usize> {
    /// Routes with something to carry.
    pub(super) todo: Bits<W>,
    /// The time of each route, rounded up.
    pub(super) times: Vec<u64>,
    /// Times scaled for scores.
    scaled: Vec<u64>,
    /// Scaled time left on each link.
    loads: Vec<u64>,
    shift: u32,
}

/// When each route starts and ends.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
    pub(super) makespan: u64,
}

impl Schedule {
    pub(super) fn new(routes: usize) -> Self {
        Self { starts: vec![0; routes], ends: vec![0; routes], makespan: 0 }
    }
}

impl<const W: usize> Work<W> {
    pub(super) fn new(tables: &Tables<W>) -> Self {
        let count = tables.entries.len();
        Self {
            todo: Bits::EMPTY,
            times: vec![0; count],
            scaled: vec![0; count],
            loads: vec![0; tables.links],
            shift: 0,
        }
    }

    /// Takes up a demand.
    pub(super) fn fill(&mut self, tables: &Tables<W>, demand: &Demand) -> Result<(), PlanError> {
        let cells = demand.entries();
        self.todo = Bits::EMPTY;
        let mut total = 0u64;
        for (index, entry) in tables.entries.iter().enumerate() {
            let bytes = cells[entry.cell];
            self.times[index] = 0;
            if bytes == 0 {
                continue;
            }
            self.todo.insert(index);
            self.times[index] = match bytes.checked_mul(entry.numerator) {
                Some(product) if entry.denominator > 0 => product.div_ceil(entry.denominator),
                _ => entry.rate.time_of(Bytes(bytes))?.0,
            };
            total = total.checked_add(self.times[index]).ok_or(UnitOverflow)?;
        }
        let shift = (64 - total.leading_zeros()).saturating_sub(LOAD_BITS);
        for (scaled, time) in self.scaled.iter_mut().zip(&self.times) {
            *scaled = time >> shift;
        }
        self.loads.fill(0);
        let mut most = 1;
        self.todo.for_each(|index| {
            let entry = &tables.entries[index];
            for crossing in &tables.crossings[entry.first..entry.first + entry.count] {
                let load = &mut self.loads[crossing.link];
                *load += (self.scaled[index] * crossing.share) >> SHARE;
                most = most.max(*load);
            }
        });
        // The largest score is below 2^8 times the largest load, whatever the weights.
        self.shift = (64 - u64::leading_zeros(most) + 8).saturating_sub(TIE_BITS);
        Ok(())
    }

    /// Runs the list once. Times stay in range, since even one after the other they fit.
    pub(super) fn run(
        &self,
        tables: &Tables<W>,
        weights: Weights,
        out: &mut Schedule,
        loads: &mut Vec<u64>,
    ) {
        loads.clear();
        loads.extend_from_slice(&self.loads);
        let mut todo = self.todo;
        let mut feasible = todo;
        let mut running = [(0u64, 0usize); MAX_ROUTES];
        let mut count = 0;
        let mut now = 0;
        let mut scores = [0u64; MAX_ROUTES];
        // A score changes only when a transfer over one of the route's links starts.
        let mut stale = todo;
        let mut free: [u64; MAX_ROUTES] = [0; MAX_ROUTES];
        for (free, wide) in free.iter_mut().zip(&tables.wide) {
            *free = wide.capacity;
        }
        out.makespan = 0;
        loop {
            while !feasible.is_empty() {
                feasible.common(&stale).for_each(|index| {
                    scores[index] = self.score(tables, weights, loads, index);
                });
                stale = stale.without(&feasible);
                let (mut best, mut chosen) = (0, usize::MAX);
                feasible.for_each(|index| {
                    if chosen == usize::MAX || scores[index] > best {
                        (best, chosen) = (scores[index], index);
                    }
                });
                todo.remove(chosen);
                out.starts[chosen] = now;
                let end = now + self.times[chosen];
                out.ends[chosen] = end;
                out.makespan = out.makespan.max(end);
                running[count] = (end, chosen);
                count += 1;
                let entry = &tables.entries[chosen];
                for crossing in &tables.crossings[entry.first..entry.first + entry.count] {
                    loads[crossing.link] -= (self.scaled[chosen] * crossing.share) >> SHARE;
                }
                stale = stale.union(&tables.shares[chosen]);
                feasible = feasible.without(&tables.conflicts[chosen]);
                for &(wide, need) in &tables.needs[chosen] {
                    free[wide] -= need;
                    feasible = feasible.without(&tables.wide[wide].excluded(free[wide]));
                }
            }
            if todo.is_empty() {
                return;
            }
            now = running[..count].iter().map(|run| run.0).min().unwrap_or(now);
            feasible = todo;
            let mut at = 0;
            while at < count {
                let (end, index) = running[at];
                if end > now {
                    feasible = feasible.without(&tables.conflicts[index]);
                    at += 1;
                    continue;
                }
                for &(wide, need) in &tables.needs[index] {
                    free[wide] += need;
                }
                count -= 1;
                running[at] = running[count];
            }
            for (wide, free) in tables.wide.iter().zip(&free) {
                feasible = feasible.without(&wide.excluded(*free));
            }
        }
    }

    #[inline]
    fn score(&self, tables: &Tables<W>, weights: Weights, loads: &[u64], index: usize) -> u64 {
        let entry = &tables.entries[index];
        let (mut first, mut second) = (0, 0);
        for crossing in &tables.crossings[entry.first..entry.first + entry.count] {
            let load = loads[crossing.link];
            second = second.max(load.min(first));
            first = first.max(load);
        }
        (weights.first * first + weights.second * second + weights.own * self.scaled[index])
            >> self.shift
    }
}
