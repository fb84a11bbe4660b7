//! Which routes run together: the one place where a set of transfers is held against a machine.

use super::{Catalog, Channel, PlannedRoute};
use crate::base::{LinkId, RouteId};

/// What a catalog's routes take of what there is, prepared for filling many sets. Counted are the
/// resources, and after them the places with a limit, of which each transfer takes one.
#[derive(Debug, Clone)]
pub struct Fit {
    /// For each route what it takes of what, ascending.
    needs: Vec<Vec<(usize, u64)>>,
    /// How much there is of each.
    capacity: Vec<u64>,
    /// For each route those that never run beside it, ascending.
    apart: Vec<Vec<RouteId>>,
    /// How many of the counted are resources.
    resources: usize,
}

impl Fit {
    /// The tables of a catalog. A capacity that is unknown or missing has room for nothing; limits
    /// and pairs of routes that do not exist count for nothing.
    #[must_use]
    pub fn new(catalog: &Catalog) -> Self {
        let taken = catalog.routes.iter().flat_map(PlannedRoute::takes);
        let resources = taken.map(|id| id.index() + 1).max().unwrap_or(0).max(catalog.resources());
        let mut capacity: Vec<u64> = (0..resources)
            .map(|id| catalog.capacity(LinkId::new(id)).map_or(0, |rate| rate.0))
            .collect();
        let mut needs: Vec<Vec<(usize, u64)>> = catalog
            .routes
            .iter()
            .map(|route| {
                let taken = route.multiplicities().into_iter();
                taken.map(|(id, times)| (id.index(), route.rate.0.saturating_mul(times))).collect()
            })
            .collect();
        for limit in &catalog.limits {
            for id in &limit.routes {
                if let Some(needs) = needs.get_mut(id.index()) {
                    needs.push((capacity.len(), 1));
                }
            }
            capacity.push(limit.most);
        }
        let mut apart = vec![Vec::new(); catalog.routes.len()];
        let known = |pair: &&(RouteId, RouteId)| pair.0.max(pair.1).index() < catalog.routes.len();
        for &(a, b) in catalog.forbidden.iter().filter(known) {
            apart[a.index()].push(b);
            apart[b.index()].push(a);
        }
        apart.iter_mut().for_each(|others| others.sort_unstable());
        Self { needs, capacity, apart, resources }
    }

    /// What a route takes of what while it runs at its solo rate, ascending.
    #[must_use]
    pub fn needs(&self, route: RouteId) -> &[(usize, u64)] {
        &self.needs[route.index()]
    }

    /// How much there is of each.
    #[must_use]
    pub fn capacity(&self) -> &[u64] {
        &self.capacity
    }

    /// The routes that never run beside a route, ascending.
    #[must_use]
    pub fn apart(&self, route: RouteId) -> &[RouteId] {
        &self.apart[route.index()]
    }

    /// How many of the counted are resources; the rest are limits.
    #[must_use]
    pub fn resources(&self) -> usize {
        self.resources
    }

    /// Extends a set of routes to a maximal channel, trying routes in ascending order. What does
    /// not fit stays out.
    #[must_use]
    pub fn complete(&self, set: &[RouteId]) -> Channel {
        let mut filling = Filling::new(self);
        for &id in set {
            filling.take(id);
        }
        for index in 0..self.needs.len() {
            filling.take(RouteId::new(index));
        }
        filling.channel()
    }
}

/// A set of routes under way.
#[derive(Debug, Clone)]
pub struct Filling<'a> {
    fit: &'a Fit,
    left: Vec<u64>,
    chosen: Vec<bool>,
}

impl<'a> Filling<'a> {
    /// The empty set.
    #[must_use]
    pub fn new(fit: &'a Fit) -> Self {
        Self { fit, left: fit.capacity.clone(), chosen: vec![false; fit.needs.len()] }
    }

    /// Whether a route is in the set.
    #[must_use]
    pub fn has(&self, id: RouteId) -> bool {
        self.chosen[id.index()]
    }

    /// Whether a route that is not in the set fits beside all that are.
    #[must_use]
    pub fn fits(&self, id: RouteId) -> bool {
        self.fit.needs(id).iter().all(|&(at, need)| self.left[at] >= need)
            && !self.fit.apart(id).iter().any(|&other| self.has(other))
    }

    /// Adds a route where it fits; tells whether it is in now and was not before.
    pub fn take(&mut self, id: RouteId) -> bool {
        if self.has(id) || !self.fits(id) {
            return false;
        }
        for &(at, need) in self.fit.needs(id) {
            self.left[at] -= need;
        }
        self.chosen[id.index()] = true;
        true
    }

    /// Removes a route of the set.
    pub fn give(&mut self, id: RouteId) {
        if std::mem::take(&mut self.chosen[id.index()]) {
            for &(at, need) in self.fit.needs(id) {
                self.left[at] += need;
            }
        }
    }

    /// What is left of each.
    #[must_use]
    pub fn left(&self) -> &[u64] {
        &self.left
    }

    /// The routes of the set.
    #[must_use]
    pub fn channel(&self) -> Channel {
        let members = (0..self.chosen.len()).filter(|&index| self.chosen[index]);
        Channel(members.map(RouteId::new).collect())
    }
}
