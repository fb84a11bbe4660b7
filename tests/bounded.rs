//! Catalogs that keep a part of all channels lose nothing that exchanges need: the least time over the
//! channels that are kept is the least time over all.
//!
//! A few machines and demands by default. `VARIOPATH_BOUNDED=all cargo test --release --test bounded --
//! --nocapture` goes through the machines of the corpus, too, and prints every ratio.

mod import_support;
mod support;

use import_support::{corpus, import};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use variopath::analyzer::{self, Limits, exact_optimum};
use variopath::base::Demand;
use variopath::catalog::{Catalog, Families, Paces};
use variopath::demand::{eleven, parse_spec};
use variopath::diagnostics::Sources;
use variopath::dsl;
use variopath::lp::{Column, Covering};
use variopath::topology::{self, Topology};

/// How far above the best a search for columns may end.
const CLOSE: f64 = 1e-4;
/// Turns from which an image of each channel is sought.
const STARTS: usize = 6;
/// Columns added at once.
const BATCH: usize = 48;
const ROUNDS: usize = 300;

fn topology_of(text: &str) -> Topology {
    let (file, machine) = support::machine_of(&mut Sources::new(), "m.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("routes").topology
}

/// The channels of a catalog and what may be done to them.
struct Kept<'a> {
    catalog: &'a Catalog,
    families: &'a Families,
    /// Generators and their inverses as permutations of ranks.
    turns: Vec<Vec<usize>>,
}

impl<'a> Kept<'a> {
    fn new(catalog: &'a Catalog, paces: Paces) -> Self {
        let two_rate = catalog.two_rate.as_ref().filter(|_| paces == Paces::All);
        let at: BTreeMap<u32, usize> = catalog.rank_vertices.iter().copied().zip(0..).collect();
        let mut turns = BTreeSet::new();
        for generator in &catalog.generators {
            let turn: Vec<usize> = catalog
                .rank_vertices
                .iter()
                .map(|&vertex| at[&generator[vertex as usize]])
                .collect();
            let mut inverse = vec![0; turn.len()];
            turn.iter().enumerate().for_each(|(from, &to)| inverse[to] = from);
            turns.extend([turn, inverse]);
        }
        let families = two_rate.unwrap_or(&catalog.strict);
        Self { catalog, families, turns: turns.into_iter().collect() }
    }

    /// The transfers of a channel: source, destination, and the part of the solo rate.
    fn transfers(&self, orbit: usize) -> Vec<(usize, usize, f64)> {
        let channel = &self.families.orbits[orbit].representative;
        let of = channel.0.iter().map(|transfer| {
            let route = &self.catalog.routes[transfer.route.index()];
            let rate = route.rate_at(transfer.pace).expect("a rate").0;
            (route.src.index(), route.dst.index(), rate as f64 / route.rate.0 as f64)
        });
        of.collect()
    }

    /// How long each pair needs at its solo rate, by pair.
    fn times(&self, demand: &Demand) -> BTreeMap<(usize, usize), f64> {
        let time = |pair: std::ops::Range<usize>| {
            let route = &self.catalog.routes[pair.start];
            let time = route.rate.time_of(demand.get(route.src, route.dst)).expect("a time");
            ((route.src.index(), route.dst.index()), time.0 as f64)
        };
        self.catalog.pairs().map(time).filter(|(_, time)| *time > 0.0).collect()
    }

    /// The least time of a demand that is the same for all pairs of an orbit: then the average over all
    /// images of a channel does what it does best, and a program with a row an orbit of pairs and a
    /// column an orbit of channels is exact.
    fn symmetric_optimum(&self, demand: &Demand) -> f64 {
        let times = self.times(demand);
        let mut orbit_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut orbits: Vec<(usize, f64)> = Vec::new();
        for (&pair, &time) in &times {
            if orbit_of.contains_key(&pair) {
                continue;
            }
            let (row, mut queue, mut size) = (orbits.len(), vec![pair], 0);
            while let Some((src, dst)) = queue.pop() {
                if orbit_of.insert((src, dst), row).is_none() {
                    assert_eq!(times[&(src, dst)], time, "a symmetric demand");
                    size += 1;
                    queue.extend(self.turns.iter().map(|turn| (turn[src], turn[dst])));
                }
            }
            orbits.push((size, time));
        }
        let mut program = Covering::new(&orbits.iter().map(|of| of.1).collect::<Vec<_>>());
        for orbit in 0..self.families.orbits.len() {
            let mut column: BTreeMap<u32, f64> = BTreeMap::new();
            for (src, dst, part) in self.transfers(orbit) {
                let row = orbit_of[&(src, dst)];
                *column.entry(row as u32).or_default() += part / orbits[row].0 as f64;
            }
            program.add_column(column.into_iter().collect());
        }
        let largest = orbits.iter().map(|of| of.1).fold(0.0, f64::max);
        program.cover().expect("a cover").iter().sum::<f64>() * largest / 1000.0
    }

