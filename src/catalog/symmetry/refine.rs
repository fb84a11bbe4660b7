//! Refinement of ordered partitions until every cell looks alike from everywhere.

use super::structure::{Drawn, ENTERS, Structure};

/// An ordered partition of the vertices: each vertex carries the position at which its cell
/// begins, so that a partition into single vertices is a labelling.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// The position of each vertex's cell.
    pub(super) cells: Vec<u32>,
    /// The vertices, cell by cell.
    pub(super) order: Vec<u32>,
    /// How many vertices are in the cell that begins at a position.
    sizes: Vec<u32>,
    /// The number of cells.
    count: usize,
    /// How each vertex sees the partition: a sum over its edges, kept up to date by what changes.
    /// Stale where all vertices are single, when nothing can split any more.
    seen: Vec<u64>,
}

/// What one refinement after the other uses again.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Vertices whose cell is another than before, with the position of the one before.
    moved: Vec<(u32, u32)>,
    /// The positions of cells of which some vertex sees something new.
    touched: Vec<u32>,
    /// For each position whether it is among those.
    is_touched: Vec<bool>,
}

impl Scratch {
    /// For structures of so many vertices.
    pub(super) fn new(vertices: usize) -> Self {
        Self { moved: Vec::new(), touched: Vec::new(), is_touched: vec![false; vertices] }
    }

    fn touch(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.is_touched[cell as usize], true) {
            self.touched.push(cell);
        }
    }
}

/// What is seen of a vertex in a cell, over an edge of this colour. A sum of views does not depend
/// on the order of the neighbours. Two different sums that happen to be equal only make the
/// partition coarser; no result rests on their difference.
fn view(cell: u32, colour: u32) -> u64 {
    mix(u64::from(cell) << 32 | u64::from(colour))
}

impl Partition {
    /// The vertices by colour, refined.
    pub(super) fn of(structure: &Structure) -> Self {
        let mut order: Vec<u32> = (0..u32::try_from(structure.len()).unwrap_or(0)).collect();
        let colours = structure.colours();
        order.sort_by_key(|&vertex| colours[vertex as usize]);
        let length = order.len();
        let mut partition = Self {
            cells: vec![0; length],
            order,
            sizes: vec![0; length],
            count: 0,
            seen: vec![0; length],
        };
        let mut start = 0;
        for position in 0..length {
            let colour = |position: usize| colours[partition.order[position] as usize];
            if position == 0 || colour(position) != colour(position - 1) {
                start = position;
                partition.count += 1;
            }
            partition.cells[partition.order[position] as usize] = start as u32;
            partition.sizes[start] += 1;
        }
        let mut scratch = Scratch::new(length);
        for vertex in 0..length {
            let views = structure.neighbours(vertex).iter();
            partition.seen[vertex] = views.fold(0, |sum: u64, &(other, colour)| {
                sum.wrapping_add(view(partition.cells[other as usize], colour))
            });
            scratch.touch(partition.cells[vertex]);
        }
        partition.settle(&Drawn::new(structure, &[]), &mut scratch);
        partition
    }

    /// Takes the further edges into account, after a partition without them; returns the trace.
    pub(super) fn draw(&mut self, drawn: &Drawn<'_>, scratch: &mut Scratch) -> u64 {
        for &(from, to, colour) in drawn.further() {
            let ends = [(from, to, colour), (to, from, colour | ENTERS)];
            for (vertex, other, colour) in ends {
                let seen = &mut self.seen[vertex as usize];
                *seen = seen.wrapping_add(view(self.cells[other as usize], colour));
                scratch.touch(self.cells[vertex as usize]);
            }
        }
        self.settle(drawn, scratch)
    }

    /// The first of the smallest cells with several vertices, ascending; empty when all are single.
    pub(super) fn target(&self) -> Vec<u32> {
        self.target_cell().map_or_else(Vec::new, |cell| {
            let mut target = cell.to_vec();
            target.sort_unstable();
            target
        })
    }

    /// The least vertex of [`Partition::target`].
    pub(super) fn first_target(&self) -> Option<u32> {
        self.target_cell()?.iter().copied().min()
    }

