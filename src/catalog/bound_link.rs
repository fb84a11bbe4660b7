//! The bound of one link, or of one limit: how long its transfers need on it alone.

use super::bounds::fine_time;
use super::{Catalog, PlannedRoute, offered};
use crate::base::{BytesPerSecond, LinkId, UnitOverflow};
use std::collections::BTreeSet;

/// Beyond this many different fillings of a link the fullest one is taken to be all it offers, which
/// keeps the bound valid.
const MAX_FILLINGS: usize = 4096;

/// What a link offers by the number of transfers; a limit offers places.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    capacity: u64,
    /// What is offered to so many transfers of those that count, each curve by itself.
    curves: Vec<Vec<(u64, BytesPerSecond)>>,
}

/// A route that takes of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct User {
    /// Position in the demand matrix.
    pub(super) entry: usize,
    /// How often it takes the link.
    pub(super) times: u64,
    /// Its solo rate.
    pub(super) rate: u64,
    /// The curves that it counts for, a bit each.
    pub(super) counted: u8,
}

#[derive(Debug, Clone)]
pub(super) struct LinkTable {
    pub(super) link: LinkId,
    offer: Offer,
    /// The most that it offers to a transfer alone.
    pub(super) alone: u64,
    /// Index into the capacities; nothing for a limit.
    pub(super) capacity_index: Option<usize>,
    /// Index into the kinds where all crossings are of one class.
    pub(super) kind: Option<usize>,
    pub(super) crossings: Vec<Crossing>,
    /// By need, the largest first.
    classes: Vec<Class>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    /// Position in the demand matrix.
    pub(super) entry: usize,
    pub(super) multiplicity: u64,
    class: usize,
}

/// Transfers that are alike on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// What a transfer takes of the link while it runs.
    need: u64,
    /// How fast its bytes move.
    rate: u64,
    /// The curves that it counts for, a bit each.
    counted: u8,
    /// How many fit side by side; at least one.
    slots: u64,
    /// The total of the fullest feasible set that contains one.
    fullest: u64,
}

impl Offer {
    /// Nothing where the capacity is unknown.
    pub(super) fn of_link(catalog: &Catalog, link: LinkId) -> Option<Self> {
        let own = catalog.efficiency.iter().filter(|of| of.link == link);
        let curves = own.map(|of| of.steps.clone()).collect();
        Some(Self { capacity: catalog.capacity(link)?.0, curves })
    }

    pub(super) fn of_limit(most: u64) -> Self {
        Self { capacity: most, curves: Vec::new() }
    }

    /// What is offered to this many transfers of those that count for each curve.
    fn offered(&self, count: impl Fn(usize) -> u64) -> u64 {
        let curves = self.curves.iter().enumerate();
        let offers = curves.map(|(curve, steps)| offered(self.capacity, steps, count(curve)));
        offers.min().unwrap_or(self.capacity)
    }

    /// How many transfers of a need fit beside one transfer or none, given as (need, counted).
    fn most(&self, beside: Option<(u64, u8)>, (need, counted): (u64, u8)) -> u64 {
        let (taken, marks) = beside.unwrap_or((0, 0));
        let bit = |marks: u8, curve: usize| u64::from(marks >> curve & 1);
        // What is offered changes only at these numbers.
        let mut starts = vec![0];
        for (curve, steps) in self.curves.iter().enumerate().filter(|of| bit(counted, of.0) == 1) {
            starts.extend(steps.iter().map(|(from, _)| from.saturating_sub(bit(marks, curve))));
        }
        starts.sort_unstable();
        let mut most = 0;
        for (index, &start) in starts.iter().enumerate() {
            let count = |curve| bit(marks, curve) + bit(counted, curve) * start;
            let fit = self.offered(count).saturating_sub(taken) / need.max(1);
            let end = starts.get(index + 1).map_or(u64::MAX, |next| next.saturating_sub(1));
            if fit.min(end) >= start {
                most = most.max(fit.min(end));
            }
        }
        most
    }
}

impl User {
    /// The curves of a link that a route counts for, a bit each.
    pub(super) fn counted(catalog: &Catalog, link: LinkId, route: &PlannedRoute) -> u8 {
        let own = catalog.efficiency.iter().filter(|of| of.link == link).enumerate();
        let marks = own.filter(|(_, of)| of.counts(route)).map(|(curve, _)| 1 << curve);
        marks.fold(0, |all, mark: u8| all | mark)
    }

    /// What it takes of the link while it runs.
    pub(super) fn need(&self) -> u64 {
        self.rate.saturating_mul(self.times)
    }
}

/// The demanded transfers of one class: total and single times.
#[derive(Debug, Clone, Default)]
struct Load {
    sum: u64,
    each: Vec<u64>,
}

