//! Routes over network cards back into the same node.

mod support;

use support::{machine_of, stages_of};
use variopath::analyzer::{self, exact_optimum};
use variopath::base::{Bytes, BytesPerSecond, Demand, Nanos, Rank, RouteClass};
use variopath::catalog::{
    BoundsDocument, Paces, PieceDocument, PlanDocument, StepDocument, bounds,
};
use variopath::demand::parse_spec;
use variopath::diagnostics::{Sources, render};
use variopath::topology::{self, Topology, uniform};
use variopath::verify::verify_document;
use variopath::{codegen, dsl};

fn topology(text: &str) -> Topology {
    let (file, machine) = machine_of(&mut Sources::new(), "box.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("a sound machine").topology
}

/// Two sockets with a narrow link between them, a card at each and two GPUs, and `rules`.
fn narrow(rules: &str) -> String {
    format!(
        "topology \"narrow\"\nsocket s[2]\ngpu g[4]\nnic n[2]\nfabric f\ns[0] -- s[1] : 10 GB/s\n\
         g[k] -- s[k/2] : 25 GB/s\nn[k] -- s[k] : 25 GB/s\nn[*] -- f : 20 GB/s\n{rules}\n"
    )
}

/// The routes of a pair: class, rate and the devices on the way.
fn ways(topology: &Topology, src: u32, dst: u32) -> Vec<String> {
    let path = |vertex: variopath::base::VertexId| topology.vertices[vertex.index()].path.as_str();
    topology
        .routes_between(Rank(src), Rank(dst))
        .map(|route| {
            let ends = route.links.iter().filter_map(|l| topology.resources[l.index()].ends());
            let devices: Vec<&str> = ends.map(|(_, to)| path(to)).collect();
            format!("{} {}: {}", route.class, route.rate, devices.join(" "))
        })
        .collect()
}

#[test]
fn a_pair_has_its_own_route_and_one_for_each_two_cards() {
    assert_eq!(ways(&topology(&narrow("")), 0, 2), ["cross 10 GB/s: s[0] s[1] g[2]"]);
    let found = topology(&narrow("loopback"));
    assert_eq!(
        ways(&found, 0, 2),
        ["cross 10 GB/s: s[0] s[1] g[2]", "loopback 20 GB/s: s[0] n[0] f n[1] s[1] g[2]"]
    );
    // On one socket a detour takes all that the own route takes, unless a cap makes that slower: then
    // both orders of the cards are equally long.
    assert_eq!(ways(&found, 0, 1), ["socket 25 GB/s: s[0] g[1]"]);
    assert_eq!((found.routes.len(), found.route_ids(Rank(0), Rank(2))), (20, 1..3));
    assert_eq!(
        ways(&topology(&narrow("loopback\ncap socket : 8 GB/s")), 0, 1),
        [
            "socket 8 GB/s: s[0] g[1]",
            "loopback 10 GB/s: s[0] n[0] f n[1] s[1] s[0] g[1]",
            "loopback 10 GB/s: s[0] s[1] n[1] f n[0] s[0] g[1]",
        ]
    );
    let all = topology(&narrow("loopback\nvia any\ncap loopback : 12 GB/s"));
    assert_eq!(ways(&all, 0, 2)[1..], ["loopback 12 GB/s: s[0] n[0] f n[1] s[1] g[2]"]);
    // Rules choose the cards; one alone carries nothing back.
    let listed = topology(&narrow("loopback\nvia g[0] : n[0]\nvia g[2] : n[1]\nvia g[1] : n[0]"));
    assert_eq!((ways(&listed, 0, 2).len(), ways(&listed, 2, 0).len()), (2, 2));
    assert_eq!(ways(&listed, 0, 1).len(), 1);
    let apart = narrow("loopback").replace("n[*] -- f", "n[0] -- f");
    assert!(topology(&apart).routes.iter().all(|route| route.class != RouteClass::Loopback));
}

#[test]
fn halves_go_through_host_memory_without_gpudirect() {
    let rules = "loopback\npeer nic none\nset s[*] { memory 30 GB/s }";
    let found = topology(&narrow(rules));
    let route = found.routes_between(Rank(0), Rank(2)).nth(1).expect("a loopback");
    assert_eq!(route.rate.0, 15_000_000_000, "half of the memory");
    let names: Vec<String> = route.shares.iter().map(|id| found.resource_name(*id)).collect();
    assert_eq!(names, ["memory of s[0]", "memory of s[0]", "memory of s[1]", "memory of s[1]"]);
}

#[test]
fn loopback_holds_within_the_part_that_says_so() {
    let text = "topology \"two\"
part host {
  socket s[2]
  gpu g[2] -- s[k] : 25 GB/s
  nic n[2] -- s[k] : 25 GB/s
  s[0] -- s[1] : 10 GB/s
}
part looped {
  socket s[2]
  gpu g[2]
  nic n[2]
  g[k] -- s[k] : 25 GB/s
  n[k] -- s[k] : 25 GB/s
  s[0] -- s[1] : 10 GB/s
  loopback
}
host a
looped b
fabric f
a.n[*] -- f : 20 GB/s
b.n[*] -- f : 20 GB/s
";
    let text = text.replace("g[2] -- s[k]", "g[2]\n  g[k] -- s[k]");
    let found = topology(&text.replace("n[2] -- s[k]", "n[2]\n  n[k] -- s[k]"));
    assert_eq!((found.nodes, ways(&found, 0, 1).len(), ways(&found, 2, 3).len()), (2, 1, 2));
    // Between nodes nothing changes.
    assert!(found.routes_between(Rank(0), Rank(2)).all(|r| r.class == RouteClass::Network));
}

#[test]
fn bounds_hold_and_the_detour_pays() {
    let text = |rules: &str| stages_of("narrow.topo", &narrow(rules));
    let (plain, detour) = (text(""), text("loopback"));
    assert_eq!(detour.catalog.order, plain.catalog.order);
    assert_eq!(detour.catalog.pair_orbits, plain.catalog.pair_orbits);
    for spec in ["uniform:1MiB", "permutation:16MiB", "random", "log-uniform", "block"] {
        let demand = parse_spec(spec, 4).expect("a demand");
        for paces in [Paces::Solo, Paces::All] {
            let best = |stages: &support::Stages| {
                let exact =
                    exact_optimum(&stages.catalog, &demand, paces, None).expect("it is found");
                let bound = bounds(&stages.catalog, &demand).expect("in range");
                let bound = if paces == Paces::Solo { bound.t_eff } else { bound.t_star };
                assert!(bound.0 > 0 && bound <= exact.upper, "{spec}: {bound:?} {exact:?}");
                exact.upper.0 as f64
            };
            let (without, with) = (best(&plain), best(&detour));
            assert!(with <= without * 1.000_01, "{spec}: {with} {without}");
        }
    }
    // Eight transfers across at 10 GB/s one after the other each way, or beside the cards' 20 GB/s.
    let demand = parse_spec("uniform:1MiB", 4).expect("a demand");
    let best = |stages: &support::Stages| {
        exact_optimum(&stages.catalog, &demand, Paces::Solo, None).expect("found").upper.0
    };
    let (without, with) = (best(&plain), best(&detour));
    assert_eq!(without.div_euclid(1_000_000), 4 * 1_048_576 / 10_000);
    // Each GPU sends at 10 or at 20 GB/s at a time, beside 1 MiB to its neighbour at 25: in time T two
    // of them send 20 T over the cards and 10 (T - 2 MiB / 25) over the sockets, 4 MiB in all.
    assert_eq!(with.div_euclid(1_000_000), 48 * 1_048_576 / 300_000);
    assert!(uniform(&detour.topology).expect("several ranks").time.0 < without);
}

#[test]
fn what_is_not_planned_with_yet_is_refused() {
    let mut sources = Sources::new();
    let (file, machine) = machine_of(&mut sources, "box.topo", &narrow("loopback"));
    let found = topology::build(&machine, dsl::digest(&file)).expect("sound").topology;
    assert!(analyzer::unsupported(&found).is_empty());
    insta::assert_snapshot!(render(&sources, &analyzer::unplanned(&found), false), @r#"
    error[unsupported-rule]: the rule `loopback` is not carried out by this version
      --> box.topo:10:1
       |
    10 | loopback
       | ^^^^^^^^ not supported yet
       |
       = help: leave the rule out to plan as if it did not hold
    "#);
    assert!(codegen::unsupported(&found).is_some());
    // A rule that brings no route is none to refuse.
    let alone = topology("topology \"alone\"\nsocket s\ngpu g[2] -- s : 25 GB/s\nloopback\n");
    assert!(analyzer::unplanned(&alone).is_empty());
}

/// A plan of two pieces of one pair, one over its own route and one over the cards.
#[test]
fn the_checker_follows_the_route_that_a_piece_names() {
    let stages = stages_of("narrow.topo", &narrow("loopback\nlimit in gpu : 1"));
    let mut bytes = vec![0; 16];
    bytes[2] = 3 << 20;
    let demand = Demand::new(4, bytes).expect("a demand");
    let bound = bounds(&stages.catalog, &demand).expect("in range");
    let piece = |id: u32, route, offset, bytes: u64, rate: u64, start: u64| PieceDocument {
        id,
        src: 0,
        dst: 2,
        route,
        offset: Bytes(offset),
        bytes: Bytes(bytes),
        bytes_per_second: BytesPerSecond(rate * 1_000_000_000),
        start_ns: Nanos(start),
        end_ns: Nanos(start + bytes.div_ceil(rate)),
        after: (0..id).collect(),
    };
    let pieces = vec![piece(0, 1, 0, 2 << 20, 20, 0), piece(1, 0, 2 << 20, 1 << 20, 10, 104_858)];
    let step = |step, start| StepDocument {
        step,
        start_ns: Nanos(start),
        channels: Vec::new(),
        starts: vec![step],
    };
    let plan = PlanDocument {
        format: "variopath-plan/1".into(),
        topology: "narrow".into(),
        digest: stages.topology.digest.clone(),
        ranks: 4,
        strategy: "strict".into(),
        setting: "ideal".into(),
        bytes: Bytes(3 << 20),
        bounds: BoundsDocument {
            t_star_ns: bound.t_star.nanos_down(),
            t_eff_ns: bound.t_eff.nanos_down(),
            bound_ns: bound.t_eff.nanos_down(),
            bound_kind: "strict".into(),
            critical_link: bound.critical_link.map(|link| link.0),
        },
        makespan_ns: pieces[1].end_ns,
        steps: vec![step(0, 0), step(1, 104_858)],
        pieces,
    };
    let check = |change: &dyn Fn(&mut PlanDocument)| {
        let mut plan = plan.clone();
        change(&mut plan);
        match verify_document(&stages.topology, &demand, &plan) {
            Ok(_) => "sound".to_owned(),
            Err(faults) => faults[0].to_string(),
        }
    };
    assert_eq!(check(&|_| {}), "sound");
    // Each route has its rate, there are two, and they share links and the limit.
    let all = {
        let mut plan = plan.clone();
        plan.pieces[1].after.clear();
        verify_document(&stages.topology, &demand, &plan).expect_err("unguarded")
    };
    let twice = "piece 1 may run beside piece 0, over another route of its pair";
    assert!(all.iter().any(|fault| fault.to_string() == twice), "{all:?}");
    let told = [
        check(&|plan| plan.pieces[0].route = 0),
        check(&|plan| plan.pieces[1].route = 2),
        check(&|plan| plan.pieces[1].after.clear()),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    piece 0 runs at 20 GB/s; its route carries 10 GB/s
    piece 1: its pair has no route 2
    link 2 may carry 30000000000 bytes a second once piece 1 runs, since no order keeps the pieces apart; its capacity is 25 GB/s
    ");
}
