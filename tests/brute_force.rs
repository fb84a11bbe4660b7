//! The analyzer against brute force on small machines with mixed widths.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use support::{Stages, stages_of};
use variopath::analyzer::{Limits, analyze, exact_optimum};
use variopath::base::{BytesPerSecond, Mode, Picos, RouteClass, RouteId};
use variopath::catalog::{self, Catalog, Paces};
use variopath::dsl::tree::{Place, Relation};
use variopath::topology::{ResourceKind, Route, Rule, Topology};
use variopath::{demand, scheduler, verify};

/// Up to two sockets, at most one switch, GPUs from `gpus`; widths from a small set, so that some
/// machines have symmetry and some links fit several transfers.
fn random_machine(random: &mut ChaCha8Rng, gpus: RangeInclusive<usize>) -> String {
    let rates = ["10 GB/s", "20 GB/s", "25 GB/s", "40 GB/s"];
    let mut rate = |few: usize| rates[random.random_range(0..few)];
    let mut text = String::from("topology \"small\"\nsocket s[2]\nswitch w\n");
    let _ = writeln!(text, "s[0] -- s[1] : {}\nw -- s[1] : {}", rate(4), rate(4));
    let widths: Vec<&str> = (0..*gpus.end()).map(|_| rate(2)).collect();
    let gpus = random.random_range(gpus);
    let _ = writeln!(text, "gpu g[{gpus}]");
    for (gpu, width) in widths.iter().enumerate().take(gpus) {
        let parent = ["s[0]", "s[1]", "w"][random.random_range(0..3)];
        let _ = writeln!(text, "g[{gpu}] -- {parent} : {width}");
    }
    text
}

/// The same with joint capacities, host memory and rules.
fn random_machine_with_rules(random: &mut ChaCha8Rng, gpus: RangeInclusive<usize>) -> String {
    let mut text = random_machine(random, gpus);
    let mut maybe = |line: &[&str]| {
        if random.random_bool(0.4) {
            text.push_str(line[random.random_range(0..line.len())]);
            text.push('\n');
        }
    };
    maybe(&["total s[0] -- s[1] : 30 GB/s", "total w -- s[1] : 20 GB/s"]);
    maybe(&["total s[0] -> s[1], w -> s[1] : 30 GB/s", "total s[1] : 45 GB/s"]);
    maybe(&["set s[*] { memory 45 GB/s }", "set s[1] { memory 30 GB/s }"]);
    maybe(&["peer within socket", "peer none", "forbid g[0] -- g[1]", "forbid g[2] -> g[0]"]);
    maybe(&["bounce at source"]);
    maybe(&["cap cross : 8 GB/s", "cap bounce : 9 GB/s", "cap socket : 15 GB/s"]);
    maybe(&["avoid from same socket to different gpu", "avoid from same switch to same socket"]);
    maybe(&[
        "avoid push from different socket to same socket",
        "avoid pull from same node to same node",
    ]);
    maybe(&[
        "limit in socket : 2",
        "limit push in uplink : 1",
        "limit in gpu : 1",
        "limit in node : 3",
    ]);
    maybe(&[
        "forbid push g[0] -> g[*]",
        "forbid push g[*] -> g[1]\nforbid pull g[1] -> g[2]",
        "forbid pull g[2] -- g[1]",
    ]);
    maybe(&[
        "cap cross push : 7 GB/s",
        "cap socket pull : 22 GB/s\ncap socket push : 9 GB/s",
        "cap switch by kernel : 12 GB/s",
    ]);
    maybe(&[
        "avoid push from same socket to different switch : 6 GB/s",
        "avoid push from different gpu to same gpu : 9 GB/s\navoid pull from same socket to same node : 16 GB/s",
        "limit pull in gpu : 1",
    ]);
    text
}

/// The devices and links that stand for the places of a kind that a GPU is in.
fn place_of(topology: &Topology, place: Place, gpu: usize) -> Option<(u8, usize)> {
    let vertex = &topology.vertices[gpu];
    match place {
        Place::Gpu => Some((0, gpu)),
        Place::Switch => vertex.switch.map(|at| (0, at.index())),
        Place::Socket => vertex.socket.map(|at| (0, at.index())),
        Place::Uplink => vertex.uplink.map(|at| (1, at.index())),
        Place::Node => vertex.node.map(|at| (2, at.index())),
    }
}

