//! Advice on machines whose bounds can be worked out by hand.

mod support;

use support::machine_of;
use variopath::advise::{Change, advise};
use variopath::base::{BytesPerSecond, Digest, Rank};
use variopath::demand::parse_spec;
use variopath::diagnostics::Sources;
use variopath::dsl::{self, Machine};

fn machine(text: &str) -> (Machine, Digest) {
    let (file, machine) = machine_of(&mut Sources::new(), "box.topo", text);
    (machine, dsl::digest(&file))
}

/// Four GPUs on one root complex, one of them on half the lanes.
const HALF: &str = "topology \"half\"
socket s
gpu g[4]
g[0..3] -- s : pcie gen4 x16
g[3] -- s : pcie gen4 x8
";

#[test]
fn a_narrow_slot_is_found() {
    let (machine, digest) = machine(HALF);
    let report =
        advise(&machine, &digest, &parse_spec("uniform:1MiB", 4).expect("one"), None).expect("ok");
    // 3 MiB over 13.15 GB/s, with all lanes over 26.3 GB/s; ranks change nothing.
    assert_eq!(report.bounds.t_eff.0, 3 * (1u64 << 20) * 1_000_000_000_000 / 13_150_000_000);
    assert_eq!(report.critical.as_deref(), Some("g[3] -> s"));
    let [best] = &report.advice[..] else { panic!("{report:?}") };
    assert_eq!(best.change, Change::Widen { link: 3, rate: BytesPerSecond(26_300_000_000) });
    assert_eq!(best.bounds.t_eff.0, 3 * (1u64 << 20) * 1_000_000_000_000 / 26_300_000_000);
    assert_eq!(best.change.describe(&machine), "g[3] -- s at 26.3 GB/s instead of 13.15 GB/s");
    // One link to widen, six pairs of ranks, no other slot.
    assert_eq!(report.tried, 7);
}

#[test]
fn ranks_that_talk_belong_together() {
    let text = "topology \"two\"
socket s[2]
gpu g[4]
s[0] -- s[1] : 10 GB/s
g[k] -- s[k/2] : 25 GB/s
";
    let (machine, digest) = machine(text);
    // Ranks 0 and 2 talk, and 1 and 3, so all of it crosses the sockets.
    let mut entries = vec![0; 16];
    for (src, dst) in [(0, 2), (2, 0), (1, 3), (3, 1)] {
        entries[src * 4 + dst] = 10_000_000;
    }
    let demand = variopath::base::Demand::new(4, entries).expect("a demand");
    assert_eq!(demand.get(Rank(0), Rank(2)).0, 10_000_000);
    let report = advise(&machine, &digest, &demand, None).expect("advice");
    assert_eq!(report.bounds.t_eff.0, 2_000_000_000);
    let best = &report.advice[0];
    // With ranks 1 and 2 exchanged nothing crosses: 10 MB at 25 GB/s.
    assert_eq!((best.change, best.bounds.t_eff.0), (Change::Swap { a: 0, b: 3 }, 400_000_000));
    assert!(report.advice[1..].iter().any(|a| a.change == Change::Swap { a: 1, b: 2 }));
    // A GPU in the other socket's slots leaves one of the two conversations across.
    let moved = report.advice.iter().find(|a| matches!(a.change, Change::Move { .. }));
    assert_eq!(moved.expect("a move").bounds.t_eff.0, 1_000_000_000);
}

#[test]
fn a_machine_without_routes_is_refused_as_ever() {
    let (machine, digest) =
        machine("topology \"apart\"\nsocket s[2]\ngpu g[2]\ng[k] -- s[k] : 9 GB/s\n");
    let faults = advise(&machine, &digest, &parse_spec("uniform:1MiB", 2).expect("one"), None);
    assert!(faults.is_err());
}

#[test]
fn slots_under_a_joint_capacity_are_left_alone() {
    let text = "topology \"joint\"
socket s
switch v[2]
gpu g[4]
v[*] -- s : 20 GB/s
g[k] -- v[k/2] : 25 GB/s
total v[0] : 60 GB/s
";
    let (machine, digest) = machine(text);
    let demand = parse_spec("uniform:1MiB", 4).expect("one");
    // v[0], what hangs on it and what it hangs on have links under the total, so no GPU is moved:
    // the six exchanges of ranks are left.
    let report = advise(&machine, &digest, &demand, None).expect("advice");
    assert_eq!(report.tried, 6);
}
