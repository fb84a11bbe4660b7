//! Which transfers run together: the one place where a set of them is held against a machine.
//!
//! A set fits where the needs of its transfers add up, on every resource, to no more than that offers
//! to as many transfers as cross it. What is offered never rises with their number, so that a set
//! that fits still does when a transfer leaves or slows down; and it changes only on resources that a
//! new transfer takes of, so that looking at those is enough.

use super::{Catalog, Channel, PlannedRoute, Transfer, offered};
use crate::base::{BytesPerSecond, LinkId, RouteId};

/// At which rates transfers may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paces {
    /// At the solo rate only: strict channels.
    Solo,
    /// At the solo rate or a paced one.
    All,
}

/// What a catalog's routes take of what there is, prepared for filling many sets. Counted are the
/// resources, and after them the places with a limit, of which each transfer takes one.
#[derive(Debug, Clone)]
pub struct Fit {
    /// For each route and pace what a transfer takes of what, ascending.
    needs: Vec<Vec<Vec<(usize, u64)>>>,
    /// How much there is of each for a transfer that loses nothing.
    capacity: Vec<u64>,
    /// Of what less is offered to more transfers.
    curves: Vec<Curve>,
    /// For each of what there is its curves; empty where there are none at all.
    curves_of: Vec<Vec<usize>>,
    /// For each route the curves that it counts for, ascending; empty where there are none at all.
    counts_for: Vec<Vec<usize>>,
    /// For each route those that never run beside it, the others of its pair among them; ascending.
    apart: Vec<Vec<RouteId>>,
}

/// What a resource offers by the number of transfers that count.
#[derive(Debug, Clone)]
struct Curve {
    capacity: u64,
    steps: Vec<(u64, BytesPerSecond)>,
}

impl Fit {
    /// The tables of a catalog. A capacity that is unknown or missing has room for nothing; limits
    /// and pairs of routes that do not exist count for nothing.
    #[must_use]
    pub fn new(catalog: &Catalog, paces: Paces) -> Self {
        let taken = catalog.routes.iter().flat_map(PlannedRoute::takes);
        let resources = taken.map(|id| id.index() + 1).max().unwrap_or(0).max(catalog.resources());
        let mut capacity: Vec<u64> = (0..resources)
            .map(|id| catalog.capacity(LinkId::new(id)).map_or(0, |rate| rate.0))
            .collect();
        let mut needs: Vec<Vec<Vec<(usize, u64)>>> = catalog
            .routes
            .iter()
            .map(|route| {
                let taken = route.multiplicities();
                let paced = if paces == Paces::All { &route.paced[..] } else { &[] };
                let at = |rate: &BytesPerSecond| {
                    let need =
                        |&(id, times): &(LinkId, u64)| (id.index(), rate.0.saturating_mul(times));
                    taken.iter().map(need).collect()
                };
                std::iter::once(&route.rate).chain(paced).map(at).collect()
            })
            .collect();
        for limit in &catalog.limits {
            for id in &limit.routes {
                for needs in needs.get_mut(id.index()).into_iter().flatten() {
                    needs.push((capacity.len(), 1));
                }
            }
            capacity.push(limit.most);
        }
        let mut fit = Self {
            needs,
            apart: Vec::new(),
            curves: Vec::new(),
            curves_of: Vec::new(),
            counts_for: Vec::new(),
            capacity,
        };
        fit.add_curves(catalog);
        let mut apart = vec![Vec::new(); catalog.routes.len()];
        let known = |pair: &&(RouteId, RouteId)| pair.0.max(pair.1).index() < catalog.routes.len();
        for &(a, b) in catalog.forbidden.iter().filter(known) {
            apart[a.index()].push(b);
            apart[b.index()].push(a);
        }
        // A channel has a pair at most once.
        for pair in catalog.pairs().filter(|pair| pair.len() > 1) {
            for route in pair.clone() {
                apart[route].extend(pair.clone().filter(|other| *other != route).map(RouteId::new));
            }
        }
        for others in &mut apart {
            others.sort_unstable();
            others.dedup();
        }
        fit.apart = apart;
        fit
    }

    fn add_curves(&mut self, catalog: &Catalog) {
        if catalog.efficiency.is_empty() {
            return;
        }
        self.curves_of = vec![Vec::new(); self.capacity.len()];
        self.counts_for = vec![Vec::new(); self.needs.len()];
        for of in &catalog.efficiency {
            let at = of.link.index();
            let Some(&capacity) = self.capacity.get(at) else { continue };
            self.curves_of[at].push(self.curves.len());
            for (counts_for, route) in self.counts_for.iter_mut().zip(&catalog.routes) {
                if of.counts(route) {
                    counts_for.push(self.curves.len());
                }
            }
            self.curves.push(Curve { capacity, steps: of.steps.clone() });
        }
    }

    fn counts_for(&self, route: RouteId) -> &[usize] {
        self.counts_for.get(route.index()).map_or(&[], Vec::as_slice)
    }

    fn curves_of(&self, at: usize) -> &[usize] {
        self.curves_of.get(at).map_or(&[], Vec::as_slice)
    }

    /// What there is of something for a set of different routes together.
    #[must_use]
    pub fn offered(&self, at: usize, set: impl Iterator<Item = RouteId> + Clone) -> u64 {
        let offers = |&curve: &usize| {
            let counts = |route: &RouteId| self.counts_for(*route).contains(&curve);
            let Curve { capacity, steps } = &self.curves[curve];
            offered(*capacity, steps, set.clone().filter(counts).count() as u64)
        };
        self.curves_of(at).iter().map(offers).min().unwrap_or(self.capacity[at])
    }

    /// The number of routes.
    #[must_use]
    pub fn routes(&self) -> usize {
        self.needs.len()
    }

