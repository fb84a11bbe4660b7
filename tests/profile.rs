//! Links that lose by the number of transfers, against a model of its own on small machines: rates,
//! channels, the group, and bounds held against linear programs over all channels.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use support::machine_of;
use variopath::analyzer::{Limits, analyze, exact_optimum, outline};
use variopath::base::{Demand, Mode};
use variopath::catalog::{Catalog, Paces, bounds};
use variopath::diagnostics::Sources;
use variopath::lp::Covering;
use variopath::topology::{ResourceKind, Rule, Topology};
use variopath::{dsl, topology};

/// A machine of three or four GPUs whose links have names, and lose.
fn random_machine(random: &mut ChaCha8Rng) -> String {
    let mut pick = |of: &[&'static str]| of[random.random_range(0..of.len())];
    let rates = ["10 GB/s", "20 GB/s", "20.3 GB/s", "25 GB/s", "40 GB/s"];
    let mut text = format!(
        "topology \"small\"\nlink across = {}\nlink up = {}\nlink one = {}\nlink two = {}\n\
         socket s[2]\nswitch w\ns[0] -- s[1] : across\nw -- s[1] : up\n",
        pick(&rates),
        pick(&rates),
        pick(&rates[..4]),
        pick(&rates[..4])
    );
    let gpus = if pick(&["3", "4"]) == "3" { 3 } else { 4 };
    let _ = writeln!(text, "gpu g[{gpus}]");
    for gpu in 0..gpus {
        let (parent, link) = (pick(&["s[0]", "s[1]", "w"]), pick(&["one", "one", "two"]));
        let _ = writeln!(text, "g[{gpu}] -- {parent} : {link}");
    }
    for line in [
        ["efficiency across : 2 90%", "efficiency across : 2 99%, 3 70%"],
        ["efficiency across push : 2 80%", "efficiency across : 3 60%"],
        ["efficiency up : 1 95%, 2 81%", "efficiency up pull : 1 50%, 2 40%"],
        ["efficiency one : 2 80%", "efficiency one push : 1 98%, 3 60%"],
        ["cap cross pull : 30 GB/s\ncap cross push : 10.1 GB/s", "forbid push g[0] -- g[1]"],
        ["cap socket : 12.4 GB/s", "cap switch : 6.7 GB/s"],
        ["avoid from same node to same gpu", "avoid from different socket to same socket"],
        ["limit in uplink : 2", "limit in gpu : 1"],
        ["total s[0] -- s[1] : 41 GB/s", "peer within socket"],
    ] {
        if pick(&["yes", "no"]) == "yes" {
            text.push_str(pick(&line));
            text.push('\n');
        }
    }
    text
}

/// What a resource gives to so many transfers that push and pull.
fn given(topology: &Topology, id: usize, push: usize, pull: usize) -> u64 {
    let resource = &topology.resources[id];
    let capacity = resource.capacity.expect("known").0;
    let mut least = capacity;
    for (wanted, count) in [(None, push + pull), (Some(Mode::Push), push), (Some(Mode::Pull), pull)]
    {
        let steps = topology.rules.iter().rev().find_map(|placed| match &placed.rule {
            Rule::Efficiency { links, mode, steps }
                if *mode == wanted && resource.link().is_some_and(|at| links.contains(&at)) =>
            {
                Some(steps)
            }
            _ => None,
        });
        for (from, percent) in steps.into_iter().flatten() {
            if count as u64 >= *from {
                least = least.min(capacity * percent / 100);
            }
        }
    }
    least
}

/// What holds of a machine, from its links and rules alone.
struct Model<'a> {
    topology: &'a Topology,
    apart: BTreeSet<(usize, usize)>,
    limits: Vec<(Vec<usize>, usize)>,
    /// By route and resource, how often it is taken.
    times: Vec<Vec<u64>>,
    /// By resource, what is given to so many pushes and pulls.
    given: Vec<Vec<[u64; MOST]>>,
}

/// More than the routes of four GPUs.
const MOST: usize = 13;

impl<'a> Model<'a> {
    fn new(topology: &'a Topology) -> Self {
        let pairs = topology.kept_apart().into_iter();
        let limits = topology
            .limits()
            .into_iter()
            .map(|limit| (limit.routes.iter().map(|id| id.index()).collect(), limit.most as usize));
        let count = topology.resources.len();
        let taken = topology.routes.iter().map(|route| {
            let times = |id| route.takes().filter(|taken| taken.index() == id).count() as u64;
            (0..count).map(times).collect()
        });
        let numbers = |id| {
            let pulls = |push| std::array::from_fn(|pull| given(topology, id, push, pull));
            (0..MOST).map(pulls).collect()
        };
        Self {
            topology,
            times: taken.collect(),
            given: (0..count).map(numbers).collect(),
            apart: pairs.map(|(a, b)| (a.index(), b.index())).collect(),
            limits: limits.collect(),
        }
    }

    fn times(&self, route: usize, id: usize) -> u64 {
        self.times[route][id]
    }

    fn push(&self, route: usize) -> bool {
        self.topology.routes[route].mode == Mode::Push
    }