    fn target_cell(&self) -> Option<&[u32]> {
        if self.count == self.order.len() {
            return None;
        }
        let mut best: Option<(usize, usize)> = None;
        let mut start = 0;
        while start < self.order.len() {
            let size = self.sizes[start] as usize;
            if size > 1 && best.is_none_or(|(_, least)| size < least) {
                best = Some((start, size));
            }
            start += size;
        }
        best.map(|(start, size)| &self.order[start..start + size])
    }

    /// Puts `vertex` before the others of its cell and refines; returns the trace.
    pub(super) fn individualise(
        &mut self,
        drawn: &Drawn<'_>,
        scratch: &mut Scratch,
        vertex: u32,
    ) -> u64 {
        let cell = self.cells[vertex as usize];
        let (start, size) = (cell as usize, self.sizes[cell as usize] as usize);
        let end = start + size;
        let at = (start..end).find(|&at| self.order[at] == vertex).unwrap_or(start);
        self.order.swap(start, at);
        for &other in &self.order[start + 1..end] {
            self.cells[other as usize] = cell + 1;
            scratch.moved.push((other, cell));
        }
        if size > 1 {
            self.sizes[start] = 1;
            self.sizes[start + 1] = size as u32 - 1;
            self.count += 1;
        }
        self.propagate(drawn, scratch);
        self.settle(drawn, scratch)
    }

    /// Lets the neighbours of vertices that moved see them where they are now.
    fn propagate(&mut self, drawn: &Drawn<'_>, scratch: &mut Scratch) {
        let mut moved = std::mem::take(&mut scratch.moved);
        for &(vertex, before) in &moved {
            let now = self.cells[vertex as usize];
            drawn.for_neighbours(vertex, |other, colour| {
                // From the other end the edge runs the other way.
                let colour = colour ^ ENTERS;
                let change = view(now, colour).wrapping_sub(view(before, colour));
                let seen = &mut self.seen[other as usize];
                *seen = seen.wrapping_add(change);
                scratch.touch(self.cells[other as usize]);
            });
        }
        moved.clear();
        scratch.moved = moved;
    }

    /// Splits the touched cells by how their vertices see the partition, and those that see a cell
    /// split, until nothing splits. The trace depends on the edges and the partition alone, not on
    /// the names of vertices.
    fn settle(&mut self, drawn: &Drawn<'_>, scratch: &mut Scratch) -> u64 {
        let mut trace = 0u64;
        while !scratch.touched.is_empty() {
            let mut touched = std::mem::take(&mut scratch.touched);
            touched.sort_unstable();
            for cell in touched.drain(..) {
                scratch.is_touched[cell as usize] = false;
                trace = self.split(cell, scratch, trace);
            }
            scratch.touched = touched;
            // Single vertices split no further.
            if self.count == self.order.len() {
                scratch.moved.clear();
                break;
            }
            self.propagate(drawn, scratch);
        }
        trace
    }

    /// Splits a cell by what its vertices see; returns the trace continued.
    fn split(&mut self, cell: u32, scratch: &mut Scratch, mut trace: u64) -> u64 {
        let (start, end) = (cell as usize, (cell + self.sizes[cell as usize]) as usize);
        if end - start > 1 {
            let seen = &self.seen;
            self.order[start..end].sort_unstable_by_key(|&vertex| seen[vertex as usize]);
        }
        let mut part = start;
        while part < end {
            let seen = self.seen[self.order[part] as usize];
            let mut next = part + 1;
            while next < end && self.seen[self.order[next] as usize] == seen {
                next += 1;
            }
            trace = mix(trace ^ mix(seen ^ (part as u64) << 40));
            self.sizes[part] = (next - part) as u32;
            if part > start {
                self.count += 1;
                for &vertex in &self.order[part..next] {
                    self.cells[vertex as usize] = part as u32;
                    scratch.moved.push((vertex, cell));
                }
            }
            part = next;
        }
        trace
    }
}

/// A bijective scramble of 64 bits (the finaliser of SplitMix64).
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ value >> 31).wrapping_add(0x9e37_79b9_7f4a_7c15)
}