/// Holds what rules keep apart, and where they limit, against their words. All rules are of the file.
fn rules_mean_what_they_say(topology: &Topology, text: &str) {
    let ends = |route: &Route| [route.src, route.dst].map(|r| topology.ranks[r.index()].index());
    let passes = |route: &Route, device: usize| {
        let touches = |link: &variopath::base::LinkId| {
            let (from, to) = topology.resources[link.index()].ends().expect("a link");
            [from, to].iter().any(|end| end.index() == device)
        };
        route.links.iter().any(touches)
    };
    let crosses = |route: &Route, uplink: usize| {
        let link = topology.resources[uplink].link();
        route.links.iter().any(|id| topology.resources[id.index()].link() == link)
    };
    let in_mode = |mode: &Option<Mode>, route: &Route| mode.is_none_or(|mode| mode == route.mode);
    let mut apart = BTreeSet::new();
    let mut limits: Vec<(Vec<RouteId>, u64)> = Vec::new();
    for (at, placed) in topology.rules.iter().enumerate() {
        let all = || topology.routes.iter().enumerate();
        match &placed.rule {
            Rule::Avoid { mode, from, to, .. } => {
                for (a, one) in all().filter(|(_, route)| in_mode(mode, route)) {
                    for (b, other) in all().skip(a + 1).filter(|(_, route)| in_mode(mode, route)) {
                        let (one_ends, other_ends) = (ends(one), ends(other));
                        let holds = |(relation, place): (Relation, Place), end: usize| {
                            let of = |ends: [usize; 2]| place_of(topology, place, ends[end]);
                            let same = of(one_ends) == of(other_ends) && of(one_ends).is_some();
                            same == (relation == Relation::Same)
                        };
                        let uplinks = [from.1, to.1].contains(&Place::Uplink);
                        let leaves = |route: &Route| {
                            let uplink = topology.vertices[ends(route)[0]].uplink;
                            !uplinks || uplink.is_some_and(|uplink| route.links.contains(&uplink))
                        };
                        if one.src != other.src
                            && holds(*from, 0)
                            && holds(*to, 1)
                            && leaves(one)
                            && leaves(other)
                        {
                            apart.insert((RouteId::new(a), RouteId::new(b)));
                        }
                    }
                }
            }
            Rule::Limit { mode, place, count } => {
                let overruled = topology.rules[at + 1..].iter().any(|later| {
                    matches!(&later.rule, Rule::Limit { mode: m, place: p, .. } if m == mode && p == place)
                });
                let places: BTreeSet<_> = (0..topology.vertices.len())
                    .filter_map(|vertex| place_of(topology, *place, vertex))
                    .filter(|_| !overruled)
                    .collect();
                for spot in places {
                    let inside = |route: &Route| match place {
                        Place::Switch => passes(route, spot.1),
                        _ => {
                            let there = ends(route).map(|end| place_of(topology, *place, end));
                            let uplink = *place == Place::Uplink;
                            there.contains(&Some(spot)) && (!uplink || crosses(route, spot.1))
                        }
                    };
                    let routes = all().filter(|(_, route)| in_mode(mode, route) && inside(route));
                    let routes: Vec<RouteId> = routes.map(|(id, _)| RouteId::new(id)).collect();
                    if routes.len() as u64 > *count {
                        limits.push((routes, *count));
                    }
                }
            }
            _ => {}
        }
    }
    assert_eq!(topology.kept_apart(), apart.into_iter().collect::<Vec<_>>(), "{text}");
    let mut found: Vec<_> =
        topology.limits().into_iter().map(|limit| (limit.routes, limit.most)).collect();
    found.sort_unstable();
    limits.sort_unstable();
    assert_eq!(found, limits, "{text}");
}

/// Whether a set of routes is a channel, from the topology alone.
fn fits(topology: &Topology, set: u32) -> bool {
    let mut load = vec![0; topology.resources.len()];
    let chosen = |index: usize| set >> index & 1 == 1;
    for (index, route) in topology.routes.iter().enumerate() {
        if chosen(index) {
            for id in route.links.iter().chain(&route.shares) {
                load[id.index()] += route.rate.0;
            }
        }
    }
    let capacity = |at: usize| topology.resources[at].capacity.map_or(0, |rate| rate.0);
    load.iter().enumerate().all(|(at, load)| *load <= capacity(at))
        && !topology.kept_apart().iter().any(|(a, b)| chosen(a.index()) && chosen(b.index()))
        && topology.limits().iter().all(|limit| {
            limit.routes.iter().filter(|id| chosen(id.index())).count() as u64 <= limit.most
        })
}

