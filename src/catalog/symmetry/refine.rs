//! Refinement of ordered partitions until every cell looks alike from everywhere.

use super::structure::{ENTERS, Edge, Structure};

/// An ordered partition of the vertices: each vertex carries the position at which its cell
/// begins, so that a partition into single vertices is a labelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    /// The position of each vertex's cell.
    pub(super) cells: Vec<u32>,
    /// The vertices, cell by cell.
    order: Vec<u32>,
}

impl Partition {
    /// The vertices by colour, refined.
    pub(super) fn of(structure: &Structure) -> Self {
        let mut order: Vec<u32> = (0..u32::try_from(structure.len()).unwrap_or(0)).collect();
        let colours = structure.colours();
        order.sort_by_key(|&vertex| colours[vertex as usize]);
        let mut partition = Self { cells: vec![0; order.len()], order };
        partition.renumber(|vertex| u64::from(colours[vertex as usize]), true);
        partition.refine(structure, &[]);
        partition
    }

    /// The first of the smallest cells with several vertices, ascending; empty when all are single.
    pub(super) fn target(&self) -> Vec<u32> {
        let mut best: Option<(usize, usize)> = None;
        let mut start = 0;
        while start < self.order.len() {
            let end = self.end(start);
            let size = end - start;
            if size > 1 && best.is_none_or(|(_, least)| size < least) {
                best = Some((start, size));
            }
            start = end;
        }
        let Some((start, size)) = best else { return Vec::new() };
        let mut target = self.order[start..start + size].to_vec();
        target.sort_unstable();
        target
    }

    /// Puts `vertex` before the others of its cell and refines; returns the trace.
    pub(super) fn individualise(
        &mut self,
        structure: &Structure,
        further: &[Edge],
        vertex: u32,
    ) -> u64 {
        let start = self.cells[vertex as usize] as usize;
        let end = self.end(start);
        let at = (start..end).find(|&at| self.order[at] == vertex).unwrap_or(start);
        self.order.swap(start, at);
        for &other in &self.order[start + 1..end] {
            self.cells[other as usize] = start as u32 + 1;
        }
        self.refine(structure, further)
    }

    /// Where the cell that begins at `start` ends.
    fn end(&self, start: usize) -> usize {
        let cell = self.cells[self.order[start] as usize];
        let mut end = start + 1;
        while end < self.order.len() && self.cells[self.order[end] as usize] == cell {
            end += 1;
        }
        end
    }

    /// Splits cells by how their vertices see the partition, over the edges of the structure and
    /// further ones, until nothing splits. The trace depends on the edges and the partition alone,
    /// not on the names of vertices.
    pub(super) fn refine(&mut self, structure: &Structure, further: &[Edge]) -> u64 {
        let mut seen = vec![0u64; self.order.len()];
        let mut trace = 0u64;
        loop {
            // A sum does not depend on the order of the neighbours. Two different views with the
            // same sum only make the partition coarser; no result rests on their difference.
            let view = |cells: &[u32], other: u32, colour: u32| {
                mix(u64::from(cells[other as usize]) << 32 | u64::from(colour))
            };
            for (vertex, seen) in seen.iter_mut().enumerate() {
                *seen = structure
                    .neighbours(vertex)
                    .iter()
                    .fold(0, |sum: u64, edge| sum.wrapping_add(view(&self.cells, edge.0, edge.1)));
            }
            for &(from, to, colour) in further {
                let (leaves, enters) =
                    (view(&self.cells, to, colour), view(&self.cells, from, colour | ENTERS));
                let at = &mut seen[from as usize];
                *at = at.wrapping_add(leaves);
                let at = &mut seen[to as usize];
                *at = at.wrapping_add(enters);
            }
            let mut start = 0;
            let mut cells = 0;
            while start < self.order.len() {
                let end = self.end(start);
                if end - start > 1 {
                    self.order[start..end].sort_unstable_by_key(|&vertex| seen[vertex as usize]);
                }
                start = end;
                cells += 1;
            }
            let split = self.renumber(|vertex| seen[vertex as usize], false);
            for (position, &vertex) in self.order.iter().enumerate() {
                let view = seen[vertex as usize] ^ (position as u64) << 40;
                trace = mix(trace ^ mix(view ^ u64::from(self.cells[vertex as usize])));
            }
            // Single vertices split no further.
            if !split || cells == self.order.len() {
                return trace;
            }
        }
    }

    /// Gives neighbours in the order with different keys different cells; tells whether a cell
    /// split. With `fresh` the old cells are ignored.
    fn renumber(&mut self, key: impl Fn(u32) -> u64, fresh: bool) -> bool {
        let mut split = false;
        let mut start = 0;
        let mut before: Option<(u32, u64)> = None;
        for position in 0..self.order.len() {
            let vertex = self.order[position];
            let old = if fresh { 0 } else { self.cells[vertex as usize] };
            let now = (old, key(vertex));
            if before != Some(now) {
                split |= before.is_some_and(|(cell, _)| cell == old);
                start = position as u32;
            }
            before = Some(now);
            self.cells[vertex as usize] = start;
        }
        split
    }
}

/// A bijective scramble of 64 bits (the finaliser of SplitMix64).
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ value >> 31).wrapping_add(0x9e37_79b9_7f4a_7c15)
}
