//! Machines and demands for tests of plans, made without the language.
#![allow(dead_code)]

use std::collections::VecDeque;
use variopath::base::{
    BytesPerSecond, Demand, DeviceKind, Digest, Initiator, LinkId, Mode, Nanos, Rank, RouteClass,
    VertexId,
};
use variopath::catalog::{Catalog, PlannedRoute, StructureEdge, StructureVertex};
use variopath::demand::parse_spec;
use variopath::topology::{Resource, Route, Topology, Vertex};

/// The machines by name.
pub const NAMES: [&str; 6] = ["A", "B", "C", "E6", "E10", "E3s"];

/// A machine: `gpus` hang on vertices, `joins` connect vertices; rates in units of 100 MB/s.
pub fn machine(
    name: &str,
    inner: usize,
    joins: &[(usize, usize, u64)],
    gpus: &[(usize, u64)],
) -> Topology {
    let mut vertices = Vec::new();
    let mut resources = Vec::new();
    let vertex = |path: String, kind| Vertex {
        path,
        kind,
        arch: None,
        model: None,
        bus: None,
        socket: None,
    };
    for index in 0..inner {
        vertices.push(vertex(format!("v[{index}]"), DeviceKind::Switch));
    }
    for index in 0..gpus.len() {
        vertices.push(vertex(format!("g[{index}]"), DeviceKind::Gpu));
    }
    let mut join = |a: usize, b: usize, rate: u64| {
        for (from, to) in [(a, b), (b, a)] {
            resources.push(Resource {
                from: VertexId::new(from),
                to: VertexId::new(to),
                capacity: Some(BytesPerSecond(rate * 100_000_000)),
                latency: Nanos(0),
                assumed: false,
            });
        }
    };
    for &(a, b, rate) in joins {
        join(a, b, rate);
    }
    for (index, &(at, rate)) in gpus.iter().enumerate() {
        join(inner + index, at, rate);
    }
    let n = gpus.len();
    let mut routes = Vec::new();
    for s in 0..n {
        for d in 0..n {
            if s == d {
                continue;
            }
            let links = shortest(&resources, vertices.len(), inner + s, inner + d, inner);
            let rate = links.iter().filter_map(|l| resources[l.index()].capacity).min().unwrap();
            routes.push(Route {
                src: Rank::new(s),
                dst: Rank::new(d),
                class: RouteClass::Switch,
                mode: Mode::Push,
                initiator: Initiator::Kernel,
                links,
                rate,
            });
        }
    }
    Topology {
        name: name.into(),
        digest: Digest::of(name.as_bytes()),
        vertices,
        resources,
        ranks: (0..n).map(|index| VertexId::new(inner + index)).collect(),
        routes,
        assumed: 0,
    }
}

fn shortest(
    resources: &[Resource],
    count: usize,
    from: usize,
    to: usize,
    inner: usize,
) -> Vec<LinkId> {
    let mut by: Vec<Option<LinkId>> = vec![None; count];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at >= inner && at != from {
            continue;
        }
        for (index, resource) in resources.iter().enumerate() {
            let next = resource.to.index();
            if resource.from.index() == at && by[next].is_none() && next != from {
                by[next] = Some(LinkId::new(index));
                queue.push_back(next);
            }
        }
    }
    let mut links = Vec::new();
    let mut at = to;
    while at != from {
        let link = by[at].unwrap();
        links.push(link);
        at = resources[link.index()].from.index();
    }
    links.reverse();
    links
}

/// One of [`NAMES`].
pub fn topology(name: &str) -> Topology {
    let each = |places: &[usize]| places.iter().map(|&at| (at, 250)).collect::<Vec<_>>();
    match name {
        "A" => machine(name, 2, &[(0, 1, 400)], &each(&[0, 0, 0, 0, 1, 1, 1, 1])),
        "B" => machine(
            name,
            6,
            &[(0, 1, 400), (2, 0, 250), (3, 0, 250), (4, 1, 250), (5, 1, 250)],
            &each(&[2, 2, 3, 3, 4, 4, 5, 5]),
        ),
        "C" => machine(name, 3, &[(1, 0, 250), (2, 0, 250)], &each(&[1, 1, 1, 1, 2, 2, 2, 2])),
        "E6" => machine(
            name,
            2,
            &[(0, 1, 400)],
            &[(0, 250), (0, 250), (0, 125), (1, 250), (1, 125), (1, 125)],
        ),
        "E10" => machine(name, 1, &[], &each(&[0; 10])),
        "E3s" => machine(
            name,
            4,
            &[(0, 1, 200), (1, 2, 200), (2, 0, 200), (3, 2, 250)],
            &each(&[0, 0, 0, 1, 1, 2, 2, 3, 3]),
        ),
        _ => panic!("no machine {name}"),
    }
}

/// The catalog of a machine without symmetry and channels, which planning does not need.
pub fn catalog(topology: &Topology) -> Catalog {
    Catalog {
        topology: topology.name.clone(),
        digest: topology.digest.clone(),
        ranks: topology.ranks.len() as u32,
        vertices: topology
            .vertices
            .iter()
            .map(|v| StructureVertex {
                path: v.path.clone(),
                colour: u32::from(v.kind == DeviceKind::Gpu),
            })
            .collect(),
        links: topology
            .resources
            .iter()
            .map(|r| StructureEdge { from: r.from.0, to: r.to.0, capacity: r.capacity })
            .collect(),
        rank_vertices: topology.ranks.iter().map(|v| v.0).collect(),
        routes: topology
            .routes
            .iter()
            .map(|r| PlannedRoute {
                src: r.src,
                dst: r.dst,
                class: r.class,
                mode: r.mode,
                initiator: r.initiator,
                links: r.links.clone(),
                rate: r.rate,
            })
            .collect(),
        generators: Vec::new(),
        order: "1".into(),
        pair_orbits: 0,
        orbits: Vec::new(),
        channels: "0".into(),
        complete: false,
    }
}

/// A small generator of numbers (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low)
    }
}

/// The demand of a specification.
pub fn demand(spec: &str, ranks: usize) -> Demand {
    parse_spec(spec, ranks).expect("a good specification")
}
