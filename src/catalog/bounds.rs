//! Lower bounds on the time of a demand: what no strict plan can beat.
//!
//! A limit of transfers at once counts like a link of which each transfer takes one part; it has no
//! bytes over capacity, so it is part of `T_eff` alone. Pairs that are kept apart are in no bound.
//! Of a pair with several routes `T*` counts what each of them takes at least, and the rest of `T_eff`
//! only what all take equally often and at the same rate: the bounds hold whichever is used, and may be
//! low.
//!
//! `T*` counts bytes against capacity, and those of a pair against its solo rate. `T_eff` asks, link by link, how long the demanded transfers
//! that cross it need on that link alone when each runs at its solo rate or not at all:
//!
//! - Transfers of one need (its rate on the link), of which `k` fit side by side: the larger of the
//!   sum of their times over `k` and the longest time. Exact (McNaughton's wrap-around rule).
//! - Two needs, of which the larger never fits twice: the large ones take their sum `B` one after
//!   the other, `m` small ones fit beside a large one and `k` without; the time without a large one
//!   is the least `X` such that for each `q` the `q` longest small ones fit into
//!   `min(q, m) B + min(q, k) X`. Exact (a flow through a staircase of machines).
//! - Anything else: the largest of the bounds above over its subsets of one or two needs, and the
//!   slot-share bound, in which a transfer uses up at least its need over the fullest feasible set
//!   that contains such a need. Valid, and not always attained.

use super::{Bounds, Catalog, PlannedRoute};
use crate::base::{BytesPerSecond, Demand, LinkId, Picos, Rank, RouteId, UnitOverflow};
use std::collections::{BTreeMap, BTreeSet};

/// Fraction bits below a picosecond.
const FRACTION: u32 = 20;
/// Beyond this many different fillings of a link the fullest one is taken to be its capacity, which
/// keeps the bound valid.
const MAX_FILLINGS: usize = 4096;

/// The bounds of `demand` on the machine of `catalog`. Zero without a demand between ranks.
///
/// # Errors
/// [`UnitOverflow`] when a bound exceeds 2^64 - 1 ps.
pub fn bounds(catalog: &Catalog, demand: &Demand) -> Result<Bounds, UnitOverflow> {
    BoundTables::new(catalog).bounds(demand)
}

/// What bounds need of a catalog, prepared once.
#[derive(Debug, Clone)]
pub struct BoundTables {
    links: Vec<LinkTable>,
    /// Distinct capacities.
    capacities: Vec<u64>,
    /// Distinct (rate, slots) of links that transfers of one kind share.
    kinds: Vec<(u64, u64)>,
    /// Pairs that no resource alone holds at their solo rate: caps do.
    capped: Vec<CappedPair>,
    /// Where pairs have several routes, what they take of each resource at least.
    certain: Vec<Certain>,
}

/// What bytes take of a resource whichever of the routes of their pairs they use.
#[derive(Debug, Clone)]
struct Certain {
    link: LinkId,
    capacity: u64,
    /// Positions in the demand matrix, and how often a byte takes the resource at least.
    takers: Vec<(usize, u64)>,
}

impl Certain {
    /// Of each resource that a route takes; nothing where every pair has one route.
    fn of(catalog: &Catalog) -> Vec<Self> {
        if !catalog.has_alternatives() {
            return Vec::new();
        }
        let mut takers: BTreeMap<LinkId, Vec<(usize, u64)>> = BTreeMap::new();
        for pair in catalog.pairs() {
            let routes = &catalog.routes[pair];
            let entry = routes[0].src.index() * catalog.ranks as usize + routes[0].dst.index();
            for (id, own) in routes[0].multiplicities() {
                let times = |route: &PlannedRoute| route.takes().filter(|one| *one == id).count();
                let least = routes.iter().map(times).min().map_or(own, |least| least as u64);
                takers.entry(id).or_default().push((entry, least));
            }
        }
        let of = |(link, takers)| Some(Self { link, capacity: catalog.capacity(link)?.0, takers });
        takers.into_iter().filter_map(of).collect()
    }
}

