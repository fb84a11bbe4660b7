//! Short files of real machines: what each comes to is counted by hand.

use std::collections::BTreeMap;
use variopath::base::{Digest, Rank};
use variopath::diagnostics::{Sources, render};
use variopath::dsl;
use variopath::topology::{self, Topology};

/// Nobody should have to write more.
const LONGEST: usize = 15;

fn topology(name: &str) -> Topology {
    let path = format!("tests/machines/{name}.topo");
    let text = std::fs::read_to_string(&path).expect("a machine");
    assert!(text.lines().count() <= LONGEST, "{name} has {} lines", text.lines().count());
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    let machine = dsl::parse(&sources, id).and_then(|file| {
        let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new())?;
        dsl::elaborate(&file)
    });
    let built = machine.and_then(|machine| topology::build(&machine, Digest::of(name.as_bytes())));
    built.unwrap_or_else(|errors| panic!("{}", render(&sources, &errors, false))).topology
}

/// What a machine comes to.
struct Expected {
    name: &'static str,
    /// Sockets, switches, GPUs, cards, fabrics.
    devices: [usize; 5],
    /// Directed links, and joint capacities and socket memories beside them.
    links: usize,
    shares: usize,
    nodes: usize,
    ranks: usize,
    /// Of a pair of GPUs: how many routes there are, the class and way of the first, its MB/s.
    routes: &'static [(&'static str, &'static str, usize, &'static str, u64)],
}

