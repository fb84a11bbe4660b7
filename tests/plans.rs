//! Plans of machines whose answers are known: bounds, rounds, quality, the checker's eye.

mod plan_support;

use plan_support::{NAMES, Numbers, catalog, demand, machine, topology};
use variopath::analyzer::exact_optimum;
use variopath::base::{
    Bytes, BytesPerSecond, Demand, Digest, LinkId, Nanos, OrbitId, Picos, Rank, RouteId,
};
use variopath::catalog::{
    Channel, ChannelOrbit, Fit, Locator, OrbitDocument, Paces, Plan, PlanDocument, bounds,
    plan_document,
};
use variopath::demand::eleven;
use variopath::scheduler::{PlanError, Planner, name_steps, running_sets};
use variopath::topology::Topology;
use variopath::verify::{Fault, verify, verify_channels, verify_claim, verify_document};

fn planned(name: &str, demand: &Demand) -> (Topology, Plan) {
    let topology = topology(name);
    let plan = Planner::new(&catalog(&topology)).unwrap().plan(demand).unwrap();
    (topology, plan)
}

fn matrix(ranks: usize, entries: &[(usize, usize, u64)]) -> Demand {
    let mut bytes = vec![0; ranks * ranks];
    for &(src, dst, count) in entries {
        bytes[src * ranks + dst] = count;
    }
    Demand::new(ranks, bytes).unwrap()
}

#[test]
fn uniform_demand_runs_in_as_many_rounds_as_the_bound() {
    for (name, rounds) in [("A", 16), ("B", 16), ("C", 16), ("E10", 9)] {
        let topology = topology(name);
        let (_, plan) = planned(name, &demand("uniform:1MiB", topology.ranks.len()));
        assert_eq!(plan.steps.len(), rounds, "{name}");
        assert_eq!(plan.makespan, plan.bounds.t_eff, "{name}");
        assert_eq!(plan.makespan, Picos(rounds as u64 * 41_943_040), "{name}");
    }
}

#[test]
fn uniform_bounds_of_the_machines() {
    // T_eff over T* for uniform demand, in thousandths.
    let expected =
        [("A", 1600), ("B", 1333), ("C", 1000), ("E6", 1000), ("E10", 1000), ("E3s", 1100)];
    for (name, thousandths) in expected {
        let topology = topology(name);
        let found =
            bounds(&catalog(&topology), &demand("uniform:1MiB", topology.ranks.len())).unwrap();
        assert_eq!(found.t_eff.0 * 1000 / found.t_star.0, thousandths, "{name}");
        assert!(found.critical_link.is_some());
    }
}

#[test]
fn one_link_bounds_are_exact_where_needs_differ() {
    let topology = topology("E6");
    let catalog = catalog(&topology);
    // Into rank 0 (25 GB/s): one transfer at 25, then two at 12.5 side by side.
    let unit = 25_000_000;
    let found = bounds(&catalog, &matrix(6, &[(1, 0, unit), (2, 0, unit), (4, 0, unit)])).unwrap();
    assert_eq!(found.t_eff, Picos(3_000_000_000));
    // A longer one at 12.5 cannot be halved.
    let found = bounds(&catalog, &matrix(6, &[(1, 0, unit), (2, 0, 3 * unit)])).unwrap();
    assert_eq!(found.t_eff, Picos(7_000_000_000));
    // Over the 40 GB/s socket link one at 25 has room for one at 12.5, which has more to do.
    let entries = [(0, 3, 2 * unit), (2, 4, 3 * unit), (1, 5, unit)];
    let found = bounds(&catalog, &matrix(6, &entries)).unwrap();
    assert_eq!(found.t_eff, Picos(6_000_000_000));
}

#[test]
fn a_cycle_of_five_conflicts_needs_three_units() {
    let mib = 1 << 20;
    let entries = [(0, 1, mib), (0, 4, mib), (1, 5, mib), (4, 5, mib), (4, 1, mib)];
    for name in ["A", "C"] {
        let (topology, plan) = planned(name, &matrix(8, &entries));
        assert_eq!(plan.bounds.t_eff, Picos(2 * 41_943_040), "{name}");
        assert_eq!(plan.makespan, Picos(3 * 41_943_040), "{name}");
        verify(&topology, &matrix(8, &entries), &plan).unwrap();
    }
}

