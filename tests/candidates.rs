//! Push or pull, kernel or copy engine: what each pair of a node takes, and why.

mod command_support;
mod support;

use command_support::variopath;
use rand::{Rng as _, SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use support::{machine_of, stages_of};
use variopath::base::{Initiator, Mode, Rank, RouteClass};
use variopath::codegen;
use variopath::diagnostics::Sources;
use variopath::topology::{self, Route, Topology};
use variopath::{analyzer, dsl};

fn topology(text: &str) -> Topology {
    let (file, machine) = machine_of(&mut Sources::new(), "box.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("a sound machine").topology
}

/// Two sockets, two switches a socket, two GPUs a switch, and `rules`.
fn of(rules: &str) -> Topology {
    topology(&format!(
        "topology \"box\"\nsocket s[2]\nswitch v[4]\ngpu g[8]\ns[0] -- s[1] : 40 GB/s\n\
         v[k] -- s[k/2] : 25 GB/s\ng[k] -- v[k/2] : 25 GB/s\n{rules}\n"
    ))
}

/// How many routes there are of each class, mode, initiator and rate in GB/s.
fn counts(topology: &Topology) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for Route { class, mode, initiator, rate, .. } in &topology.routes {
        *counts.entry(format!("{class} {mode} {initiator} {rate}")).or_default() += 1;
    }
    counts.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect()
}

#[test]
fn the_broadcom_box_pulls_where_pushes_collapse() {
    let preset = topology("topology \"box\"\nuse \"rtxpro6000-8-broadcom\"\n");
    assert_eq!(
        counts(&preset),
        [
            "32 cross pull kernel 50 GB/s",
            "16 socket pull kernel 55 GB/s",
            "8 switch push kernel 55 GB/s"
        ]
    );
    assert!(preset.kept_apart().is_empty());
    // The kernels push; what that loses is said.
    let carried = preset.carried_out_by(&codegen::KERNELS).expect("it pulls");
    assert!(carried.carried_out_by(&codegen::KERNELS).is_none());
    assert!(carried.routes.iter().all(|route| route.mode == Mode::Push));
    assert!(!carried.kept_apart().is_empty() && codegen::unsupported(&carried).is_none());
    let note = codegen::second_best(&preset, &carried).expect("48 pairs lose");
    assert_eq!(
        note.message,
        "g[0] -> g[2] is a push by kernel, where a pull by kernel would be better (48 of 56 \
         pairs): that is all that the kernels of this version do"
    );
    assert!(codegen::second_best(&carried, &carried).is_none());
}

#[test]
fn the_greatest_sure_rate_is_taken() {
    const PUSHED: [&str; 3] = [
        "32 cross push kernel 25 GB/s",
        "16 socket push kernel 25 GB/s",
        "8 switch push kernel 25 GB/s",
    ];
    let of = |rules: &str| counts(&of(rules));
    // Of equal candidates the push by the kernel is taken.
    for rules in [
        "",
        "avoid from same switch to different uplink : 2.7 GB/s",
        "avoid pull from same switch to different uplink : 2.7 GB/s",
        "cap cross pull : 20 GB/s",
        "cap cross by engine : 20 GB/s",
        "forbid pull g[*] -> g[*]",
        // Two GPUs of different nodes there are none, and no GPU is kept from itself.
        "avoid push from different node to same node : 1 GB/s",
        "avoid push from same gpu to different gpu : 1 GB/s",
        // Pushes reach half of 50 beside each other, which is all that they reach alone.
        "avoid push from same switch to different uplink : 50 GB/s",
    ] {
        assert_eq!(of(rules), PUSHED, "{rules}");
    }
    let across = |rules: &str| of(rules)[0].clone();
    assert_eq!(across("cap cross push : 20 GB/s"), "32 cross pull kernel 25 GB/s");
    assert_eq!(across("cap cross by kernel : 20 GB/s"), "32 cross push engine 25 GB/s");
    let capped = "cap cross push by kernel : 20 GB/s\ncap cross pull by engine : 22 GB/s\n";
    assert_eq!(across(capped), "32 cross push engine 25 GB/s");
    let both =
        format!("{capped}cap cross push by engine : 21 GB/s\ncap cross pull by kernel : 19 GB/s");
    assert_eq!(across(&both), "32 cross pull engine 22 GB/s");
    // Where both modes are avoided, the one that loses less, even at a lower solo rate.
    let avoided = "avoid push from same socket to same socket : 4 GB/s\n\
                   avoid pull from same socket to same socket : 12 GB/s\n";
    assert_eq!(across(avoided), "32 cross pull kernel 25 GB/s");
    assert_eq!(across(&format!("{avoided}cap cross pull : 5 GB/s")), "32 cross pull kernel 5 GB/s");
    assert_eq!(
        across(&format!("{avoided}cap cross pull : 1.5 GB/s")),
        "32 cross push kernel 25 GB/s"
    );
    // A rule without a figure promises nothing; nor does an unknown cap.
    let silent = "avoid push from same socket to same socket\n\
                  avoid pull from same socket to same socket : 0.2 GB/s\n";
    assert_eq!(across(silent), "32 cross pull kernel 25 GB/s");
    let unknown = "cap cross pull : unknown\ncap cross push : 1 GB/s";
    assert_eq!(across(unknown), "32 cross push kernel 1 GB/s");
}

#[test]
fn a_pair_that_may_not_push_is_pulled_and_one_that_may_neither_bounces() {
    let found = of("forbid push g[0] -> g[1]\nforbid pull g[2] -> g[3]\nforbid g[4] -> g[5]\n\
                    forbid push g[6] -> g[7]\nforbid pull g[6] -> g[7]\ncap bounce pull : 1 GB/s");
    let kind = |s: u32| {
        let id = found.route_id(Rank(s), Rank(s + 1)).expect("a pair");
        let route = &found.routes[id.index()];
        (route.class, route.mode, route.initiator)
    };
    let push = |class| (class, Mode::Push, Initiator::Kernel);
    assert_eq!(kind(0), (RouteClass::Switch, Mode::Pull, Initiator::Kernel));
    assert_eq!(kind(2), push(RouteClass::Switch));
    assert_eq!(kind(4), push(RouteClass::Bounce));
    assert_eq!(kind(6), push(RouteClass::Bounce));
    // Through host memory a copy engine is taken where it is faster.
    let found = of("peer within socket\ncap bounce by kernel : 8 GB/s\ncap bounce : 12 GB/s");
    assert_eq!(counts(&found)[0], "32 bounce push engine 12 GB/s");
    // A kernel that only pushes cannot carry out the first one, and says so.
    let pulled = of("forbid push g[0] -> g[1]").carried_out_by(&codegen::KERNELS).expect("a pull");
    let refusal = codegen::unsupported(&pulled).expect("a pull").message;
    assert!(refusal.starts_with("g[0] -> g[1] is a pull by kernel (1 of 56 pairs"), "{refusal}");
}

/// A bundle is a machine as its kernels use it: pushed, where the machine itself would be pulled.
#[test]
fn a_bundle_pushes_and_its_build_says_what_that_loses() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["build", "rtxpro6000-8-broadcom", "-o", "bundle"];
    let (code, _, err) = variopath(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("note[second-best-route]: g[0] -> g[2] is a push by kernel, where a pull")
    );
    for (target, pulled) in [("./bundle", 0), ("rtxpro6000-8-broadcom", 48)] {
        let (code, out, err) = variopath(folder.path(), &["analyze", target, "--json"]);
        assert_eq!(code, 0, "{err}");
        let found: Value = serde_json::from_str(&out).expect("JSON");
        let routes = found["routes"].as_array().expect("routes");
        assert_eq!(routes.iter().filter(|route| route["mode"] == "pull").count(), pulled);
    }
}

