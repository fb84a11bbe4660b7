//! The analyzer's channels on machines of six and seven GPUs against a second enumeration.
//!
//! A few machines by default; `VARIOPATH_ENUMERATED_MACHINES=300 cargo test --release --test
//! enumerated` goes through as many.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use variopath::analyzer::{Limits, analyze};
use variopath::catalog::Families;
use variopath::diagnostics::Sources;
use variopath::topology::{self, Topology};

/// Two or three sockets, a switch on one of them, six or seven GPUs of two widths, and now and then
/// a rule. Half of the machines have equal GPUs at some places, the others hardly any symmetry.
fn random_machine(random: &mut ChaCha8Rng, gpus: usize) -> String {
    let mut text = String::from("topology \"enumerated\"\nswitch w\n");
    let sockets = random.random_range(2..=3);
    let wide = ["20 GB/s", "40 GB/s", "50 GB/s"];
    let narrow = ["25 GB/s", "12 GB/s"];
    let _ = writeln!(text, "socket s[{sockets}]\ngpu g[{gpus}]");
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        if b < sockets {
            let _ = writeln!(text, "s[{a}] -- s[{b}] : {}", wide[random.random_range(0..3)]);
        }
    }
    let _ = writeln!(text, "w -- s[{}] : 25 GB/s", sockets - 1);
    let regular = random.random_bool(0.5);
    for gpu in 0..gpus {
        let place = if regular { gpu % (sockets + 1) } else { random.random_range(0..=sockets) };
        let width = narrow[if regular { place % 2 } else { random.random_range(0..2) }];
        let parent = if place == sockets { "w".to_owned() } else { format!("s[{place}]") };
        let _ = writeln!(text, "g[{gpu}] -- {parent} : {width}");
    }
    let mut maybe = |lines: &[&str]| {
        if random.random_bool(0.3) {
            let _ = writeln!(text, "{}", lines[random.random_range(0..lines.len())]);
        }
    };
    maybe(&["total s[0] -- s[1] : 45 GB/s", "total s[0] : 60 GB/s", "set s[1] { memory 70 GB/s }"]);
    maybe(&["peer within socket", "forbid g[0] -> g[*]", "cap cross : 9 GB/s"]);
    maybe(&[
        "avoid from same socket to different socket",
        "avoid push from same switch to same socket",
        "limit in socket : 3",
        "limit push in gpu : 1",
    ]);
    text
}

/// Something of which there is so much; transfers take of it.
struct Counter {
    room: u64,
    /// The load of the transfers decided on.
    load: u64,
    /// What the transfers that are not decided on may still take.
    open: u64,
}

/// All ways to give each route a speed such that no counter overflows and none can be raised.
struct Enumeration {
    counters: Vec<Counter>,
    /// For each route and speed (none first, then the slowest) what it takes of which counters.
    takes: Vec<Vec<Vec<(usize, u64)>>>,
    chosen: Vec<u8>,
    found: BTreeSet<Vec<u8>>,
}

impl Enumeration {
    /// Counters are resources, limits, and one with room for one transfer for each two routes that
    /// never run together.
    fn of(topology: &Topology, paced: bool) -> Self {
        let mut room: Vec<u64> =
            topology.resources.iter().map(|r| r.capacity.map_or(0, |rate| rate.0)).collect();
        let mut marks: Vec<Vec<usize>> = vec![Vec::new(); topology.routes.len()];
        let mut mark = |most: u64, routes: &[usize]| {
            routes.iter().for_each(|&route| marks[route].push(room.len()));
            room.push(most);
        };
        for limit in topology.limits() {
            mark(limit.most, &limit.routes.iter().map(|id| id.index()).collect::<Vec<_>>());
        }
        for (a, b) in topology.kept_apart() {
            mark(1, &[a.index(), b.index()]);
        }
        let mut takes = Vec::new();
        for (route, marks) in topology.routes.iter().zip(&marks) {
            let mut times: BTreeMap<usize, u64> = BTreeMap::new();
            route.takes().for_each(|id| *times.entry(id.index()).or_default() += 1);
            let mut speeds = BTreeSet::from([route.rate.0]);
            for (&id, &times) in times.iter().filter(|_| paced) {
                let share = room[id] / times;
                speeds.insert((share / share.div_ceil(route.rate.0)).min(route.rate.0));
            }
            let at = |speed: u64| {
                let mut takes: Vec<_> = times.iter().map(|(&id, &n)| (id, n * speed)).collect();
                takes.extend(marks.iter().map(|&id| (id, 1)));
                takes
            };
            takes.push([Vec::new()].into_iter().chain(speeds.into_iter().map(at)).collect());
        }
        let counters = room.into_iter().map(|room| Counter { room, load: 0, open: 0 }).collect();
        let mut enumeration = Self { counters, takes, chosen: Vec::new(), found: BTreeSet::new() };
        for route in 0..enumeration.takes.len() {
            for (id, most) in enumeration.fastest(route) {
                enumeration.counters[id].open += most;
            }
        }
        enumeration.branch();
        enumeration
    }

