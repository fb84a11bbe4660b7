//! Random machines of up to eight GPUs, with a pattern and without.

use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;

/// Joins GPUs to their places, the numbers of the GPUs in any order.
fn place(text: &mut String, random: &mut ChaCha8Rng, places: &[(String, &str)]) {
    let mut gpus: Vec<usize> = (0..places.len()).collect();
    gpus.shuffle(random);
    let _ = writeln!(text, "gpu g[{}]", gpus.len());
    for (gpu, (place, rate)) in gpus.iter().zip(places) {
        let _ = writeln!(text, "g[{gpu}] -- {place} : {rate}");
    }
}

/// Adds one of the lines, or none, as often as not.
fn maybe(text: &mut String, random: &mut ChaCha8Rng, lines: &[&str]) {
    if random.random_bool(0.5) {
        let _ = writeln!(text, "{}", lines[random.random_range(0..lines.len())]);
    }
}

/// Sockets that are all joined to each other, perhaps wider in one direction of the circle.
fn sockets(text: &mut String, sockets: usize, back: &str) {
    let _ = writeln!(text, "socket s[{sockets}]");
    for a in 0..sockets {
        for b in a + 1..sockets {
            // Round the circle: 0 to 1 to 2 to 0.
            let (from, to) = if b == a + 1 { (a, b) } else { (b, a) };
            let _ = writeln!(text, "s[{from}] -> s[{to}] : 40 GB/s");
            let _ = writeln!(text, "s[{to}] -> s[{from}] : {back}");
        }
    }
}

/// A machine with a pattern: what is alike is alike everywhere, so that groups are large.
pub fn regular(seed: u64) -> String {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut text = String::from("topology \"regular\"\n");
    match seed % 6 {
        0 => equal_sockets(&mut text, random),
        1 => equal_switches(&mut text, random),
        2 => circles(&mut text, random),
        3 => threes(&mut text, random),
        4 => parts(&mut text, random),
        _ => cards(&mut text, random),
    }
    text
}

/// As many GPUs on each socket.
fn equal_sockets(text: &mut String, random: &mut ChaCha8Rng) {
    let count = random.random_range(1..=3);
    let each = random.random_range(2..=8 / count);
    sockets(text, count, ["40 GB/s", "30 GB/s"][random.random_range(0..2)]);
    let places: Vec<_> =
        (0..count * each).map(|at| (format!("s[{}]", at % count), "25 GB/s")).collect();
    place(text, random, &places);
    maybe(text, random, &["peer within socket", "peer none", "cap socket : 20 GB/s"]);
    maybe(text, random, &["set s[*] { memory 60 GB/s }", "total s[*] : 70 GB/s"]);
    maybe(text, random, &["limit in socket : 2", "limit push in gpu : 1", "limit in node : 3"]);
    maybe(text, random, &["avoid from same socket to different socket"]);
}

/// Two sockets, as many switches on each, as many GPUs on each of those.
fn equal_switches(text: &mut String, random: &mut ChaCha8Rng) {
    let switches = [2, 4][random.random_range(0..2)];
    let each = random.random_range(2..=8 / switches);
    sockets(text, 2, "40 GB/s");
    let _ = writeln!(text, "switch w[{switches}] -- s[k/{}] : 26 GB/s", switches / 2);
    let places: Vec<_> =
        (0..switches * each).map(|at| (format!("w[{}]", at % switches), "26 GB/s")).collect();
    place(text, random, &places);
    maybe(text, random, &["nic n[2] -- s[k] : 26 GB/s", "nic n -- w[0] : 26 GB/s"]);
    maybe(text, random, &["total w[k] : 45 GB/s", "total w[0], w[1] : 60 GB/s"]);
    maybe(text, random, &["limit in switch : 2", "limit push in uplink : 1"]);
    maybe(
        text,
        random,
        &[
            "avoid push from same switch to different uplink : 2.7 GB/s",
            "avoid from different gpu to same switch : 9 GB/s",
        ],
    );
    maybe(text, random, &["cap cross : 9 GB/s", "forbid g[0] -- g[1]", "set g[0] : 13 GB/s"]);
}

/// GPUs that do not push to the next one of their circle; circles of different lengths look alike from
/// each GPU.
fn circles(text: &mut String, random: &mut ChaCha8Rng) {
    let of: [&[usize]; 6] = [&[3, 4], &[3, 3], &[4, 4], &[3, 5], &[8], &[6]];
    let lengths = of[random.random_range(0..of.len())];
    let arrow = ["->", "--"][random.random_range(0..2)];
    let mode = ["push", "pull", ""][random.random_range(0..3)];
    sockets(text, 1, "");
    let places = vec![("s[0]".to_owned(), "25 GB/s"); lengths.iter().sum()];
    place(text, random, &places);
    let mut gpus: Vec<usize> = (0..places.len()).collect();
    gpus.shuffle(random);
    let mut rest = gpus.as_slice();
    for &length in lengths {
        let (circle, others) = rest.split_at(length);
        for (at, gpu) in circle.iter().enumerate() {
            let next = circle[(at + 1) % length];
            let _ = writeln!(text, "forbid {mode} g[{gpu}] {arrow} g[{next}]");
        }
        rest = others;
    }
    maybe(text, random, &["avoid push from different gpu to same gpu", "limit pull in gpu : 1"]);
}

