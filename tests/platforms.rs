//! The numbers of machines whose answers are known, computed by independent programs.

mod support;

use support::stages;
use variopath::base::Demand;
use variopath::{analyzer, catalog, demand, scheduler};

/// (platform, group order, orbits of pairs, channels, orbits of channels, T_eff / T* of a uniform
/// demand in thousandths)
const KNOWN: [(&str, &str, u32, &str, usize, u128); 7] = [
    ("a", "1152", 2, "6625", 20, 1600),
    ("b", "128", 3, "1889", 31, 1333),
    ("b1", "64", 6, "1889", 52, 1333),
    ("c", "1152", 2, "6625", 20, 1000),
    ("e6", "4", 14, "1340", 356, 1000),
    ("e3s", "48", 16, "63005", 1605, 1100),
    ("e10", "3628800", 1, "2669921", 20, 1000),
];

fn uniform(ranks: usize) -> Demand {
    demand::parse_spec("uniform:1MiB", ranks).expect("a demand")
}

#[test]
fn symmetry_channels_and_bounds_are_the_known_ones() {
    for (name, order, pair_orbits, channels, orbits, ratio) in KNOWN {
        let stages = stages(name);
        let found = &stages.catalog;
        assert_eq!(
            (
                found.order.as_str(),
                found.pair_orbits,
                found.strict.channels.as_str(),
                found.strict.orbits.len()
            ),
            (order, pair_orbits, channels, orbits),
            "{name}"
        );
        assert!(found.strict.complete);
        let bounds = catalog::bounds(found, &uniform(stages.topology.ranks.len())).expect("bounds");
        let (t_eff, t_star) = (u128::from(bounds.t_eff.0), u128::from(bounds.t_star.0));
        let thousandths = (t_eff * 1000 + t_star / 2) / t_star;
        assert_eq!(thousandths, ratio, "{name}");
    }
}

/// (platform, two-rate channels, their orbits), computed by an independent program.
const TWO_RATE: [(&str, &str, usize); 3] =
    [("a", "52273", 76), ("b", "3937", 52), ("e6", "1624", 430)];

#[test]
fn two_rate_channels_are_the_known_ones() {
    for (name, channels, orbits) in TWO_RATE {
        let found = stages(name).catalog.two_rate.expect("paced rates");
        assert_eq!((found.channels.as_str(), found.orbits.len()), (channels, orbits), "{name}");
        assert!(found.complete);
    }
    // Where every link is a multiple of what crosses it, nothing is paced.
    assert_eq!(stages("c").catalog.two_rate, None);
    // Far more than a catalog keeps.
    let found = stages("e3s").catalog.two_rate.expect("paced rates");
    assert!(!found.complete);
    assert_eq!(found.orbits.len(), analyzer::Limits::default().max_orbits);
}

#[test]
fn two_rates_bring_uniform_demands_near_what_links_allow() {
    for (name, ten_thousandths) in [("a", 10_000), ("b", 10_833), ("e3s", 10_600)] {
        let stages = stages(name);
        let demand = uniform(stages.topology.ranks.len());
        let bounds = catalog::bounds(&stages.catalog, &demand).expect("bounds");
        let exact = analyzer::exact_optimum(&stages.catalog, &demand, catalog::Paces::All, None)
            .expect("an optimum");
        for end in [exact.lower, exact.upper] {
            let found = (end.0 * 10_000 + bounds.t_star.0 / 2) / bounds.t_star.0;
            assert_eq!(found, ten_thousandths, "{name}: {exact:?} of {:?}", bounds.t_star);
        }
    }
}

#[test]
fn uniform_demands_take_exactly_the_bound() {
    for (name, rounds) in [("a", 16), ("b", 16), ("c", 16), ("e10", 9)] {
        let stages = stages(name);
        let mut planner = scheduler::Planner::new(&stages.catalog).expect("a planner");
        let demand = uniform(stages.topology.ranks.len());
        let plan = planner.plan(&demand).expect("a plan");
        assert_eq!(plan.steps.len(), rounds, "{name}");
        // Rounding: a duration is rounded up, the bound down.
        assert!(plan.makespan.0 - plan.bounds.t_eff.0 <= rounds as u64, "{name}");
    }
}

/// Five transfers that conflict in a cycle: any link alone needs 2 units, channels 2.5, and 3
/// without preemption.
#[test]
fn a_cycle_of_five_conflicts_needs_more_than_any_link() {
    const UNIT: u64 = 25_000_000;
    for (name, pairs) in [
        ("a", [(0, 1), (0, 4), (1, 5), (4, 5), (4, 1)]),
        ("c", [(0, 1), (0, 4), (1, 5), (4, 5), (4, 1)]),
        ("b", [(0, 1), (0, 2), (1, 3), (2, 3), (2, 1)]),
    ] {
        let stages = stages(name);
        let mut entries = vec![0; 64];
        for (src, dst) in pairs {
            entries[src * 8 + dst] = UNIT;
        }
        let demand = Demand::new(8, entries).expect("a demand");
        let exact = analyzer::exact_optimum(&stages.catalog, &demand, catalog::Paces::Solo, None)
            .expect("an optimum");
        let plan =
            scheduler::Planner::new(&stages.catalog).expect("a planner").plan(&demand).expect("ok");
        let unit = 1_000_000_000u64;
        assert_eq!(plan.bounds.t_eff.0, 2 * unit, "{name}");
        assert_eq!(plan.makespan.0, 3 * unit, "{name}");
        for end in [exact.lower.0, exact.upper.0] {
            assert!(end.abs_diff(5 * unit / 2) < unit / 100_000, "{name}: {exact:?}");
        }
    }
}
