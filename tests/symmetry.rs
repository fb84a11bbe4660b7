//! The symmetry of many machines. What is found is held together here, and with
//! VARIOPATH_SYMMETRIES=FOLDER machines and answers are written down for `tests/symmetry_oracle.py`.

mod import_support;
mod symmetry_support;

use import_support::{corpus, import, names};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use symmetry_support::{irregular, regular};
use variopath::analyzer::{Limits, analyze};
use variopath::catalog::{Catalog, Paces};
use variopath::diagnostics::{Sources, render};
use variopath::dsl;
use variopath::topology::{self, ResourceKind, Topology};

/// Random machines with a pattern, and as many without.
const MACHINES: u64 = 25;

/// Adds lines to the file that the script reads; nothing where none is asked for.
fn write_down(name: &str, machines: &[Value]) {
    let Some(folder) = std::env::var_os("VARIOPATH_SYMMETRIES") else { return };
    let path = std::path::Path::new(&folder).join(format!("{name}.jsonl"));
    let mut file = std::fs::File::create(path).expect("a file for machines");
    for machine in machines {
        writeln!(file, "{machine}").expect("a written line");
    }
}

fn built(name: &str, text: &str) -> Topology {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let built = dsl::parse(&sources, id).and_then(|file| {
        let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new())?;
        topology::build(&dsl::elaborate(&file)?, dsl::digest(&file))
    });
    match built {
        Ok(built) => built.topology,
        Err(faults) => panic!("{name}:\n{text}\n{}", render(&sources, &faults, false)),
    }
}

/// Symmetry, and of the channels as few as can be.
fn symmetry(name: &str, topology: &Topology) -> Catalog {
    let limits = Limits { max_orbits: 1, max_work: 1, paces: Paces::Solo };
    let found = analyze(topology, &limits);
    found.unwrap_or_else(|faults| panic!("{name}: {}", faults.sorted()[0].message))
}

/// The order of the group as a number.
fn order(catalog: &Catalog) -> u128 {
    catalog.order.parse().expect("a decimal number")
}

/// Generators are permutations of alike devices that keep links, the sizes of the orbits of pairs
/// divide the order of the group, and they are as many as the catalog says.
fn holds_together(name: &str, topology: &Topology, catalog: &Catalog) {
    let links = |image: &dyn Fn(u32) -> u32| -> BTreeSet<_> {
        let ends = |resource: &topology::Resource| {
            let (from, to) = resource.ends()?;
            Some((image(from.0), image(to.0), resource.capacity))
        };
        topology.resources.iter().filter_map(ends).collect()
    };
    let rank_of = |vertex: u32| topology.ranks.iter().position(|rank| rank.0 == vertex);
    let mut moves: Vec<Vec<usize>> = Vec::new();
    for generator in &catalog.generators {
        let image = |vertex: u32| generator[vertex as usize];
        let all: BTreeSet<u32> = generator.iter().copied().collect();
        assert_eq!(all.len(), topology.vertices.len(), "{name}: no permutation");
        assert!((0..).zip(generator).any(|(vertex, image)| vertex != *image), "{name}: no move");
        assert_eq!(links(&image), links(&|vertex| vertex), "{name}: other links");
        for (vertex, device) in (0u32..).zip(&topology.vertices) {
            let other = &topology.vertices[image(vertex) as usize];
            assert_eq!(device.kind, other.kind, "{name}: {} is not {}", device.path, other.path);
        }
        let ranks = topology.ranks.iter();
        moves.push(ranks.map(|rank| rank_of(image(rank.0)).expect("a rank")).collect());
    }
    let ranks = topology.ranks.len();
    let mut seen = BTreeSet::new();
    let mut orbits = 0;
    for pair in (0..ranks * ranks).map(|pair| (pair / ranks, pair % ranks)) {
        if pair.0 == pair.1 || seen.contains(&pair) {
            continue;
        }
        let (mut orbit, mut open) = (BTreeSet::from([pair]), vec![pair]);
        while let Some((src, dst)) = open.pop() {
            let images = moves.iter().map(|image| (image[src], image[dst]));
            open.extend(images.filter(|image| orbit.insert(*image)));
        }
        assert_eq!(order(catalog) % orbit.len() as u128, 0, "{name}: the orbit of {pair:?}");
        seen.extend(orbit);
        orbits += 1;
    }
    assert_eq!(orbits, catalog.pair_orbits, "{name}: orbits of pairs");
}

