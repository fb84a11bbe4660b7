//! Exchanges in time: plans that take as long as they say, baselines worked out by hand, and what always
//! holds.

mod support;

use support::{PLATFORMS, Stages, machine_of, stages, stages_of};
use variopath::base::{Bytes, Demand, Picos, Rank, Setting};
use variopath::catalog::{self, PlanDocument};
use variopath::demand::{eleven, parse_spec};
use variopath::diagnostics::Sources;
use variopath::dsl;
use variopath::scheduler::Planner;
use variopath::simulator::{Baseline, Exchange, simulate};
use variopath::topology::{self, Topology};

fn planned(stages: &Stages, demand: &Demand) -> (Picos, PlanDocument) {
    let plan = Planner::new(&stages.catalog).expect("a planner").plan(demand).expect("a plan");
    (plan.makespan, PlanDocument::new(&stages.topology.name, &plan))
}

fn topology_of(text: &str) -> Topology {
    let (file, machine) = machine_of(&mut Sources::new(), "m.topo", text);
    topology::build(&machine, dsl::digest(&file)).expect("routes").topology
}

fn time(topology: &Topology, baseline: Baseline, demand: &Demand) -> Picos {
    let exchange = baseline.exchange(topology, demand).expect("an exchange");
    simulate(topology, &exchange, Setting::Ideal).expect("a time").time
}

#[test]
fn strict_plans_take_exactly_their_predicted_time() {
    for name in PLATFORMS {
        let stages = stages(name);
        for spec in eleven(1) {
            let demand = parse_spec(&spec, stages.topology.ranks.len()).expect("a demand");
            let (makespan, plan) = planned(&stages, &demand);
            let exchange = Exchange::of_plan(&stages.topology, &plan).expect("its routes");
            let found = simulate(&stages.topology, &exchange, Setting::Ideal).expect("a time");
            assert_eq!(found.time, makespan, "{name} {spec}");
            for (piece, (start, end)) in plan.pieces.iter().zip(&found.transfers) {
                // None is later than planned.
                assert!(start.nanos_up() <= piece.start_ns && end.nanos_up() <= piece.end_ns);
            }
        }
    }
}

#[test]
fn nothing_is_faster_than_the_load_bound() {
    for name in PLATFORMS {
        let stages = stages(name);
        for spec in ["uniform:1MiB", "zipf:1.2,seed=3", "sparse:0.1,seed=2", "hot-receiver:seed=1"]
        {
            let demand = parse_spec(spec, stages.topology.ranks.len()).expect("a demand");
            let bound = catalog::bounds(&stages.catalog, &demand).expect("bounds").t_star;
            for baseline in Baseline::ALL {
                let exchange = baseline.exchange(&stages.topology, &demand).expect("one");
                let sent: u64 = exchange.transfers.iter().map(|transfer| transfer.bytes.0).sum();
                let local: u64 = (0..demand.ranks())
                    .map(|rank| demand.get(Rank::new(rank), Rank::new(rank)).0)
                    .sum();
                assert_eq!(sent + local, demand.total().0, "{name} {spec} {baseline:?}");
                let found = simulate(&stages.topology, &exchange, Setting::Ideal).expect("a time");
                assert!(found.time >= bound, "{name} {spec} {baseline:?}");
                // What links carried is what their routes took.
                for (at, carried) in found.carried.iter().enumerate() {
                    let wanted: u64 = exchange
                        .transfers
                        .iter()
                        .map(|transfer| {
                            let times =
                                transfer.route.takes().filter(|id| id.index() == at).count();
                            transfer.bytes.0 * times as u64
                        })
                        .sum();
                    assert!(carried.bytes.abs_diff(wanted) <= exchange.transfers.len() as u64);
                }
            }
        }
    }
}

/// Four GPUs on one switch: 1 GB/s in and out of each, so that a megabyte takes a millisecond.
fn star() -> Topology {
    let text = "topology \"star\"\nswitch w\ngpu g[4] -- w : 1 GB/s\n";
    stages_of("star.topo", text).topology
}

