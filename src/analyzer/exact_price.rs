//! The channel of the greatest worth, for given values of transfers.

use crate::base::RouteId;
use crate::catalog::{Catalog, Filling, Fit, Paces, PlannedRoute, Transfer};
use crate::lp::Column;
use std::ops::Range;

/// The demanded transfers, with what they share, each over a route of its own and of one pair, which is
/// a row of the linear program. A transfer is worth the value of its pair at the rate of the pair's
/// fastest route, and the same part of it at a lower rate.
pub(super) struct Pricing {
    fit: Fit,
    /// For each transfer its route.
    rows: Vec<RouteId>,
    /// For each transfer its pair, and its solo rate over the greatest of the pair.
    of: Vec<(u32, f64)>,
    /// For each transfer and pace the rate over the solo rate; 1 first.
    parts: Vec<Vec<f64>>,
    /// For each transfer the first link on its way, which most of its source have in common, and the
    /// last.
    ends: [Vec<usize>; 2],
}

/// The best channel found.
pub(super) struct Best {
    pub(super) column: Column,
    pub(super) worth: f64,
    /// Whether the search was exhaustive.
    pub(super) complete: bool,
    /// Sets of transfers that it tried.
    pub(super) nodes: u64,
}

/// A value that counts as none.
const NOTHING: f64 = 1e-12;
/// Orders that the quick search tries.
const ORDERS: u64 = 48;

impl Pricing {
    /// The pairs that carry bytes, each as the positions of its routes in the catalog.
    pub(super) fn new(catalog: &Catalog, pairs: &[Range<usize>], paces: Paces) -> Self {
        let fit = Fit::new(catalog, paces);
        let routes: Vec<usize> = pairs.iter().cloned().flatten().collect();
        let mut parts_of = Vec::with_capacity(routes.len());
        for (pair, routes) in (0..).zip(pairs) {
            let rates = || catalog.routes[routes.clone()].iter().map(|route| route.rate.0);
            let fastest = rates().max().unwrap_or(1) as f64;
            parts_of.extend(rates().map(|rate| (pair, rate as f64 / fastest)));
        }
        let of = |&index: &usize| &catalog.routes[index];
        let rows: Vec<RouteId> = routes.iter().map(|&index| RouteId::new(index)).collect();
        let part = |route: &PlannedRoute, pace| {
            route.rate_at(pace).map_or(0.0, |rate| rate.0 as f64 / route.rate.0 as f64)
        };
        let parts = rows.iter().zip(routes.iter().map(of));
        let parts = parts.map(|(&id, route)| (0..fit.paces(id)).map(|p| part(route, p)).collect());
        let end = |link: Option<&crate::base::LinkId>| link.map_or(0, |link| link.index());
        Self {
            parts: parts.collect(),
            rows,
            of: parts_of,
            ends: [
                routes.iter().map(of).map(|route| end(route.links.first())).collect(),
                routes.iter().map(of).map(|route| end(route.links.last())).collect(),
            ],
            fit,
        }
    }

    /// How many transfers there are.
    pub(super) fn transfers(&self) -> usize {
        self.rows.len()
    }

    /// What each transfer is worth at its solo rate, for values of pairs.
    pub(super) fn worths(&self, values: &[f64]) -> Vec<f64> {
        self.of.iter().map(|&(pair, part)| values[pair as usize] * part).collect()
    }

    fn transfer(&self, row: usize, pace: u8) -> Transfer {
        Transfer { route: self.rows[row], pace }
    }

    fn column(&self, filling: &Filling<'_>) -> Column {
        let part = |row: usize| {
            let pace = filling.pace(self.rows[row])?;
            let (pair, part) = self.of[row];
            Some((pair, part * self.parts[row][usize::from(pace)]))
        };
        (0..self.rows.len()).filter_map(part).collect()
    }

    fn worth(column: &Column, values: &[f64]) -> f64 {
        column.iter().map(|&(row, part)| values[row as usize] * part).sum()
    }

    /// A channel that holds `fixed` (transfers and paces), maximal among the demanded transfers, the
    /// worthy ones first.
    pub(super) fn greedy(&self, fixed: &[(usize, u8)], worth: &[f64]) -> Column {
        let mut order: Vec<(usize, u8)> = Vec::new();
        for (row, parts) in self.parts.iter().enumerate() {
            order.extend((0..parts.len() as u8).map(|pace| (row, pace)));
        }
        let of = |&(row, pace): &(usize, u8)| worth[row] * self.parts[row][usize::from(pace)];
        order.sort_by(|a, b| of(b).total_cmp(&of(a)).then(a.cmp(b)));
        let mut filling = Filling::new(&self.fit);
        for &(row, pace) in fixed.iter().chain(&order) {
            filling.take(self.transfer(row, pace));
        }
        for (row, _) in order {
            filling.raise(self.rows[row]);
        }
        self.column(&filling)
    }