#[derive(Debug, Clone, Copy)]
struct CappedPair {
    pair: (Rank, Rank),
    /// Position in the demand matrix.
    entry: usize,
    rate: u64,
    /// What there is least of on the way.
    narrowest: LinkId,
}

impl CappedPair {
    /// Nothing where some resource offers a transfer no more than its solo rate: then bytes over
    /// capacity count as much.
    fn of(catalog: &Catalog, route: &PlannedRoute) -> Option<Self> {
        let capacity = |id| catalog.capacity(id).map_or(0, |rate| rate.0);
        let taken = route.multiplicities();
        let is_full =
            |&(id, times): &(LinkId, u64)| route.rate.0.checked_mul(times) == Some(capacity(id));
        if taken.iter().any(is_full) {
            return None;
        }
        let (narrowest, _) = taken.into_iter().min_by_key(|&(id, times)| capacity(id) / times)?;
        let (src, dst) = (route.src, route.dst);
        let entry = src.index() * catalog.ranks as usize + dst.index();
        Some(Self { pair: (src, dst), entry, rate: route.rate.0, narrowest })
    }
}

#[derive(Debug, Clone)]
struct LinkTable {
    link: LinkId,
    capacity: u64,
    /// Index into `capacities`; nothing for a limit.
    capacity_index: Option<usize>,
    /// Index into `kinds` where all crossings are of one class.
    kind: Option<usize>,
    crossings: Vec<Crossing>,
    /// By need, the largest first.
    classes: Vec<Class>,
}

#[derive(Debug, Clone, Copy)]
struct Crossing {
    /// Position in the demand matrix.
    entry: usize,
    multiplicity: u64,
    class: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// What a transfer takes of the link while it runs.
    need: u64,
    /// How fast its bytes move.
    rate: u64,
    /// The total of the fullest feasible set that contains one.
    fullest: u64,
}

impl BoundTables {
    /// The tables of a catalog. Links without a capacity carry no route and count for nothing.
    #[must_use]
    pub fn new(catalog: &Catalog) -> Self {
        let ranks = catalog.ranks as usize;
        let mut crossings: BTreeMap<LinkId, Vec<(usize, u64, u64)>> = BTreeMap::new();
        // Of a pair with several routes only what all of them take alike counts.
        let pairs: Vec<&[PlannedRoute]> =
            catalog.pairs().map(|pair| &catalog.routes[pair]).collect();
        for routes in &pairs {
            let (route, others) = (&routes[0], &routes[1..]);
            let entry = route.src.index() * ranks + route.dst.index();
            for (id, times) in route.multiplicities() {
                let takes =
                    |other: &PlannedRoute| other.takes().filter(|one| *one == id).count() as u64;
                let is_alike =
                    |other: &PlannedRoute| other.rate == route.rate && takes(other) == times;
                if others.iter().all(is_alike) {
                    crossings.entry(id).or_default().push((entry, times, route.rate.0));
                }
            }
        }
        let only = pairs.iter().filter(|routes| routes.len() == 1);
        let capped = only.filter_map(|routes| CappedPair::of(catalog, &routes[0]));
        let mut tables = Self {
            links: Vec::new(),
            capacities: Vec::new(),
            kinds: Vec::new(),
            capped: capped.collect(),
            certain: Certain::of(catalog),
        };
        for (link, found) in crossings {
            if let Some(BytesPerSecond(capacity)) = catalog.capacity(link) {
                let index = position_or_push(&mut tables.capacities, capacity);
                tables.add(link, capacity, Some(index), &found);
            }
        }
        for (index, limit) in catalog.limits.iter().enumerate() {
            let holds = |id: usize| limit.routes.binary_search(&RouteId::new(id)).is_ok();
            let pairs = catalog.pairs().filter(|pair| pair.clone().all(holds));
            let routes = pairs.filter_map(|pair| {
                let routes = &catalog.routes[pair];
                let is_alike = |other: &PlannedRoute| other.rate == routes[0].rate;
                routes.iter().all(is_alike).then_some(&routes[0])
            });
            let found: Vec<_> = routes
                .map(|route| (route.src.index() * ranks + route.dst.index(), 1, route.rate.0))
                .collect();
            if !found.is_empty() {
                tables.add(catalog.limit_id(index), limit.most, None, &found);
            }
        }
        tables
    }