    /// The least time of a demand, or a little more: columns are images of channels that are kept,
    /// sought by turning them for as long as they get worthier. Ends at `target` times `1 + CLOSE`.
    fn optimum(&self, demand: &Demand, target: f64) -> f64 {
        let times = self.times(demand);
        let rows: BTreeMap<(usize, usize), u32> = times.keys().copied().zip(0..).collect();
        let weights: Vec<f64> = times.values().copied().collect();
        let unit = weights.iter().copied().fold(0.0, f64::max) / 1000.0;
        let ranks = self.catalog.ranks as usize;
        let mut program = Covering::new(&weights);
        let random = &mut ChaCha8Rng::seed_from_u64(1);
        let table = |values: &[f64]| {
            let mut table = vec![0.0; ranks * ranks];
            for (&(src, dst), &row) in &rows {
                table[src * ranks + dst] = values[row as usize];
            }
            table
        };
        let channels: Vec<_> =
            (0..self.families.orbits.len()).map(|at| self.transfers(at)).collect();
        let column = |channel: &[(usize, usize, f64)], image: &[usize]| -> Column {
            let of = channel.iter().filter_map(|&(src, dst, part)| {
                Some((*rows.get(&(image[src], image[dst]))?, part))
            });
            let mut column: Column = of.collect();
            column.sort_unstable_by_key(|entry| entry.0);
            column
        };
        let best = |values: &[f64], random: &mut ChaCha8Rng| {
            let values = table(values);
            let mut found: Vec<(f64, Column)> = Vec::new();
            for channel in &channels {
                let worth = |image: &[usize]| -> f64 {
                    let of = channel.iter();
                    of.map(|&(src, dst, part)| values[image[src] * ranks + image[dst]] * part).sum()
                };
                let mut top = (f64::MIN, Vec::new());
                for start in 0..STARTS {
                    let mut image: Vec<usize> = (0..ranks).collect();
                    for _ in 0..if start == 0 { 0 } else { 4 * ranks } {
                        let turn = &self.turns[random.random_range(0..self.turns.len())];
                        image.iter_mut().for_each(|rank| *rank = turn[*rank]);
                    }
                    let mut now = worth(&image);
                    loop {
                        let turned = self.turns.iter().map(|turn| {
                            let image: Vec<usize> = image.iter().map(|&rank| turn[rank]).collect();
                            (worth(&image), image)
                        });
                        let Some((next, turned)) = turned.max_by(|a, b| a.0.total_cmp(&b.0)) else {
                            break;
                        };
                        if next <= now + 1e-12 {
                            break;
                        }
                        (now, image) = (next, turned);
                    }
                    if now > top.0 {
                        top = (now, image);
                    }
                }
                found.push((top.0, column(channel, &top.1)));
            }
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found
        };
        // Each row lies in a column.
        let mut open: BTreeSet<u32> = rows.values().copied().collect();
        while let Some(&row) = open.first() {
            let values: Vec<f64> = (0..rows.len() as u32)
                .map(|other| if other == row { 1e6 } else { f64::from(open.contains(&other)) })
                .collect();
            let (_, column) = best(&values, random).swap_remove(0);
            assert!(column.iter().any(|entry| entry.0 == row), "a channel with each pair is kept");
            open.retain(|open| column.iter().all(|entry| entry.0 != *open));
            program.add_column(column);
        }
        let mut total = f64::MAX;
        for _ in 0..ROUNDS {
            let values = program.duals().expect("duals");
            let weights = program.normalised_weights();
            total = weights.iter().zip(&values).map(|(w, y)| w * y).sum::<f64>() * unit;
            if total <= target * (1.0 + CLOSE) {
                break;
            }
            let found = best(&values, random).into_iter();
            let found: Vec<_> =
                found.filter(|(worth, _)| *worth > 1.0 + 1e-7).take(BATCH).collect();
            if found.is_empty() {
                break;
            }
            found.into_iter().for_each(|(_, column)| program.add_column(column));
        }
        total
    }
}

