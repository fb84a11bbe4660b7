//! Lower bounds on the time of a demand: what no strict plan can beat.
//!
//! A limit of transfers at once counts like a link of which each transfer takes one part; it has no
//! bytes over capacity, so it is part of `T_eff` alone. Pairs that are kept apart are in no bound.
//! Of a pair with several routes `T*` counts what each of them takes at least, and the rest of `T_eff`
//! only what all take equally often and at the same rate: the bounds hold whichever is used, and may be
//! low.
//!
//! `T*` counts bytes against what a resource offers to a transfer alone, and those of a pair against
//! its solo rate. `T_eff` asks, link by link, how long the demanded transfers that cross it need on
//! that link alone when each runs at its solo rate or not at all. What fits
//! beside what takes into account that a link may offer less to more transfers:
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

use super::bound_link::{LinkTable, Offer, User};
use super::{Bounds, Catalog, PlannedRoute};
use crate::base::{Demand, LinkId, Picos, Rank, RouteId, UnitOverflow};
use std::collections::BTreeMap;

/// Fraction bits below a picosecond.
const FRACTION: u32 = 20;

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
    fn of(
        catalog: &Catalog,
        offered: &BTreeMap<LinkId, u64>,
        route: &PlannedRoute,
    ) -> Option<Self> {
        let capacity = |id| offered.get(&id).copied().unwrap_or(0);
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

impl BoundTables {
    /// The tables of a catalog. Links without a capacity carry no route and count for nothing.
    #[must_use]
    pub fn new(catalog: &Catalog) -> Self {
        let ranks = catalog.ranks as usize;
        let mut users: BTreeMap<LinkId, Vec<User>> = BTreeMap::new();
        // Of a pair with several routes only what all of them take alike counts.
        let pairs: Vec<&[PlannedRoute]> =
            catalog.pairs().map(|pair| &catalog.routes[pair]).collect();
        for routes in &pairs {
            let (route, others) = (&routes[0], &routes[1..]);
            let entry = route.src.index() * ranks + route.dst.index();
            for (id, times) in route.multiplicities() {
                let counted = User::counted(catalog, id, route);
                let takes =
                    |other: &PlannedRoute| other.takes().filter(|one| *one == id).count() as u64;
                let is_alike = |other: &PlannedRoute| {
                    other.rate == route.rate
                        && takes(other) == times
                        && User::counted(catalog, id, other) == counted
                };
                if others.iter().all(is_alike) {
                    let user = User { entry, times, rate: route.rate.0, counted };
                    users.entry(id).or_default().push(user);
                }
            }
        }
        let mut tables = Self {
            links: Vec::new(),
            capacities: Vec::new(),
            kinds: Vec::new(),
            capped: Vec::new(),
            certain: Certain::of(catalog),
        };
        let mut offered = BTreeMap::new();
        for (link, users) in users {
            if let Some(offer) = Offer::of_link(catalog, link) {
                let table = LinkTable::new(link, offer, &users, User::need);
                offered.insert(link, table.alone);
                let index = position_or_push(&mut tables.capacities, table.alone);
                tables.add(table, Some(index));
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
            let users: Vec<User> = routes
                .map(|route| {
                    let entry = route.src.index() * ranks + route.dst.index();
                    User { entry, times: 1, rate: route.rate.0, counted: 0 }
                })
                .collect();
            if !users.is_empty() {
                let offer = Offer::of_limit(limit.most);
                tables.add(LinkTable::new(catalog.limit_id(index), offer, &users, |_| 1), None);
            }
        }
        let only = pairs.iter().filter(|routes| routes.len() == 1);
        let capped = |routes: &&[PlannedRoute]| CappedPair::of(catalog, &offered, &routes[0]);
        tables.capped = only.filter_map(capped).collect();
        tables
    }

    fn add(&mut self, mut table: LinkTable, capacity_index: Option<usize>) {
        table.capacity_index = capacity_index;
        table.kind = table.all_alike().map(|kind| position_or_push(&mut self.kinds, kind));
        self.links.push(table);
    }

    /// As [`bounds`].
    ///
    /// # Errors
    /// [`UnitOverflow`] when a bound exceeds 2^64 - 1 ps.
    pub fn bounds(&self, demand: &Demand) -> Result<Bounds, UnitOverflow> {
        let entries = demand.entries();
        // Links of one capacity, or of one kind, compare by bytes; only the largest is divided.
        let mut most = vec![0u64; self.capacities.len()];
        let mut fullest: Vec<Critical<u64>> = vec![Critical::default(); self.kinds.len()];
        let mut t_eff: Critical<u128> = Critical::default();
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
            let offers = table.capacity_index.map_or(u64::MAX, |_| table.alone);
            if let Some(kind) = table.kind {
                let work = sum.max(longest.saturating_mul(self.kinds[kind].1));
                fullest[kind].raise(work, table.link, offers);
            } else if sum > 0 {
                t_eff.raise(table.mixed(entries)?, table.link, offers);
            }
        }
        for (fullest, &(rate, slots)) in fullest.iter().zip(&self.kinds) {
            if let Some(link) = fullest.link {
                let time = fine_time(fullest.value, rate)? / u128::from(slots);
                t_eff.raise(time, link, fullest.offers);
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
            if time > t_eff.value {
                t_eff.raise(time, certain.link, certain.capacity);
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
        let alone = alone.filter(|_| t_eff.value <= t_star);
        let critical_link = alone.map(|capped| capped.narrowest).or(t_eff.link);
        let t_star = whole(t_star)?;
        let t_eff = whole(t_eff.value)?.max(t_star);
        Ok(Bounds { t_star, t_eff, critical_link, alone: alone.map(|capped| capped.pair) })
    }
}

/// The largest value of some links, and whose it is: of equals that which offers least, since it is
/// there that more would help, and of those the first. Limits come after links.
#[derive(Debug, Clone, Default)]
struct Critical<T> {
    value: T,
    link: Option<LinkId>,
    offers: u64,
}

impl<T: Copy + Ord + Default> Critical<T> {
    fn raise(&mut self, value: T, link: LinkId, offers: u64) {
        let is_before = || match self.link {
            Some(other) => (offers, link) < (self.offers, other),
            None => value > T::default(),
        };
        if value > self.value || (value == self.value && is_before()) {
            *self = Self { value, link: Some(link), offers };
        }
    }
}

fn position_or_push<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter().position(|found| *found == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// Bytes over a rate in fractions of a picosecond, rounded down.
pub(super) fn fine_time(bytes: u64, rate: u64) -> Result<u128, UnitOverflow> {
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