    /// Whether a share of what is given to some transfers like this one keeps the rate from being
    /// the solo rate, and which; for the rate of the route alone, and the solo and paced ones.
    fn rates(&self, route: usize) -> Vec<u64> {
        let found = &self.topology.routes[route];
        let taken: Vec<usize> =
            (0..self.topology.resources.len()).filter(|&id| self.times(route, id) > 0).collect();
        let share_of = |id: usize, count: usize| {
            // No step is as high as the number beyond the table.
            let count = count.min(MOST - 1);
            let (push, pull) = if self.push(route) { (count, 0) } else { (0, count) };
            self.given[id][push][pull] / self.times(route, id)
        };
        let least = |rate: u64, id: usize| (1..200).find(|&n| rate * n as u64 >= share_of(id, n));
        let alone = taken.iter().map(|&id| share_of(id, 1)).min().expect("some");
        let alone = alone.min(found.rate.0);
        let mut solo = alone;
        loop {
            let lower = taken.iter().filter_map(|&id| {
                let n = least(solo, id)?;
                let users = (0..self.topology.routes.len()).filter(|&r| self.times(r, id) > 0);
                let share = share_of(id, n) / n as u64;
                let near = n as u64 * alone * 100 <= share_of(id, n) * 102;
                let even = n > 1 && share_of(id, n - 1) / (n as u64 - 1) == solo;
                (share < solo && near && !even && n <= users.count()).then_some(share)
            });
            match lower.max() {
                Some(lower) => solo = lower,
                None => break,
            }
        }
        let paced = taken.iter().filter_map(|&id| {
            let n = least(alone, id)?;
            Some(share_of(id, n) / n as u64).filter(|share| *share < solo)
        });
        let mut rates: Vec<u64> = paced.chain([solo, 0]).collect();
        rates.sort_unstable();
        rates.dedup();
        rates
    }

    /// Whether transfers at these speeds run together.
    fn fits(&self, speeds: &[u64]) -> bool {
        let running: Vec<usize> = (0..speeds.len()).filter(|&route| speeds[route] > 0).collect();
        (0..self.topology.resources.len()).all(|id| {
            let (mut load, mut numbers) = (0, [0; 2]);
            for &route in running.iter().filter(|route| self.times[**route][id] > 0) {
                load += speeds[route] * self.times[route][id];
                numbers[usize::from(!self.push(route))] += 1;
            }
            load <= self.given[id][numbers[0]][numbers[1]]
        }) && running.iter().all(|&a| running.iter().all(|&b| !self.apart.contains(&(a, b))))
            && self.limits.iter().all(|(routes, most)| {
                running.iter().filter(|route| routes.contains(route)).count() <= *most
            })
    }

    /// All maximal ways to give each route one of its speeds, each as what it is.
    fn maximal(&self, speeds: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let mut found = Vec::new();
        self.extend(speeds, &mut Vec::new(), &mut found);
        found
    }

    fn extend(&self, speeds: &[Vec<u64>], chosen: &mut Vec<u64>, found: &mut Vec<Vec<u64>>) {
        let at = chosen.len();
        if at == speeds.len() {
            let raised = (0..at).any(|route| {
                let mut more = chosen.clone();
                speeds[route].iter().filter(|speed| **speed > chosen[route]).any(|&speed| {
                    more[route] = speed;
                    self.fits(&more)
                })
            });
            if !raised {
                found.push(chosen.clone());
            }
            return;
        }
        for &speed in &speeds[at] {
            chosen.push(speed);
            if self.fits(chosen) {
                self.extend(speeds, chosen, found);
            }
            chosen.pop();
        }
    }

    /// The least time of a demand over these channels, in picoseconds.
    fn optimum(&self, channels: &[Vec<u64>], speeds: &[Vec<u64>], demand: &Demand) -> f64 {
        let routes = &self.topology.routes;
        let solo = |route: usize| *speeds[route].last().expect("a speed");
        let bytes = |route: usize| demand.get(routes[route].src, routes[route].dst).0;
        let rows: Vec<usize> = (0..routes.len()).filter(|&route| bytes(route) > 0).collect();
        let times: Vec<f64> =
            rows.iter().map(|&r| bytes(r) as f64 * 1e12 / solo(r) as f64).collect();
        let mut program = Covering::new(&times);
        for channel in channels {
            let part = |(row, &route): (usize, &usize)| {
                let part = channel[route] as f64 / solo(route) as f64;
                (part > 0.0).then_some((row as u32, part))
            };
            program.add_column(rows.iter().enumerate().filter_map(part).collect());
        }
        let largest = times.iter().copied().fold(0.0, f64::max);
        program.cover().expect("a cover").iter().sum::<f64>() * largest / 1000.0
    }

