//! Tests of routes, rates and every fault's exact words.

use super::test_machine::{Maker, platform_b};
use super::{Built, build};
use crate::base::{BytesPerSecond, DeviceKind, Digest, LinkId, Mode, Rank, RouteClass, VertexId};
use crate::diagnostics::{Diagnostics, Exit};
use crate::dsl::Machine;
use crate::dsl::machine::ValueOrigin;

fn built(machine: &Machine) -> Result<Built, Diagnostics> {
    build(machine, Digest::of(b"test"))
}

/// The messages and exit of a machine that must be refused.
fn refusal(machine: &Machine) -> (Vec<String>, Option<Exit>) {
    let faults = built(machine).expect_err("the machine has faults");
    (faults.iter().map(|d| d.message.clone()).collect(), faults.exit())
}

/// Two GPUs on one socket, the second link still to be made.
fn pair() -> (Maker, Vec<usize>, usize) {
    let mut maker = Maker::new("pair");
    let s = maker.add(DeviceKind::Socket, "s", 1)[0];
    let g = maker.add(DeviceKind::Gpu, "g", 2);
    maker.join(g[0], s, 25_000);
    (maker, g, s)
}

#[test]
fn platform_b_has_its_routes() {
    let Built { topology, notes } = built(&platform_b().0).expect("B is sound");
    assert!(notes.is_empty());
    assert_eq!((topology.vertices.len(), topology.resources.len()), (18, 34));
    assert_eq!((topology.ranks.len(), topology.routes.len()), (8, 56));
    assert_eq!(topology.resource_name(LinkId(0)), "s[0] -> s[1]");
    assert_eq!(topology.resource_name(LinkId(1)), "s[1] -> s[0]");
    let text = |s: u32, d: u32| {
        let route = &topology.routes[topology.route_id(Rank(s), Rank(d)).expect("a route").index()];
        assert_eq!((route.src, route.dst, route.mode), (Rank(s), Rank(d), Mode::Push));
        let links: Vec<_> = route.links.iter().map(|l| topology.resource_name(*l)).collect();
        format!("{} {}: {}", route.class, route.rate, links.join(", "))
    };
    assert_eq!(text(0, 1), "switch 25 GB/s: g[0] -> sw[0], sw[0] -> g[1]");
    assert_eq!(
        text(3, 0),
        "socket 25 GB/s: g[3] -> sw[1], sw[1] -> s[0], s[0] -> sw[0], sw[0] -> g[0]"
    );
    assert_eq!(
        text(7, 0),
        "cross 25 GB/s: g[7] -> sw[3], sw[3] -> s[1], s[1] -> s[0], s[0] -> sw[0], sw[0] -> g[0]"
    );
    let counts = [RouteClass::Switch, RouteClass::Socket, RouteClass::Cross]
        .map(|class| topology.routes.iter().filter(|r| r.class == class).count());
    assert_eq!(counts, [8, 16, 32]);
    assert_eq!(topology.vertices[13].socket, Some(VertexId(1)), "g[7] hangs on s[1]");
}

#[test]
fn a_triangle_of_sockets_takes_the_direct_way_and_the_least_rate() {
    let mut maker = Maker::new("triangle");
    let s = maker.add(DeviceKind::Socket, "s", 3);
    let g = maker.add(DeviceKind::Gpu, "g", 3);
    for k in 0..3 {
        maker.join(g[k], s[k], 25_000);
        maker.join(s[k], s[(k + 1) % 3], 20_000);
    }
    let topology = built(&maker.0).expect("sound").topology;
    assert!(topology.routes.iter().all(|r| r.links.len() == 3));
    assert!(topology.routes.iter().all(|r| r.rate == BytesPerSecond(20_000_000_000)));
}

#[test]
fn a_tie_names_both_ways() {
    let mut maker = Maker::new("ring");
    let s = maker.add(DeviceKind::Socket, "s", 4);
    let g = maker.add(DeviceKind::Gpu, "g", 4);
    for k in 0..4 {
        maker.join(g[k], s[k], 25_000);
        maker.join(s[k], s[(k + 1) % 4], 20_000);
    }
    let faults = built(&maker.0).expect_err("ties");
    let all: Vec<_> = faults.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        all,
        [
            "two routes with the fewest links: g[0] -> s[0] -> s[1] -> s[2] -> g[2] and \
             g[0] -> s[0] -> s[3] -> s[2] -> g[2]",
            "two routes with the fewest links: g[1] -> s[1] -> s[2] -> s[3] -> g[3] and \
             g[1] -> s[1] -> s[0] -> s[3] -> g[3]",
        ]
    );
    let first = faults.iter().next().expect("two");
    assert_eq!(first.help[0], "1 more pair is undecided at the same place");
    assert_eq!(faults.exit(), Some(Exit::Input));
}

#[test]
fn gpus_and_nics_never_forward() {
    let mut maker = Maker::new("chain");
    let s = maker.add(DeviceKind::Socket, "s", 2);
    let g = maker.add(DeviceKind::Gpu, "g", 2);
    let n = maker.add(DeviceKind::Nic, "n", 1)[0];
    maker.join(g[0], s[0], 25_000);
    maker.join(g[1], s[1], 25_000);
    maker.join(n, s[0], 25_000);
    maker.join(n, s[1], 25_000);
    assert_eq!(
        refusal(&maker.0),
        (
            vec!["no route from GPU to GPU: g[0] -> g[1], g[1] -> g[0]".to_owned()],
            Some(Exit::Input)
        )
    );
}