/// A machine as the script reads it, with what was found of it. Tables are those of the topology; the
/// rates of routes are those that plans have.
fn document(name: &str, topology: &Topology, catalog: &Catalog) -> Value {
    let rank = |vertex: usize| topology.ranks.iter().position(|rank| rank.index() == vertex);
    // Rules of the whole machine tell no device from another.
    let all = 0..topology.vertices.len();
    let scopes: BTreeSet<_> = (topology.rules.iter())
        .filter(|placed| placed.scope != all)
        .map(|placed| (placed.scope.start, placed.scope.end))
        .collect();
    let parts = |vertex: usize| -> Vec<String> {
        let own = scopes.iter().filter(|(start, end)| (*start..*end).contains(&vertex));
        own.map(|(start, end)| format!("{start}..{end}")).collect()
    };
    let vertices = topology.vertices.iter().enumerate();
    let vertices = vertices.map(|(index, vertex)| {
        json!({"kind": format!("{:?}", vertex.kind), "rank": rank(index), "parts": parts(index)})
    });
    let resources = topology.resources.iter().map(|resource| {
        let capacity = resource.capacity.map(|rate| rate.0);
        match &resource.kind {
            ResourceKind::Link { from, to, .. } => {
                json!({"from": from.0, "to": to.0, "capacity": capacity})
            }
            ResourceKind::Total { of, .. } => json!({"of": of, "capacity": capacity}),
            ResourceKind::Memory { socket } => json!({"memory": socket.0, "capacity": capacity}),
        }
    });
    let routes = catalog.routes.iter().map(|route| {
        json!({
            "src": route.src.0,
            "dst": route.dst.0,
            "class": route.class.to_string(),
            "mode": route.mode.to_string(),
            "initiator": route.initiator.to_string(),
            "links": route.links,
            "shares": route.shares,
            "rate": route.rate.0,
            "paced": route.paced,
        })
    });
    let limits = topology.limits();
    let limits = limits.iter().map(|limit| json!({"routes": limit.routes, "most": limit.most}));
    json!({
        "name": name,
        "vertices": vertices.collect::<Vec<_>>(),
        "resources": resources.collect::<Vec<_>>(),
        "efficiency": catalog.efficiency,
        "routes": routes.collect::<Vec<_>>(),
        "forbidden": topology.kept_apart(),
        "limits": limits.collect::<Vec<_>>(),
        "order": catalog.order,
        "pair_orbits": catalog.pair_orbits,
        "generators": catalog.generators,
    })
}

#[test]
fn random_machines_for_the_script() {
    let mut written = Vec::new();
    let (mut ones, mut large, mut met) = (0, 0, [0; 4]);
    for (kind, machine) in [("regular", regular as fn(u64) -> String), ("irregular", irregular)] {
        for seed in 0..MACHINES {
            let text = machine(seed);
            let name = format!("{kind} {seed}");
            let topology = built(&name, &text);
            let catalog = symmetry(&name, &topology);
            holds_together(&name, &topology, &catalog);
            ones += usize::from(order(&catalog) == 1);
            large += usize::from(order(&catalog) >= 48);
            let has = [
                !topology.kept_apart().is_empty(),
                !topology.limits().is_empty(),
                topology.resources.len() > topology.links,
                catalog.has_alternatives(),
            ];
            met.iter_mut().zip(has).for_each(|(count, has)| *count += usize::from(has));
            let mut document = document(&name, &topology, &catalog);
            document["text"] = text.into();
            written.push(document);
        }
    }
    // Groups of one element and large ones, and enough of each thing that symmetries must keep.
    assert!(ones >= 3 && large >= 8, "{ones} without symmetry, {large} with much");
    assert!(met.iter().all(|count| *count >= 3), "{met:?}");
    write_down("random", &written);
}