fn maximal_channels(topology: &Topology) -> usize {
    let routes = topology.routes.len();
    let fitting: Vec<bool> = (0..1u32 << routes).map(|set| fits(topology, set)).collect();
    (0..1u32 << routes)
        .filter(|&set| {
            fitting[set as usize]
                && (0..routes).all(|r| set >> r & 1 == 1 || !fitting[(set | 1 << r) as usize])
        })
        .count()
}

/// The speeds of a route: none, then the paced rates from the slowest, then the solo rate.
fn speeds(topology: &Topology, route: &Route) -> Vec<u64> {
    let mut speeds = vec![0, route.rate.0];
    for (id, resource) in topology.resources.iter().enumerate() {
        let times = route.takes().filter(|taken| taken.index() == id).count() as u64;
        if let Some(capacity) = resource.capacity.expect("known").0.checked_div(times) {
            speeds.push((capacity / capacity.div_ceil(route.rate.0)).min(route.rate.0));
        }
    }
    speeds.sort_unstable();
    speeds.dedup();
    speeds
}

/// The number of ways to give each route one of its speeds such that all fits and none can be
/// raised.
fn maximal_speeds(topology: &Topology) -> usize {
    maximal_of(topology, &topology.routes.iter().map(|r| speeds(topology, r)).collect::<Vec<_>>())
}

fn maximal_of(topology: &Topology, speeds: &[Vec<u64>]) -> usize {
    let (apart, limits) = (topology.kept_apart(), topology.limits());
    let fits = |chosen: &[u64]| {
        let mut load = vec![0; topology.resources.len()];
        for (route, speed) in topology.routes.iter().zip(chosen) {
            route.takes().for_each(|id| load[id.index()] += speed);
        }
        let runs = |id: &RouteId| chosen.get(id.index()).is_some_and(|speed| *speed > 0);
        let capacity = |at: usize| topology.resources[at].capacity.map_or(0, |rate| rate.0);
        let twice = |(a, route): (usize, &Route)| {
            let same = |b: usize| (topology.routes[b].src, topology.routes[b].dst);
            runs(&RouteId::new(a))
                && (0..a).any(|b| same(b) == (route.src, route.dst) && runs(&RouteId::new(b)))
        };
        load.iter().enumerate().all(|(at, load)| *load <= capacity(at))
            && !topology.routes.iter().enumerate().any(twice)
            && !apart.iter().any(|(a, b)| runs(a) && runs(b))
            && limits
                .iter()
                .all(|limit| limit.routes.iter().filter(|id| runs(id)).count() as u64 <= limit.most)
    };
    fn count(speeds: &[Vec<u64>], fits: &dyn Fn(&[u64]) -> bool, chosen: &mut Vec<u64>) -> usize {
        let at = chosen.len();
        if at == speeds.len() {
            let raised = (0..at).any(|route| {
                let own = chosen[route];
                let mut more = chosen.clone();
                speeds[route].iter().filter(|speed| **speed > own).any(|&speed| {
                    more[route] = speed;
                    fits(&more)
                })
            });
            return usize::from(!raised);
        }
        let mut sum = 0;
        for &speed in &speeds[at] {
            chosen.push(speed);
            if fits(chosen) {
                sum += count(speeds, fits, chosen);
            }
            chosen.pop();
        }
        sum
    }
    count(speeds, &fits, &mut Vec::new())
}

/// A joint capacity and the (from, to) of its links.
type TotalOver = (Option<BytesPerSecond>, BTreeSet<(usize, usize)>);

