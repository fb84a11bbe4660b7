//! Machines of several nodes: their templates, their symmetry, the channels between them.

mod support;

use num_bigint::BigUint;
use std::collections::BTreeSet;
use variopath::analyzer::{Limits, analyze_cluster};
use variopath::base::Rank;
use variopath::catalog::ClusterCatalog;
use variopath::diagnostics::Sources;
use variopath::topology::{self, Topology};

/// A node of platform B.
const NODE: &str = "part node {\nsocket s[2]\nswitch sw[4]\ngpu g[8]\nnic n[4]\ns[0] -- s[1] : 40 GB/s\n\
                    sw[k] -- s[k/2] : 25 GB/s\ng[k] -- sw[k/2] : 25 GB/s\nn[k] -- sw[k] : 25 GB/s\n}\n";

fn topology_of(text: &str) -> Topology {
    let (file, machine) = support::machine_of(&mut Sources::new(), "cluster.topo", text);
    topology::build(&machine, variopath::dsl::digest(&file))
        .unwrap_or_else(|faults| panic!("no routes: {faults:?}\n{text}"))
        .topology
}

fn nodes_of_b(nodes: u32) -> String {
    format!("topology \"B\"\n{NODE}node h[{nodes}]\nfabric leaf\nh[*].n[*] -- leaf : 25 GB/s\n")
}

/// Strict channels only, which are enough for what is asked here.
fn analyzed(text: &str) -> ClusterCatalog {
    analyze_cluster(&topology_of(text), &Limits::strict()).expect("a catalog")
}

fn factorial(n: u32) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

#[test]
fn nodes_of_b_have_the_known_symmetry_and_channels() {
    for nodes in [2, 4, 8, 32] {
        let found = analyzed(&nodes_of_b(nodes));
        assert_eq!(found.order, (BigUint::from(128u32).pow(nodes) * factorial(nodes)).to_string());
        assert_eq!((found.pair_orbits, found.templates.len(), found.runs.len()), (4, 1, 1));
        let strict = &found.templates[0].catalog.strict;
        assert_eq!((strict.channels.as_str(), strict.orbits.len()), ("51681", 532));
        assert!(strict.complete);
        let family = found.family.expect("a regular machine");
        assert_eq!(family.phases(), (nodes as usize - 1) * 16);
    }
}

#[test]
fn the_phases_of_a_family_hold_each_pair_across_nodes_once() {
    for nodes in [2, 3] {
        let found = analyzed(&nodes_of_b(nodes));
        let family = found.family.as_ref().expect("a regular machine");
        let mut seen = BTreeSet::new();
        for phase in 0..family.phases() {
            let transfers = family.phase(&found, phase);
            assert_eq!(transfers.len(), nodes as usize * 4);
            for end in [0, 1] {
                let ends: BTreeSet<Rank> =
                    transfers.iter().map(|pair| if end == 0 { pair.0 } else { pair.1 }).collect();
                assert_eq!(ends.len(), transfers.len(), "nobody sends or receives twice");
            }
            for (src, dst) in transfers {
                assert_ne!(src.0 / 8, dst.0 / 8);
                assert!(seen.insert((src, dst)), "{src} -> {dst} twice");
            }
        }
        assert_eq!(seen.len() as u32, nodes * (nodes - 1) * 64);
        assert!(family.phase(&found, family.phases()).is_empty());
    }
}

/// One node has a slower GPU: two templates, and the others are exchanged as before.
#[test]
fn unequal_nodes_have_templates_of_their_own() {
    let found = analyzed(&format!("{}set h[1].g[3] : 12.5 GB/s\n", nodes_of_b(4)));
    assert_eq!((found.templates.len(), found.runs.len()), (2, 3));
    let own: BigUint = found.groups[1].order.parse().expect("a number");
    assert_eq!(own, BigUint::from(16u32), "the GPU, its switch and its socket are fixed");
    let others = BigUint::from(128u32).pow(3) * factorial(3);
    assert_eq!(found.order, (own * others).to_string());
    assert_eq!(found.family, None);
}

/// Four equal rails: cards stay on their rails, but rails may be exchanged in all nodes at once.
#[test]
fn rails_are_moved_together() {
    let rails = |nodes: u32| {
        format!(
            "topology \"rails\"\n{NODE}node h[{nodes}]\nfabric rail[4]\nfabric spine\n\
             h[*].n[k] -- rail[k] : 25 GB/s\nrail[*] -- spine : 100 GB/s\n"
        )
    };
    let found = analyzed(&rails(3));
    // In each node two GPUs behind each switch may be exchanged; rails like the switches of one node.
    let expected = BigUint::from(16u32).pow(3) * factorial(3) * BigUint::from(8u32);
    assert_eq!(found.order, expected.to_string());
    assert!(!found.moves.is_empty());
    assert_eq!(found.templates.len(), 1);
    assert_eq!(found.templates[0].catalog.order, "128");
}

/// The storage does not grow with the number of nodes.
#[test]
fn catalogs_are_as_long_for_many_nodes() {
    let length = |nodes| {
        let found = analyzed(&nodes_of_b(nodes));
        serde_json::to_vec(&found).expect("JSON").len()
    };
    let (few, many) = (length(2), length(16));
    assert!(many < few + 500, "{few} bytes, {many} bytes");
}