#[test]
fn every_plan_passes_the_checker_and_is_near_the_optimum() {
    for name in NAMES {
        let topology = topology(name);
        let catalog = catalog(&topology);
        let mut planner = Planner::new(&catalog).unwrap();
        // The linear programs of ten GPUs are the slowest by far.
        let seeds = if name == "E10" { 2 } else { 8 };
        let (mut sum, mut worst, mut cases) = (0.0, 1.0f64, 0);
        for spec in (0..seeds).flat_map(eleven) {
            let demand = demand(&spec, topology.ranks.len());
            let plan = planner.plan(&demand).unwrap();
            let summary = verify(&topology, &demand, &plan)
                .unwrap_or_else(|faults| panic!("{name} {spec}: {}", faults[0]));
            assert_eq!(summary.bytes, demand.total());
            let exact = exact_optimum(&catalog, &demand, Paces::Solo, Some(plan.makespan)).unwrap();
            assert!(plan.bounds.t_eff <= exact.lower && exact.lower <= plan.makespan);
            let ratio = plan.makespan.0.max(1) as f64 / exact.lower.0.max(1) as f64;
            sum += ratio;
            worst = worst.max(ratio);
            cases += 1;
        }
        let mean = sum / f64::from(cases);
        assert!(mean <= 1.02, "{name}: mean {mean}");
        let most = if matches!(name, "E6" | "E3s") { 1.5 } else { 1.25 };
        assert!(worst <= most, "{name}: worst {worst}");
    }
}

#[test]
fn plans_depend_on_nothing_but_catalog_and_demand() {
    for name in NAMES {
        let topology = topology(name);
        let mut used = Planner::new(&catalog(&topology)).unwrap();
        for spec in eleven(3) {
            let demand = demand(&spec, topology.ranks.len());
            let fresh = Planner::new(&catalog(&topology)).unwrap().plan(&demand).unwrap();
            assert_eq!(used.plan(&demand).unwrap(), fresh, "{name} {spec}");
        }
    }
}

#[test]
fn random_machines_with_mixed_widths() {
    let mut numbers = Numbers(7);
    for case in 0..400u64 {
        // A random tree of switches with random widths, some of them multiples of each other.
        let inner = numbers.between(1, 6) as usize;
        let width =
            |numbers: &mut Numbers| [60, 125, 200, 250, 400, 375][numbers.between(0, 6) as usize];
        let joins: Vec<(usize, usize, u64)> = (1..inner)
            .map(|at| (numbers.between(0, at as u64) as usize, at, width(&mut numbers)))
            .collect();
        let ranks = numbers.between(2, 17) as usize;
        let gpus: Vec<(usize, u64)> = (0..ranks)
            .map(|_| (numbers.between(0, inner as u64) as usize, width(&mut numbers)))
            .collect();
        let topology = machine("random", inner, &joins, &gpus);
        let catalog = catalog(&topology);
        let demand = demand(&eleven(case)[case as usize % 11], ranks);
        let plan = Planner::new(&catalog).unwrap().plan(&demand).unwrap();
        verify(&topology, &demand, &plan)
            .unwrap_or_else(|faults| panic!("case {case}: {}", faults[0]));
        assert!(plan.bounds.t_star <= plan.bounds.t_eff && plan.bounds.t_eff <= plan.makespan);
        for set in running_sets(&plan) {
            let whole = Fit::new(&catalog, Paces::Solo).complete(&set.0);
            assert!(set.0.iter().all(|route| whole.0.contains(route)));
        }
    }
}

#[test]
fn steps_name_channels_of_the_catalog() {
    // Two GPUs on a switch: one channel, both directions at once, which is its own mirror image.
    let topology = machine("pair", 1, &[], &[(0, 250), (0, 250)]);
    let mut catalog = catalog(&topology);
    let both = Channel::strict([RouteId(0), RouteId(1)]);
    catalog.strict.orbits.push(ChannelOrbit { representative: both.clone(), size: "1".into() });
    let demand = matrix(2, &[(0, 1, 1 << 20)]);
    let mut plan = Planner::new(&catalog).unwrap().plan(&demand).unwrap();
    name_steps(&catalog, &mut plan, &mut Locator::new(&catalog)).unwrap();
    let name = plan.steps[0].channel.as_ref().unwrap();
    assert_eq!(name.orbit, Some(OrbitId(0)));
    let good = PlanDocument::new("pair", &plan);
    verify_claim(&topology, &catalog, &demand, &good).unwrap();

    let orbit = |document: &mut PlanDocument, number| {
        document.steps[0].channels[0].orbit = OrbitDocument::Number(number);
    };
    let mut bad = good.clone();
    orbit(&mut bad, 1);
    let unknown = Err(vec![Fault::Channel { step: 0 }]);
    assert_eq!(verify_channels(&topology, &catalog, &bad), unknown);
    let mut bad = good.clone();
    bad.steps[0].channels[0].element = vec![1, 1];
    assert_eq!(verify_channels(&topology, &catalog, &bad), unknown);
    let mut bad = good.clone();
    bad.steps[0].channels[0].element = vec![1, 2];
    assert_eq!(verify_channels(&topology, &catalog, &bad), unknown);
    let mut bad = good.clone();
    bad.steps[0].channels[0].orbit = OrbitDocument::Word("unheard".into());
    assert_eq!(verify_channels(&topology, &catalog, &bad), unknown);
    catalog.strict.orbits[0].representative = Channel::strict([RouteId(0)]);
    let outside = Err(vec![Fault::NotInChannel { step: 0, piece: 0 }]);
    // Whichever way the element turns it, one direction contains the piece and the other does not.
    let mut bad = good.clone();
    bad.steps[0].channels[0].element = vec![1, 0];
    assert_eq!(verify_channels(&topology, &catalog, &bad), outside);

    let mut crowded = plan.clone();
    catalog.links[0].capacity = Some(BytesPerSecond(1));
    let error = name_steps(&catalog, &mut crowded, &mut Locator::new(&catalog)).unwrap_err();
    assert_eq!(error.to_string(), "the transfers that run from step 0 on are no channel");
}