/// The ends of the least time over all channels.
fn least(catalog: &Catalog, demand: &Demand, paces: Paces) -> [f64; 2] {
    let found = exact_optimum(catalog, demand, paces, None).expect("an optimum");
    [found.lower.0 as f64, found.upper.0 as f64]
}

#[test]
fn a_uniform_exchange_needs_no_channel_that_is_left_out() {
    // Machines whose catalogs would be complete, and hardly any room.
    for name in ["a", "b", "e6", "e10", "e3s"] {
        let text = std::fs::read_to_string(support::platform_path(name)).expect("a platform");
        let topology = topology_of(&text);
        let limits = match name {
            "e3s" => Limits::default(),
            _ => Limits { max_orbits: 24, ..Limits::default() },
        };
        let catalog = analyzer::analyze(&topology, &limits).expect("a catalog");
        let demand = parse_spec("uniform:1MiB", topology.ranks.len()).expect("a demand");
        for paces in [Paces::Solo, Paces::All] {
            let kept = Kept::new(&catalog, paces);
            let found = kept.symmetric_optimum(&demand);
            let [least, _] = least(&catalog, &demand, paces);
            println!(
                "{name} {paces:?}: {} orbits, complete {}, {:.6} of the optimum",
                kept.families.orbits.len(),
                kept.families.complete,
                found / least
            );
            assert!(found >= least * (1.0 - CLOSE), "{name}: {found} {least}");
            if name == "e3s" {
                assert!(found <= least * (1.0 + CLOSE), "{name}: {found} {least}");
            }
        }
    }
}

/// The ratio of the least time over channels that are kept to that over all; of the latter that which
/// was found, where the search for something better gave up.
fn ratio(name: &str, catalog: &Catalog, spec: &str, paces: Paces) -> f64 {
    let demand = parse_spec(spec, catalog.ranks as usize).expect("a demand");
    let [lower, upper] = least(catalog, &demand, paces);
    let found = Kept::new(catalog, paces).optimum(&demand, lower);
    let open = upper / lower - 1.0;
    println!("{name} {paces:?} {spec}: {:.6} of what is found, open {open:.6}", found / upper);
    assert!(found >= lower * (1.0 - CLOSE), "{name} {spec}: {found} {lower}");
    found / upper
}

#[test]
fn exchanges_of_all_kinds_need_no_channel_that_is_left_out() {
    let catalog = support::stages("e3s").catalog;
    assert!(!catalog.two_rate.as_ref().expect("paced rates").complete);
    let is_all = std::env::var_os("VARIOPATH_BOUNDED").is_some();
    let specs =
        if is_all { eleven(1) } else { vec!["zipf:0.8,seed=1".into(), "random:seed=1".into()] };
    for spec in specs {
        let found = ratio("e3s", &catalog, &spec, Paces::All);
        assert!(found <= 1.0 + 2.0 * CLOSE, "{spec}: {found}");
    }
    if !is_all {
        return;
    }
    for (kind, name) in [
        ("nccl-xml", "amd-mi250-16gpu.xml"),
        ("hwloc-xml", "v3-dgx2-16gpu-nvml.xml"),
        ("smi-topo", "reconstructed-dgx2-16gpu-10mlx5.txt"),
    ] {
        let Some(folder) = corpus(kind) else { return };
        let text = std::fs::read_to_string(folder.join(name)).expect("a dump");
        let imported = import(name, &text, Some(4)).expect("a machine");
        let topology = topology_of(&dsl::format(&imported.file));
        let catalog = analyzer::analyze(&topology, &Limits::default()).expect("a catalog");
        let demand = parse_spec("uniform:1MiB", 16).expect("a demand");
        for paces in [Paces::Solo, Paces::All] {
            let found = Kept::new(&catalog, paces).symmetric_optimum(&demand);
            let [lower, upper] = least(&catalog, &demand, paces);
            let (open, ratio) = (upper / lower - 1.0, found / upper);
            println!("{name} {paces:?} uniform: {ratio:.6} of what is found, open {open:.6}");
        }
        for spec in eleven(1) {
            ratio(name, &catalog, &spec, Paces::Solo);
        }
    }
}