/// A hazard is looked up by counting; here it is sought pair by pair.
#[test]
fn hazards_equal_those_of_every_pair_of_transfers() {
    let mut random = ChaCha8Rng::seed_from_u64(40);
    let (mut met, mut free) = (0, 0);
    for case in 0..300 {
        let place = |random: &mut ChaCha8Rng| {
            let relation = ["same", "different"][random.random_range(0..2)];
            let place = ["gpu", "switch", "uplink", "socket", "node"][random.random_range(0..5)];
            format!("{relation} {place}")
        };
        let (from, to) = (place(&mut random), place(&mut random));
        let forbid = ["", "forbid push g[0] -> g[*]\n", "forbid push g[1..4] -> g[4..7]\n"]
            [random.random_range(0..3)];
        let mut text = String::from(
            "topology \"t\"\nsocket s[2]\nswitch w[2]\ngpu g[7]\ns[0] -- s[1] : 40 GB/s\n\
             w[*] -- s[1] : 25 GB/s\n",
        );
        for gpu in 0..7 {
            let parent = ["s[0]", "s[1]", "w[0]", "w[1]"][random.random_range(0..4)];
            let _ = writeln!(text, "g[{gpu}] -- {parent} : 25 GB/s");
        }
        // Which transfers are kept apart when all that may push do.
        let pushes = topology(&format!("{text}{forbid}avoid from {from} to {to} : 2 GB/s\n"));
        let may_push = |route: &Route| route.mode == Mode::Push;
        let apart = pushes.kept_apart();
        let avoided = topology(&format!("{text}{forbid}avoid push from {from} to {to} : 2 GB/s\n"));
        for (index, route) in pushes.routes.iter().enumerate() {
            let hindered = apart.iter().any(|(a, b)| {
                let other = match index {
                    _ if a.index() == index => b,
                    _ if b.index() == index => a,
                    _ => return false,
                };
                may_push(&pushes.routes[other.index()])
            });
            let pulled = avoided.routes[index].mode == Mode::Pull;
            assert_eq!(
                pulled,
                hindered || !may_push(route),
                "{case} {index}\n{text}{forbid}{from} {to}"
            );
            *(if pulled { &mut met } else { &mut free }) += 1;
        }
    }
    assert!(met > 1000 && free > 1000, "{met} {free}");
}