#[test]
fn odd_demands() {
    let (topology, plan) = planned("A", &matrix(8, &[]));
    assert_eq!((plan.pieces.len(), plan.steps.len(), plan.makespan), (0, 0, Picos(0)));
    verify(&topology, &matrix(8, &[]), &plan).unwrap();

    // The diagonal counts and takes no piece; single bytes last less than a nanosecond.
    let entries = [(0, 0, 7), (0, 1, 1), (0, 2, 1), (3, 2, 1), (3, 1, 5 << 32)];
    let (topology, plan) = planned("A", &matrix(8, &entries));
    assert_eq!((plan.pieces.len(), plan.bytes), (4, Bytes(10 + (5 << 32))));
    verify(&topology, &matrix(8, &entries), &plan).unwrap();

    let machine = catalog(&topology);
    let mut planner = Planner::new(&machine).unwrap();
    let error = planner.plan(&matrix(4, &[])).unwrap_err();
    assert_eq!(error.to_string(), "the demand has 4 ranks, the machine 8");

    let mut slow = machine.clone();
    slow.links.iter_mut().for_each(|link| link.capacity = Some(BytesPerSecond(1)));
    slow.routes.iter_mut().for_each(|route| route.rate = BytesPerSecond(1));
    let error = Planner::new(&slow).unwrap().plan(&matrix(8, &[(0, 1, 1 << 40)])).unwrap_err();
    assert!(matches!(error, PlanError::Overflow(_)));
    assert_eq!(
        error.to_string(),
        "a duration leaves the range of 64-bit picoseconds (about 213 days)"
    );

    let mut broken = machine.clone();
    broken.routes.pop();
    assert_eq!(Planner::new(&broken).unwrap_err(), PlanError::Catalog);
    let many = variopath::catalog::Catalog { ranks: 17, ..machine };
    assert_eq!(
        Planner::new(&many).unwrap_err().to_string(),
        "the machine has 17 ranks; the planner supports 16"
    );
}

#[test]
fn plans_survive_their_document() {
    let demand = demand("random:seed=1", 8);
    let (topology, plan) = planned("B", &demand);
    let document = PlanDocument::new(&topology.name, &plan);
    let text = format!("{:#}", plan_document(&topology.name, &plan));
    let read = PlanDocument::from_json(&text).unwrap();
    assert_eq!(read, document);
    verify_document(&topology, &demand, &read).unwrap();

    let later = text.replace("variopath-plan/1", "variopath-plan/2");
    let error = PlanDocument::from_json(&later).unwrap_err();
    assert_eq!(error.to_string(), "the format is \"variopath-plan/2\", not \"variopath-plan/1\"");
    assert!(PlanDocument::from_json("[]").is_err());
    assert!(PlanDocument::from_json(&text[..text.len() / 2]).is_err());
    let missing = text.replacen("\"makespan_ns\"", "\"makespan\"", 1);
    let error = PlanDocument::from_json(&missing).unwrap_err();
    let place = "not a plan: missing field `makespan_ns` at line ";
    assert!(error.to_string().starts_with(place), "{error}");
}