/// The number of permutations of devices that keep kinds, links, host memory, joint capacities and
/// the kind and rate of each route.
fn group_order(topology: &Topology) -> usize {
    let n = topology.vertices.len();
    let mut between = vec![Vec::new(); n * n];
    let mut device = vec![Vec::new(); n];
    for (vertex, found) in topology.vertices.iter().enumerate() {
        let ranked = topology.ranks.iter().any(|rank| rank.index() == vertex);
        device[vertex].push(format!("{:?} {ranked}", found.kind));
    }
    let mut totals = Vec::new();
    for resource in &topology.resources {
        match &resource.kind {
            ResourceKind::Link { from, to, .. } => {
                between[from.index() * n + to.index()].push(format!("{:?}", resource.capacity));
            }
            ResourceKind::Memory { socket } => {
                device[socket.index()].push(format!("{:?}", resource.capacity));
            }
            ResourceKind::Total { of, .. } => {
                let of = of.iter().map(|link| {
                    let (from, to) = topology.resources[link.index()].ends().expect("a link");
                    (from.index(), to.index())
                });
                totals.push((resource.capacity, of.collect::<BTreeSet<_>>()));
            }
        }
    }
    for route in &topology.routes {
        let at = |rank: variopath::base::Rank| topology.ranks[rank.index()].index();
        between[at(route.src) * n + at(route.dst)]
            .push(format!("{} {} {} {}", route.class, route.mode, route.initiator, route.rate.0));
    }
    totals.sort();
    between.iter_mut().for_each(|facts| facts.sort());
    let way = |route: &Route| -> Vec<usize> {
        let ends =
            route.links.iter().map(|l| topology.resources[l.index()].ends().expect("a link"));
        let start = topology.ranks[route.src.index()].index();
        std::iter::once(start).chain(ends.map(|ends| ends.1.index())).collect()
    };
    let ways: BTreeSet<Vec<usize>> = topology.routes.iter().map(way).collect();
    type Facts<'a> =
        (&'a [Vec<String>], &'a [Vec<String>], &'a [TotalOver], &'a BTreeSet<Vec<usize>>);
    fn extend(facts: Facts<'_>, image: &mut Vec<usize>) -> usize {
        let (device, between, totals, ways) = facts;
        let n = device.len();
        let at = image.len();
        if at == n {
            let moved = totals.iter().map(|(capacity, of)| {
                (*capacity, of.iter().map(|&(from, to)| (image[from], image[to])).collect())
            });
            let mut moved: Vec<_> = moved.collect();
            moved.sort();
            let kept = |way: &Vec<usize>| {
                ways.contains(&way.iter().map(|&at| image[at]).collect::<Vec<_>>())
            };
            return usize::from(moved == totals && ways.iter().all(kept));
        }
        let mut count = 0;
        for candidate in 0..n {
            if image.contains(&candidate) || device[at] != device[candidate] {
                continue;
            }
            let agrees = (0..at).all(|other| {
                between[at * n + other] == between[candidate * n + image[other]]
                    && between[other * n + at] == between[image[other] * n + candidate]
            });
            if agrees {
                image.push(candidate);
                count += extend(facts, image);
                image.pop();
            }
        }
        count
    }
    extend((&device, &between, &totals, &ways), &mut Vec::new())
}

#[test]
fn channels_and_symmetry_equal_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(20);
    for case in 0..60 {
        let text = random_machine(&mut random, 3..=4);
        let Stages { catalog, topology, .. } = stages_of("small.topo", &text);
        assert_eq!(
            catalog.strict.channels,
            maximal_channels(&topology).to_string(),
            "{case}:\n{text}"
        );
        assert_eq!(catalog.order, group_order(&topology).to_string(), "{case}:\n{text}");
    }
}

