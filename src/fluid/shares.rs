//! The rates of flows that run at once.

use crate::base::{BytesPerSecond, Mode};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a resource has less than its capacity when flows share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// Only flows of this mode count; all without.
    pub mode: Option<Mode>,
    /// From so many flows on it has so much; numbers ascend, and what is had never rises.
    pub steps: Vec<(u64, BytesPerSecond)>,
}

/// What a resource has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// For few flows.
    pub capacity: BytesPerSecond,
    /// For more; the least of all holds.
    pub curves: Vec<Curve>,
}

impl Offer {
    /// What it has for flows of these modes.
    #[must_use]
    pub fn to(&self, modes: impl Iterator<Item = Mode> + Clone) -> BytesPerSecond {
        let has = |curve: &Curve| {
            let counting = modes.clone().filter(|own| curve.mode.is_none_or(|mode| mode == *own));
            let count = counting.count() as u64;
            let reached = curve.steps.iter().take_while(|(from, _)| *from <= count);
            reached.last().map_or(self.capacity, |step| step.1)
        };
        self.curves.iter().map(has).min().map_or(self.capacity, |least| least.min(self.capacity))
    }
}

/// A way over resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Positions of resources, ascending, each with how often a byte takes of it.
    pub takes: Vec<(u32, u32)>,
    /// How fast it is at most; above 0.
    pub most: BytesPerSecond,
    /// How its bytes are moved.
    pub mode: Mode,
}

/// Two flows that hamper each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hampering {
    /// The lower position.
    pub a: u32,
    /// The higher one.
    pub b: u32,
    /// What both, and all that hang together with them by such pairs, have together while they run at
    /// once.
    pub together: BytesPerSecond,
}

/// Resources and flows, prepared for finding the rates of any set of those.
#[derive(Debug, Clone)]
pub struct Shares {
    offers: Vec<Offer>,
    flows: Vec<Flow>,
    /// By flow: which others it hampers, and the rates of both.
    hampers: Vec<Vec<(u32, u64)>>,
}

/// What a resource has left for what runs without a rate, and who that is.
#[derive(Debug, Clone, Default)]
struct Room {
    left: u64,
    weight: u64,
    /// Positions among what runs, with how often a byte takes of it.
    over: Vec<(u32, u32)>,
}

impl Room {
    /// The rate at which it is full.
    fn level(&self) -> u64 {
        self.left / self.weight.max(1)
    }

    fn add(&mut self, index: u32, times: u32) {
        self.weight += u64::from(times);
        self.over.push((index, times));
    }

    /// What one takes is left to nobody else.
    fn take(&mut self, rate: u64, times: u32) {
        self.left = self.left.saturating_sub(rate.saturating_mul(u64::from(times)));
        self.weight -= u64::from(times);
    }
}

const NOWHERE: usize = usize::MAX;

impl Shares {
    /// Prepares them. Positions in flows lie below the number of resources, those in `hampering` below
    /// the number of flows.
    #[must_use]
    pub fn new(offers: Vec<Offer>, flows: Vec<Flow>, hampering: &[Hampering]) -> Self {
        let mut hampers = vec![Vec::new(); flows.len()];
        for pair in hampering {
            hampers[pair.a as usize].push((pair.b, pair.together.0));
            hampers[pair.b as usize].push((pair.a, pair.together.0));
        }
        Self { offers, flows, hampers }
    }

    /// The flows.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The resources.
    #[must_use]
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// The max-min fair rates of what runs over flows (positions; one may stand there several times), in
    /// their order; at least one byte a second.
    #[must_use]
    pub fn rates(&self, running: &[u32]) -> Vec<BytesPerSecond> {
        let flow = |index: u32| &self.flows[running[index as usize] as usize];
        let (mut rooms, groups) = self.rooms(running);
        let mut rates = vec![0u64; running.len()];
        // What is slow of itself, the slowest last.
        let mut slow: Vec<(u64, u32)> =
            (0..running.len() as u32).map(|index| (flow(index).most.0.max(1), index)).collect();
        slow.sort_unstable_by(|a, b| b.cmp(a));
        let used = rooms.iter().enumerate().filter(|(_, room)| room.weight > 0);
        let mut full: BinaryHeap<Reverse<(u64, usize)>> =
            used.map(|(at, room)| Reverse((room.level(), at))).collect();
        let settle = |index: u32, rate: u64, rooms: &mut [Room], rates: &mut [u64]| {
            rates[index as usize] = rate.max(1);
            for &(at, times) in &flow(index).takes {
                rooms[at as usize].take(rate, times);
            }
            if let Some(room) = groups.get(index as usize).and_then(|&at| rooms.get_mut(at)) {
                room.take(rate, 1);
            }
        };
        loop {
            while slow.last().is_some_and(|&(_, index)| rates[index as usize] > 0) {
                slow.pop();
            }
            let Some(&(most, index)) = slow.last() else { break };
            // What was full first may have more room since; never less.
            let first = loop {
                let Some(&Reverse((level, at))) = full.peek() else { break None };
                let (weight, now) = (rooms[at].weight, rooms[at].level());
                if weight > 0 && now == level {
                    break Some((level, at));
                }
                full.pop();
                if weight > 0 {
                    full.push(Reverse((now, at)));
                }
            };
            match first {
                Some((level, at)) if level < most => {
                    for (index, _) in std::mem::take(&mut rooms[at].over) {
                        if rates[index as usize] == 0 {
                            settle(index, level, &mut rooms, &mut rates);
                        }
                    }
                }
                _ => settle(index, most, &mut rooms, &mut rates),
            }
        }
        rates.into_iter().map(BytesPerSecond).collect()
    }

    /// What each resource, and after those each group that hampers itself, has for what runs; and of
    /// what runs the position of its group.
    fn rooms(&self, running: &[u32]) -> (Vec<Room>, Vec<usize>) {
        let mut rooms = vec![Room::default(); self.offers.len()];
        for (index, &flow) in (0..).zip(running) {
            for &(at, times) in &self.flows[flow as usize].takes {
                rooms[at as usize].add(index, times);
            }
        }
        for (room, offer) in rooms.iter_mut().zip(&self.offers) {
            let modes = room.over.iter().map(|(index, _)| {
                let flow = running[*index as usize] as usize;
                self.flows[flow].mode
            });
            room.left = offer.to(modes).0;
        }
        let groups = self.hampered(running, &mut rooms);
        (rooms, groups)
    }

    /// Adds a room for each group of what runs that hangs together by hampering each other.
    fn hampered(&self, running: &[u32], rooms: &mut Vec<Room>) -> Vec<usize> {
        if self.hampers.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let mut runs: Vec<Vec<u32>> = vec![Vec::new(); self.flows.len()];
        for (index, &flow) in (0..).zip(running) {
            runs[flow as usize].push(index);
        }
        let mut groups = vec![NOWHERE; running.len()];
        let mut seen = vec![false; self.flows.len()];
        for &first in running {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            let (mut group, mut least, mut next) = (vec![first], u64::MAX, 0);
            while let Some(&flow) = group.get(next) {
                next += 1;
                let run = |pair: &&(u32, u64)| !runs[pair.0 as usize].is_empty();
                for &(other, together) in self.hampers[flow as usize].iter().filter(run) {
                    least = least.min(together);
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        group.push(other);
                    }
                }
            }
            if group.len() > 1 {
                let mut room = Room { left: least, ..Room::default() };
                for &index in group.iter().flat_map(|&flow| &runs[flow as usize]) {
                    groups[index as usize] = rooms.len();
                    room.add(index, 1);
                }
                rooms.push(room);
            }
        }
        groups
    }
}