    fn fastest(&self, route: usize) -> Vec<(usize, u64)> {
        self.takes[route].last().cloned().unwrap_or_default()
    }

    /// What the route takes less at a speed than at the next one.
    fn step(&self, route: usize, speed: u8) -> Option<impl Iterator<Item = (usize, u64)> + '_> {
        let speeds = &self.takes[route];
        let (now, next) = (&speeds[usize::from(speed)], speeds.get(usize::from(speed) + 1)?);
        let own = |id| now.iter().find(|take| take.0 == id).map_or(0, |take| take.1);
        Some(next.iter().map(move |&(id, take)| (id, take - own(id))))
    }

    fn branch(&mut self) {
        // A decided route that nothing to come can keep from going faster leads to no maximal set.
        let hopeless = self.chosen.iter().enumerate().any(|(route, &speed)| {
            self.step(route, speed).is_some_and(|mut step| {
                step.all(|(id, more)| {
                    let Counter { room, load, open } = self.counters[id];
                    room.min(load + open) + more <= room
                })
            })
        });
        if hopeless {
            return;
        }
        let route = self.chosen.len();
        if route == self.takes.len() {
            self.found.insert(self.chosen.clone());
            return;
        }
        let fastest = self.fastest(route);
        fastest.iter().for_each(|&(id, most)| self.counters[id].open -= most);
        for speed in 0..self.takes[route].len() {
            let takes = self.takes[route][speed].clone();
            let fits = |&(id, take): &(usize, u64)| {
                self.counters[id].load + take <= self.counters[id].room
            };
            if takes.iter().all(fits) {
                takes.iter().for_each(|&(id, take)| self.counters[id].load += take);
                self.chosen.push(speed as u8);
                self.branch();
                self.chosen.pop();
                takes.iter().for_each(|&(id, take)| self.counters[id].load -= take);
            }
        }
        fastest.iter().for_each(|&(id, most)| self.counters[id].open += most);
    }

    /// As many as the families count, and every representative among them.
    fn agrees(&self, families: &Families, text: &str) {
        assert!(families.complete, "{text}");
        assert_eq!(families.channels, self.found.len().to_string(), "{text}");
        for orbit in &families.orbits {
            let mut chosen = vec![0; self.takes.len()];
            for member in &orbit.representative.0 {
                let speeds = self.takes[member.route.index()].len() as u8;
                chosen[member.route.index()] = speeds - 1 - member.pace;
            }
            assert!(self.found.contains(&chosen), "{:?}\n{text}", orbit.representative);
        }
    }
}

#[test]
fn channels_of_six_and_seven_gpus_equal_a_second_enumeration() {
    let asked = std::env::var("VARIOPATH_ENUMERATED_MACHINES").ok();
    let machines: usize = asked.map_or(2, |count| count.parse().expect("a number of machines"));
    let mut random = ChaCha8Rng::seed_from_u64(67);
    let (mut channels, mut paced) = (0, 0);
    for case in 0..machines {
        let text = random_machine(&mut random, if case % 3 == 2 { 7 } else { 6 });
        let mut sources = Sources::new();
        let (file, machine) = support::machine_of(&mut sources, "enumerated.topo", &text);
        let built = topology::build(&machine, variopath::dsl::digest(&file));
        let topology = built.unwrap_or_else(|_| panic!("no routes:\n{text}")).topology;
        let limits = Limits { max_orbits: usize::MAX, max_work: u64::MAX, ..Limits::default() };
        let catalog = analyze(&topology, &limits).expect("a catalog");
        let strict = Enumeration::of(&topology, false);
        strict.agrees(&catalog.strict, &text);
        let two_rate = Enumeration::of(&topology, true);
        if let Some(families) = &catalog.two_rate {
            two_rate.agrees(families, &text);
            paced += 1;
        } else {
            assert_eq!(strict.found.len(), two_rate.found.len(), "{text}");
        }
        channels += strict.found.len() + two_rate.found.len();
    }
    assert!(channels > 100 * machines && paced > machines / 4, "{channels} channels, {paced}");
}