#[test]
fn real_machines_for_the_script() {
    let mut written = Vec::new();
    for kind in ["nccl-xml", "smi-topo", "hwloc-xml", "lspci"] {
        let Some(folder) = corpus(kind) else { return };
        for name in names(&folder) {
            let text = std::fs::read_to_string(folder.join(&name)).expect("UTF-8");
            let Ok(imported) = import(&name, &text, Some(4)) else { continue };
            let text = dsl::format(&imported.file);
            let topology = built(&name, &text);
            if topology.ranks.len() < 2 {
                continue;
            }
            let catalog = symmetry(&name, &topology);
            holds_together(&name, &topology, &catalog);
            written.push(document(&name, &topology, &catalog));
        }
    }
    assert_eq!(written.len(), 76, "machines of several GPUs");
    write_down("corpus", &written);
}

#[test]
fn groups_that_are_known_by_hand() {
    let found = |statements: &str| {
        let text = format!("topology \"known\"\n{statements}");
        let topology = built("known", &text);
        let catalog = symmetry("known", &topology);
        holds_together("known", &topology, &catalog);
        (order(&catalog), catalog.pair_orbits)
    };
    // Any permutation of ten.
    assert_eq!(found("socket s\ngpu g[10] -- s : 25 GB/s"), (3_628_800, 1));
    // Three sockets joined in a circle that is wider one way; the two GPUs of each may be exchanged.
    let circle = "socket s[3]\ngpu g[6] -- s[k/2] : 25 GB/s\n";
    let ways = [(0, 1), (1, 2), (2, 0)]
        .map(|(a, b)| format!("s[{a}] -> s[{b}] : 40 GB/s\ns[{b}] -> s[{a}] : 30 GB/s\n"));
    assert_eq!(found(&format!("{circle}{}", ways.concat())), (3 * 8, 3));
    let sets = |gpus: usize, set: &[usize]| {
        let mut text = format!("socket s\ngpu g[{gpus}] -- s : 25 GB/s\n");
        for first in 0..gpus {
            let names = set.iter().map(|at| format!("g[{}]", (first + at) % gpus));
            let names: Vec<_> = names.collect();
            let _ = writeln!(text, "total {} : 60 GB/s", names.join(", "));
        }
        found(&text)
    };
    // Seven GPUs in threes, each two of them in one: the plane of seven points.
    assert_eq!(sets(7, &[0, 1, 3]), (168, 1));
    // Fifteen in fours: two of them are together in one set or in none.
    assert_eq!(sets(15, &[0, 1, 3, 7]), (360, 2));
    // A circle of three and one of four, which look alike from each of their GPUs.
    let circles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)]
        .map(|(a, b)| format!("forbid push g[{a}] -> g[{b}]\n"));
    let circles = format!("socket s\ngpu g[7] -- s : 25 GB/s\n{}", circles.concat());
    assert_eq!(found(&circles), (3 * 4, 2 + 3 + 2));
    // Two graphs of sixteen that counting neighbours does not tell apart.
    let grid = |joined: &dyn Fn(u32, u32) -> bool| {
        let mut text = "socket s\ngpu g[16] -- s : 25 GB/s\n".to_owned();
        for (a, b) in (0..16).flat_map(|a| (a + 1..16).map(move |b| (a, b))) {
            // How much further in rows and columns, which go round.
            if joined((b / 4 + 4 - a / 4) % 4, (b % 4 + 4 - a % 4) % 4) {
                let _ = writeln!(text, "forbid push g[{a}] -- g[{b}]");
            }
        }
        found(&text)
    };
    let rook = |row, column| (row == 0) != (column == 0);
    assert_eq!(grid(&rook), (2 * 24 * 24, 2));
    let shrikhande = |row, column| {
        matches!((row, column), (0 | 1 | 3, 0 | 1 | 3))
            && (row, column) != (0, 0)
            && row + column != 4
    };
    assert_eq!(grid(&shrikhande), (192, 3));
}
