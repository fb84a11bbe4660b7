//! Four ranks on one non-blocking switch, with a demand for which shifted diagonals are not good
//! enough: every link could be done after 14 units, and a step for each diagonal takes 17.

use variopath::base::{BytesPerSecond, Demand, DeviceKind, Digest, Nanos, Rank};
use variopath::dsl::Machine;
use variopath::dsl::machine::{Device, Link, LinkValue, ValueOrigin};
use variopath::topology::{self, Topology};

/// What each rank sends to each other, in units.
const UNITS: [u64; 16] = [
    0, 2, 7, 1, //
    2, 0, 1, 7, //
    4, 4, 0, 6, //
    3, 7, 1, 0,
];

/// The rate at which a unit (a byte) takes a microsecond.
const RATE: u64 = 1_000_000;

fn switch_of_four() -> Topology {
    let device = |path: String, kind| Device {
        path,
        kind,
        arch: None,
        model: None,
        memory: None,
        bus: None,
        span: None,
    };
    let mut devices = vec![device("sw".to_owned(), DeviceKind::Switch)];
    devices.extend((0..4).map(|k| device(format!("g[{k}]"), DeviceKind::Gpu)));
    let link = |gpu| Link {
        from: gpu,
        to: 0,
        duplex: true,
        value: LinkValue {
            rate: Some(BytesPerSecond(RATE)),
            latency: Nanos(0),
            origin: ValueOrigin::Stated,
            pcie: None,
            figure: None,
            written: None,
        },
        span: None,
    };
    let machine = Machine {
        name: "four on a switch".to_owned(),
        devices,
        links: (1..5).map(link).collect(),
        ranks: (1..5).collect(),
        totals: Vec::new(),
        rules: Vec::new(),
    };
    topology::build(&machine, Digest::of(b"four")).expect("a sound machine").topology
}

/// The units that a set of transfers takes at least: those of its busiest link.
fn busiest_link(topology: &Topology, transfers: impl Iterator<Item = (Rank, Rank, u64)>) -> u64 {
    let mut load = vec![0; topology.resources.len()];
    for (src, dst, units) in transfers {
        let route = &topology.routes[topology.route_id(src, dst).expect("a route").index()];
        for link in &route.links {
            load[link.index()] += units;
        }
    }
    load.into_iter().max().unwrap_or_default()
}

#[test]
fn shifted_diagonals_take_17_units_where_the_bound_is_14() {
    let topology = switch_of_four();
    let demand = Demand::new(4, UNITS.to_vec()).expect("a square matrix");
    let pair = |src: u32, dst: u32| (Rank(src), Rank(dst), demand.get(Rank(src), Rank(dst)).0);
    let all = (0..4).flat_map(|s| (0..4).filter(move |&d| d != s).map(move |d| (s, d)));
    let bound = busiest_link(&topology, all.map(|(s, d)| pair(s, d)));
    assert_eq!(bound, 14);
    // Step k of the shifted diagonals: rank i sends to rank i + k, and all wait for the slowest.
    let diagonals: u64 =
        (1..4).map(|k| busiest_link(&topology, (0..4).map(|i| pair(i, (i + k) % 4)))).sum();
    assert_eq!(diagonals, 17);
}
