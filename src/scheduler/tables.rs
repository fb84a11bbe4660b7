//! What the routes of a machine exclude, prepared once for every later plan.
//!
//! Routes are numbered anew by (cyclic offset, source), so that the first of equals in a scan is
//! the one that ties ask for: uniform demand then falls into shifted diagonals by itself, which an
//! odd crossbar needs to reach its bound.

use super::PlanError;
use super::bits::Bits;
use crate::base::{BytesPerSecond, RouteId};
use crate::catalog::{Catalog, Fit, Paces};

/// Fraction bits of a share.
pub(super) const SHARE: u32 = 12;
/// The most ranks that the word sets hold.
pub(super) const MAX_RANKS: u32 = 16;

/// A route, renumbered.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) src: u32,
    pub(super) dst: u32,
    /// Position in the demand matrix.
    pub(super) cell: usize,
    pub(super) route: RouteId,
    pub(super) rate: BytesPerSecond,
    /// `10^12 / rate` as a reduced fraction: picoseconds a byte.
    pub(super) numerator: u64,
    pub(super) denominator: u64,
    /// Its links: `first..first + count` in [`Tables::crossings`].
    pub(super) first: usize,
    pub(super) count: usize,
}

/// A link of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    /// Compact number of the link.
    pub(super) link: usize,
    /// How much of the link's time a transfer uses up, in 1 / 2^SHARE.
    pub(super) share: u64,
}

/// A link on which transfers fit together that do not all fit.
#[derive(Debug, Clone)]
pub(super) struct Wide<const W: usize> {
    pub(super) capacity: u64,
    /// The routes over it by need, the largest first; each set holds every route of at least that
    /// need.
    pub(super) levels: Vec<(u64, Bits<W>)>,
}

/// The tables.
#[derive(Debug, Clone)]
pub(super) struct Tables<const W: usize> {
    pub(super) entries: Vec<Entry>,
    pub(super) crossings: Vec<Crossing>,
    /// Links that some route crosses.
    pub(super) links: usize,
    /// Routes that never run beside a route, itself included.
    pub(super) conflicts: Vec<Bits<W>>,
    /// Routes that share a link with a route, itself included.
    pub(super) shares: Vec<Bits<W>>,
    pub(super) wide: Vec<Wide<W>>,
    /// For each route, what it takes of which wide links.
    pub(super) needs: Vec<Vec<(usize, u64)>>,
    /// Routes that a rule keeps from running beside a route.
    pub(super) apart: Vec<Bits<W>>,
}

impl<const W: usize> Tables<W> {
    pub(super) fn new(catalog: &Catalog) -> Result<Self, PlanError> {
        let ranks = catalog.ranks as usize;
        let mut routes: Vec<usize> = (0..catalog.routes.len()).collect();
        routes.sort_by_key(|&index| {
            let route = &catalog.routes[index];
            ((route.dst.index() + ranks - route.src.index()) % ranks, route.src)
        });
        // Link by link: who crosses it, and what each takes of it while it runs. A joint capacity,
        // or a limit of transfers at once, is to the planner one more link.
        let fit = Fit::new(catalog, Paces::Solo);
        let mut users: Vec<Vec<(usize, u64)>> = vec![Vec::new(); fit.capacity().len()];
        for (index, &route) in routes.iter().enumerate() {
            for &(at, need) in fit.needs(RouteId::new(route).into()) {
                users[at].push((index, need));
            }
        }
        let count = routes.len();
        let mut tables = Self {
            entries: Vec::with_capacity(count),
            crossings: Vec::new(),
            links: 0,
            conflicts: vec![Bits::EMPTY; count],
            shares: vec![Bits::EMPTY; count],
            wide: Vec::new(),
            needs: vec![Vec::new(); count],
            apart: vec![Bits::EMPTY; count],
        };
        let mut number = vec![0; count];
        for (index, &route) in routes.iter().enumerate() {
            number[route] = index;
        }
        let mut crossings: Vec<Vec<Crossing>> = vec![Vec::new(); count];
        for (index, &route) in routes.iter().enumerate() {
            tables.conflicts[index].insert(index);
            tables.shares[index].insert(index);
            for other in fit.apart(RouteId::new(route)) {
                tables.apart[index].insert(number[other.index()]);
            }
            tables.conflicts[index] = tables.conflicts[index].union(&tables.apart[index]);
        }
        for (&capacity, users) in fit.capacity().iter().zip(&users) {
            if users.is_empty() {
                continue;
            }
            for &(index, need) in users {
                if need > capacity {
                    return Err(PlanError::Catalog);
                }
                let slots = (capacity / need.max(1)).max(1);
                let share = (1u64 << SHARE).div_ceil(slots).max(1);
                crossings[index].push(Crossing { link: tables.links, share });
            }
            tables.links += 1;
            tables.add_link(capacity, users);
        }
        for (&index, crossings) in routes.iter().zip(crossings) {
            let route = &catalog.routes[index];
            let divisor = common_divisor(1_000_000_000_000, route.rate.0);
            tables.entries.push(Entry {
                src: route.src.0,
                dst: route.dst.0,
                cell: route.src.index() * ranks + route.dst.index(),
                route: RouteId::new(index),
                rate: route.rate,
                numerator: 1_000_000_000_000 / divisor.max(1),
                denominator: route.rate.0 / divisor.max(1),
                first: tables.crossings.len(),
                count: crossings.len(),
            });
            tables.crossings.extend(crossings);
        }
        Ok(tables)
    }

    fn add_link(&mut self, capacity: u64, users: &[(usize, u64)]) {
        let mut fits = false;
        for &(a, need_a) in users {
            for &(b, need_b) in users {
                self.shares[a].insert(b);
                if need_a.saturating_add(need_b) > capacity {
                    self.conflicts[a].insert(b);
                } else if a != b {
                    fits = true;
                }
            }
        }
        let total = users.iter().fold(0u64, |sum, user| sum.saturating_add(user.1));
        if !fits || total <= capacity {
            return;
        }
        let mut sorted = users.to_vec();
        sorted.sort_by_key(|user| std::cmp::Reverse(user.1));
        let mut levels: Vec<(u64, Bits<W>)> = Vec::new();
        let mut set = Bits::EMPTY;
        for chunk in sorted.chunk_by(|a, b| a.1 == b.1) {
            chunk.iter().for_each(|user| set.insert(user.0));
            levels.push((chunk[0].1, set));
        }
        for &(index, need) in users {
            self.needs[index].push((self.wide.len(), need));
        }
        self.wide.push(Wide { capacity, levels });
    }
}

impl<const W: usize> Wide<W> {
    /// The routes that no longer fit beside what leaves `free` of the link.
    #[inline]
    pub(super) fn excluded(&self, free: u64) -> Bits<W> {
        let mut excluded = Bits::EMPTY;
        for (need, set) in &self.levels {
            if *need <= free {
                break;
            }
            excluded = *set;
        }
        excluded
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