#[test]
fn a_one_way_link_may_leave_a_pair_unreachable() {
    let (mut maker, g, s) = pair();
    maker.join(g[1], s, 25_000);
    maker.0.links[1].duplex = false;
    assert_eq!(refusal(&maker.0).0, ["no route from GPU to GPU: g[0] -> g[1]"]);
}

#[test]
fn counts_of_gpus() {
    assert_eq!(
        refusal(&Maker::new("none").0),
        (vec!["the machine has no GPU".to_owned()], Some(Exit::Input))
    );
    let mut one = Maker::new("one");
    one.add(DeviceKind::Gpu, "g", 1);
    let alone = built(&one.0).expect("one GPU is a machine").topology;
    assert_eq!((alone.ranks.len(), alone.routes.len(), alone.nodes), (1, 0, 1));
    let mut many = Maker::new("many");
    let s = many.add(DeviceKind::Socket, "s", 1)[0];
    for g in many.add(DeviceKind::Gpu, "g", 1025) {
        many.join(g, s, 25_000);
    }
    assert_eq!(
        refusal(&many.0),
        (
            vec![
                "the node of g[1024] has 1025 ranks, and routes are found between at most 1024 in \
                 one node"
                    .to_owned()
            ],
            Some(Exit::Failed)
        )
    );
    let mut most = Maker::new("most");
    most.add(DeviceKind::Gpu, "g", 4097);
    assert_eq!(
        refusal(&most.0).0.last().map(String::as_str),
        Some("the machine has 4097 ranks, and routes are found between at most 4096")
    );
}

#[test]
fn links_with_impossible_rates_and_gpus_without_link() {
    let (mut maker, g, s) = pair();
    maker.join(g[1], s, 0);
    assert_eq!(refusal(&maker.0).0, ["the link g[1] -- s[0] has capacity zero"]);
    maker.0.links[1].value.rate = Some(BytesPerSecond(999_999));
    assert_eq!(
        refusal(&maker.0).0,
        [
            "the link g[1] -- s[0] has capacity 0.000999999 GB/s, outside of 0.001 GB/s to 10000 GB/s"
        ]
    );
    maker.0.links.pop();
    assert_eq!(refusal(&maker.0).0, ["g[1] has no link"]);
}

#[test]
fn several_nodes() {
    let mut maker = Maker::new("two");
    let s = maker.add(DeviceKind::Socket, "s", 2);
    let g = maker.add(DeviceKind::Gpu, "g", 4);
    let n = maker.add(DeviceKind::Nic, "n", 2);
    let f = maker.add(DeviceKind::Fabric, "f", 1)[0];
    for k in 0..2 {
        maker.join(n[k], f, 25_000);
        maker.join(n[k], s[k], 25_000);
    }
    for k in 0..4 {
        maker.join(g[k], s[k / 2], 25_000);
    }
    let topology = built(&maker.0).expect("sound").topology;
    assert_eq!((topology.nodes, topology.routes.len()), (2, 4), "routes within nodes alone");
    assert_eq!(topology.route_id(Rank(0), Rank(2)), None);
    let routes: Vec<_> = topology.routes_between(Rank(0), Rank(2)).collect();
    let [route] = &routes[..] else { panic!("one route: {routes:?}") };
    let links: Vec<_> = route.links.iter().map(|l| topology.resource_name(*l)).collect();
    assert_eq!(
        links,
        [
            "g[0] -> s[0]",
            "s[0] -> n[0]",
            "n[0] -> f[0]",
            "f[0] -> n[1]",
            "n[1] -> s[1]",
            "s[1] -> g[2]"
        ]
    );
    // A link between the sockets makes one node of them.
    maker.join(s[0], s[1], 40_000);
    let topology = built(&maker.0).expect("sound").topology;
    assert_eq!((topology.nodes, topology.routes.len()), (1, 12));
    assert!(topology.egress(Rank(0)).is_empty());
}

#[test]
fn unknown_rates_become_questions() {
    let mut maker = platform_b();
    for link in 0..5 {
        maker.0.links[link].value.rate = None;
    }
    maker.0.links[14].value.rate = None; // a NIC's link is on no route
    let faults = built(&maker.0).expect_err("unknown");
    let all: Vec<_> = faults.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        all,
        [
            "routes need a rate that is unknown: what does the link `s[0] -- s[1]` carry?",
            "routes need a rate that is unknown: what do the 4 links from `sw[0] -- s[0]` on carry each?",
        ]
    );
    assert_eq!(
        faults.iter().next().expect("two").help,
        [
            "write the rates into a file: `variopath import FILE... -o mine.topo`",
            "or give `--assume gen4`: what it answers is marked as assumed",
        ]
    );
    assert_eq!(faults.exit(), Some(Exit::Input));
}

#[test]
fn assumed_values_are_counted_once_each() {
    let mut maker = platform_b();
    maker.0.links[0].value.origin = ValueOrigin::Assumed("a guess".to_owned());
    for link in 5..13 {
        maker.0.links[link].value.origin = ValueOrigin::Assumed("gen4".to_owned());
    }
    maker.0.links[13].value.origin = ValueOrigin::Assumed("on no route".to_owned());
    let Built { topology, notes } = built(&maker.0).expect("sound");
    assert_eq!(topology.assumed, 2);
    assert_eq!(topology.resources.iter().filter(|r| r.assumed).count(), 20);
    let all: Vec<_> = notes.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(all, ["routes rest on 2 values assumed"]);
}
