//! What came of an exchange.

use super::Exchange;
use crate::base::{BytesPerSecond, LinkId, Mode, Picos};
use crate::fluid::{Shares, Task, Timeline};
use crate::topology::Topology;

/// What a resource carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carried {
    /// All bytes, each as often as it takes of the resource; rounded down.
    pub bytes: u64,
    /// For how long it had nothing left, but for rounding.
    pub full: Picos,
}

/// An exchange in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// When the last transfer ended.
    pub time: Picos,
    /// For each transfer when its bytes began to move and when it ended.
    pub transfers: Vec<(Picos, Picos)>,
    /// For each resource what it carried.
    pub carried: Vec<Carried>,
    /// The resource that was full for longest, of equals that which carried most for what it has, and of
    /// those the first; nothing where nothing was full.
    pub critical: Option<LinkId>,
}

/// What is carried while it is carried.
pub(super) struct Loads<'a> {
    shares: &'a Shares,
    /// Bytes times 10^12.
    carried: Vec<u128>,
    full: Vec<u64>,
    /// While one stretch of time is looked at: the rates over each resource, and of what modes.
    rates: Vec<(u64, Vec<Mode>)>,
}

/// Rounding leaves less than this part of a resource, in parts of itself.
const ROUNDING: u64 = 100_000;

impl<'a> Loads<'a> {
    pub(super) fn new(topology: &Topology, shares: &'a Shares) -> Self {
        let resources = topology.resources.len();
        Self {
            shares,
            carried: vec![0; resources],
            full: vec![0; resources],
            rates: vec![(0, Vec::new()); resources],
        }
    }

    /// Takes up a stretch of time in which tasks run at these rates.
    pub(super) fn observe(
        &mut self,
        from: Picos,
        to: Picos,
        rates: &[(u32, u64)],
        tasks: &[Task],
        tell: &mut impl FnMut(Picos, &[(LinkId, u64)]),
    ) {
        let mut used = Vec::new();
        for &(task, rate) in rates {
            let Some(flow) = tasks[task as usize].flow else { continue };
            for &(at, times) in &self.shares.flows()[flow as usize].takes {
                let (load, modes) = &mut self.rates[at as usize];
                if modes.is_empty() {
                    used.push(at as usize);
                }
                *load += rate * u64::from(times);
                modes.push(self.shares.flows()[flow as usize].mode);
            }
        }
        let time = to.0 - from.0;
        used.sort_unstable();
        let loads: Vec<(LinkId, u64)> =
            used.iter().map(|&at| (LinkId::new(at), self.rates[at].0)).collect();
        tell(from, &loads);
        for at in used {
            let (load, modes) = &mut self.rates[at];
            let rate = std::mem::take(load);
            self.carried[at] += u128::from(rate) * u128::from(time);
            let BytesPerSecond(has) = self.shares.offers()[at].to(modes.iter().copied());
            modes.clear();
            if rate + has / ROUNDING >= has {
                self.full[at] += time;
            }
        }
    }

    pub(super) fn outcome(
        self,
        exchange: &Exchange,
        line: &Timeline,
        of: &[(u32, u32)],
    ) -> Outcome {
        debug_assert_eq!(exchange.transfers.len(), of.len());
        let carried: Vec<Carried> = (self.carried.iter().zip(&self.full))
            .map(|(carried, &full)| Carried {
                bytes: u64::try_from(carried / 1_000_000_000_000).unwrap_or(u64::MAX),
                full: Picos(full),
            })
            .collect();
        // The first of equals.
        let load =
            |at: usize| self.carried[at] / u128::from(self.shares.offers()[at].capacity.0.max(1));
        let critical = (0..carried.len())
            .rev()
            .max_by_key(|&at| (carried[at].full, load(at)))
            .filter(|&at| carried[at].full.0 > 0);
        let times =
            |&(first, last): &(u32, u32)| (line.starts[first as usize], line.ends[last as usize]);
        Outcome {
            time: line.makespan(),
            transfers: of.iter().map(times).collect(),
            carried,
            critical: critical.map(LinkId::new),
        }
    }
}
