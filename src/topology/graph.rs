//! Fewest-links paths over the devices. The only file that knows the graph library.

use crate::base::{DeviceKind, LinkId, VertexId};
use crate::dsl::Machine;
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef as _;
use std::collections::{BTreeSet, VecDeque};

/// The devices and directed links of a machine; node indices are vertex ids.
pub(super) struct Network {
    graph: DiGraph<DeviceKind, LinkId>,
}

/// The ways with the fewest links from one device to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ways {
    /// There is none.
    None,
    /// The links of the only one.
    One(Vec<LinkId>),
    /// Two of several, which differ.
    Tie(Vec<LinkId>, Vec<LinkId>),
}

/// The distances from one device to all others.
pub(super) struct Reach {
    source: NodeIndex,
    distance: Vec<Option<u32>>,
}

/// Whether bytes may pass through such a device on their way between two others.
fn forwards(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::Switch | DeviceKind::Socket)
}

impl Network {
    /// The network of `machine`. `ends` are the directed links in the order of their ids.
    pub(super) fn new(machine: &Machine, ends: &[(VertexId, VertexId)]) -> Self {
        let mut graph = DiGraph::with_capacity(machine.devices.len(), ends.len());
        for device in &machine.devices {
            graph.add_node(device.kind);
        }
        for (link, (from, to)) in ends.iter().enumerate() {
            let (from, to) = (NodeIndex::new(from.index()), NodeIndex::new(to.index()));
            graph.add_edge(from, to, LinkId::new(link));
        }
        Self { graph }
    }

    /// How many links every device is away from `source`, in the direction of the links.
    pub(super) fn reach(&self, source: VertexId) -> Reach {
        let source = NodeIndex::new(source.index());
        let mut distance = vec![None; self.graph.node_count()];
        distance[source.index()] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            if node != source && !forwards(self.graph[node]) {
                continue;
            }
            let next = distance[node.index()].map(|steps: u32| steps + 1);
            for neighbour in self.graph.neighbors(node) {
                if distance[neighbour.index()].is_none() {
                    distance[neighbour.index()] = next;
                    queue.push_back(neighbour);
                }
            }
        }
        Reach { source, distance }
    }

    /// The fewest-links ways from the source of `reach` to `target`, which differs from it.
    pub(super) fn ways(&self, reach: &Reach, target: VertexId) -> Ways {
        let target = NodeIndex::new(target.index());
        if reach.distance[target.index()].is_none() {
            return Ways::None;
        }
        let mut split = None;
        let first = self.walk_back(reach, target, |at, choices| {
            if choices.len() > 1 && split.is_none() {
                split = Some(at);
            }
            choices[0]
        });
        let Some(split) = split else { return Ways::One(first) };
        let second =
            self.walk_back(
                reach,
                target,
                |at, choices| {
                    if at == split { choices[1] } else { choices[0] }
                },
            );
        Ways::Tie(first, second)
    }

    /// Follows shortest ways backwards; `choose` picks among the links that lead one step closer,
    /// which come in ascending order.
    fn walk_back(
        &self,
        reach: &Reach,
        target: NodeIndex,
        mut choose: impl FnMut(NodeIndex, &[(LinkId, NodeIndex)]) -> (LinkId, NodeIndex),
    ) -> Vec<LinkId> {
        let mut links = Vec::new();
        let mut at = target;
        while at != reach.source {
            let wanted = reach.distance[at.index()].map(|steps| steps - 1);
            let mut choices: Vec<(LinkId, NodeIndex)> = self
                .graph
                .edges_directed(at, Direction::Incoming)
                .map(|edge| (*edge.weight(), edge.source()))
                .filter(|&(_, node)| {
                    reach.distance[node.index()] == wanted
                        && (node == reach.source || forwards(self.graph[node]))
                })
                .collect();
            choices.sort_unstable();
            let (link, node) = choose(at, &choices);
            links.push(link);
            at = node;
        }
        links.reverse();
        links
    }

    /// Whether a link enters or leaves the device.
    pub(super) fn is_linked(&self, vertex: VertexId) -> bool {
        self.graph.neighbors_undirected(NodeIndex::new(vertex.index())).next().is_some()
    }

    /// The node (in the sense of a computer) of every device: a number for each connected
    /// component once fabrics and links between NICs are taken away. Numbers count from 0 in the
    /// order of the first device; a fabric gets none.
    pub(super) fn nodes(&self) -> Vec<Option<usize>> {
        let mut sets = UnionFind::<usize>::new(self.graph.node_count());
        for edge in self.graph.edge_references() {
            let (from, to) = (edge.source(), edge.target());
            if !self.is_network(from, to) {
                sets.union(from.index(), to.index());
            }
        }
        let mut roots = Vec::new();
        self.graph
            .node_indices()
            .map(|node| {
                if self.graph[node] == DeviceKind::Fabric {
                    return None;
                }
                let root = sets.find(node.index());
                Some(roots.iter().position(|&known| known == root).unwrap_or_else(|| {
                    roots.push(root);
                    roots.len() - 1
                }))
            })
            .collect()
    }

    /// Whether there is a fabric's link or a link between NICs.
    pub(super) fn has_network(&self) -> bool {
        self.graph.edge_references().any(|edge| self.is_network(edge.source(), edge.target()))
    }

    fn is_network(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let (from, to) = (self.graph[from], self.graph[to]);
        from == DeviceKind::Fabric
            || to == DeviceKind::Fabric
            || (from == DeviceKind::Nic && to == DeviceKind::Nic)
    }

    /// The nearest socket over links in either direction: the device itself when it is one,
    /// nothing where none is reached or two are equally near.
    pub(super) fn nearest_socket(&self, vertex: VertexId) -> Option<VertexId> {
        let start = NodeIndex::new(vertex.index());
        let mut seen = BTreeSet::from([start]);
        let mut ring = vec![start];
        while !ring.is_empty() {
            let mut sockets = ring.iter().filter(|&&n| self.graph[n] == DeviceKind::Socket);
            if let Some(socket) = sockets.next() {
                return sockets.next().is_none().then(|| VertexId::new(socket.index()));
            }
            let mut next = Vec::new();
            for &node in &ring {
                if node != start && !forwards(self.graph[node]) {
                    continue;
                }
                for neighbour in self.graph.neighbors_undirected(node) {
                    if seen.insert(neighbour) {
                        next.push(neighbour);
                    }
                }
            }
            ring = next;
        }
        None
    }
}
