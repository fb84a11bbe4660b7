//! Rules that keep transfers apart, on machines whose pairs can be counted by hand.

mod support;

use support::stages_of;
use variopath::base::{Rank, RouteId};
use variopath::demand::parse_spec;
use variopath::scheduler::Planner;
use variopath::topology::Topology;
use variopath::verify::verify;

/// Two sockets, two switches a socket, two GPUs a switch, and `rules`.
fn machine(rules: &str) -> Topology {
    let text = format!(
        "topology \"box\"\nsocket s[2]\nswitch v[4]\ngpu g[8]\ns[0] -- s[1] : 40 GB/s\n\
         v[k] -- s[k/2] : 25 GB/s\ng[k] -- v[k/2] : 25 GB/s\n{rules}\n"
    );
    stages_of("box.topo", &text).topology
}

fn route(topology: &Topology, src: u32, dst: u32) -> RouteId {
    topology.route_id(Rank(src), Rank(dst)).expect("a pair")
}

#[test]
fn writes_of_one_switch_to_different_uplinks_are_kept_apart() {
    // Reads are no way out where they are avoided too.
    let topology = machine("avoid from same switch to different uplink : 2.7 GB/s");
    let apart = topology.kept_apart();
    // Of each of the four switches: six destinations beyond it for the one GPU, and for the other
    // the four of them that are behind another uplink.
    assert_eq!(apart.len(), 4 * 6 * 4);
    let has = |a: (u32, u32), b: (u32, u32)| {
        apart.contains(&(route(&topology, a.0, a.1), route(&topology, b.0, b.1)))
    };
    assert!(has((0, 2), (1, 4)) && has((0, 7), (1, 2)));
    // The same uplink, the same source, another switch, and one that stays below its own uplink.
    assert!(!has((0, 2), (1, 3)) && !has((0, 2), (0, 4)));
    assert!(!has((0, 4), (2, 6)) && !has((0, 1), (1, 4)));
    // A rule of one mode says nothing about what moves in the other.
    for mode in ["push", "pull"] {
        let rule = format!("avoid {mode} from same switch to different uplink : 2.7 GB/s");
        assert!(machine(&rule).kept_apart().is_empty());
    }
}

#[test]
fn relations_of_places() {
    // From one GPU never counts: two transfers of different GPUs are meant.
    assert!(machine("avoid from same gpu to same gpu").kept_apart().is_empty());
    // Into one GPU from two others: 8 GPUs with 7 * 6 / 2 pairs of sources.
    assert_eq!(machine("avoid from different gpu to same gpu").kept_apart().len(), 8 * 21);
    // Two rules that name the same pairs name them once.
    let twice = "avoid from different gpu to same gpu\navoid from same node to same gpu";
    assert_eq!(machine(twice).kept_apart().len(), 8 * 21);
}

#[test]
fn limits_count_what_is_in_a_place() {
    let of = |rules: &str| -> Vec<(usize, u64)> {
        let limits = machine(rules).limits();
        limits.iter().map(|limit| (limit.routes.len(), limit.most)).collect()
    };
    // A GPU sends to and receives from seven.
    assert_eq!(of("limit in gpu : 1"), [(14, 1); 8]);
    // Over a switch go the pairs of its two GPUs and those with one end among them.
    assert_eq!(of("limit push in switch : 2"), [(2 + 2 * 2 * 6, 2); 4]);
    assert_eq!(of("limit in uplink : 3"), [(2 * 2 * 6, 3); 4]);
    // All but the pairs within the other socket.
    assert_eq!(of("limit in socket : 4"), [(56 - 12, 4); 2]);
    assert_eq!(of("limit in node : 5"), [(56, 5)]);
    // What can never bind is none, and of two the last one written holds.
    assert!(of("limit in node : 56").is_empty() && of("limit pull in node : 1").is_empty());
    assert_eq!(of("limit in node : 5\nlimit in node : 7"), [(56, 7)]);
}

#[test]
fn limits_of_a_part_hold_beside_those_around_it() {
    let text = "topology \"two\"
part half {
  socket s
  gpu g[3]
  g[*] -- s : 25 GB/s
  limit in socket : 1
}
half h[2]
h[0].s -- h[1].s : 40 GB/s
limit in socket : 2
";
    let limits = stages_of("two.topo", text).topology.limits();
    let found: Vec<(usize, u64)> =
        limits.iter().map(|limit| (limit.routes.len(), limit.most)).collect();
    // Each half speaks of the six pairs between its GPUs, the file of those and the 18 across.
    assert_eq!(found, [(6, 1), (6, 1), (24, 2), (24, 2)]);
}

#[test]
fn a_limit_bounds_like_a_link_of_so_many_slots() {
    let text = "topology \"one at a time\"\nsocket s\ngpu g[4]\ng[*] -- s : 25 GB/s\n";
    for (most, name) in [(1, "limit of 1 in the node"), (2, "limit of 2 in the node")] {
        let stages = stages_of("box.topo", &format!("{text}limit in node : {most}\n"));
        let demand = parse_spec("uniform:1MiB", 4).expect("a demand");
        let plan = Planner::new(&stages.catalog).expect("a planner").plan(&demand).expect("a plan");
        // Twelve transfers of 41943.04 ns, so many at once.
        let bound = 12 * 41_943_040 / most;
        assert_eq!(plan.bounds.t_eff.0, bound);
        assert_eq!(plan.bounds.t_star.0, 3 * 41_943_040);
        assert!(plan.makespan.0 - bound <= 12, "{:?}", plan.makespan);
        let critical = plan.bounds.critical_link.expect("something is");
        assert_eq!(stages.topology.resource_name(critical), name);
        verify(&stages.topology, &demand, &plan).expect("it holds");
    }
}

/// Two links of one direction each are an uplink like one of both.
#[test]
fn an_uplink_may_be_written_in_two_lines() {
    let text = "topology \"two lines\"\nsocket s\ngpu g[3]\ng[0] -> s : 25 GB/s\ns -> g[0] : 25 GB/s\n\
                g[1] -- s : 25 GB/s\ng[2] -- s : 25 GB/s\nlimit in uplink : 1\n";
    let stages = stages_of("two.topo", text);
    assert_eq!(stages.catalog.order, "6");
    assert!(stages.topology.limits().iter().all(|limit| limit.routes.len() == 4));
}
