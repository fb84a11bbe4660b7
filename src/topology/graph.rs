//! Fewest-links ways over the devices. The only file that knows the graph library.

use crate::base::{DeviceKind, LinkId, VertexId};
use crate::dsl::Machine;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef as _;
use std::collections::VecDeque;

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

/// A step of a shortest way, backwards: the link and the device it comes from.
type Step = (LinkId, VertexId);

/// The shortest ways from one device to all others.
pub(super) struct Reach {
    source: VertexId,
    distance: Vec<Option<u32>>,
    /// The step with the lowest link of those that end a shortest way, and the next one.
    steps: Vec<[Option<Step>; 2]>,
}

/// Which devices a way may pass between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Within a node: switches and sockets.
    Node,
    /// Between network cards: fabrics.
    Fabric,
}

impl Part {
    fn forwards(self, kind: DeviceKind) -> bool {
        match self {
            Self::Node => matches!(kind, DeviceKind::Switch | DeviceKind::Socket),
            Self::Fabric => kind == DeviceKind::Fabric,
        }
    }
}

/// The place of a device in its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// The nearest socket.
    pub(super) socket: Option<VertexId>,
    /// A direction of the link by which the way to it enters it.
    pub(super) uplink: Option<LinkId>,
    /// The only switch beside it.
    pub(super) switch: Option<VertexId>,
}

fn node(vertex: VertexId) -> NodeIndex {
    NodeIndex::new(vertex.index())
}

impl Network {
    /// The network of `machine`. `ends` are the directed links in the order of their ids.
    pub(super) fn new(machine: &Machine, ends: impl Iterator<Item = (VertexId, VertexId)>) -> Self {
        let mut graph = DiGraph::with_capacity(machine.devices.len(), 2 * machine.links.len());
        for device in &machine.devices {
            graph.add_node(device.kind);
        }
        for (link, (from, to)) in ends.enumerate() {
            graph.add_edge(node(from), node(to), LinkId::new(link));
        }
        Self { graph }
    }

