//! Random linear programs: both ends of the answers meet, another solver agrees, and with
//! VARIOPATH_PROGRAMS=FILE programs and answers are written down for `tests/lp_oracle.py`.

use minilp_original::{ComparisonOp, OptimizationDirection, Problem};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::io::Write as _;
use variopath::lp::{Commodity, Congested, Congestion, Covering, RouteLoad};

/// Programs of each kind.
const PROGRAMS: usize = 200;

/// Adds lines to the file that the script reads; nothing where none is asked for.
fn write_down(name: &str, programs: &[Value]) {
    let Some(folder) = std::env::var_os("VARIOPATH_PROGRAMS") else { return };
    let path = std::path::Path::new(&folder).join(format!("{name}.jsonl"));
    let mut file = std::fs::File::create(path).expect("a file for programs");
    for program in programs {
        writeln!(file, "{program}").expect("a written line");
    }
}

/// A program as the script reads it, with its answer.
fn document(program: &Congestion, found: &Congested) -> Value {
    let commodities = program.commodities().iter();
    json!({
        "capacities": program.capacities(),
        "fixed": program.fixed(),
        "commodities": commodities
            .map(|one| json!({"bytes": one.bytes, "routes": one.routes}))
            .collect::<Vec<_>>(),
        "split": found.split,
        "upper": found.upper,
        "weights": found.weights,
        "lower": found.lower.approximate(),
    })
}

/// A route of some resources, now and then one of them twice.
fn route(random: &mut ChaCha8Rng, resources: u32) -> RouteLoad {
    let wanted = random.random_range(1..=resources.min(4));
    let mut route: RouteLoad = Vec::new();
    while route.len() < wanted as usize {
        let at = random.random_range(0..resources);
        if let Err(place) = route.binary_search_by_key(&at, |entry| entry.0) {
            route.insert(place, (at, if random.random_bool(0.1) { 2 } else { 1 }));
        }
    }
    route
}

/// Programs of all sizes; a part of them with equal capacities and bytes, which have many optima, with
/// commodities of nothing or of one route, and with the same route twice.
fn random_program(seed: u64) -> Congestion {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let resources: u32 = random.random_range(1..40);
    let is_plain = random.random_bool(0.3);
    let capacity = |random: &mut ChaCha8Rng| match is_plain {
        true => 25_000_000_000,
        false => random.random_range(20..=60) * 500_000_000,
    };
    let mut program = Congestion::new((0..resources).map(|_| capacity(random)).collect());
    let bytes = |random: &mut ChaCha8Rng| match random.random_range(0..10) {
        0 => 0,
        1..5 if is_plain => 1 << 20,
        _ => random.random_range(1u64 << 12..1 << 24),
    };
    if random.random_bool(0.4) {
        for resource in 0..resources {
            let load = bytes(random);
            program.add_load(resource, load, random.random_range(1..4)).expect("a load");
        }
    }
    let most = if seed.is_multiple_of(20) { 300 } else { 60 };
    for _ in 0..random.random_range(0..=most) {
        let most = if random.random_bool(0.3) { 16 } else { 5 };
        let routes = random.random_range(1..=most);
        let mut routes: Vec<_> = (0..routes).map(|_| route(random, resources)).collect();
        if random.random_bool(0.1) {
            routes.push(routes[0].clone());
        }
        program.add(Commodity { bytes: bytes(random), routes });
    }
    program
}

/// The least time by the solver that the present one continues.
fn by_the_original(program: &Congestion) -> f64 {
    let most = program.commodities().iter().map(|one| one.bytes).chain(program.fixed().to_vec());
    let (bytes, rate) = (most.max().unwrap_or(1).max(1) as f64 / 1000.0, 1e9);
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let time = problem.add_var(1.0, (0.0, f64::INFINITY));
    let mut rows: Vec<_> =
        program.capacities().iter().map(|&all| vec![(time, -(all as f64) / rate)]).collect();
    for commodity in program.commodities().iter().filter(|one| one.bytes > 0) {
        let all = commodity.bytes as f64 / bytes;
        let own: Vec<_> =
            commodity.routes.iter().map(|_| problem.add_var(0.0, (0.0, all))).collect();
        let sum: Vec<_> = own.iter().map(|&variable| (variable, 1.0)).collect();
        problem.add_constraint(&sum[..], ComparisonOp::Eq, all);
        for (route, variable) in commodity.routes.iter().zip(own) {
            for &(at, times) in route {
                rows[at as usize].push((variable, times as f64));
            }
        }
    }
    for (row, &fixed) in rows.iter().zip(program.fixed()) {
        problem.add_constraint(&row[..], ComparisonOp::Le, -(fixed as f64) / bytes);
    }
    problem.solve().expect("an optimum").objective() * bytes / rate
}

#[test]
fn both_ends_of_min_congestion_programs_meet() {
    let (mut written, mut joint) = (Vec::new(), 0);
    for seed in 0..PROGRAMS as u64 {
        let program = random_program(seed);
        let found = program.solve().unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert!(found.gap.abs() <= 1e-6, "{seed}: {}", found.gap);
        for (commodity, split) in program.commodities().iter().zip(&found.split) {
            assert_eq!(split.iter().sum::<u64>(), commodity.bytes, "{seed}");
        }
        let lower = found.lower.approximate();
        let original = by_the_original(&program);
        assert!((original - lower).abs() <= 1e-6 * original, "{seed}: {original} {lower}");
        // Any other weights prove no more.
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let others = found.weights.iter().map(|one| one / 2 + random.random_range(0..1 << 50));
        let others: Vec<u64> = others.collect();
        let other = program.bound(&others).expect("a bound").approximate();
        assert!(other <= found.upper * (1.0 + 1e-9), "{seed}: {other} {}", found.upper);
        joint += usize::from(found.weights.iter().filter(|weight| **weight > 0).count() > 1);
        written.push(document(&program, &found));
    }
    // One resource alone proves the rest, which a search for the fullest would find, too.
    assert!(joint >= PROGRAMS / 3, "{joint} of them need several weights");
    write_down("congestion", &written);
}

#[test]
fn covering_programs_for_the_script() {
    let random = &mut ChaCha8Rng::seed_from_u64(11);
    let mut written = Vec::new();
    for _ in 0..PROGRAMS {
        let rows: u32 = random.random_range(1..60);
        let weights: Vec<f64> = (0..rows).map(|_| random.random_range(1.0..1000.0)).collect();
        let mut program = Covering::new(&weights);
        for row in 0..rows {
            program.add_column(vec![(row, 1.0)]);
        }
        for _ in 0..rows * 3 {
            let chosen: Vec<u32> = (0..rows).filter(|_| random.random_bool(0.2)).collect();
            let part = |_: &u32| [1.0, 0.8, 0.5][random.random_range(0..3)];
            let parts: Vec<f64> = chosen.iter().map(part).collect();
            program.add_column(chosen.into_iter().zip(parts).collect());
        }
        let weights = program.normalised_weights();
        let duals = program.duals().expect("duals");
        let dual: f64 = weights.iter().zip(&duals).map(|(w, y)| w * y).sum();
        let cover: f64 = program.cover().expect("a cover").iter().sum();
        assert!((dual - cover).abs() <= 1e-6 * cover, "{dual} {cover}");
        written.push(json!({"weights": weights, "columns": program.columns(), "optimum": cover}));
    }
    write_down("covering", &written);
}