/// The same machine with its GPUs and sockets declared in another order takes the same candidates.
#[test]
fn numbers_do_not_choose() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut mixed = 0;
    for case in 0..60 {
        let rules = [
            "avoid push from same switch to different uplink : 2.7 GB/s\n",
            "avoid push from same socket to different socket : 3 GB/s\navoid pull from different switch to same socket : 9 GB/s\n",
            "cap cross push : 9 GB/s\ncap socket by kernel : 8 GB/s\n",
            "forbid push b -> a\nforbid pull c -> d\navoid pull from same socket to same uplink : 1 GB/s\n",
        ];
        let rules = rules[random.random_range(0..rules.len())];
        let parents: Vec<&str> =
            (0..6).map(|_| ["s", "t", "v", "w"][random.random_range(0..4)]).collect();
        let names = ["a", "b", "c", "d", "e", "f"];
        let machine = |order: &[usize], sockets: [&str; 4]| {
            let mut text = String::from("topology \"t\"\n");
            for name in sockets {
                let kind = if "st".contains(name) { "socket" } else { "switch" };
                let _ = writeln!(text, "{kind} {name}");
            }
            for &gpu in order {
                let _ = writeln!(text, "gpu {}", names[gpu]);
            }
            text.push_str("v -- t : 25 GB/s\ns -- t : 40 GB/s\nw -- t : 25 GB/s\n");
            for &gpu in order {
                let _ = writeln!(text, "{} -- {} : 25 GB/s", names[gpu], parents[gpu]);
            }
            let topology = topology(&format!("{text}{rules}"));
            let name = |rank: variopath::base::Rank| {
                topology.vertices[topology.ranks[rank.index()].index()].path.clone()
            };
            let kinds = topology.routes.iter().map(|route| {
                let kind = format!("{} {} {}", route.mode, route.initiator, route.rate);
                ((name(route.src), name(route.dst)), kind)
            });
            kinds.collect::<BTreeMap<_, _>>()
        };
        let mut order: Vec<usize> = (0..6).collect();
        let first = machine(&order, ["s", "t", "v", "w"]);
        order.shuffle(&mut random);
        assert_eq!(first, machine(&order, ["w", "t", "v", "s"]), "{case}\n{rules}");
        mixed += usize::from(first.values().any(|kind| *kind != first[&("a".into(), "b".into())]));
    }
    assert!(mixed > 20, "{mixed}");
}

#[test]
fn catalogs_of_mixed_modes_prove_themselves_and_tell_pairs_apart() {
    let text =
        |rules: &str| format!("topology \"t\"\nsocket s\ngpu g[4]\ng[*] -- s : 25 GB/s\n{rules}\n");
    let order = |rules: &str| stages_of("t.topo", &text(rules)).catalog.order;
    assert_eq!(order(""), "24");
    assert_eq!(order("cap socket push : 20 GB/s"), "24");
    // One pair is pulled, then one and its reverse.
    assert_eq!(order("forbid push g[0] -> g[1]"), "2");
    assert_eq!(order("forbid push g[0] -- g[1]"), "4");
    let box_of_pulls = stages_of("b.topo", "topology \"b\"\nuse \"rtxpro6000-8-broadcom\"\n");
    assert!(analyzer::unplanned(&box_of_pulls.topology).is_empty());
    assert_eq!(box_of_pulls.catalog.order, "128");
}
