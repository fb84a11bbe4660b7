//! Random machines of up to eight GPUs, with a pattern and without.

use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;

/// A machine with a pattern: what is alike is alike everywhere, and rules are few, so that groups are
/// large.
pub fn regular(seed: u64) -> String {
    let mut draft = Draft::new("regular", seed, 0.35);
    match seed % 6 {
        0 => draft.equal_sockets(),
        1 => draft.equal_switches(),
        2 => draft.circles(),
        3 => draft.sets(),
        4 => draft.parts(),
        _ => draft.cards(),
    }
    draft.text
}

/// A machine of mixed widths, GPUs at any place, with any rules.
pub fn irregular(seed: u64) -> String {
    let mut draft = Draft::new("irregular", seed, 0.6);
    draft.any();
    draft.text
}

/// A file in the making.
struct Draft {
    text: String,
    random: ChaCha8Rng,
    /// How often a line is added that may be left out.
    chance: f64,
}

impl Draft {
    fn new(name: &str, seed: u64, chance: f64) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Self { text: format!("topology \"{name}\"\n"), random, chance }
    }

    fn line(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{line}");
    }

    fn up_to(&mut self, least: usize, most: usize) -> usize {
        self.random.random_range(least..=most)
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.random.random_range(0..values.len())]
    }

    /// Adds one of the lines or none.
    fn maybe(&mut self, lines: &[&str]) {
        if self.random.random_bool(self.chance) {
            let line = self.one_of(lines);
            self.line(line);
        }
    }

    /// GPUs at these places and rates, their numbers in any order.
    fn gpus(&mut self, places: &[(String, &str)]) {
        let mut gpus: Vec<usize> = (0..places.len()).collect();
        gpus.shuffle(&mut self.random);
        self.line(format!("gpu g[{}]", gpus.len()));
        for (gpu, (place, rate)) in gpus.iter().zip(places) {
            self.line(format!("g[{gpu}] -- {place} : {rate}"));
        }
    }

    /// So many GPUs, dealt out over places that are called `name[0]`, `name[1]` and so on.
    fn dealt(&mut self, name: &str, places: usize, gpus: usize) {
        let place = |gpu| (format!("{name}[{}]", gpu % places), "25 GB/s");
        self.gpus(&(0..gpus).map(place).collect::<Vec<_>>());
    }

    /// Up to three sockets in a circle, as wide one way round as is said and of 40 GB/s the other.
    fn sockets(&mut self, sockets: usize, back: &str) {
        self.line(format!("socket s[{sockets}]"));
        let circle = [(0, 1), (1, 2), (2, 0)];
        for (from, to) in circle.into_iter().filter(|(from, to)| from.max(to) < &sockets) {
            self.line(format!("s[{from}] -> s[{to}] : 40 GB/s"));
            self.line(format!("s[{to}] -> s[{from}] : {back}"));
        }
    }

    /// As many GPUs on each socket.
    fn equal_sockets(&mut self) {
        let sockets = self.up_to(1, 3);
        let each = self.up_to(2, 8 / sockets);
        let back = self.one_of(&["40 GB/s", "30 GB/s"]);
        self.sockets(sockets, back);
        self.dealt("s", sockets, sockets * each);
        self.maybe(&["peer within socket", "peer none", "cap socket : 20 GB/s"]);
        self.maybe(&["set s[*] { memory 60 GB/s }", "total s[*] : 70 GB/s"]);
        self.maybe(&["limit in socket : 2", "limit push in gpu : 1", "limit in node : 3"]);
        self.maybe(&[
            "avoid from same socket to different socket",
            "avoid from different gpu to same gpu",
            "avoid from same socket to same socket : 12 GB/s",
        ]);
    }

    /// Two sockets, as many switches on each, as many GPUs on each of those.
    fn equal_switches(&mut self) {
        let switches = self.one_of(&[2, 4]);
        let each = self.up_to(2, 8 / switches);
        self.sockets(2, "40 GB/s");
        self.line(format!("switch w[{switches}] -- s[k/{}] : 25 GB/s", switches / 2));
        self.dealt("w", switches, switches * each);
        self.maybe(&["nic n[2] -- s[k] : 25 GB/s", "nic n -- w[0] : 25 GB/s"]);
        self.maybe(&["total w[k] : 45 GB/s", "total w[0], w[1] : 60 GB/s"]);
        self.maybe(&["limit in switch : 2", "limit push in uplink : 1"]);
        self.maybe(&[
            "avoid push from same switch to different uplink : 2.7 GB/s",
            "avoid from different gpu to same switch : 9 GB/s",
        ]);
        self.maybe(&["cap cross : 9 GB/s", "forbid g[0] -- g[1]", "set g[0] : 13 GB/s"]);
    }

    /// GPUs that do not push to the next one of their circle; circles of different lengths look alike
    /// from each GPU.
    fn circles(&mut self) {
        let lengths: &[usize] = self.one_of(&[&[3, 4][..], &[3, 3], &[4, 4], &[3, 5], &[8], &[6]]);
        let arrow = self.one_of(&["->", "--"]);
        let mode = self.one_of(&["push ", ""]);
        self.sockets(1, "");
        let count = lengths.iter().sum();
        self.dealt("s", 1, count);
        let mut gpus: Vec<usize> = (0..count).collect();
        gpus.shuffle(&mut self.random);
        let mut rest = gpus.as_slice();
        for &length in lengths {
            let (circle, others) = rest.split_at(length);
            for (at, gpu) in circle.iter().enumerate() {
                let next = circle[(at + 1) % length];
                self.line(format!("forbid {mode}g[{gpu}] {arrow} g[{next}]"));
            }
            rest = others;
        }
        self.maybe(&["avoid from different gpu to same gpu", "limit pull in gpu : 1"]);
    }

    /// Totals over sets of GPUs, each set a step further round a circle.
    fn sets(&mut self) {
        let gpus = self.up_to(6, 8);
        let set: &[usize] = self.one_of(&[&[0, 1, 3][..], &[0, 1, 2], &[0, 2], &[0, 3]]);
        self.sockets(1, "");
        self.dealt("s", 1, gpus);
        for first in 0..gpus {
            let names = set.iter().map(|at| format!("g[{}]", (first + at) % gpus));
            let names: Vec<_> = names.collect();
            self.line(format!("total {} : 60 GB/s", names.join(", ")));
        }
        self.maybe(&["total g[0] : 24 GB/s", "limit in gpu : 2"]);
    }

    /// Two instances of a part with rules of its own, and what joins them.
    fn parts(&mut self) {
        let each = self.up_to(2, 4);
        self.line("part half {\nsocket s\nswitch w -- s : 25 GB/s");
        self.line(format!("gpu g[{each}] -- w : 25 GB/s"));
        self.maybe(&["limit in switch : 1", "cap switch : 11 GB/s"]);
        self.maybe(&["avoid from same switch to same socket", "peer none"]);
        self.line("}\nhalf h[2]\nh[0].s -- h[1].s : 40 GB/s");
        self.maybe(&["limit in socket : 2", "set h[*].s { memory 60 GB/s }"]);
    }

    /// Network cards on two switches, over which transfers also go back into the node.
    fn cards(&mut self) {
        let gpus = self.up_to(3, 4);
        self.sockets(1, "");
        self.line("switch w[2] -- s[0] : 25 GB/s\nfabric f");
        self.dealt("w", 2, gpus);
        let cards = self.up_to(2, 4);
        self.line(format!("nic n[{cards}]"));
        for card in 0..cards {
            self.line(format!("n[{card}] -- w[{}] : 25 GB/s", card % 2));
        }
        let via = self.one_of(&["via any", "via nearest", "via g[0] : n[0], n[1]"]);
        self.line(format!("n[*] -- f : 12 GB/s\nloopback\n{via}"));
        self.maybe(&["cap loopback : 11 GB/s", "peer nic none"]);
        self.maybe(&["total n[0] : 20 GB/s", "limit in uplink : 1"]);
    }

    /// Anything anywhere.
    fn any(&mut self) {
        let sockets = self.up_to(1, 3);
        let back = self.one_of(&["40 GB/s", "30 GB/s", "20 GB/s"]);
        self.sockets(sockets, back);
        let switches = self.up_to(1, 2);
        self.line(format!("link x16 = 25 GB/s\nswitch w[{switches}]"));
        for switch in 0..switches {
            let socket = self.up_to(0, sockets - 1);
            let rate = self.one_of(&["25 GB/s", "40 GB/s"]);
            self.line(format!("w[{switch}] -- s[{socket}] : {rate}"));
        }
        // Few places and widths, so that some machines have symmetry.
        let widths = self.up_to(1, 3);
        let mut places = Vec::new();
        for _ in 0..self.up_to(3, 8) {
            let at = self.up_to(0, sockets + switches - 1);
            let at = if at < sockets { format!("s[{at}]") } else { format!("w[{}]", at - sockets) };
            places.push((at, self.one_of(&["x16", "25 GB/s, latency 2 us", "9 GB/s"][..widths])));
        }
        self.gpus(&places);
        self.maybe(&["nic n -- s[0] : x16", "nic n[2] -- w[0] : x16"]);
        self.maybe(&["total s[0] : 60 GB/s", "total w[0] : 30 GB/s"]);
        self.maybe(&["total g[0], g[1] : 40 GB/s", "total g[*] : 90 GB/s"]);
        self.maybe(&["set s[0] { memory 50 GB/s }", "set s[*] { memory 45 GB/s }"]);
        self.maybe(&["peer within socket", "peer within switch", "peer none"]);
        self.maybe(&["forbid g[0] -> g[*]", "forbid push g[*] -> g[1]", "ranks g[0..3]"]);
        self.maybe(&["cap cross : 9 GB/s", "cap socket push : 20 GB/s"]);
        self.maybe(&[
            "avoid from same socket to different socket",
            "avoid push from same switch to same socket : 3 GB/s",
            "avoid from different gpu to same gpu : 12 GB/s",
        ]);
        self.maybe(&["limit in socket : 2", "limit push in gpu : 1", "limit in uplink : 1"]);
        self.maybe(&["efficiency x16 : 2 90%", "efficiency x16 push : 2 95%, 3 80%"]);
    }
}