/// Totals over sets of GPUs, each set a step further round the circle.
fn threes(text: &mut String, random: &mut ChaCha8Rng) {
    let gpus = random.random_range(6..=8);
    let sets: [&[usize]; 4] = [&[0, 1, 3], &[0, 1, 2], &[0, 2], &[0, 3]];
    let set = sets[random.random_range(0..sets.len())];
    sockets(text, 1, "");
    place(text, random, &vec![("s[0]".to_owned(), "25 GB/s"); gpus]);
    for first in 0..gpus {
        let names: Vec<_> = set.iter().map(|at| format!("g[{}]", (first + at) % gpus)).collect();
        let _ = writeln!(text, "total {} : 60 GB/s", names.join(", "));
    }
    maybe(text, random, &["total g[0] : 24 GB/s", "limit in gpu : 2"]);
}

/// Parts with rules of their own, and what joins them.
fn parts(text: &mut String, random: &mut ChaCha8Rng) {
    let each = random.random_range(2..=4);
    let _ = writeln!(
        text,
        "part half {{\nsocket s\nswitch w -- s : 26 GB/s\ngpu g[{each}] -- w : 26 GB/s"
    );
    maybe(text, random, &["limit in switch : 1", "cap switch : 11 GB/s"]);
    maybe(text, random, &["avoid from same switch to same socket", "peer none"]);
    text.push_str("}\nhalf h[2]\nh[0].s -- h[1].s : 40 GB/s\n");
    maybe(text, random, &["limit in socket : 2", "set h[*].s { memory 60 GB/s }"]);
}

/// Network cards on as many switches, over which transfers go back into the node.
fn cards(text: &mut String, random: &mut ChaCha8Rng) {
    let each = random.random_range(1..=2);
    sockets(text, 1, "");
    let _ = writeln!(text, "switch w[2] -- s[0] : 26 GB/s\nfabric f");
    let places: Vec<_> = (0..2 * each).map(|at| (format!("w[{}]", at % 2), "26 GB/s")).collect();
    place(text, random, &places);
    let count = random.random_range(2..=4);
    let _ = writeln!(text, "nic n[{count}]");
    for card in 0..count {
        let _ = writeln!(text, "n[{card}] -- w[{}] : 26 GB/s", card % 2);
    }
    text.push_str("n[*] -- f : 12 GB/s\nloopback\n");
    maybe(text, random, &["via any", "via g[0] : n[0], n[1]"]);
    maybe(text, random, &["cap loopback : 11 GB/s", "peer nic none"]);
    maybe(text, random, &["total n[0] : 20 GB/s", "limit in uplink : 1"]);
}

/// A machine of mixed widths, GPUs at any place, with any rules.
pub fn irregular(seed: u64) -> String {
    let random = &mut ChaCha8Rng::seed_from_u64(1000 + seed);
    let mut text = String::from("topology \"irregular\"\n");
    let count = random.random_range(1..=3);
    sockets(&mut text, count, ["40 GB/s", "30 GB/s", "20 GB/s"][random.random_range(0..3)]);
    let switches = random.random_range(1..=2);
    let _ = writeln!(text, "link x16 = 25 GB/s\nswitch w[{switches}]");
    for switch in 0..switches {
        let socket = random.random_range(0..count);
        let rate = ["25 GB/s", "40 GB/s"][random.random_range(0..2)];
        let _ = writeln!(text, "w[{switch}] -- s[{socket}] : {rate}");
    }
    let gpus = random.random_range(3..=8);
    // Few places and widths, so that some machines have symmetry.
    let rates = ["x16", "25 GB/s, latency 2 us", "12.5 GB/s"];
    let widths = random.random_range(1..=3);
    let places: Vec<_> = (0..gpus)
        .map(|_| {
            let at = random.random_range(0..count + switches);
            let at = if at < count { format!("s[{at}]") } else { format!("w[{}]", at - count) };
            (at, rates[random.random_range(0..widths)])
        })
        .collect();
    place(&mut text, random, &places);
    maybe(&mut text, random, &["nic n -- s[0] : x16", "nic n[2] -- w[0] : x16"]);
    maybe(&mut text, random, &["total s[0] : 60 GB/s", "total w[0] : 30 GB/s"]);
    maybe(&mut text, random, &["total g[0], g[1] : 40 GB/s", "total g[*] : 90 GB/s"]);
    maybe(&mut text, random, &["set s[0] { memory 50 GB/s }", "set s[*] { memory 45 GB/s }"]);
    maybe(&mut text, random, &["peer within socket", "peer within switch", "peer none"]);
    maybe(&mut text, random, &["forbid g[0] -> g[*]", "forbid push g[*] -> g[1]", "ranks g[0..3]"]);
    maybe(&mut text, random, &["cap cross : 9 GB/s", "cap socket push : 20 GB/s"]);
    maybe(
        &mut text,
        random,
        &[
            "avoid from same socket to different socket",
            "avoid push from same switch to same socket : 3 GB/s",
            "avoid pull from different gpu to same gpu",
        ],
    );
    maybe(
        &mut text,
        random,
        &["limit in socket : 2", "limit push in gpu : 1", "limit in uplink : 1"],
    );
    maybe(&mut text, random, &["efficiency x16 : 2 90%", "efficiency x16 push : 2 95%, 3 80%"]);
    text
}
