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
    /// The number of edges.
    edges: usize,
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
        let (starts, neighbours) = by_vertex(colours.len(), &edges);
        Self { colours, neighbours, starts, edges: edges.len() }
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
}

/// A structure with further edges drawn in.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    structure: &'a Structure,
    further: &'a [Edge],
    /// The neighbours over further edges, as those of the structure.
    neighbours: Vec<(u32, u32)>,
    starts: Vec<u32>,
}

impl<'a> Drawn<'a> {
    pub(super) fn new(structure: &'a Structure, further: &'a [Edge]) -> Self {
        let (starts, neighbours) = by_vertex(structure.len(), further);
        Self { structure, further, neighbours, starts }
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.structure.len()
    }

    pub(super) fn further(&self) -> &'a [Edge] {
        self.further
    }

    fn own(&self, vertex: usize) -> &[(u32, u32)] {
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    pub(super) fn for_neighbours(&self, vertex: u32, mut each: impl FnMut(u32, u32)) {
        for &(other, colour) in self.structure.neighbours(vertex as usize) {
            each(other, colour);
        }
        for &(other, colour) in self.own(vertex as usize) {
            each(other, colour);
        }
    }

    /// All edges with every vertex `v` called `names[v]`, sorted: equal for two labellings exactly
    /// when one is the other after an automorphism. `order` has the vertices by their names.
    pub(super) fn renamed(&self, order: &[u32], names: &[u32]) -> Vec<Edge> {
        let mut edges = Vec::with_capacity(self.structure.edges + self.further.len());
        for (&vertex, from) in order.iter().zip(0u32..) {
            let first = edges.len();
            self.for_neighbours(vertex, |other, colour| {
                if colour < ENTERS {
                    edges.push((from, names[other as usize], colour));
                }
            });
            edges[first..].sort_unstable();
        }
        edges
    }
}

/// The neighbours of each vertex, one vertex after the other, and where those of each begin.
fn by_vertex(vertices: usize, edges: &[Edge]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut starts = vec![0u32; vertices + 1];
    for &(from, to, _) in edges {
        starts[from as usize + 1] += 1;
        starts[to as usize + 1] += 1;
    }
    for vertex in 0..vertices {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut neighbours = vec![(0, 0); 2 * edges.len()];
    for &(from, to, colour) in edges {
        debug_assert!(colour < ENTERS);
        for (vertex, neighbour) in [(from, (to, colour)), (to, (from, colour | ENTERS))] {
            let at = &mut next[vertex as usize];
            neighbours[*at as usize] = neighbour;
            *at += 1;
        }
    }
    (starts, neighbours)
}