#[test]
fn channels_under_rules_equal_brute_force_and_plans_hold() {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    let (mut apart, mut limited, mut bounced, mut paced, mut pulled) = (0, 0, 0, 0, 0);
    let mut reached = 0;
    for case in 0..120 {
        let text = random_machine_with_rules(&mut random, 3..=4);
        let Stages { catalog, topology, .. } = stages_of("small.topo", &text);
        rules_mean_what_they_say(&topology, &text);
        assert_eq!(
            catalog.strict.channels,
            maximal_channels(&topology).to_string(),
            "{case}:\n{text}"
        );
        assert_eq!(catalog.order, group_order(&topology).to_string(), "{case}:\n{text}");
        let ranks = topology.ranks.len();
        let demand = demand::parse_spec("random", ranks).expect("a demand");
        let mut plan =
            scheduler::Planner::new(&catalog).expect("a planner").plan(&demand).expect("a plan");
        scheduler::name_steps(&catalog, &mut plan, &mut catalog::Locator::new(&catalog))
            .expect("channels");
        let document = catalog::PlanDocument::new(&topology.name, &plan);
        verify::verify_claim(&topology, &catalog, &demand, &document)
            .unwrap_or_else(|faults| panic!("{case}: {}\n{text}", faults[0]));
        // No sequence of channels beats the bounds, and no plan of strict ones beats the best.
        let exact = |paces| exact_optimum(&catalog, &demand, paces, None).expect("an optimum");
        let (strict, all) = (exact(Paces::Solo), exact(Paces::All));
        let below =
            |bound: Picos, optimum: Picos| bound.0 as f64 <= optimum.0 as f64 * (1.0 + 1e-6);
        let found = &plan.bounds;
        assert!(below(found.t_eff, strict.upper), "{case}: {found:?} {strict:?}\n{text}");
        assert!(below(found.t_star, all.upper), "{case}: {found:?} {all:?}\n{text}");
        assert!(below(strict.lower, plan.makespan), "{case}: {strict:?}\n{text}");
        reached += usize::from(below(strict.lower, found.t_eff));
        if let Some(two_rate) = &catalog.two_rate {
            assert_eq!(two_rate.channels, maximal_speeds(&topology).to_string(), "{case}:\n{text}");
            paced += 1;
        }
        apart += usize::from(!topology.kept_apart().is_empty());
        limited += usize::from(!topology.limits().is_empty());
        pulled += usize::from(topology.routes.iter().any(|r| r.mode == Mode::Pull));
        bounced += usize::from(topology.routes.iter().any(|r| r.class == RouteClass::Bounce));
    }
    let met = [apart, limited, bounced, paced, pulled, reached];
    assert!(met.iter().all(|count| *count > 20), "{met:?}");
}

/// Five GPUs have too many sets of transfers to try all, so those that cannot fit are not gone into.
#[test]
fn channels_of_five_gpus_equal_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(22);
    for case in 0..16 {
        let text = random_machine_with_rules(&mut random, 5..=5);
        let Stages { catalog, topology, .. } = stages_of("small.topo", &text);
        rules_mean_what_they_say(&topology, &text);
        let solo: Vec<_> = topology.routes.iter().map(|route| vec![0, route.rate.0]).collect();
        let found = &catalog.strict.channels;
        assert_eq!(*found, maximal_of(&topology, &solo).to_string(), "{case}:\n{text}");
        assert_eq!(catalog.order, group_order(&topology).to_string(), "{case}:\n{text}");
    }
}

/// Two to four GPUs and two or three cards at the sockets and the switch, a fabric or a cable, and rules of
/// cards: so that pairs have up to three routes.
fn random_machine_with_loopback(random: &mut ChaCha8Rng) -> String {
    let mut text = String::from("topology \"small\"\nsocket s[2]\nswitch w\nfabric f\n");
    let mut one_of = |of: &[&str]| of[random.random_range(0..of.len())].to_owned();
    let wide = ["10 GB/s", "25 GB/s", "40 GB/s"];
    let _ = writeln!(text, "s[0] -- s[1] : {}\nw -- s[1] : {}", one_of(&wide), one_of(&wide));
    let (gpus, cards) = (one_of(&["2", "3", "4"]), one_of(&["2", "3"]));
    let _ = writeln!(text, "gpu g[{gpus}]\nnic n[{cards}]");
    for (kind, count) in [("g", &gpus), ("n", &cards)] {
        for index in 0..count.parse::<usize>().expect("a number") {
            let parent = one_of(&["s[0]", "s[1]", "w"]);
            let _ = writeln!(text, "{kind}[{index}] -- {parent} : {}", one_of(&wide[..2]));
        }
    }
    let joined = one_of(&["n[*] -- f : 12 GB/s", "n[*] -- f : 25 GB/s", "n[0] -- n[1] : 20 GB/s"]);
    let _ = writeln!(text, "{joined}\nloopback");
    for rules in [
        ["", "via any", "via g[0] : n[0], n[1]"],
        ["", "peer nic none", "peer none\nset s[*] { memory 45 GB/s }"],
        ["", "cap loopback : 11 GB/s", "peer within socket"],
        ["", "forbid push g[0] -> g[1]", "avoid push from same node to same node : 9 GB/s"],
        ["", "limit in uplink : 1", "total n[0] : 20 GB/s"],
    ] {
        let rule = one_of(&rules);
        // Where there are many routes there are too many sets to try all.
        let _ = writeln!(text, "{}", if gpus != "2" && rule == "via any" { "" } else { &rule });
    }
    text
}

