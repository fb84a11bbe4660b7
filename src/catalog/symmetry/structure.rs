//! Coloured vertices and coloured directed edges.

/// A labelled structure. Vertices count from 0; colours are any numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    colours: Vec<u32>,
    /// For each vertex its neighbours: (other vertex, colour of the edge; the highest bit tells an
    /// edge that enters from one that leaves).
    neighbours: Vec<Vec<(u32, u32)>>,
    /// (from, to, colour), in no particular order.
    edges: Vec<(u32, u32, u32)>,
}

const ENTERS: u32 = 1 << 31;

impl Structure {
    /// Vertices of these colours and no edges.
    #[must_use]
    pub fn new(colours: Vec<u32>) -> Self {
        let neighbours = vec![Vec::new(); colours.len()];
        Self { colours, neighbours, edges: Vec::new() }
    }

    /// Adds an edge; `colour` is below 2^31, both ends exist. Several edges between the same two
    /// vertices are fine.
    pub fn add_edge(&mut self, from: u32, to: u32, colour: u32) {
        debug_assert!(colour < ENTERS);
        self.edges.push((from, to, colour));
        self.neighbours[from as usize].push((to, colour));
        self.neighbours[to as usize].push((from, colour | ENTERS));
    }

    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Whether there is no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    pub(super) fn colours(&self) -> &[u32] {
        &self.colours
    }

    pub(super) fn neighbours(&self, vertex: usize) -> &[(u32, u32)] {
        &self.neighbours[vertex]
    }

    /// The edges with every vertex `v` called `names[v]`, sorted: equal for two labellings exactly
    /// when one is the other after an automorphism.
    pub(super) fn renamed(&self, names: &[u32]) -> Vec<(u32, u32, u32)> {
        let mut edges: Vec<_> = self
            .edges
            .iter()
            .map(|&(from, to, colour)| (names[from as usize], names[to as usize], colour))
            .collect();
        edges.sort_unstable();
        edges
    }
}
