//! T* of demands on machines where pairs have several routes.

mod support;

use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use support::{PLATFORMS, machine_of, platform_path};
use variopath::analyzer::{self, Certificate, Split, TStarProgram, t_star};
use variopath::base::{Demand, Picos, Rank, RouteId};
use variopath::catalog::{DualWeights, bounds};
use variopath::demand::parse_spec;
use variopath::diagnostics::Sources;
use variopath::dsl;
use variopath::lp::{Commodity, Congestion};
use variopath::topology::{self, CardChoice, Topology};

fn topology(text: &str) -> Topology {
    let (file, machine) = machine_of(&mut Sources::new(), "box.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("a sound machine").topology
}

/// Nodes of two sockets, four switches and eight GPUs, with cards on the first `cards` switches, all
/// on one fabric.
fn cluster(nodes: usize, cards: usize, rules: &str) -> Topology {
    let mut text = format!(
        "topology \"cluster\"\nlink port = 25 GB/s\nsocket s[{}]\nswitch sw[{}]\ngpu g[{}]\n\
         nic n[{}]\nfabric f\nsw[k] -- s[k/2] : port\ng[k] -- sw[k/2] : port\nn[*] -- f : port\n",
        2 * nodes,
        4 * nodes,
        8 * nodes,
        cards * nodes
    );
    for node in 0..nodes {
        let _ = writeln!(text, "s[{}] -- s[{}] : 40 GB/s", 2 * node, 2 * node + 1);
        for card in 0..cards {
            let _ = writeln!(text, "n[{}] -- sw[{}] : port", cards * node + card, 4 * node + card);
        }
    }
    text.push_str(rules);
    text.push('\n');
    topology(&text)
}

fn narrow(rules: &str) -> Topology {
    topology(&format!(
        "topology \"narrow\"\nsocket s[2]\ngpu g[4]\nnic n[2]\nfabric f\ns[0] -- s[1] : 10 GB/s\n\
         g[k] -- s[k/2] : 25 GB/s\nn[k] -- s[k] : 25 GB/s\nn[*] -- f : 20 GB/s\n{rules}\n"
    ))
}

/// The program with a commodity for each pair and a resource for each route: slow, and made of the
/// definition alone.
fn by_pairs(topology: &Topology, demand: &Demand) -> Congestion {
    let mut capacities: Vec<u64> =
        topology.resources.iter().map(|one| one.capacity.map_or(1, |rate| rate.0)).collect();
    let mut commodities = Vec::new();
    let ranks = topology.ranks.len();
    for (src, dst) in (0..ranks).flat_map(|s| (0..ranks).map(move |d| (s, d))) {
        let bytes = demand.get(Rank::new(src), Rank::new(dst)).0;
        if src == dst || bytes == 0 {
            continue;
        }
        let mut routes = Vec::new();
        for route in topology.routes_between(Rank::new(src), Rank::new(dst)) {
            let mut taken: BTreeMap<u32, u64> = BTreeMap::new();
            route.takes().for_each(|id| *taken.entry(id.0).or_default() += 1);
            taken.insert(capacities.len() as u32, 1);
            capacities.push(route.rate.0);
            routes.push(taken.into_iter().collect());
        }
        commodities.push(Commodity { bytes, routes });
    }
    let mut program = Congestion::new(capacities);
    commodities.into_iter().for_each(|one| program.add(one));
    program
}

fn demands(ranks: usize) -> Vec<Demand> {
    ["uniform:1MiB", "log-uniform", "zipf:0.5", "sparse:0.1", "permutation:16MiB"]
        .iter()
        .map(|spec| parse_spec(spec, ranks).expect("a demand"))
        .collect()
}

/// Machines with several routes a pair, and whether the choices of cards separate on them.
fn machines() -> Vec<(&'static str, bool, Topology)> {
    vec![
        ("2 nodes, all of 4 cards", true, cluster(2, 4, "via any")),
        ("2 nodes, 2 cards", true, cluster(2, 2, "")),
        ("3 nodes, all of 2 cards", true, cluster(3, 2, "via any")),
        ("2 nodes, all of 2 capped cards", false, cluster(2, 2, "via any\ncap network : 9 GB/s")),
        ("detours", false, narrow("loopback\nvia any")),
        ("capped detours", false, narrow("loopback\ncap cross : 6 GB/s\ncap loopback : 7 GB/s")),
    ]
}

#[test]
fn programs_agree_with_the_definition() {
    let mut written = Vec::new();
    let mut won = 0;
    for (name, separates, topology) in machines() {
        assert_eq!(CardChoice::of(&topology).is_some(), separates, "{name}");
        for demand in demands(topology.ranks.len()) {
            let program = TStarProgram::new(&topology, &demand).expect("a program");
            let found = program.solve().expect("an optimum");
            let whole = by_pairs(&topology, &demand);
            let flat = whole.solve().expect("an optimum");
            let (time, flat_time) = (found.time.0 as f64, flat.lower.approximate() * 1e12);
            assert!(
                (time - flat_time).abs() <= 1e-6 * flat_time + 2.0,
                "{name}: {time} {flat_time}"
            );
            won += usize::from(matches!(found.certificate, Certificate::Weights { .. }));
            written.push(json!({
                "capacities": whole.capacities(),
                "fixed": whole.fixed(),
                "commodities": whole
                    .commodities()
                    .iter()
                    .map(|one| json!({"bytes": one.bytes, "routes": one.routes}))
                    .collect::<Vec<_>>(),
                "split": flat.split,
                "upper": flat.upper,
                "weights": flat.weights,
                // Whole picoseconds, which are far below a millionth of what is demanded here.
                "lower": time * 1e-12,
            }));
            if let Split::Cards { egress, .. } = &found.split {
                for (rank, bytes) in egress {
                    let node = topology.node_of(*rank);
                    let others = (0..topology.ranks.len()).map(Rank::new);
                    let others = others.filter(|other| topology.node_of(*other) != node);
                    let sent: u64 = others.map(|other| demand.get(*rank, other).0).sum();
                    assert_eq!(bytes.iter().sum::<u64>(), sent, "{name}");
                }
            }
        }
    }
    assert!(won >= 5, "{won} of them need several weights");
    if let Some(folder) = std::env::var_os("VARIOPATH_PROGRAMS") {
        let path = std::path::Path::new(&folder).join("machines.jsonl");
        let mut file = std::fs::File::create(path).expect("a file for programs");
        for program in written {
            writeln!(file, "{program}").expect("a written line");
        }
    }
}

#[test]
fn one_route_a_pair_needs_no_program() {
    for name in PLATFORMS {
        let text = std::fs::read_to_string(platform_path(name)).expect("a test platform");
        let topology = topology(&text);
        let catalog = analyzer::outline(&topology).expect("an outline");
        for demand in demands(topology.ranks.len()) {
            let by_links = bounds(&catalog, &demand).expect("bounds").t_star;
            let found = t_star(&topology, &demand).expect("an optimum").time;
            // Weights are rounded: of one resource they cancel out.
            assert!(found.0.abs_diff(by_links.0) <= 1, "{name}: {found:?} {by_links:?}");
        }
    }
    let nothing = t_star(&narrow(""), &parse_spec("zero", 4).expect("a demand")).expect("one");
    assert_eq!((nothing.time, nothing.certificate), (Picos(0), Certificate::Nothing));
}

#[test]
fn analysis_of_detours_counts_all_routes() {
    let topology = narrow("loopback");
    let catalog = analyzer::outline(&topology).expect("an outline");
    let demand = parse_spec("uniform:1MiB", 4).expect("a demand");
    let raised = analyzer::Bounder::of(&topology, &catalog).bounds(&demand).expect("bounds");
    let by_every_route = bounds(&catalog, &demand).expect("bounds");
    // Four pairs cross in a direction: 10 GB/s between the sockets and 20 by the cards carry 4 MiB.
    let crossing = Picos(4 * (1 << 20) * 1000 / 30);
    assert!(raised.bounds.t_star >= crossing.max(by_every_route.t_star), "{raised:?}");
    assert!(raised.bounds.t_eff >= raised.bounds.t_star);
    let single = narrow("");
    let catalog = analyzer::outline(&single).expect("an outline");
    let alone = analyzer::Bounder::of(&single, &catalog).bounds(&demand).expect("bounds");
    assert_eq!(
        (alone.certificate, alone.bounds),
        (None, bounds(&catalog, &demand).expect("bounds"))
    );
    assert!(raised.bounds.t_star < bounds(&catalog, &demand).expect("bounds").t_star);
}

/// What a certificate says, for the catalog.
fn stored(topology: &Topology, certificate: &Certificate) -> DualWeights {
    match certificate {
        Certificate::Link(id) => DualWeights { resources: vec![(*id, 1)], routes: Vec::new() },
        Certificate::Weights { resources, routes } => DualWeights {
            resources: resources.clone(),
            routes: routes
                .iter()
                .map(|&(src, dst, index, weight)| {
                    let first = topology.route_id(src, dst).expect("a pair of one node");
                    (RouteId::new(first.index() + index as usize), weight)
                })
                .collect(),
        },
        _ => DualWeights::default(),
    }
}

#[test]
fn stored_weights_prove_the_demand_they_are_of_and_hold_for_others() {
    let mut held = 0;
    for rules in ["loopback", "loopback\ncap cross : 6 GB/s\ncap loopback : 7 GB/s"] {
        let topology = narrow(rules);
        let catalog = analyzer::outline(&topology).expect("an outline");
        let found: Vec<_> = demands(4)
            .into_iter()
            .map(|demand| {
                let found = t_star(&topology, &demand).expect("an optimum");
                (demand, found)
            })
            .collect();
        for (at, (_, of)) in found.iter().enumerate() {
            let weights = stored(&topology, &of.certificate);
            for (other, (demand, best)) in found.iter().enumerate() {
                let bound = weights.bound(&catalog, demand).expect("a bound");
                assert!(bound <= best.time, "{rules}: {bound:?} {best:?}");
                if at == other && weights != DualWeights::default() {
                    assert_eq!(bound, best.time, "{rules}");
                    held += 1;
                }
            }
        }
    }
    assert!(held >= 6, "{held}");
}