    /// A link of this capacity, or a limit of so many transfers, and who crosses it: (position in
    /// the demand matrix, multiplicity, rate).
    fn add(
        &mut self,
        link: LinkId,
        capacity: u64,
        capacity_index: Option<usize>,
        found: &[(usize, u64, u64)],
    ) {
        let need = |times: u64, rate: u64| match capacity_index {
            Some(_) => rate.saturating_mul(times),
            None => 1,
        };
        let mut kinds: Vec<(u64, u64)> =
            found.iter().map(|&(_, times, rate)| (need(times, rate), rate)).collect();
        let all = kinds.clone();
        kinds.sort_unstable_by(|a, b| b.cmp(a));
        kinds.dedup();
        let classes: Vec<Class> = kinds
            .iter()
            .map(|&(need, rate)| Class { need, rate, fullest: fullest(capacity, need, &all) })
            .collect();
        let crossings = found
            .iter()
            .map(|&(entry, multiplicity, rate)| {
                let kind = (need(multiplicity, rate), rate);
                let class = kinds.iter().position(|&other| other == kind).unwrap_or(0);
                Crossing { entry, multiplicity, class }
            })
            .collect();
        let kind = (classes.len() == 1).then(|| {
            position_or_push(&mut self.kinds, (classes[0].rate, slots(capacity, classes[0].need)))
        });
        self.links.push(LinkTable { link, capacity, capacity_index, kind, crossings, classes });
    }

    /// As [`bounds`].
    ///
    /// # Errors
    /// [`UnitOverflow`] when a bound exceeds 2^64 - 1 ps.
    pub fn bounds(&self, demand: &Demand) -> Result<Bounds, UnitOverflow> {
        let entries = demand.entries();
        // Links of one capacity, or of one kind, compare by bytes; only the largest is divided.
        let mut most = vec![0u64; self.capacities.len()];
        let mut fullest: Vec<(u64, LinkId)> = vec![(0, LinkId(0)); self.kinds.len()];
        let mut t_eff = 0u128;
        let mut critical: Option<LinkId> = None;
        for table in &self.links {
            let (mut carried, mut sum, mut longest) = (0u64, 0u64, 0u64);
            for crossing in &table.crossings {
                let bytes = entries[crossing.entry];
                carried = carried.saturating_add(bytes.saturating_mul(crossing.multiplicity));
                sum += bytes;
                longest = longest.max(bytes);
            }
            if let Some(index) = table.capacity_index {
                most[index] = carried.max(most[index]);
            }
            if let Some(kind) = table.kind {
                let work = sum.max(longest.saturating_mul(self.kinds[kind].1));
                if work > fullest[kind].0 {
                    fullest[kind] = (work, table.link);
                }
            } else if sum > 0 {
                let time = table.mixed(entries)?;
                // Links are visited in ascending order, so the first of equals stays.
                if time > t_eff {
                    (t_eff, critical) = (time, Some(table.link));
                }
            }
        }
        for (&(work, link), &(rate, slots)) in fullest.iter().zip(&self.kinds) {
            if work == 0 {
                continue;
            }
            let time = fine_time(work, rate)? / u128::from(slots);
            if time > t_eff || (time == t_eff && critical.is_none_or(|other| link < other)) {
                (t_eff, critical) = (time, Some(link));
            }
        }
        let mut t_star = 0u128;
        for (&bytes, &capacity) in most.iter().zip(&self.capacities) {
            t_star = t_star.max(fine_time(bytes, capacity)?);
        }
        for certain in &self.certain {
            let taken = |&(entry, times): &(usize, u64)| entries[entry].saturating_mul(times);
            let bytes = certain.takers.iter().map(taken).fold(0, u64::saturating_add);
            let time = fine_time(bytes, certain.capacity)?;
            t_star = t_star.max(time);
            if time > t_eff {
                (t_eff, critical) = (time, Some(certain.link));
            }
        }
        let mut alone = None;
        for capped in &self.capped {
            let time = fine_time(entries[capped.entry], capped.rate)?;
            if time > t_star {
                (t_star, alone) = (time, Some(capped));
            }
        }
        // Every link on its way needs as long.
        let alone = alone.filter(|_| t_eff <= t_star);
        let critical_link = alone.map(|capped| capped.narrowest).or(critical);
        let t_star = whole(t_star)?;
        let t_eff = whole(t_eff)?.max(t_star);
        Ok(Bounds { t_star, t_eff, critical_link, alone: alone.map(|capped| capped.pair) })
    }
}