const MACHINES: &[Expected] = &[
    // 2 + 4 + 8 + 4 devices and 1 + 4 + 8 + 4 links a node; a link of each card to the fabric.
    Expected {
        name: "l20-cluster-32",
        devices: [64, 128, 256, 128, 1],
        links: 2 * (32 * 17 + 128),
        shares: 0,
        nodes: 32,
        ranks: 256,
        routes: &[
            ("h[0].g[0]", "h[0].g[1]", 1, "switch h[0].g[0] h[0].sw[0] h[0].g[1]", 26_300),
            (
                "h[0].g[0]",
                "h[31].g[7]",
                1,
                "network h[0].g[0] h[0].sw[0] h[0].n[0] leaf h[31].n[3] h[31].sw[3] h[31].g[7]",
                25_000,
            ),
        ],
    },
    Expected {
        name: "l20-8-broken",
        devices: [2, 4, 7, 4, 0],
        links: 2 * (1 + 4 + 7 + 4),
        shares: 0,
        nodes: 1,
        ranks: 7,
        routes: &[
            ("g[3]", "g[2]", 1, "switch g[3] sw[1] g[2]", 13_150),
            ("g[0]", "g[6]", 1, "cross g[0] sw[0] s[0] s[1] sw[3] g[6]", 26_300),
        ],
    },
    Expected {
        name: "unequal",
        devices: [4, 0, 14, 4, 1],
        links: 2 * ((1 + 8 + 2) + (1 + 6 + 2) + 4),
        shares: 0,
        nodes: 2,
        ranks: 14,
        routes: &[
            ("b.g[0]", "b.g[2]", 1, "socket b.g[0] b.s[0] b.g[2]", 26_300),
            (
                "a.g[0]",
                "b.g[5]",
                1,
                "network a.g[0] a.s[0] a.n[0] leaf b.n[1] b.s[1] b.g[5]",
                25_000,
            ),
        ],
    },
    Expected {
        name: "rails",
        devices: [64, 256, 256, 256, 9],
        links: 2 * (32 * (1 + 8 + 8 + 8) + 256 + 8),
        shares: 0,
        nodes: 32,
        ranks: 256,
        routes: &[
            (
                "h[0].g[3]",
                "h[31].g[3]",
                1,
                "network h[0].g[3] h[0].sw[3] h[0].n[3] rail[3] h[31].n[3] h[31].sw[3] h[31].g[3]",
                50_000,
            ),
            (
                "h[0].g[0]",
                "h[1].g[7]",
                1,
                "network h[0].g[0] h[0].sw[0] h[0].n[0] rail[0] spine rail[7] h[1].n[7] h[1].sw[7] \
                 h[1].g[7]",
                50_000,
            ),
        ],
    },
    Expected {
        name: "broadcom",
        devices: [2, 4, 8, 0, 0],
        links: 2 * (1 + 4 + 8),
        shares: 0,
        nodes: 1,
        ranks: 8,
        routes: &[
            ("g[0]", "g[1]", 1, "switch g[0] v[0] g[1]", 55_000),
            ("g[0]", "g[2]", 1, "socket g[0] v[0] s[0] v[1] g[2]", 55_000),
            ("g[0]", "g[7]", 1, "cross g[0] v[0] s[0] s[1] v[3] g[7]", 50_000),
        ],
    },
    Expected {
        name: "shared-nic",
        devices: [2, 2, 4, 2, 0],
        links: 2 * (2 * 4 + 1),
        shares: 0,
        nodes: 2,
        ranks: 4,
        routes: &[(
            "h[0].g[0]",
            "h[1].g[1]",
            1,
            "network h[0].g[0] h[0].sw h[0].n h[1].n h[1].sw h[1].g[1]",
            25_000,
        )],
    },
    // Each card of one node with each of the other: all are equally near.
    Expected {
        name: "leaf-spine",
        devices: [8, 0, 32, 16, 3],
        links: 2 * (8 * (4 + 2) + 16 + 2),
        shares: 0,
        nodes: 8,
        ranks: 32,
        routes: &[
            (
                "h[0].g[0]",
                "h[3].g[0]",
                4,
                "network h[0].g[0] h[0].s h[0].n[0] leaf[0] h[3].n[0] h[3].s h[3].g[0]",
                25_000,
            ),
            (
                "h[0].g[0]",
                "h[4].g[0]",
                4,
                "network h[0].g[0] h[0].s h[0].n[0] leaf[0] spine leaf[1] h[4].n[0] h[4].s \
                 h[4].g[0]",
                25_000,
            ),
        ],
    },
    Expected {
        name: "two-fabrics",
        devices: [8, 0, 16, 8, 2],
        links: 2 * (4 * (1 + 4 + 2) + 8),
        shares: 0,
        nodes: 4,
        ranks: 16,
        routes: &[
            (
                "h[0].g[0]",
                "h[1].g[1]",
                1,
                "network h[0].g[0] h[0].s[0] h[0].n[0] ethernet h[1].n[0] h[1].s[0] h[1].g[1]",
                12_500,
            ),
            (
                "h[0].g[2]",
                "h[1].g[3]",
                1,
                "network h[0].g[2] h[0].s[1] h[0].n[1] infiniband h[1].n[1] h[1].s[1] h[1].g[3]",
                25_000,
            ),
        ],
    },
    Expected {
        name: "one-way",
        devices: [2, 0, 4, 0, 0],
        links: 2 + 2 * 4,
        shares: 0,
        nodes: 1,
        ranks: 4,
        routes: &[
            ("g[0]", "g[2]", 1, "cross g[0] s[0] s[1] g[2]", 26_300),
            ("g[2]", "g[0]", 1, "cross g[2] s[1] s[0] g[0]", 26_000),
        ],
    },
    Expected {
        name: "bridged",
        devices: [2, 0, 4, 0, 0],
        links: 2 * (1 + 4 + 2),
        shares: 0,
        nodes: 1,
        ranks: 4,
        routes: &[
            ("g[0]", "g[1]", 1, "direct g[0] g[1]", 250_000),
            ("g[1]", "g[2]", 1, "cross g[1] s[0] s[1] g[2]", 26_300),
        ],
    },
    Expected {
        name: "subset",
        devices: [2, 4, 8, 4, 0],
        links: 34,
        shares: 0,
        nodes: 1,
        ranks: 4,
        routes: &[("g[6]", "g[4]", 1, "socket g[6] sw[3] s[1] sw[2] g[4]", 26_300)],
    },
    Expected {
        name: "ordered",
        devices: [8, 16, 32, 16, 1],
        links: 2 * (4 * 17 + 16),
        shares: 0,
        nodes: 4,
        ranks: 32,
        routes: &[],
    },
    // A GPU whose card is gone uses those that are left, which are equally far.
    Expected {
        name: "uneven-nics",
        devices: [4, 8, 16, 6, 1],
        links: 2 * (2 * 17 + 8 - 2 * 2),
        shares: 0,
        nodes: 2,
        ranks: 16,
        routes: &[
            (
                "h[0].g[0]",
                "h[1].g[4]",
                2,
                "network h[0].g[0] h[0].sw[0] h[0].n[0] leaf h[1].n[0] h[1].sw[0] h[1].s[0] \
                 h[1].s[1] h[1].sw[2] h[1].g[4]",
                25_000,
            ),
            (
                "h[0].g[4]",
                "h[1].g[0]",
                1,
                "network h[0].g[4] h[0].sw[2] h[0].n[2] leaf h[1].n[0] h[1].sw[0] h[1].g[0]",
                25_000,
            ),
        ],
    },
    Expected {
        name: "genoa",
        devices: [2, 0, 8, 0, 0],
        links: 2 * (1 + 8),
        shares: 1,
        nodes: 1,
        ranks: 8,
        routes: &[("g[0]", "g[4]", 1, "cross g[0] s[0] s[1] g[4] total s[0] -- s[1]", 39_000)],
    },
    Expected {
        name: "sixteen",
        devices: [2, 4, 16, 0, 0],
        links: 2 * (1 + 4 + 16),
        shares: 0,
        nodes: 1,
        ranks: 16,
        routes: &[
            ("g[0]", "g[3]", 1, "switch g[0] sw[0] g[3]", 55_000),
            ("g[14]", "g[15]", 1, "switch g[14] sw[3] g[15]", 53_000),
        ],
    },
    // Host memory is written and read: 73 GB/s are worth 36.5 to one transfer, and the cap is less.
    Expected {
        name: "four-4090",
        devices: [1, 0, 4, 0, 0],
        links: 2 * 4,
        shares: 1,
        nodes: 1,
        ranks: 4,
        routes: &[
            ("g[0]", "g[1]", 1, "bounce g[0] s g[1] memory of s memory of s", 20_100),
            ("g[0]", "g[3]", 1, "bounce g[0] s g[3] memory of s memory of s", 13_150),
        ],
    },
    Expected {
        name: "h20-rdma",
        devices: [4, 16, 16, 16, 1],
        links: 2 * (2 * (1 + 8 + 8 + 8) + 16),
        shares: 0,
        nodes: 2,
        ranks: 16,
        routes: &[(
            "h[0].g[2]",
            "h[1].g[5]",
            1,
            "network h[0].g[2] h[0].sw[2] h[0].n[2] leaf h[1].n[5] h[1].sw[5] h[1].g[5]",
            50_000,
        )],
    },
];