    /// The shortest ways from `source`, in the direction of the links.
    pub(super) fn reach(&self, source: VertexId, part: Part) -> Reach {
        let count = self.graph.node_count();
        let mut reach =
            Reach { source, distance: vec![None; count], steps: vec![[None; 2]; count] };
        reach.distance[source.index()] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            if at != source && !part.forwards(self.graph[node(at)]) {
                continue;
            }
            let next = reach.distance[at.index()].map(|steps| steps + 1);
            for edge in self.graph.edges(node(at)) {
                let to = edge.target().index();
                if reach.distance[to].is_none() {
                    reach.distance[to] = next;
                    queue.push_back(VertexId::new(to));
                }
                if reach.distance[to] == next {
                    keep_lowest(&mut reach.steps[to], (*edge.weight(), at));
                }
            }
        }
        reach
    }

    /// Whether a link enters or leaves the device.
    pub(super) fn is_linked(&self, vertex: VertexId) -> bool {
        self.graph.neighbors_undirected(node(vertex)).next().is_some()
    }

    /// The node (in the sense of a computer) of every device: a number for each connected
    /// component once fabrics and links between NICs are taken away. Numbers count from 0 in the
    /// order of the first device; a fabric gets none.
    pub(super) fn nodes(&self) -> Vec<Option<usize>> {
        let mut sets = UnionFind::<usize>::new(self.graph.node_count());
        for edge in self.graph.edge_references() {
            if !self.is_network(edge.source(), edge.target()) {
                sets.union(edge.source().index(), edge.target().index());
            }
        }
        let mut numbers: Vec<Option<usize>> = vec![None; self.graph.node_count()];
        let mut next = 0;
        self.graph
            .node_indices()
            .map(|at| {
                if self.graph[at] == DeviceKind::Fabric {
                    return None;
                }
                let number = &mut numbers[sets.find(at.index())];
                Some(*number.get_or_insert_with(|| {
                    next += 1;
                    next - 1
                }))
            })
            .collect()
    }

    fn is_network(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let (from, to) = (self.graph[from], self.graph[to]);
        from == DeviceKind::Fabric
            || to == DeviceKind::Fabric
            || (from == DeviceKind::Nic && to == DeviceKind::Nic)
    }

    /// The place of every device, over links in either direction: its nearest socket, unless two
    /// are equally near; the link into it, unless there are two; its only switch.
    pub(super) fn places(&self) -> Vec<Place> {
        let count = self.graph.node_count();
        let mut places = vec![Place::default(); count];
        let mut distance: Vec<Option<u32>> = vec![None; count];
        let mut queue = VecDeque::new();
        for at in self.graph.node_indices() {
            let mut switches = self
                .graph
                .neighbors_undirected(at)
                .filter(|&other| self.graph[other] == DeviceKind::Switch);
            let only = switches.next().filter(|first| switches.all(|other| other == *first));
            let vertex = VertexId::new(at.index());
            let switch = if self.graph[at] == DeviceKind::Switch { Some(at) } else { only };
            places[at.index()].switch = switch.map(|at| VertexId::new(at.index()));
            if self.graph[at] == DeviceKind::Socket {
                distance[at.index()] = Some(0);
                places[at.index()].socket = Some(vertex);
                queue.push_back(at);
            }
        }
        // From all sockets at once; what two reach in the same number of links agrees or is none.
        while let Some(at) = queue.pop_front() {
            if !Part::Node.forwards(self.graph[at]) {
                continue;
            }
            let Place { socket, uplink, .. } = places[at.index()];
            let next = distance[at.index()].map(|steps| steps + 1);
            let is_socket = self.graph[at] == DeviceKind::Socket;
            let mut touched: Vec<(NodeIndex, Option<LinkId>)> = Vec::new();
            for other in self.graph.neighbors_undirected(at) {
                let enters = self.graph.find_edge(other, at).or(self.graph.find_edge(at, other));
                let own = enters.map(|edge| self.graph[edge]);
                touched.push((other, if is_socket { own } else { uplink }));
            }
            for (other, uplink) in touched {
                let place = &mut places[other.index()];
                if distance[other.index()].is_none() {
                    distance[other.index()] = next;
                    (place.socket, place.uplink) = (socket, uplink);
                    queue.push_back(other);
                } else if distance[other.index()] == next {
                    if place.socket != socket {
                        place.socket = None;
                    }
                    if place.uplink != uplink {
                        place.uplink = None;
                    }
                }
            }
        }
        places
    }
}

fn keep_lowest(kept: &mut [Option<Step>; 2], step: Step) {
    match *kept {
        [None, _] => kept[0] = Some(step),
        [Some(first), _] if step < first => *kept = [Some(step), Some(first)],
        [_, second] if second.is_none_or(|second| step < second) => kept[1] = Some(step),
        _ => {}
    }
}

impl Reach {
    /// How many links the fewest-links way to `target` has; nothing where there is none.
    pub(super) fn distance(&self, target: VertexId) -> Option<u32> {
        self.distance[target.index()]
    }

    /// The fewest-links ways to `target`, which differs from the source.
    pub(super) fn ways(&self, target: VertexId) -> Ways {
        if self.distance(target).is_none() {
            return Ways::None;
        }
        let mut split = None;
        let first = self.walk_back(target, |at, [first, second]| {
            if second.is_some() && split.is_none() {
                split = Some(at);
            }
            first
        });
        let Some(split) = split else { return Ways::One(first) };
        let second =
            self.walk_back(target, |at, steps| if at == split { steps[1] } else { steps[0] });
        Ways::Tie(first, second)
    }

    /// Follows a shortest way backwards; `choose` picks the step.
    fn walk_back(
        &self,
        target: VertexId,
        mut choose: impl FnMut(VertexId, [Option<Step>; 2]) -> Option<Step>,
    ) -> Vec<LinkId> {
        let mut links = Vec::new();
        let mut at = target;
        while at != self.source {
            let Some((link, from)) = choose(at, self.steps[at.index()]) else { break };
            links.push(link);
            at = from;
        }
        links.reverse();
        links
    }
}