    /// The permutations of devices that keep kinds, links, what they lose, rules and routes.
    fn order(&self) -> usize {
        let topology = self.topology;
        let n = topology.vertices.len();
        let mut between = vec![Vec::new(); n * n];
        for (id, resource) in topology.resources.iter().enumerate() {
            let ResourceKind::Link { from, to, .. } = resource.kind else { continue };
            between[from.index() * n + to.index()].push(format!("{:?}", self.given[id]));
        }
        for route in &topology.routes {
            let at = |rank: variopath::base::Rank| topology.ranks[rank.index()].index();
            between[at(route.src) * n + at(route.dst)]
                .push(format!("{} {} {}", route.class, route.mode, route.rate.0));
        }
        let kind = |vertex: usize| topology.vertices[vertex].kind;
        fn extend(
            n: usize,
            agree: &dyn Fn(&[usize], usize) -> bool,
            image: &mut Vec<usize>,
        ) -> usize {
            if image.len() == n {
                return 1;
            }
            let mut count = 0;
            for candidate in 0..n {
                if !image.contains(&candidate) && agree(image, candidate) {
                    image.push(candidate);
                    count += extend(n, agree, image);
                    image.pop();
                }
            }
            count
        }
        let agree = |image: &[usize], candidate: usize| {
            let at = image.len();
            kind(at) == kind(candidate)
                && (0..at).all(|other| {
                    between[at * n + other] == between[candidate * n + image[other]]
                        && between[other * n + at] == between[image[other] * n + candidate]
                })
        };
        extend(n, &agree, &mut Vec::new())
    }
}

fn topology_of(text: &str) -> Topology {
    let mut sources = Sources::new();
    let (file, machine) = machine_of(&mut sources, "small.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("a topology").topology
}

fn random_demand(random: &mut ChaCha8Rng, ranks: usize) -> Demand {
    let entry = |index: usize, random: &mut ChaCha8Rng| match index % (ranks + 1) {
        0 => 0,
        _ if random.random_bool(0.3) => 0,
        _ => random.random_range(1..=64) << random.random_range(12..=20),
    };
    let bytes = (0..ranks * ranks).map(|index| entry(index, random)).collect();
    Demand::new(ranks, bytes).expect("a demand")
}

/// Rates, numbers of channels and the order of the group are those of the model.
fn agrees(model: &Model<'_>, catalog: &Catalog, speeds: &[Vec<u64>], text: &str) {
    for (route, speeds) in catalog.routes.iter().zip(speeds) {
        let mut found: Vec<u64> = route.paced.iter().map(|rate| rate.0).collect();
        found.extend([route.rate.0, 0]);
        found.sort_unstable();
        assert_eq!(&found, speeds, "{}>{}\n{text}", route.src, route.dst);
    }
    assert_eq!(catalog.order, model.order().to_string(), "{text}");
}

/// Machines tried.
const CASES: usize = 40;

#[test]
fn channels_and_bounds_of_links_that_lose_equal_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let (mut lossy, mut scaled, mut apart, mut paced, mut reached) = (0, 0, 0, 0, 0);
    for case in 0..CASES {
        let text = random_machine(&mut random);
        let topology = topology_of(&text);
        let model = Model::new(&topology);
        let speeds: Vec<Vec<u64>> = (0..topology.routes.len()).map(|r| model.rates(r)).collect();
        let catalog = analyze(&topology, &Limits::default()).expect("a catalog");
        agrees(&model, &catalog, &speeds, &text);
        let solo: Vec<Vec<u64>> =
            speeds.iter().map(|speeds| vec![0, *speeds.last().expect("a speed")]).collect();
        let strict = model.maximal(&solo);
        assert_eq!(catalog.strict.channels, strict.len().to_string(), "{case}:\n{text}");
        let demand = random_demand(&mut random, topology.ranks.len());
        let found = bounds(&catalog, &demand).expect("bounds");
        let least = model.optimum(&strict, &solo, &demand);
        assert!(found.t_eff.0 as f64 <= least * (1.0 + 1e-6) + 1.0, "{case}: {least}\n{text}");
        let exact = exact_optimum(&catalog, &demand, Paces::Solo, None).expect("an optimum");
        let near = |time: u64| (time as f64 - least).abs() <= least * 1e-5 + 10.0;
        assert!(near(exact.upper.0) && near(exact.lower.0), "{case}: {least} {exact:?}\n{text}");
        reached += usize::from(near(found.t_eff.0));
        if let Some(two_rate) = &catalog.two_rate {
            let all = model.maximal(&speeds);
            assert_eq!(two_rate.channels, all.len().to_string(), "{case}:\n{text}");
            let least = model.optimum(&all, &speeds, &demand);
            assert!(found.t_star.0 as f64 <= least * (1.0 + 1e-6) + 1.0, "{case}: {least}\n{text}");
            paced += 1;
        }
        lossy += usize::from(!catalog.efficiency.is_empty());
        apart += usize::from(!catalog.forbidden.is_empty());
        let mut pairs = catalog.routes.iter().zip(&topology.routes);
        scaled += usize::from(pairs.any(|(planned, route)| planned.rate < route.rate));
        // The ideal setting knows nothing of it.
        assert!(outline(&topology.ideal()).expect("a catalog").efficiency.is_empty());
    }
    let met = [lossy, scaled, apart, paced, reached];
    assert!(met.iter().all(|count| *count > 10), "{met:?}");
}
