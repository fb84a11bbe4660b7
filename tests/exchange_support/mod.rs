//! A small machine, its catalog and plans for it, written by hand: eight GPUs on one switch.
#![allow(dead_code)] // each test file uses its own part

use variopath::base::*;
use variopath::catalog::*;
use variopath::diagnostics::Sources;
use variopath::dsl;
use variopath::topology::{self, Topology};

/// Ranks of the machine.
pub const RANKS: usize = 8;
const RATE: BytesPerSecond = BytesPerSecond(25_000_000_000);

/// The digest of the machine.
pub fn digest() -> Digest {
    Digest::of(b"eight on one switch")
}

fn path(vertex: usize) -> String {
    if vertex == RANKS { "sw".to_owned() } else { format!("g[{vertex}]") }
}

fn pairs() -> impl Iterator<Item = (Rank, Rank)> {
    let all = (0..RANKS * RANKS).map(|at| (Rank::new(at / RANKS), Rank::new(at % RANKS)));
    all.filter(|(src, dst)| src != dst)
}

// Link 2r goes from g[r] to the switch, link 2r + 1 back.
fn links_of(src: Rank, dst: Rank) -> Vec<LinkId> {
    vec![LinkId(2 * src.0), LinkId(2 * dst.0 + 1)]
}

/// The machine.
pub fn topology() -> Topology {
    let text = "topology \"eight\"\ngpu g[8]\nswitch sw\ng[*] -- sw : 25 GB/s\n";
    let mut sources = Sources::new();
    let id = sources.add("eight.topo", text);
    let machine = dsl::elaborate(&dsl::parse(&sources, id).expect("a text")).expect("a machine");
    topology::build(&machine, digest()).expect("a topology").topology
}

/// A catalog that holds the shifts `r -> r + 1`, `r + 2` and `r + 4`; symmetry makes all seven.
pub fn catalog() -> Catalog {
    let mut catalog = Catalog {
        topology: "eight".to_owned(),
        digest: digest(),
        ranks: RANKS as u32,
        vertices: (0..=RANKS)
            .map(|v| StructureVertex { path: path(v), colour: u32::from(v == RANKS) })
            .collect(),
        links: (0..RANKS as u32)
            .flat_map(|r| {
                let up = StructureEdge { from: r, to: RANKS as u32, capacity: Some(RATE) };
                [up, StructureEdge { from: up.to, to: up.from, ..up }]
            })
            .collect(),
        joint: Vec::new(),
        efficiency: Vec::new(),
        rank_vertices: (0..RANKS as u32).collect(),
        routes: pairs()
            .map(|(src, dst)| PlannedRoute {
                src,
                dst,
                class: RouteClass::Switch,
                mode: Mode::Push,
                initiator: Initiator::Kernel,
                links: links_of(src, dst),
                shares: Vec::new(),
                rate: RATE,
                paced: Vec::new(),
            })
            .collect(),
        forbidden: Vec::new(),
        limits: Vec::new(),
        generators: Vec::new(),
        order: "40320".to_owned(),
        pair_orbits: 1,
        strict: Families { orbits: Vec::new(), channels: "7".to_owned(), complete: false },
        two_rate: None,
    };
    for shift in [1, 2, 4] {
        let route = |r: usize| {
            let mut ids = catalog.routes_of(Rank::new(r), Rank::new((r + shift) % RANKS));
            RouteId::new(ids.next().expect("a route"))
        };
        let representative = Channel::strict((0..RANKS).map(route));
        catalog.strict.orbits.push(ChannelOrbit { representative, size: "1".to_owned() });
    }
    catalog
}

/// The orbit of a shift, and the element that maps the representative onto it.
fn channel(shift: usize) -> ChannelName {
    let (orbit, factor) = match shift {
        2 | 6 => (1, shift / 2),
        4 => (2, 1),
        _ => (0, shift),
    };
    ChannelName {
        orbit: Some(OrbitId(orbit)),
        element: (0..RANKS).map(|r| Rank::new(r * factor % RANKS)).collect(),
    }
}

/// About `base` bytes a pair, each different, with odd ends.
pub fn uneven(base: u64) -> Demand {
    let entries = (0..RANKS * RANKS).map(|at| base + (at / RANKS * 7 + at % RANKS) as u64);
    Demand::new(RANKS, entries.collect()).expect("a square")
}

/// Seven rounds of shifts, each with a catalog channel; `named` false leaves them unnamed.
pub fn rounds(demand: &Demand, named: bool) -> Plan {
    let mut plan = empty(demand);
    let mut start = Picos(0);
    for shift in 1..RANKS {
        let before = plan.pieces.len();
        let mut end = start;
        for src in 0..RANKS {
            let (src, dst) = (Rank::new(src), Rank::new((src + shift) % RANKS));
            let bytes = demand.get(src, dst);
            if bytes.0 == 0 {
                continue;
            }
            let earlier = (0..before).filter(|p| {
                let piece = &plan.pieces[*p];
                (piece.src == src || piece.dst == dst) && p + RANKS >= before
            });
            let after: Vec<PieceId> = earlier.map(PieceId::new).collect();
            let piece = piece(src, dst, 0, bytes.0, start, after);
            end = end.max(piece.end);
            plan.pieces.push(piece);
        }
        let starts: Vec<PieceId> = (before..plan.pieces.len()).map(PieceId::new).collect();
        if !starts.is_empty() {
            let channel = named.then(|| channel(shift));
            plan.steps.push(Step { start, starts, channel });
        }
        start = end;
    }
    plan.makespan = start;
    plan
}

/// Every pair at once: every rank needs seven lanes.
pub fn all_at_once(demand: &Demand) -> Plan {
    let mut plan = empty(demand);
    for (src, dst) in pairs() {
        let bytes = demand.get(src, dst).0;
        let half = bytes / 2;
        for (offset, bytes) in [(0, half), (half, bytes - half)] {
            if bytes > 0 {
                plan.pieces.push(piece(src, dst, offset, bytes, Picos(0), Vec::new()));
            }
        }
    }
    plan.makespan = plan.pieces.iter().map(|piece| piece.end).max().unwrap_or_default();
    let starts = (0..plan.pieces.len()).map(PieceId::new).collect();
    plan.steps.push(Step { start: Picos(0), starts, channel: None });
    plan
}

fn piece(
    src: Rank,
    dst: Rank,
    offset: u64,
    bytes: u64,
    start: Picos,
    after: Vec<PieceId>,
) -> Piece {
    Piece {
        src,
        dst,
        route: catalog_route(src, dst),
        offset: Bytes(offset),
        bytes: Bytes(bytes),
        rate: RATE,
        start,
        end: start.plus(RATE.time_of(Bytes(bytes)).expect("short")).expect("short"),
        after,
    }
}

fn catalog_route(src: Rank, dst: Rank) -> RouteId {
    let index = pairs().position(|pair| pair == (src, dst));
    RouteId::new(index.expect("a pair"))
}

fn empty(demand: &Demand) -> Plan {
    Plan {
        digest: digest(),
        ranks: RANKS as u32,
        bytes: demand.total(),
        pieces: Vec::new(),
        steps: Vec::new(),
        makespan: Picos(0),
        bounds: Bounds { t_star: Picos(0), t_eff: Picos(0), critical_link: None, alone: None },
    }
}