/// The rank of the GPU at `path`.
fn rank(topology: &Topology, path: &str) -> Rank {
    let at = topology.ranks.iter().position(|gpu| topology.vertices[gpu.index()].path == path);
    Rank::new(at.unwrap_or_else(|| panic!("{path} has a rank")))
}

#[test]
fn each_machine_is_what_was_counted_by_hand() {
    use variopath::base::DeviceKind::{Fabric, Gpu, Nic, Socket, Switch};
    for expected in MACHINES {
        let name = expected.name;
        let topology = topology(name);
        let count = |kind| topology.vertices.iter().filter(|vertex| vertex.kind == kind).count();
        assert_eq!([Socket, Switch, Gpu, Nic, Fabric].map(count), expected.devices, "{name}");
        assert_eq!(topology.links, expected.links, "{name}");
        assert_eq!(topology.resources.len() - topology.links, expected.shares, "{name}");
        assert_eq!(
            (topology.nodes, topology.ranks.len()),
            (expected.nodes, expected.ranks),
            "{name}"
        );
        for (src, dst, number, way, megabytes) in expected.routes {
            let (from, to) = (rank(&topology, src), rank(&topology, dst));
            let routes: Vec<_> = topology.routes_between(from, to).collect();
            let first = routes.first().unwrap_or_else(|| panic!("{name}: {src} -> {dst}"));
            let ends = |link: &_| {
                let link: &variopath::base::LinkId = link;
                topology.resources[link.index()].ends().expect("a link")
            };
            let path = |at: variopath::base::VertexId| topology.vertices[at.index()].path.clone();
            let mut shown = vec![format!("{:?}", first.class).to_lowercase()];
            shown.push(path(ends(&first.links[0]).0));
            shown.extend(first.links.iter().map(|link| path(ends(link).1)));
            shown.extend(first.shares.iter().map(|share| topology.resource_name(*share)));
            assert_eq!(shown.join(" "), *way, "{name}");
            assert_eq!(
                (routes.len(), first.rate.0 / 1_000_000),
                (*number, *megabytes),
                "{name}: {way}"
            );
        }
    }
}

#[test]
fn every_file_is_in_the_table() {
    let mut files: Vec<String> = std::fs::read_dir("tests/machines")
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    let mut table: Vec<String> =
        MACHINES.iter().map(|machine| format!("{}.topo", machine.name)).collect();
    files.sort();
    table.sort();
    assert_eq!(files, table);
}

#[test]
fn ranks_stand_where_the_file_puts_them() {
    let ranks = |name: &str| -> Vec<String> {
        let topology = topology(name);
        topology.ranks.iter().map(|gpu| topology.vertices[gpu.index()].path.clone()).collect()
    };
    assert_eq!(ranks("subset"), ["g[6]", "g[0]", "g[1]", "g[4]"]);
    assert_eq!(
        ranks("ordered")[..6],
        ["h[0].g[0]", "h[1].g[0]", "h[2].g[0]", "h[3].g[0]", "h[0].g[1]", "h[1].g[1]"]
    );
    assert_eq!(ranks("l20-8-broken")[3..6], ["g[3]", "g[4]", "g[6]"]);
}