    /// The number of paces of a route, at least 1.
    #[must_use]
    pub fn paces(&self, route: RouteId) -> u8 {
        self.needs[route.index()].len() as u8
    }

    /// What a transfer takes of what while it runs, ascending.
    ///
    /// # Panics
    /// Where the route has no such pace.
    #[must_use]
    pub fn needs(&self, transfer: Transfer) -> &[(usize, u64)] {
        &self.needs[transfer.route.index()][usize::from(transfer.pace)]
    }

    /// How much there is of each for a transfer that loses nothing.
    #[must_use]
    pub fn capacity(&self) -> &[u64] {
        &self.capacity
    }

    /// The routes that never run beside a route, ascending.
    #[must_use]
    pub fn apart(&self, route: RouteId) -> &[RouteId] {
        &self.apart[route.index()]
    }

    /// Extends a set of transfers to a maximal channel: routes in ascending order, each as fast as
    /// still fits. What does not fit stays out, so that a set that is no channel loses members.
    #[must_use]
    pub fn complete(&self, set: &[Transfer]) -> Channel {
        let mut filling = Filling::new(self);
        for &transfer in set {
            filling.take(transfer);
        }
        for index in 0..self.needs.len() {
            filling.raise(RouteId::new(index));
        }
        filling.channel()
    }
}

/// A set of transfers under way.
#[derive(Debug, Clone)]
pub struct Filling<'a> {
    fit: &'a Fit,
    /// What is left of each, losses apart.
    left: Vec<u64>,
    /// How many transfers count for each curve.
    counts: Vec<u64>,
    /// The pace of each route that is in the set.
    chosen: Vec<Option<u8>>,
}

impl<'a> Filling<'a> {
    /// The empty set.
    #[must_use]
    pub fn new(fit: &'a Fit) -> Self {
        Self {
            fit,
            left: fit.capacity.clone(),
            counts: vec![0; fit.curves.len()],
            chosen: vec![None; fit.needs.len()],
        }
    }

    /// The pace of a route, where it is in the set.
    #[must_use]
    pub fn pace(&self, route: RouteId) -> Option<u8> {
        self.chosen[route.index()]
    }

    /// Whether a transfer fits beside all other routes of the set.
    #[must_use]
    pub fn fits(&self, transfer: Transfer) -> bool {
        let Some(needs) = self.fit.needs[transfer.route.index()].get(usize::from(transfer.pace))
        else {
            return false;
        };
        let own = self.pace(transfer.route).map(|pace| Transfer { pace, ..transfer });
        let own = own.map_or(&[][..], |own| self.fit.needs(own));
        let more = match self.pace(transfer.route) {
            None => self.fit.counts_for(transfer.route),
            Some(_) => &[],
        };
        // At any pace a route takes of the same things.
        let room = |(index, &(at, need)): (usize, &(usize, u64))| {
            let left = self.left[at] + own.get(index).map_or(0, |own| own.1);
            left >= need.saturating_add(self.lost(at, more))
        };
        needs.iter().enumerate().all(room)
            && !self.fit.apart(transfer.route).iter().any(|&other| self.pace(other).is_some())
    }

    /// What transfers lose of something when there are as many as now, and one more on the curves
    /// `more`.
    fn lost(&self, at: usize, more: &[usize]) -> u64 {
        let lost = |&curve: &usize| {
            let count = self.counts[curve] + u64::from(more.contains(&curve));
            let Curve { capacity, steps } = &self.fit.curves[curve];
            capacity - offered(*capacity, steps, count).min(*capacity)
        };
        self.fit.curves_of(at).iter().map(lost).max().unwrap_or(0)
    }

    /// Adds a route that is not in the set, at this pace, where it fits; tells whether it did.
    pub fn take(&mut self, transfer: Transfer) -> bool {
        if self.pace(transfer.route).is_some() || !self.fits(transfer) {
            return false;
        }
        for &(at, need) in self.fit.needs(transfer) {
            self.left[at] -= need;
        }
        self.fit.counts_for(transfer.route).iter().for_each(|&curve| self.counts[curve] += 1);
        self.chosen[transfer.route.index()] = Some(transfer.pace);
        true
    }

    /// Removes a route from the set.
    pub fn give(&mut self, route: RouteId) {
        if let Some(pace) = self.chosen[route.index()].take() {
            for &(at, need) in self.fit.needs(Transfer { route, pace }) {
                self.left[at] += need;
            }
            self.fit.counts_for(route).iter().for_each(|&curve| self.counts[curve] -= 1);
        }
    }

    /// Adds a route, or makes it faster, as far as fits.
    pub fn raise(&mut self, route: RouteId) {
        if let Some(faster) = self.faster(route) {
            self.give(route);
            self.take(faster);
        }
    }

    /// The fastest way in which a route fits and is not in the set yet, where that is faster than
    /// the way in which it is.
    #[must_use]
    pub fn faster(&self, route: RouteId) -> Option<Transfer> {
        let slowest = self.pace(route).unwrap_or(self.fit.paces(route));
        (0..slowest).map(|pace| Transfer { route, pace }).find(|&transfer| self.fits(transfer))
    }

    /// What is left of something for the transfers of the set. Another transfer may leave less.
    #[must_use]
    pub fn left(&self, at: usize) -> u64 {
        self.left[at] - self.lost(at, &[])
    }

    /// The transfers of the set.
    #[must_use]
    pub fn channel(&self) -> Channel {
        let member = |(index, pace): (usize, &Option<u8>)| {
            Some(Transfer { route: RouteId::new(index), pace: (*pace)? })
        };
        Channel(self.chosen.iter().enumerate().filter_map(member).collect())
    }
}
