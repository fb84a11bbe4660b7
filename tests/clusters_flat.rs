//! Catalogs of several nodes against the same machines with every route listed: symmetry, and which
//! sets of transfers fit.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use variopath::analyzer::{self, Limits, analyze_cluster};
use variopath::base::{BytesPerSecond, DeviceKind, Rank, RouteId};
use variopath::catalog::{
    Catalog, Channel, ClusterCatalog, Filling, Fit, Paces, Transfer, canonical_channel, structure,
};
use variopath::diagnostics::Sources;
use variopath::topology::{self, Topology};

fn topology_of(text: &str) -> Topology {
    let (file, machine) = support::machine_of(&mut Sources::new(), "cluster.topo", text);
    topology::build(&machine, variopath::dsl::digest(&file))
        .unwrap_or_else(|faults| panic!("no routes: {faults:?}\n{text}"))
        .topology
}

/// Two or three nodes of two or three GPUs, each on one of two sockets, a card for all or one for
/// each, one fabric or a rail a card, now and then a rule and a node that differs.
fn random_cluster(random: &mut ChaCha8Rng, nodes: usize, gpus: usize) -> String {
    let pick = |random: &mut ChaCha8Rng, of: &[&'static str]| of[random.random_range(0..of.len())];
    let wide = ["20 GB/s", "25 GB/s", "40 GB/s"];
    let cards = if random.random_bool(0.5) { 1 } else { gpus };
    let mut text = String::from("topology \"flat\"\npart node {\nsocket s[2]\n");
    let _ = writeln!(text, "gpu g[{gpus}]\nnic n[{cards}]\ns[0] -- s[1] : {}", pick(random, &wide));
    let (regular, shared) = (random.random_bool(0.5), random.random_bool(0.5));
    for gpu in 0..gpus {
        let width = pick(random, if regular { &["25 GB/s"] } else { &["25 GB/s", "12 GB/s"] });
        let socket = if shared { 0 } else { gpu % 2 };
        if cards == gpus && random.random_bool(0.6) {
            // A switch of its own, so that the card is nearest to this GPU alone.
            let _ = writeln!(text, "switch w{gpu}\nw{gpu} -- s[{socket}] : 25 GB/s");
            let _ = writeln!(text, "g[{gpu}] -- w{gpu} : {width}\nn[{gpu}] -- w{gpu} : 25 GB/s");
        } else {
            let _ = writeln!(text, "g[{gpu}] -- s[{socket}] : {width}");
            if gpu < cards {
                let _ = writeln!(text, "n[{gpu}] -- s[{socket}] : {}", pick(random, &wide));
            }
        }
    }
    let rules = [
        "limit in socket : 2",
        "limit push in gpu : 1",
        "limit in node : 3",
        "limit in uplink : 1",
        "avoid from same socket to different socket",
        "total s[0] -- s[1] : 30 GB/s",
        "cap cross : 9 GB/s",
        "peer within socket",
    ];
    if random.random_bool(0.3) {
        let _ = writeln!(text, "{}", pick(random, &rules));
    }
    let _ = writeln!(text, "}}\nnode h[{nodes}]");
    let cable = pick(random, &["25 GB/s", "12 GB/s"]);
    match (cards, random.random_range(0..3)) {
        (1, _) | (_, 0) => {
            let _ = writeln!(text, "fabric leaf\nh[*].n[*] -- leaf : {cable}");
        }
        (_, 1) => {
            let _ = writeln!(
                text,
                "fabric rail[{cards}]\nfabric spine\nh[*].n[k] -- rail[k] : {cable}\n\
                 rail[*] -- spine : {}",
                pick(random, &["12 GB/s", "50 GB/s"])
            );
        }
        _ => {
            let _ = writeln!(text, "fabric leaf[2]\nleaf[0] -- leaf[1] : 25 GB/s");
            for node in 0..nodes {
                let _ = writeln!(text, "h[{node}].n[*] -- leaf[{}] : {cable}", node % 2);
            }
        }
    }
    if random.random_bool(0.3) {
        let _ = writeln!(text, "limit in {} : 2", pick(random, &["node", "socket", "switch"]));
    }
    if random.random_bool(0.3) {
        let _ = writeln!(text, "set h[1].g[1] : 12 GB/s");
    }
    text
}

/// The orbits of ordered pairs of ranks under permutations of vertices.
fn pair_orbits(catalog: &Catalog, generators: &[Vec<u32>]) -> u64 {
    let ranks = catalog.ranks as usize;
    let at: BTreeMap<u32, usize> = catalog.rank_vertices.iter().copied().zip(0..).collect();
    let image =
        |generator: &[u32], rank: usize| at[&generator[catalog.rank_vertices[rank] as usize]];
    let mut seen = BTreeSet::new();
    let mut orbits = 0;
    for first in (0..ranks * ranks).filter(|pair| pair / ranks != pair % ranks) {
        let mut queue = vec![first];
        orbits += u64::from(seen.insert(first));
        while let Some(pair) = queue.pop() {
            for generator in generators {
                let next = image(generator, pair / ranks) * ranks + image(generator, pair % ranks);
                if seen.insert(next) {
                    queue.push(next);
                }
            }
        }
    }
    orbits
}

#[test]
fn the_symmetry_is_that_of_the_machine_as_a_whole() {
    let random = &mut ChaCha8Rng::seed_from_u64(7);
    let (mut orders, mut moved) = (BTreeSet::new(), 0);
    for round in 0..120 {
        let (nodes, gpus) = (2 + round % 2, 2 + round / 2 % 2);
        let text = random_cluster(random, nodes, gpus);
        let topology = topology_of(&text);
        let limits = Limits { max_work: 1, ..Limits::strict() };
        let found = analyze_cluster(&topology, &limits)
            .unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let flat = analyzer::outline(&topology).expect("an outline");
        let whole = canonical_channel(&structure(&flat), &flat, &[]);
        assert_eq!(found.order, whole.order.to_string(), "{text}");
        assert_eq!(found.pair_orbits, pair_orbits(&flat, &whole.generators), "{text}");
        moved += usize::from(!found.moves.is_empty());
        orders.insert(found.order);
    }
    assert!(orders.len() > 12 && moved > 5, "{} orders, {moved} moves", orders.len());
}

/// All images of the stored channels of a template, as rates by route.
fn channels(template: &Catalog) -> Vec<BTreeMap<RouteId, BytesPerSecond>> {
    let ends: BTreeMap<u32, Rank> =
        template.rank_vertices.iter().copied().zip((0..).map(Rank)).collect();
    let image = |generator: &[u32], transfer: &Transfer| {
        let route = &template.routes[transfer.route.index()];
        let end = |rank: Rank| ends[&generator[template.rank_vertices[rank.index()] as usize]];
        let (src, dst) = (end(route.src), end(route.dst));
        let id = template.routes.iter().position(|other| (other.src, other.dst) == (src, dst));
        Transfer { route: RouteId::new(id.expect("an image")), pace: transfer.pace }
    };
    let families = template.two_rate.as_ref().unwrap_or(&template.strict);
    assert!(families.complete && template.strict.complete);
    let mut seen: BTreeSet<Channel> =
        families.orbits.iter().map(|orbit| orbit.representative.clone()).collect();
    let mut queue: Vec<Channel> = seen.iter().cloned().collect();
    while let Some(channel) = queue.pop() {
        for generator in &template.generators {
            let mut next: Vec<Transfer> =
                channel.0.iter().map(|transfer| image(generator, transfer)).collect();
            next.sort_unstable();
            if seen.insert(Channel(next.clone())) {
                queue.push(Channel(next));
            }
        }
    }
    assert_eq!(seen.len().to_string(), families.channels);
    let rate = |transfer: &Transfer| {
        template.routes[transfer.route.index()].rate_at(transfer.pace).expect("a rate")
    };
    let rates = |channel: &Channel| channel.0.iter().map(|one| (one.route, rate(one))).collect();
    seen.iter().map(rates).collect()
}

/// The catalog of a cluster and the flat one of the same machine.
struct Both {
    topology: Topology,
    flat: Catalog,
    cluster: ClusterCatalog,
    channels: Vec<Vec<BTreeMap<RouteId, BytesPerSecond>>>,
    /// For each node its template and its ranks.
    nodes: Vec<(usize, Vec<Rank>)>,
}

impl Both {
    fn of(text: &str) -> Self {
        let topology = topology_of(text);
        let cluster = analyze_cluster(&topology, &Limits::default())
            .unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let flat = analyzer::outline(&topology).expect("an outline");
        let channels = cluster.templates.iter().map(|one| channels(&one.catalog)).collect();
        let nodes = cluster.nodes().map(|(template, ranks)| (template as usize, ranks)).collect();
        Self { topology, flat, cluster, channels, nodes }
    }

    /// Whether each rank has one way out and one way in, so that halves are told by their rank.
    fn has_one_way(&self) -> bool {
        let ranks = (0..self.topology.ranks.len()).map(Rank::new);
        ranks.into_iter().all(|rank| {
            self.topology.egress(rank).len() == 1 && self.topology.ingress(rank).len() == 1
        })
    }

    /// Where a rank is: its node, and its number in the node's template.
    fn place(&self, rank: Rank) -> (usize, Rank) {
        let found = self.nodes.iter().enumerate().find_map(|(node, (_, ranks))| {
            Some((node, Rank::new(ranks.iter().position(|other| *other == rank)?)))
        });
        found.expect("each rank is in a node")
    }

    /// What a set of transfers at their solo rates is in each node; nothing where a half is in it
    /// twice, which no template says.
    fn parts(&self, set: &[RouteId]) -> Option<Vec<BTreeMap<RouteId, BytesPerSecond>>> {
        let mut parts = vec![BTreeMap::new(); self.nodes.len()];
        for id in set {
            let route = &self.flat.routes[id.index()];
            let ((from, src), (to, dst)) = (self.place(route.src), self.place(route.dst));
            let template = |node: usize| &self.cluster.templates[self.nodes[node].0].catalog;
            let find = |node: usize, is: &dyn Fn(Rank, Rank) -> bool| {
                let routes = &template(node).routes;
                let found = routes.iter().position(|route| is(route.src, route.dst));
                (node, RouteId::new(found.expect("a route of the template")))
            };
            let mut add = |(node, id): (usize, RouteId)| {
                let entry: &mut BTreeMap<_, _> = &mut parts[node];
                entry.insert(id, route.rate).is_none()
            };
            let is_new = if from == to {
                add(find(from, &|a, b| (a, b) == (src, dst)))
            } else {
                let (out, back) = (template(from).ranks, template(to).ranks);
                let leaves = add(find(from, &|a, b| a == src && b.0 >= out));
                add(find(to, &|a, b| b == dst && a.0 >= back)) && leaves
            };
            if !is_new {
                return None;
            }
        }
        Some(parts)
    }

    /// Whether the links between fabrics hold a set.
    fn core_holds(&self, set: &[RouteId]) -> bool {
        let is_fabric =
            |vertex: u32| self.topology.vertices[vertex as usize].kind == DeviceKind::Fabric;
        let links = self.flat.links.iter().enumerate();
        links.filter(|(_, link)| is_fabric(link.from) && is_fabric(link.to)).all(|(id, link)| {
            let routes = set.iter().map(|route| &self.flat.routes[route.index()]);
            let load: u64 = routes
                .filter(|route| route.links.iter().any(|link| link.index() == id))
                .map(|route| route.rate.0)
                .sum();
            link.capacity.is_some_and(|capacity| load <= capacity.0)
        })
    }

    fn is_contained(&self, parts: &[BTreeMap<RouteId, BytesPerSecond>]) -> bool {
        parts.iter().zip(&self.nodes).all(|(part, (template, _))| {
            self.channels[*template].iter().any(|channel| {
                part.iter().all(|(id, rate)| channel.get(id).is_some_and(|other| other >= rate))
            })
        })
    }

    /// Compares what fits with what is contained; tells both counts, or nothing for a set that no
    /// template describes.
    fn compare(&self, fit: &Fit, set: &[RouteId], text: &str) -> Option<bool> {
        let parts = self.parts(set)?;
        let mut filling = Filling::new(fit);
        let fits = set.iter().all(|&id| filling.take(Transfer::from(id)));
        let is_channel = self.core_holds(set) && self.is_contained(&parts);
        assert_eq!(fits, is_channel, "{set:?}\n{parts:?}\n{text}");
        Some(fits)
    }
}

#[test]
fn sets_fit_where_each_node_has_its_part() {
    let random = &mut ChaCha8Rng::seed_from_u64(11);
    let mut counts = [0usize; 2];
    let mut machines = 0;
    while machines < 24 {
        let (nodes, gpus) = if machines % 3 < 2 { (2, 2) } else { (3, 2) };
        let text = random_cluster(random, nodes, gpus);
        let both = Both::of(&text);
        if !both.has_one_way() {
            continue;
        }
        machines += 1;
        let fit = Fit::new(&both.flat, Paces::Solo);
        let routes = both.flat.routes.len();
        assert_eq!(routes, nodes * gpus * (nodes * gpus - 1));
        let mut check = |set: &[RouteId]| {
            if let Some(fits) = both.compare(&fit, set, &text) {
                counts[usize::from(fits)] += 1;
            }
        };
        if nodes == 2 {
            for bits in 0u32..1 << routes {
                let chosen = (0..routes).filter(|at| bits >> at & 1 == 1).map(RouteId::new);
                check(&chosen.collect::<Vec<_>>());
            }
        } else {
            for _ in 0..2000 {
                let share = random.random_range(0.05..0.35);
                let chosen = (0..routes).map(RouteId::new).filter(|_| random.random_bool(share));
                check(&chosen.collect::<Vec<_>>());
            }
        }
    }
    assert!(counts[0] > 10_000 && counts[1] > 500, "{counts:?}");
}

/// A card without a way to another node, and cards that rules give to GPUs, look like any other by their
/// links.
#[test]
fn ports_that_nobody_uses_are_no_images_of_others() {
    let host = "part host { socket s; gpu g[2] -- s : 25 GB/s; nic n[2] -- s : 25 GB/s VIA }\n\
                host h[2]\nfabric f\n";
    for (via, rest) in [
        ("", "fabric own[2]\nh[*].n[0] -- f : 25 GB/s\nh[k].n[1] -- own[k] : 25 GB/s\n"),
        ("", "fabric own\nh[*].n[0] -- f : 25 GB/s\nh[0].n[1] -- own : 25 GB/s\n"),
        ("", "h[*].n[0] -- f : 25 GB/s\nh[0].n[1] -> f : 25 GB/s\n"),
        ("\nvia g[k] : n[k]\n", "h[*].n[*] -- f : 25 GB/s\n"),
        ("\nvia g[0] : n[1]\n", "h[*].n[*] -- f : 25 GB/s\n"),
    ] {
        let text = format!("topology \"ports\"\n{}{rest}", host.replace("VIA", via));
        let topology = topology_of(&text);
        let found = analyze_cluster(&topology, &Limits::default());
        let found = found.unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        assert!(found.templates.iter().all(|template| template.catalog.strict.complete));
    }
}

/// Four GPUs on two nodes, a card each node.
const SMALL: &str = "topology \"small\"\npart node {\nsocket s\ngpu g[2]\nnic n\n\
                     g[*] -- s : 25 GB/s\nn -- s : 50 GB/s\nRULE\n}\nnode h[2]\nfabric leaf\n\
                     h[*].n -- leaf : 50 GB/s\nTOP\n";

fn small(rule: &str, top: &str) -> Topology {
    topology_of(&SMALL.replace("RULE", rule).replace("TOP", top))
}

#[test]
fn limits_count_transfers_between_nodes() {
    // One transfer at a time in a node: each of the eight between nodes is in both.
    let limited = small("", "limit in node : 1");
    let flat = analyzer::outline(&limited).expect("an outline");
    assert_eq!(flat.limits.len(), 2);
    assert!(flat.limits.iter().all(|limit| limit.routes.len() == 2 + 8));
    let demand = variopath::demand::parse_spec("uniform:1MiB", 4).expect("a demand");
    let bounds = analyzer::Bounder::new(&limited).expect("one").bounds(&demand).expect("bounds");
    let each = (1u64 << 20) * 1_000_000_000_000 / 25_000_000_000;
    // Ten transfers one after the other.
    assert!(bounds.bounds.t_eff.0.abs_diff(10 * each) < 10, "{bounds:?}");
    assert_eq!(
        limited.resource_name(bounds.bounds.critical_link.expect("one")),
        "limit of 1 in node 0"
    );
    // Inside the part the rule speaks of the two transfers within the node alone.
    let inside = small("limit in node : 1", "");
    let flat = analyzer::outline(&inside).expect("an outline");
    assert!(flat.limits.iter().all(|limit| limit.routes.len() == 2));
    let found = analyze_cluster(&limited, &Limits::default()).expect("a catalog");
    let [limit] = &found.templates[0].catalog.limits[..] else { panic!("one limit") };
    assert_eq!(limit.routes.len(), 2 + 4, "two transfers and four halves");
}

#[test]
fn rules_that_tie_nodes_together_are_refused() {
    for (top, count) in [
        ("avoid from same socket to different socket", 1),
        ("avoid pull from different socket to same socket", 1),
        ("avoid pull from same socket to different socket", 0),
        ("limit in gpu : 1", 0),
        ("limit in gpu : 1\navoid push from same gpu to same node", 1),
    ] {
        let refused = analyzer::unsupported(&small("", top));
        assert_eq!(refused.iter().count(), count, "{top}: {refused:?}");
        assert_eq!(analyzer::Bounder::new(&small("", top)).is_err(), count > 0);
        for diagnostic in refused.iter() {
            assert_eq!(diagnostic.code, analyzer::UNSUPPORTED_RULE);
            assert!(diagnostic.help.iter().any(|help| help.contains("inside the part")));
        }
    }
    // Inside a part they speak of one node.
    let inside = small("avoid from same socket to same socket", "");
    assert!(analyzer::unsupported(&inside).is_empty());
}