fn megabytes(entries: [[u64; 4]; 4]) -> Demand {
    let bytes = entries.into_iter().flatten().map(|entry| entry * 1_000_000).collect();
    Demand::new(4, bytes).expect("a demand")
}

/// A skewed demand of which the largest row and column is 14 and the diagonals' largest entries add up
/// to 17: what phases with barriers lose.
#[test]
fn barriers_cost_the_sum_of_the_largest() {
    let demand = megabytes([[0, 7, 3, 4], [2, 0, 7, 5], [6, 2, 0, 4], [3, 5, 4, 0]]);
    let star = star();
    let millis = |baseline| time(&star, baseline, &demand).0 / 1_000_000_000;
    // Diagonals: (7, 7, 4, 3), (3, 5, 6, 5), (4, 2, 2, 4).
    assert_eq!(millis(Baseline::SpreadOutBarriers), 7 + 6 + 4);
    // Rows 14, 14, 12, 12; columns 11, 14, 14, 13.
    assert_eq!(millis(Baseline::Birkhoff), 14);
    let at_once = millis(Baseline::AllAtOnce);
    assert!((14..17).contains(&at_once), "{at_once}");
}

#[test]
fn uniform_phases_fill_a_star() {
    let demand = parse_spec("uniform:1000000", 4).expect("a demand");
    for baseline in Baseline::ALL {
        // A third of a link is no whole number of bytes a second.
        let found = time(&star(), baseline, &demand);
        assert!(found.0.abs_diff(3_000_000_000) < 10, "{baseline:?}: {found:?}");
    }
}

#[test]
fn a_crossbar_takes_its_largest_row_or_column() {
    let star =
        stages_of("star.topo", "topology \"star\"\nswitch w\ngpu g[7] -- w : 1 GB/s\n").topology;
    for seed in 0..20 {
        let demand = parse_spec(&format!("log-uniform:seed={seed}"), 7).expect("a demand");
        let entry = |src: usize, dst: usize| demand.get(Rank::new(src), Rank::new(dst)).0;
        let sums = (0..7).flat_map(|a| {
            [(0..7).map(|b| entry(a, b)).sum::<u64>(), (0..7).map(|b| entry(b, a)).sum()]
        });
        let largest = sums.max().expect("seven");
        let found = time(&star, Baseline::Birkhoff, &demand);
        assert_eq!(found, Picos(largest * 1000), "{seed}");
    }
}

/// Through host memory, in chunks of 128 KiB, both crossings overlapped.
#[test]
fn bounced_transfers_are_stored_and_forwarded() {
    let text = "topology \"bounce\"\nsocket s\ngpu g[2] -- s : 10 GB/s\npeer none\n";
    let topology = stages_of("bounce.topo", text).topology;
    let mut entries = vec![0; 4];
    entries[1] = 8 * (128 << 10);
    let demand = Demand::new(2, entries).expect("a demand");
    // Nine times a chunk over one link.
    let chunk = (128u64 << 10) * 100;
    assert_eq!(time(&topology, Baseline::AllAtOnce, &demand), Picos(9 * chunk));
}

/// The collapse of writes from one switch to two roots, which the file states.
#[test]
fn hampered_writes_collapse_in_the_profile_alone() {
    let text = "topology \"two roots\"\nsocket s[2]\nswitch w\ngpu g[4]\ns[0] -- s[1] : 50 GB/s\n\
                w -- s[0] : 50 GB/s\ng[0..2] -- w : 50 GB/s\ng[2] -- s[0] : 50 GB/s\ng[3] -- s[1] : 50 GB/s\n\
                avoid push from same switch to different socket : 2.5 GB/s\nforbid pull g[*] -> g[*]\n\
                cost flow : 1 us\ncost step : 3 us\n";
    let topology = stages_of("roots.topo", text).topology;
    let mut entries = vec![0; 16];
    (entries[2], entries[4 + 3]) = (1_000_000, 1_000_000);
    let demand = Demand::new(4, entries).expect("a demand");
    let exchange = Baseline::AllAtOnce.exchange(&topology, &demand).expect("one");
    let ideal = simulate(&topology, &exchange, Setting::Ideal).expect("a time");
    assert_eq!(ideal.time, Picos(40_000_000), "two over the uplink");
    let profile = simulate(&topology, &exchange, Setting::Profile).expect("a time");
    assert_eq!(profile.time, Picos(1_000_000 + 800_000_000), "2 MB at 2.5 GB/s after a start");
    // One after the other: 20 us each, and a step between.
    let mut ordered = exchange;
    ordered.transfers[1].after = vec![0];
    let profile = simulate(&topology, &ordered, Setting::Profile).expect("a time");
    assert_eq!(profile.time, Picos((1 + 20 + 4 + 20) * 1_000_000));
}

