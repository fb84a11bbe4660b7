//! Coloured vertices and coloured directed edges.

/// An edge: from, to, colour.
pub type Edge = (u32, u32, u32);

/// A labelled structure. Vertices count from 0; colours are any numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    colours: Vec<u32>,
    /// The neighbours of all vertices, vertex by vertex: (other vertex, colour of the edge; the
    /// highest bit tells an edge that enters from one that leaves).
    neighbours: Vec<(u32, u32)>,
    /// Where the neighbours of each vertex begin, and where the last ones end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

/// Tells, in the colour of an edge, that it enters.
pub(super) const ENTERS: u32 = 1 << 31;

impl Structure {
    /// Vertices of these colours and edges between them. Both ends of an edge exist, its colour is
    /// below 2^31. Several edges between the same two vertices are fine.
    ///
    /// # Panics
    /// Where an end of an edge does not exist.
    #[must_use]
    pub fn new(colours: Vec<u32>, edges: Vec<Edge>) -> Self {
        let mut own = vec![Vec::new(); colours.len()];
        for &(from, to, colour) in &edges {
            debug_assert!(colour < ENTERS);
            own[from as usize].push((to, colour));
            own[to as usize].push((from, colour | ENTERS));
        }
        let mut starts = vec![0];
        let mut neighbours = Vec::with_capacity(2 * edges.len());
        for own in own {
            neighbours.extend(own);
            starts.push(neighbours.len() as u32);
        }
        Self { colours, neighbours, starts, edges }
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
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// The edges, and further ones, with every vertex `v` called `names[v]`, sorted: equal for two
    /// labellings exactly when one is the other after an automorphism.
    pub(super) fn renamed(&self, further: &[Edge], names: &[u32]) -> Vec<Edge> {
        let renamed =
            |&(from, to, colour): &Edge| (names[from as usize], names[to as usize], colour);
        let mut edges: Vec<Edge> = self.edges.iter().chain(further).map(renamed).collect();
        edges.sort_unstable();
        edges
    }
}