/// A damage, and the fault that tells of it.
type Damage = (&'static str, fn(&mut PlanDocument), fn(&Fault) -> bool);

/// The first piece that waits for another one.
fn waiting(plan: &PlanDocument) -> usize {
    plan.pieces.iter().position(|piece| !piece.after.is_empty()).unwrap()
}

#[test]
fn every_kind_of_damage_is_found() {
    let damages: &[Damage] = &[
        ("another digest", |p| p.digest = Digest::of(b"x"), |f| matches!(f, Fault::Digest { .. })),
        ("ranks", |p| p.ranks = 7, |f| matches!(f, Fault::Ranks { plan: 7, .. })),
        ("strategy", |p| p.strategy = "fast".into(), |f| matches!(f, Fault::Strategy { .. })),
        ("setting", |p| p.setting = "profile".into(), |f| matches!(f, Fault::Strategy { .. })),
        ("total", |p| p.bytes.0 += 1, |f| matches!(f, Fault::Total { .. })),
        ("piece number", |p| p.pieces[3].id = 4, |f| matches!(f, Fault::Position { .. })),
        (
            "piece order",
            |p| p.pieces[0].start_ns = Nanos(1 << 40),
            |f| matches!(f, Fault::Unordered { .. }),
        ),
        (
            "no such pair",
            |p| p.pieces[0].dst = p.pieces[0].src,
            |f| matches!(f, Fault::Pair { .. }),
        ),
        ("rank out of range", |p| p.pieces[0].dst = 8, |f| matches!(f, Fault::Pair { dst: 8, .. })),
        ("no bytes", |p| p.pieces[0].bytes = Bytes(0), |f| matches!(f, Fault::Empty { piece: 0 })),
        ("short piece", |p| p.pieces[0].bytes.0 -= 1, |f| matches!(f, Fault::Gap { .. })),
        (
            "late offset",
            |p| p.pieces[0].offset = Bytes(1),
            |f| matches!(f, Fault::Gap { from: 0, to: 1, .. }),
        ),
        (
            "beyond the end",
            |p| p.pieces[0].offset = Bytes(1),
            |f| matches!(f, Fault::Beyond { .. }),
        ),
        (
            "offset overflow",
            |p| p.pieces[0].offset = Bytes(u64::MAX),
            |f| matches!(f, Fault::Beyond { .. }),
        ),
        ("lost piece", |p| drop(p.pieces.pop()), |f| matches!(f, Fault::Gap { .. })),
        (
            "twice the bytes",
            |p| {
                let mut again = p.pieces.last().unwrap().clone();
                again.id += 1;
                p.pieces.push(again);
            },
            |f| matches!(f, Fault::Overlap { .. }),
        ),
        ("route", |p| p.pieces[2].route = 1, |f| matches!(f, Fault::Route { piece: 2, found: 1 })),
        ("slower", |p| p.pieces[0].bytes_per_second.0 -= 1, |f| matches!(f, Fault::Rate { .. })),
        (
            "rate zero",
            |p| p.pieces[0].bytes_per_second.0 = 0,
            |f| matches!(f, Fault::TooShort { .. }),
        ),
        ("too short", |p| p.pieces[0].end_ns.0 -= 2, |f| matches!(f, Fault::TooShort { .. })),
        (
            "ends before it starts",
            |p| p.pieces[9].end_ns = Nanos(0),
            |f| matches!(f, Fault::TooShort { .. }),
        ),
        (
            "started too early",
            |p| {
                let last = p.pieces.len() - 1;
                let (start, length) = (
                    p.pieces[last - 1].start_ns,
                    p.pieces[last].end_ns.0 - p.pieces[last].start_ns.0,
                );
                p.pieces[last].start_ns = start;
                p.pieces[last].end_ns = Nanos(start.0 + length);
            },
            |f| matches!(f, Fault::Overload { .. } | Fault::Late { .. }),
        ),
        (
            "everything at once",
            |p| {
                for piece in &mut p.pieces {
                    piece.end_ns.0 -= piece.start_ns.0;
                    piece.start_ns = Nanos(0);
                }
            },
            |f| matches!(f, Fault::Overload { .. }),
        ),
        (
            "lost wait",
            |p| {
                let at = waiting(p);
                p.pieces[at].after.pop();
            },
            |f| matches!(f, Fault::Unguarded { .. }),
        ),
        (
            "lost wait, seen in time",
            |p| p.pieces.last_mut().unwrap().after.clear(),
            |f| matches!(f, Fault::Missing { .. }),
        ),
        (
            "wait for itself",
            |p| p.pieces[0].after = vec![0],
            |f| matches!(f, Fault::Forward { .. }),
        ),
        (
            "wait for nobody",
            |p| p.pieces[0].after = vec![999],
            |f| matches!(f, Fault::Forward { after: 999, .. }),
        ),
        (
            "wait for one that runs",
            |p| p.pieces[1].after.push(0),
            |f| matches!(f, Fault::Late { .. }),
        ),
        (
            "wait twice",
            |p| {
                let at = waiting(p);
                let again = p.pieces[at].after[0];
                p.pieces[at].after.push(again);
            },
            |f| matches!(f, Fault::Redundant { .. }),
        ),
        (
            "wait for what is implied",
            |p| {
                let last = p.pieces.len() - 1;
                let direct = p.pieces[last].after[0] as usize;
                let far = p.pieces[direct].after[0];
                p.pieces[last].after.insert(0, far);
            },
            |f| matches!(f, Fault::Redundant { .. }),
        ),
        (
            "step number",
            |p| p.steps[1].step = 7,
            |f| matches!(f, Fault::Position { what: "step", .. }),
        ),
        (
            "step order",
            |p| p.steps.swap(0, 1),
            |f| matches!(f, Fault::Unordered { what: "step", .. }),
        ),
        (
            "step time",
            |p| p.steps[1].start_ns.0 += 1,
            |f| matches!(f, Fault::Start { step: 1, .. }),
        ),
        (
            "step of nobody",
            |p| p.steps[1].starts.push(999),
            |f| matches!(f, Fault::Start { piece: 999, .. }),
        ),
        (
            "piece not started",
            |p| p.steps[1].starts.truncate(0),
            |f| matches!(f, Fault::Started { times: 0, .. }),
        ),
        (
            "piece started twice",
            |p| {
                let again = p.steps[1].starts[0];
                p.steps[1].starts.push(again);
            },
            |f| matches!(f, Fault::Started { times: 2, .. }),
        ),
        ("makespan", |p| p.makespan_ns.0 += 1, |f| matches!(f, Fault::Makespan { .. })),
        ("T*", |p| p.bounds.t_star_ns.0 -= 1, |f| matches!(f, Fault::Bound { .. })),
        (
            "bound too high",
            |p| p.bounds.bound_ns = Nanos(p.makespan_ns.0 + 1),
            |f| matches!(f, Fault::BeatsBound { .. }),
        ),
        (
            "bound below T*",
            |p| p.bounds.bound_ns = Nanos(0),
            |f| matches!(f, Fault::BeatsBound { .. }),
        ),
        (
            "critical link",
            |p| p.bounds.critical_link = Some(999),
            |f| matches!(f, Fault::CriticalLink { found: 999 }),
        ),
    ];
    let demand = demand("random:seed=1", 8);
    let (topology, plan) = planned("B", &demand);
    let good = PlanDocument::new(&topology.name, &plan);
    verify_document(&topology, &demand, &good).unwrap();
    for (name, damage, tells) in damages {
        let mut bad = good.clone();
        damage(&mut bad);
        let faults = verify_document(&topology, &demand, &bad).expect_err(name);
        assert!(faults.iter().any(tells), "{name}: {faults:?}");
    }
}

#[test]
fn damage_of_a_topology_and_of_a_plan_in_memory_is_found() {
    let demand = demand("random:seed=1", 8);
    let (mut topology, mut plan) = planned("B", &demand);
    plan.pieces[0].route = topology.route_id(Rank(7), Rank(6)).expect("a route");
    let faults = verify(&topology, &demand, &plan).unwrap_err();
    assert_eq!(faults, [Fault::Route { piece: 0, found: plan.pieces[0].route.0 }]);

    let (_, plan) = planned("B", &demand);
    topology.routes[0].links.swap(0, 1);
    let faults = verify(&topology, &demand, &plan).unwrap_err();
    assert_eq!(faults[0].to_string(), "the route 0 -> 1 does not lead there");

    let (mut topology, plan) = planned("B", &demand);
    topology.resources[topology.routes[0].links[0].index()].capacity = Some(BytesPerSecond(1));
    let faults = verify(&topology, &demand, &plan).unwrap_err();
    assert!(faults.iter().any(|fault| matches!(fault, Fault::Rate { .. })), "{faults:?}");
}

#[test]
fn faults_say_what_is_wrong() {
    let link = LinkId(3);
    let capacity = BytesPerSecond(25_000_000_000);
    let overload = Fault::Overload { link, at: Nanos(7), load: 50_000_000_000, capacity };
    assert_eq!(
        overload.to_string(),
        "link 3 carries 50000000000 bytes a second at 7 ns; its capacity is 25 GB/s"
    );
    let gap = Fault::Gap { src: 0, dst: 2, from: 4096, to: 8192 };
    assert_eq!(gap.to_string(), "pair 0 -> 2: no piece carries bytes 4096..8192");
    let missing = Fault::Missing { piece: 5, after: 2 };
    assert_eq!(
        missing.to_string(),
        "piece 5 does not wait for piece 2, which shares a link with it"
    );
}
