//! The channel of the greatest worth, for given values of transfers.

use crate::base::RouteId;
use crate::catalog::{Catalog, Filling, Fit, Paces, PlannedRoute};

/// The demanded transfers as rows, with what they share.
pub(super) struct Pricing {
    fit: Fit,
    /// For each row its route.
    rows: Vec<RouteId>,
    /// For each row its first link, which it shares with most other rows of its source.
    first: Vec<usize>,
}

/// The best channel found.
pub(super) struct Best {
    pub(super) rows: Vec<u32>,
    pub(super) worth: f64,
    /// Whether the search was exhaustive.
    pub(super) complete: bool,
}

/// A value that counts as none.
const NOTHING: f64 = 1e-12;
/// Nodes of the exhaustive search before it gives up (about a second).
const NODES: u64 = 20_000_000;
/// Orders that the quick search tries.
const ORDERS: u64 = 48;

impl Pricing {
    /// The routes (positions in the catalog) that carry bytes.
    pub(super) fn new(catalog: &Catalog, routes: &[usize]) -> Self {
        let of = |&index: &usize| &catalog.routes[index];
        let first = |route: &PlannedRoute| route.links.first().map_or(0, |link| link.index());
        Self {
            fit: Fit::new(catalog, Paces::Solo),
            rows: routes.iter().map(|&index| RouteId::new(index)).collect(),
            first: routes.iter().map(of).map(first).collect(),
        }
    }

    /// A channel that holds `fixed`, maximal among the demanded transfers, the worthy ones first.
    pub(super) fn greedy(&self, fixed: &[usize], worth: &[f64]) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
        let mut filling = Filling::new(&self.fit);
        let mut chosen = Vec::new();
        for &row in fixed.iter().chain(&order) {
            if filling.take(self.rows[row].into()) {
                chosen.push(row as u32);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Channels worth more than one, found quickly: greedy under many orders. May miss some.
    pub(super) fn improving(&self, values: &[f64]) -> Vec<Vec<u32>> {
        let mut found: Vec<(f64, Vec<u32>)> = Vec::new();
        let mut state = 0x2545_f491_4f6c_dd1du64;
        for order in 0..ORDERS {
            // The values themselves first, then the values shaken by a fixed sequence.
            let strength = if order == 0 { 0.0 } else { 0.25 + order as f64 / ORDERS as f64 };
            let shaken: Vec<f64> = values
                .iter()
                .map(|value| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
                    value * (1.0 + strength * (unit - 0.5) * 2.0)
                })
                .collect();
            let rows = self.greedy(&[], &shaken);
            let worth: f64 = rows.iter().map(|&row| values[row as usize]).sum();
            if worth > 1.0 + 1e-6 {
                found.push((worth, rows));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(20);
        found.into_iter().map(|(_, rows)| rows).collect()
    }

    /// The channel of the greatest worth, by branch and bound over first links.
    pub(super) fn best(&self, values: &[f64]) -> Best {
        let mut order: Vec<usize> =
            (0..self.rows.len()).filter(|&row| values[row] > NOTHING).collect();
        // By first link, so that the bound of what is left of one is the best that still fits.
        order.sort_by(|&a, &b| {
            (self.first[a], values[b], a)
                .partial_cmp(&(self.first[b], values[a], b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut search = Exhaustive {
            pricing: self,
            values,
            order: &order,
            filling: Filling::new(&self.fit),
            chosen: Vec::new(),
            best: (0.0, Vec::new()),
            nodes: 0,
        };
        search.branch(0, 0.0);
        let complete = search.nodes < NODES;
        let (_, rows) = search.best;
        let rows = self.greedy(&rows, values);
        let worth = rows.iter().map(|&row| values[row as usize]).sum();
        Best { rows, worth, complete }
    }
}

struct Exhaustive<'a> {
    pricing: &'a Pricing,
    values: &'a [f64],
    order: &'a [usize],
    filling: Filling<'a>,
    chosen: Vec<usize>,
    best: (f64, Vec<usize>),
    nodes: u64,
}

impl Exhaustive<'_> {
    fn branch(&mut self, at: usize, worth: f64) {
        self.nodes += 1;
        if worth > self.best.0 + 1e-9 {
            self.best = (worth, self.chosen.clone());
        }
        if self.nodes >= NODES || worth + self.rest(at) <= self.best.0 + 1e-9 {
            return;
        }
        let Some(&row) = self.order.get(at) else { return };
        let route = self.pricing.rows[row];
        if self.filling.take(route.into()) {
            self.chosen.push(row);
            self.branch(at + 1, worth + self.values[row]);
            self.chosen.pop();
            self.filling.give(route);
        }
        self.branch(at + 1, worth);
    }

    /// At most this much can be added from `at` on: for each first link, the greatest values that
    /// still fit, as many as the link holds of the slowest among them.
    fn rest(&self, at: usize) -> f64 {
        let Pricing { fit, rows, first } = self.pricing;
        let need = |row: usize| {
            let needs = fit.needs(rows[row].into());
            needs.iter().find(|need| need.0 == first[row]).map_or(1, |need| need.1.max(1))
        };
        let feasible: Vec<usize> = self.order[at..]
            .iter()
            .copied()
            .filter(|&row| self.filling.fits(rows[row].into()))
            .collect();
        let same = feasible.chunk_by(|&a, &b| first[a] == first[b]);
        same.map(|group| {
            let room = self.filling.left()[first[group[0]]];
            let slowest = group.iter().map(|&row| need(row)).min().unwrap_or(1);
            let count = usize::try_from(room / slowest).unwrap_or(usize::MAX);
            group.iter().take(count).map(|&row| self.values[row]).sum::<f64>()
        })
        .sum()
    }
}