    /// Channels worth more than one for these values of pairs, found quickly: greedy under many orders. May miss some.
    pub(super) fn improving(&self, values: &[f64]) -> Vec<Column> {
        let mut found: Vec<(f64, Column)> = Vec::new();
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
            let column = self.greedy(&[], &self.worths(&shaken));
            let worth = Self::worth(&column, values);
            if worth > 1.0 + 1e-6 {
                found.push((worth, column));
            }
        }
        let rows = |column: &Column| column.iter().map(|entry| entry.0).collect::<Vec<_>>();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| rows(&a.1).cmp(&rows(&b.1))));
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(20);
        found.into_iter().map(|(_, column)| column).collect()
    }

    /// The channel of the greatest worth for these values of pairs, by branch and bound over first links.
    /// It tries `most` sets of transfers at most.
    pub(super) fn best(&self, of_pairs: &[f64], most: u64) -> Best {
        let values = &self.worths(of_pairs)[..];
        let mut order: Vec<usize> =
            (0..self.rows.len()).filter(|&row| values[row] > NOTHING).collect();
        order.sort_by(|&a, &b| {
            (self.ends[0][a], values[b], a)
                .partial_cmp(&(self.ends[0][b], values[a], b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        // What a row is worth for each unit that it takes of its first and last link.
        let density = |end: usize, row: usize| values[row] / self.need(end, row);
        let by_density = [0, 1].map(|end| {
            let mut by_density = order.clone();
            by_density.sort_by(|&a, &b| {
                let key = |row: usize| (self.ends[end][row], -density(end, row), row);
                key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
            });
            by_density
        });
        let mut position = vec![usize::MAX; self.rows.len()];
        for (at, &row) in order.iter().enumerate() {
            position[row] = at;
        }
        let mut search = Exhaustive {
            pricing: self,
            values,
            order: &order,
            position: &position,
            by_density: &by_density,
            filling: Filling::new(&self.fit),
            chosen: Vec::new(),
            best: (0.0, Vec::new()),
            nodes: 0,
            most,
        };
        search.branch(0, 0.0);
        let (nodes, complete) = (search.nodes, search.nodes < most);
        let (_, chosen) = search.best;
        let column = self.greedy(&chosen, values);
        Best { worth: Self::worth(&column, of_pairs), column, complete, nodes }
    }

    /// What a row takes of its first or last link at its solo rate.
    fn need(&self, end: usize, row: usize) -> f64 {
        let needs = self.fit.needs(self.transfer(row, 0));
        let need = needs.iter().find(|need| need.0 == self.ends[end][row]);
        need.map_or(1, |need| need.1.max(1)) as f64
    }
}

struct Exhaustive<'a> {
    pricing: &'a Pricing,
    values: &'a [f64],
    order: &'a [usize],
    /// For each row its position in the order.
    position: &'a [usize],
    by_density: &'a [Vec<usize>; 2],
    filling: Filling<'a>,
    chosen: Vec<(usize, u8)>,
    best: (f64, Vec<(usize, u8)>),
    nodes: u64,
    most: u64,
}

impl Exhaustive<'_> {
    fn branch(&mut self, at: usize, worth: f64) {
        self.nodes += 1;
        if worth > self.best.0 + 1e-9 {
            self.best = (worth, self.chosen.clone());
        }
        let left = self.best.0 + 1e-9 - worth;
        if self.nodes >= self.most || self.rest(0, at) <= left || self.rest(1, at) <= left {
            return;
        }
        let Some(&row) = self.order.get(at) else { return };
        for (pace, part) in self.pricing.parts[row].iter().enumerate() {
            if self.filling.take(self.pricing.transfer(row, pace as u8)) {
                self.chosen.push((row, pace as u8));
                self.branch(at + 1, worth + self.values[row] * part);
                self.chosen.pop();
                self.filling.give(self.pricing.rows[row]);
            }
        }
        self.branch(at + 1, worth);
    }

    /// At most this much can be added from `at` on: what is left of each first (or last) link goes
    /// to the transfers that are worth the most for what they take of it, in part if need be.
    fn rest(&self, end: usize, at: usize) -> f64 {
        let Pricing { fit, rows, ends, .. } = self.pricing;
        let mut sum = 0.0;
        let (mut link, mut room) = (usize::MAX, 0.0);
        for &row in &self.by_density[end] {
            if self.position[row] < at {
                continue;
            }
            if ends[end][row] != link {
                link = ends[end][row];
                room = self.filling.left(link) as f64;
            }
            if room <= 0.0 {
                continue;
            }
            let slowest = self.pricing.transfer(row, fit.paces(rows[row]) - 1);
            if self.filling.fits(slowest) {
                let need = self.pricing.need(end, row);
                let part = (room / need).min(1.0);
                sum += self.values[row] * part;
                room -= need * part;
            }
        }
        sum
    }
}