impl LinkTable {
    /// A link or a limit and who takes of it. `need` is what a user takes while it runs.
    pub(super) fn new(link: LinkId, offer: Offer, users: &[User], need: fn(&User) -> u64) -> Self {
        let key = |user: &User| (need(user), user.rate, user.counted);
        let mut kinds: Vec<(u64, u64, u8)> = users.iter().map(key).collect();
        kinds.sort_unstable_by(|a, b| b.cmp(a));
        kinds.dedup();
        let classes: Vec<Class> = kinds
            .iter()
            .map(|&(need_of, rate, counted)| Class {
                need: need_of,
                rate,
                counted,
                slots: offer.most(None, (need_of, counted)).max(1),
                fullest: fullest(&offer, need_of, users, need),
            })
            .collect();
        let crossings = users
            .iter()
            .map(|user| {
                let class = kinds.iter().position(|kind| *kind == key(user)).unwrap_or(0);
                Crossing { entry: user.entry, multiplicity: user.times, class }
            })
            .collect();
        let one = |class: &Class| offer.offered(|curve| u64::from(class.counted >> curve & 1));
        let alone = classes.iter().map(one).max().unwrap_or(offer.capacity);
        Self { link, offer, alone, capacity_index: None, kind: None, crossings, classes }
    }

    /// The rate and the number side by side where all transfers are alike.
    pub(super) fn all_alike(&self) -> Option<(u64, u64)> {
        match self.classes[..] {
            [class] => Some((class.rate, class.slots)),
            _ => None,
        }
    }

    /// The time that the demanded transfers need on this link alone, or a lower bound of it.
    pub(super) fn mixed(&self, entries: &[u64]) -> Result<u128, UnitOverflow> {
        let mut loads = vec![Load::default(); self.classes.len()];
        for crossing in &self.crossings {
            let bytes = entries[crossing.entry];
            if bytes > 0 {
                loads[crossing.class].sum += bytes;
                loads[crossing.class].each.push(bytes);
            }
        }
        for load in &mut loads {
            load.each.sort_unstable_by(|a, b| b.cmp(a));
        }
        let mut best = 0;
        let mut shared = 0u128;
        for (class, load) in self.classes.iter().zip(&loads) {
            best = best.max(class.alone(load)?);
            let time = fine_time(load.sum, class.rate)?;
            let product = time.checked_mul(u128::from(class.need)).ok_or(UnitOverflow)?;
            shared += product / u128::from(class.fullest.max(1));
        }
        for (large, load) in self.classes.iter().zip(&loads) {
            if load.sum == 0 || large.slots > 1 {
                continue;
            }
            for (small, other) in self.classes.iter().zip(&loads) {
                if other.sum > 0 && small < large {
                    best = best.max(self.beside(*large, load, *small, other)?);
                }
            }
        }
        Ok(best.max(shared))
    }

    /// Large transfers one at a time, small ones beside and between them.
    fn beside(
        &self,
        large: Class,
        load: &Load,
        small: Class,
        other: &Load,
    ) -> Result<u128, UnitOverflow> {
        let base = fine_time(load.sum, large.rate)?;
        let beside =
            self.offer.most(Some((large.need, large.counted)), (small.need, small.counted));
        let (with, without) = (u128::from(beside), u128::from(small.slots));
        let mut between = 0u128;
        let mut bytes = 0;
        for (count, each) in (1u128..).zip(&other.each) {
            bytes += each;
            let taken = base.checked_mul(count.min(with)).ok_or(UnitOverflow)?;
            let left = fine_time(bytes, small.rate)?.saturating_sub(taken);
            between = between.max(left / count.min(without));
        }
        Ok(base + between)
    }
}

impl Class {
    /// The time that its transfers need when there are no others.
    fn alone(&self, load: &Load) -> Result<u128, UnitOverflow> {
        let longest = load.each.first().copied().unwrap_or(0);
        let work = load.sum.max(longest.saturating_mul(self.slots));
        Ok(fine_time(work, self.rate)? / u128::from(self.slots))
    }
}

/// The total of the fullest set of users that fits and contains one of `need`, or a little more: only
/// curves for which all users count are looked at.
fn fullest(offer: &Offer, need: u64, users: &[User], need_of: fn(&User) -> u64) -> u64 {
    let common = users.iter().fold(u8::MAX, |all, user| all & user.counted);
    let offered = |count: u64| offer.offered(|curve| u64::from(common >> curve & 1) * count);
    // Numbers matter only where what is offered depends on them.
    let one = u64::from(offer.curves.iter().enumerate().any(|(curve, _)| common >> curve & 1 == 1));
    let mut sums = BTreeSet::from([(one, need)]);
    let mut used = false;
    for other in users.iter().map(need_of) {
        if other == need && !used {
            used = true;
            continue;
        }
        let more: Vec<(u64, u64)> = sums
            .iter()
            .filter_map(|&(count, sum)| Some((count + one, sum.checked_add(other)?)))
            .filter(|&(count, sum)| sum <= offered(count))
            .collect();
        sums.extend(more);
        if sums.len() > MAX_FILLINGS {
            return offered(one);
        }
    }
    sums.into_iter().map(|(_, sum)| sum).max().unwrap_or(need)
}