#[test]
fn channels_with_several_routes_a_pair_equal_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let (mut several, mut paced, mut symmetric) = (0, 0, 0);
    for case in 0..80 {
        let text = random_machine_with_loopback(&mut random);
        let Stages { catalog, topology, .. } = stages_of("small.topo", &text);
        if topology.routes.len() > 18 {
            continue;
        }
        rules_mean_what_they_say(&topology, &text);
        let solo: Vec<_> = topology.routes.iter().map(|route| vec![0, route.rate.0]).collect();
        let found = &catalog.strict.channels;
        assert_eq!(*found, maximal_of(&topology, &solo).to_string(), "{case}:\n{text}");
        assert_eq!(catalog.order, group_order(&topology).to_string(), "{case}:\n{text}");
        several += usize::from(catalog.has_alternatives());
        symmetric += usize::from(catalog.has_alternatives() && catalog.order != "1");
        if let Some(two_rate) = &catalog.two_rate
            && topology.routes.len() <= 12
        {
            assert_eq!(two_rate.channels, maximal_speeds(&topology).to_string(), "{case}:\n{text}");
            paced += 1;
        }
    }
    let met = [several, paced, symmetric];
    assert!(met.iter().all(|count| *count > 10), "{met:?}");
}

#[test]
fn a_catalog_that_claims_too_much_fails_its_proof() {
    let stages = support::stages("b");
    let proven = stages.catalog;
    variopath::catalog::check(&proven).expect("it holds");
    let broken = |change: &dyn Fn(&mut Catalog)| {
        let mut catalog = proven.clone();
        change(&mut catalog);
        variopath::catalog::check(&catalog).expect_err("it does not hold").to_string()
    };
    let faults = [
        broken(&|c| {
            c.strict.orbits[3].representative.0.pop();
        }),
        broken(&|c| c.order = "64".to_owned()),
        broken(&|c| c.generators[0].swap(0, 3)),
        broken(&|c| c.strict.orbits[1] = c.strict.orbits[0].clone()),
        broken(&|c| c.routes[0].rate.0 += 1),
        broken(&|c| {
            c.strict.orbits.pop();
        }),
    ];
    insta::assert_snapshot!("catalog_faults", faults.join("\n"));
}

/// Sockets in a triangle, where transfers across are paced on the links of GPUs: every number of
/// speeds counts.
#[test]
fn two_rate_channels_of_a_triangle_equal_brute_force() {
    for at in [
        [0, 0, 1, 2].as_slice(),
        &[0, 1, 2, 3],
        &[0, 0, 3, 3],
        &[0, 0, 1, 1],
        &[0, 1, 2, 3, 3],
        &[0, 0, 1, 1, 2],
        &[0, 0, 1, 2, 3, 3],
        &[0, 0, 0, 1, 1, 2],
    ] {
        let mut text = format!(
            "topology \"triangle\"\nsocket s[3]\nswitch w\ngpu g[{}]\ns[0] -- s[1, 2] : 20 GB/s\n\
             s[1] -- s[2] : 20 GB/s\nw -- s[2] : 25 GB/s\n",
            at.len()
        );
        for (gpu, place) in at.iter().enumerate() {
            let parent = ["s[0]", "s[1]", "s[2]", "w"][*place];
            let _ = writeln!(text, "g[{gpu}] -- {parent} : 25 GB/s");
        }
        let Stages { topology, .. } = stages_of("triangle.topo", &text);
        let limits = Limits { max_orbits: usize::MAX, max_work: u64::MAX, ..Limits::default() };
        let catalog = analyze(&topology, &limits).expect("a catalog");
        let found = catalog.two_rate.expect("paced rates");
        assert!(found.complete);
        assert_eq!(found.channels, maximal_speeds(&topology).to_string(), "{text}");
    }
}