/// Two servers of two GPUs, a card each; within a server everything is a hundred times as fast.
const SERVERS: &str = "topology \"servers\"\npart node { switch w; gpu g[2] -- w : 100 GB/s; nic n[2] -- w : 1 GB/s\n\
    via g[k] : n[k] }\nnode h[2]\nfabric f\nh[*].n[*] -- f : 1 GB/s\n";

#[test]
fn fast_balances_sends_and_passes_on() {
    let topology = topology_of(SERVERS);
    let mut entries = vec![0; 16];
    // From the first GPU of the one server to the second of the other.
    entries[3] = 4_000_000;
    let demand = Demand::new(4, entries.clone()).expect("a demand");
    // Half of it goes to the neighbour first, both halves over a card each, one of them on to the second.
    assert_eq!(time(&topology, Baseline::Fast, &demand), Picos(2_040_000_000));
    assert_eq!(time(&topology, Baseline::AllAtOnce, &demand), Picos(4_000_000_000));
    let exchange = Baseline::Fast.exchange(&topology, &demand).expect("one");
    assert_eq!(exchange.transfers.len(), 4);
    // Both directions are one stage.
    entries[3 * 4] = 4_000_000;
    let both = Demand::new(4, entries).expect("a demand");
    assert_eq!(time(&topology, Baseline::Fast, &both), Picos(2_040_000_000));
}

/// Across sockets through host memory in chunks at 20 GB/s, as if there were no peer access.
#[test]
fn nccl_goes_through_host_memory_beyond_switches() {
    let text = "topology \"two\"\nsocket s\nswitch w[2] -- s : 26 GB/s\ngpu g[4]\ng[k] -- w[k/2] : 26 GB/s\n";
    let topology = topology_of(text);
    let one = |src: usize, dst: usize| {
        let mut entries = vec![0; 16];
        entries[4 * src + dst] = 8 * (128 << 10);
        time(&topology, Baseline::Nccl, &Demand::new(4, entries).expect("a demand")).0
    };
    let chunk = (128u64 << 10) * 1000;
    assert!(one(0, 1).abs_diff(8 * chunk / 26) < 10);
    assert!(one(0, 2).abs_diff(9 * chunk / 20) < 20);
}

/// Ranks that a symmetry exchanges are exchanged in the demand: nothing changes but who waits for whom.
#[test]
fn symmetric_demands_take_as_long() {
    let stages = stages("b");
    let demand = parse_spec("random:seed=4", 8).expect("a demand");
    let at = |vertex: u32| {
        let found = stages.catalog.rank_vertices.iter().position(|&other| other == vertex);
        Rank::new(found.expect("a rank"))
    };
    for generator in &stages.catalog.generators {
        let image = |rank: usize| at(generator[stages.catalog.rank_vertices[rank] as usize]);
        let mut moved = vec![0; 64];
        for src in 0..8 {
            for dst in 0..8 {
                let Bytes(bytes) = demand.get(Rank::new(src), Rank::new(dst));
                moved[image(src).index() * 8 + image(dst).index()] = bytes;
            }
        }
        let moved = Demand::new(8, moved).expect("a demand");
        // Those of the baselines that do not go by numbers of ranks.
        let (before, after) = (
            time(&stages.topology, Baseline::AllAtOnce, &demand),
            time(&stages.topology, Baseline::AllAtOnce, &moved),
        );
        assert_eq!(before, after);
    }
}