/// The demanded transfers of one class: total and single times.
#[derive(Debug, Clone, Default)]
struct Load {
    sum: u64,
    each: Vec<u64>,
}

impl LinkTable {
    /// The time that the demanded transfers need on this link alone, or a lower bound of it.
    fn mixed(&self, entries: &[u64]) -> Result<u128, UnitOverflow> {
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
            best = best.max(self.alone(*class, load)?);
            let time = fine_time(load.sum, class.rate)?;
            let product = time.checked_mul(u128::from(class.need)).ok_or(UnitOverflow)?;
            shared += product / u128::from(class.fullest.max(1));
        }
        for (large, load) in self.classes.iter().zip(&loads) {
            if load.sum == 0 || u128::from(large.need) * 2 <= u128::from(self.capacity) {
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

    /// One class alone.
    fn alone(&self, class: Class, load: &Load) -> Result<u128, UnitOverflow> {
        let longest = load.each.first().copied().unwrap_or(0);
        let slots = slots(self.capacity, class.need);
        Ok(fine_time(load.sum.max(longest.saturating_mul(slots)), class.rate)? / u128::from(slots))
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
        let with = u128::from((self.capacity - large.need.min(self.capacity)) / small.need.max(1));
        let without = u128::from(slots(self.capacity, small.need));
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

fn position_or_push<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter().position(|found| *found == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// How many transfers of one need fit side by side; at least one.
fn slots(capacity: u64, need: u64) -> u64 {
    (capacity / need.max(1)).max(1)
}

/// The total of the fullest set of crossings that fits and contains one of `need`.
fn fullest(capacity: u64, need: u64, all: &[(u64, u64)]) -> u64 {
    let mut sums = BTreeSet::from([need]);
    let mut used = false;
    for &(other, _) in all {
        if other == need && !used {
            used = true;
            continue;
        }
        let more: Vec<u64> = sums
            .iter()
            .filter_map(|sum| sum.checked_add(other))
            .filter(|sum| *sum <= capacity)
            .collect();
        sums.extend(more);
        if sums.len() > MAX_FILLINGS {
            return capacity;
        }
    }
    sums.last().copied().unwrap_or(need)
}

/// Bytes over a rate in fractions of a picosecond, rounded down.
fn fine_time(bytes: u64, rate: u64) -> Result<u128, UnitOverflow> {
    if bytes == 0 {
        return Ok(0);
    }
    let product = u128::from(bytes).checked_mul(1_000_000_000_000 << FRACTION);
    let time = product.ok_or(UnitOverflow)?.checked_div(u128::from(rate)).ok_or(UnitOverflow)?;
    if time >> (64 + 8 + FRACTION) > 0 { Err(UnitOverflow) } else { Ok(time) }
}

/// In whole picoseconds, rounded down.
fn whole(time: u128) -> Result<Picos, UnitOverflow> {
    u64::try_from(time >> FRACTION).map(Picos).map_err(|_| UnitOverflow)
}
