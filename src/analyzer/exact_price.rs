//! The channel of the greatest worth, for given values of transfers.

use crate::catalog::Catalog;

/// The demanded transfers as rows, with the links they share.
pub(super) struct Pricing {
    /// For each row: its links and its rate.
    rows: Vec<(Vec<usize>, u64)>,
    /// For each row the source rank.
    sources: Vec<usize>,
    capacity: Vec<u64>,
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
        let rows = routes.iter().map(|&index| {
            let route = &catalog.routes[index];
            (route.links.iter().map(|link| link.index()).collect(), route.rate.0)
        });
        Self {
            rows: rows.collect(),
            sources: routes.iter().map(|&index| catalog.routes[index].src.index()).collect(),
            capacity: catalog.links.iter().map(|l| l.capacity.map_or(0, |rate| rate.0)).collect(),
        }
    }

    fn fits(&self, left: &[u64], row: usize) -> bool {
        let (links, rate) = &self.rows[row];
        links.iter().all(|&link| left[link] >= *rate)
    }

    fn take(&self, left: &mut [u64], row: usize) {
        let (links, rate) = &self.rows[row];
        for &link in links {
            left[link] -= rate;
        }
    }

    fn give(&self, left: &mut [u64], row: usize) {
        let (links, rate) = &self.rows[row];
        for &link in links {
            left[link] += rate;
        }
    }

    /// A channel that holds `fixed`, maximal among the demanded transfers, the worthy ones first.
    pub(super) fn greedy(&self, fixed: &[usize], worth: &[f64]) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
        let mut left = self.capacity.clone();
        let mut chosen = Vec::new();
        for &row in fixed.iter().chain(&order) {
            if !chosen.contains(&(row as u32)) && self.fits(&left, row) {
                self.take(&mut left, row);
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

    /// The channel of the greatest worth, by branch and bound over sources.
    pub(super) fn best(&self, values: &[f64]) -> Best {
        let mut order: Vec<usize> =
            (0..self.rows.len()).filter(|&row| values[row] > NOTHING).collect();
        // Source by source, so that the bound of a source's rest is the best that still fits.
        order.sort_by(|&a, &b| {
            (self.sources[a], values[b], a)
                .partial_cmp(&(self.sources[b], values[a], b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut search = Exhaustive {
            pricing: self,
            values,
            order: &order,
            left: self.capacity.clone(),
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
    left: Vec<u64>,
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
        if self.pricing.fits(&self.left, row) {
            self.pricing.take(&mut self.left, row);
            self.chosen.push(row);
            self.branch(at + 1, worth + self.values[row]);
            self.chosen.pop();
            self.pricing.give(&mut self.left, row);
        }
        self.branch(at + 1, worth);
    }

    /// At most this much can be added from `at` on: for each source, the greatest values that still
    /// fit, as many as its first link holds.
    fn rest(&self, at: usize) -> f64 {
        let mut sum = 0.0;
        let mut source = usize::MAX;
        let mut room = 0;
        for &row in &self.order[at..] {
            if !self.pricing.fits(&self.left, row) {
                continue;
            }
            let (links, rate) = &self.pricing.rows[row];
            if self.pricing.sources[row] != source {
                source = self.pricing.sources[row];
                room = self.left[links[0]];
            }
            // Rates count in full only while there is room; the values of a source fall.
            if room > 0 {
                sum += self.values[row];
                room = room.saturating_sub(*rate);
            }
        }
        sum
    }
}
