//! What `check` says of machines whose answers are known.

mod check_support;
mod command_support;

use check_support::{UNPLANNED, check, preset, run, section, warnings};
use command_support::variopath;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// T* of 1 MiB from each to each, worked out by hand: what the busiest link carries over its rate.
#[test]
fn presets_have_their_limits() {
    for (name, time, because) in [
        // 4 GPUs behind one switch to 4 behind the other: 16 MiB / 26.3 GB/s.
        ("a10-8", "637.916 us", "sw[1] -> sw[0] carries 16 of 56 pairs"),
        // Each GPU to 3 others: 3 MiB / 26.3 GB/s.
        ("a100-pcie-4", "119.609 us", "g[0] -> s[0] carries 3 of 12 pairs"),
        // 4 GPUs to 4 across: 16 MiB / 39 GB/s.
        ("h100-pcie-8", "430.185 us", "s[0] -> s[1] carries 16 of 56 pairs"),
        ("l40s-8", "430.185 us", "s[0] -> s[1] carries 16 of 56 pairs"),
        ("rtx4090-8", "430.185 us", "s[0] -> s[1] carries 16 of 56 pairs"),
        ("rtx4090-8-p2p", "430.185 us", "s[0] -> s[1] carries 16 of 56 pairs"),
        // 2 GPUs of a switch to 6 others: 12 MiB / 26.3 GB/s, more than 16 MiB / 39 GB/s.
        ("l20-8", "478.437 us", "sw[0] -> s[0] carries 12 of 56 pairs"),
        // 2 GPUs by one card to 8 of the other node: 16 MiB / 25 GB/s.
        ("l20-cluster", "671.088 us", "h[0].n[0] -> leaf carries 16 of 240 pairs"),
        // 16 MiB / 50 GB/s.
        ("rtxpro6000-8", "335.544 us", "s[0] -> s[1] carries 16 of 56 pairs"),
        ("rtxpro6000-8-broadcom", "335.544 us", "s[0] -> s[1] carries 16 of 56 pairs"),
    ] {
        let (code, out, err) = preset(&[name]);
        assert_eq!(code, 0, "{err}");
        let wanted = format!("1 MiB from each GPU to each other takes at least {time}: {because}");
        assert_eq!(section(&out, "limit")[0], wanted, "{name}");
    }
}

#[test]
fn some_percent_are_no_narrow_link_and_half_the_gpus_are_not_few() {
    let of = |rates: [&str; 4]| {
        let mut text = "topology \"x\"\nsocket s\ngpu g[4]\n".to_owned();
        for (gpu, rate) in rates.iter().enumerate() {
            text.push_str(&format!("g[{gpu}] -- s : {rate}\n"));
        }
        let (code, _, err) = check(&text, &[]);
        assert_eq!(code, 0, "{err}");
        warnings(&err).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(["25.1 GB/s", "26.3 GB/s", "24.9 GB/s", "25.7 GB/s"]), [""; 0]);
    let (narrow, wide) = ("pcie gen4 x8", "pcie gen4 x16");
    assert_eq!(of([narrow, wide, narrow, wide]), [""; 0]);
    assert_eq!(of([wide, "pcie gen3 x8", narrow, wide]), [""; 0], "two of four are no exception");
    assert_eq!(
        of([wide, "pcie gen3 x16", wide, wide]),
        [
            "narrow-link]: g[1] is on pcie gen3 x16 (12 GB/s), most GPUs on pcie gen4 x16 (26.3 GB/s)"
        ]
    );
}

const X8_AND_FAILED: &str = "\
topology \"broken\"
use \"l20-8\"
set g[3] : pcie gen4 x8
without g[5]
";

#[test]
fn a_gpu_at_eight_lanes_and_a_failed_one() {
    let (code, out, err) = check(X8_AND_FAILED, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(section(&out, "machine"), ["broken: 2 sockets, 4 switches, 7 GPUs, 4 NICs"]);
    assert_eq!(section(&out, "gpus"), ["7 x NVIDIA L20, sm_89"]);
    assert_eq!(
        section(&out, "shared"),
        [
            "sw[0] -- s[0] by g[0], g[1]: 26.3 GB/s, 13.15 GB/s a GPU",
            "sw[1] -- s[0] by g[2], g[3]: 26.3 GB/s, 13.15 GB/s a GPU",
            "sw[3] -- s[1] by g[6], g[7]: 26.3 GB/s, 13.15 GB/s a GPU",
            // Four send one way, three the other.
            "s[0] -- s[1] by up to 4 GPUs each way: 39 GB/s, 9.75 GB/s a GPU",
        ]
    );
    // 6 MiB over 13.15 GB/s take 478.437 us; s[0] -> s[1] needs 12 MiB / 39 GB/s = 322.6 us, and
    // sw[0] -> s[0] 2 * 5 MiB / 26.3 GB/s = 398.7 us.
    assert_eq!(
        section(&out, "limit"),
        [
            "1 MiB from each GPU to each other takes at least 478.437 us: g[3] -> sw[1] carries 6 of 42 pairs",
            "so each GPU sends at most 13.15 GB/s on average",
            "it rests on 1 assumed value",
        ]
    );
    assert_eq!(section(&out, "warnings"), ["4, on standard error with their reasons"]);
    assert_eq!(
        section(&out, "next"),
        [
            "variopath plan x.topo",
            "variopath build x.topo -o BUNDLE",
            "variopath calibrate x.topo --measured FILE...",
        ]
    );
    assert_eq!(
        warnings(&err),
        [
            "assumed]: 1 value is assumed, not measured",
            "narrow-link]: g[3] is on pcie gen4 x8 (13.15 GB/s), most GPUs on pcie gen4 x16 (26.3 GB/s)",
            "shared-nic]: 6 GPUs share 3 NICs: n[0] by g[0], g[1]; n[1] by g[2], g[3]; n[3] by g[6], g[7]",
            "uneven-sockets]: the sockets have uneven numbers of GPUs: s[0] has 4, s[1] has 3",
        ]
    );
}

#[test]
fn a_cluster_draws_one_node_for_all_that_are_alike() {
    let (code, out, err) = preset(&["l20-cluster", "--set", "nodes=32"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.lines().count() <= 62, "{out}");
    assert_eq!(
        section(&out, "machine"),
        ["l20-cluster: 32 nodes, 64 sockets, 128 switches, 256 GPUs, 128 NICs, 1 fabric"]
    );
    assert_eq!(section(&out, "nodes"), ["h[0..32]: 2 sockets, 4 switches, 8 GPUs, 4 NICs each"]);
    let tree = section(&out, "tree");
    assert_eq!(tree.len(), 2 + 4 + 8 + 4 + 1);
    assert_eq!(tree.last(), Some(&"h[1..32]  like h[0]  (ranks 8..256)"));
    let links = section(&out, "links");
    assert_eq!(links.last(), Some(&"h[0..32].n[0..4] -- leaf: 25 GB/s"));
    // Each card sends for two GPUs 1 MiB to each of 248: 496 MiB / 25 GB/s.
    let limit = section(&out, "limit");
    assert_eq!(
        limit[..2],
        [
            "1 MiB from each GPU to each other takes at least 20.804 ms: h[0].n[0] -> leaf carries 496 of 65280 pairs",
            "so each GPU sends at most 12.85 GB/s on average",
        ]
    );
}

const RAILS: &str = "\
topology \"rails\"
part host {
  socket s[2]; switch sw[4]; gpu g[8]; nic n[8]
  s[0] -- s[1] : 39 GB/s from \"measured\"
  sw[k] -- s[k/2] : pcie gen5 x16
  g[k] -- sw[k/2] : pcie gen5 x16
  n[k] -- sw[k/2] : pcie gen5 x16
}
host h[32]
fabric rail[8]
h[*].n[k] -- rail[k] : 400 Gb/s
";

#[test]
fn rails_are_shared_by_the_gpus_of_a_node() {
    let (code, out, err) = check(RAILS, &[]);
    assert_eq!(code, 0, "{err}");
    let shared = section(&out, "shared");
    assert_eq!(
        shared[0],
        "h[0].sw[0] -- h[0].s[0] by h[0].g[0], h[0].g[1]: 55 GB/s, 27.5 GB/s a GPU"
    );
    // A GPU reaches the one of another node over each rail, by cards near the one or the other.
    assert_eq!(
        shared[5..],
        [
            "h[0].s[0] -- h[0].s[1] by up to 4 GPUs each way: 39 GB/s, 9.75 GB/s a GPU",
            "h[0].n[0] -- rail[0], h[0].n[1] -- rail[1] and 6 more by h[0].g[0..8]: 50 GB/s, 6.25 GB/s a GPU",
        ]
    );
    assert!(
        section(&out, "limit")
            .contains(&"pairs with several routes are taken to split their bytes evenly")
    );
}

/// A cluster of 256 GPUs is read, checked and drawn in the time of a blink. Builds without
/// optimisation are given more.
#[test]
fn two_hundred_fifty_six_gpus_take_no_time() {
    let limit = if cfg!(debug_assertions) { 5000 } else { 200 };
    let best = (0..3).map(|_| {
        let start = std::time::Instant::now();
        assert_eq!(preset(&["l20-cluster", "--set", "nodes=32"]).0, 0);
        start.elapsed().as_millis()
    });
    let best = best.min().expect("three runs");
    assert!(best < limit, "{best} ms");
}

const UNEQUAL: &str = "\
topology \"unequal\"
use \"l20-8\" as l20
use \"l20-8\" as l20b
l20 h[2]
l20b k
fabric leaf
h[*].n[*] -- leaf : 200 Gb/s
k.n[*] -- leaf : 200 Gb/s
without k.g[6], k.g[7]
";

#[test]
fn unequal_nodes_are_each_drawn() {
    let (code, out, err) = check(UNEQUAL, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        section(&out, "nodes"),
        [
            "h[0..2]: 2 sockets, 4 switches, 8 GPUs, 4 NICs each",
            "k: 2 sockets, 4 switches, 6 GPUs, 4 NICs",
        ]
    );
    let tree = section(&out, "tree");
    assert_eq!(tree[18], "h[1]  like h[0]  (ranks 8..16)");
    assert_eq!(tree[19], "k.s[0]");
    assert_eq!(tree.len(), 18 + 1 + 16);
    // Only k has uneven sockets, and one of its cards has no GPU near.
    let told = warnings(&err);
    assert!(
        told.iter().any(|w| w.ends_with("uneven numbers of GPUs: k.s[0] has 4, k.s[1] has 2")),
        "{told:?}"
    );
    assert!(told.iter().any(|w| w.starts_with("shared-nic]: 22 GPUs share 11 NICs:")), "{told:?}");
}

const CARDS: &str = "\
topology \"cards\"
socket s[2]; switch sw; gpu g[4]; nic n; nic spare; switch lone[2]
s[0] -- s[1] : 39 GB/s from \"measured\"
sw -- s[0] : pcie gen4 x16
g[0..2] -- sw : pcie gen4 x16
g[2..4] -- s[1] : pcie gen4 x16
n -- sw : pcie gen4 x16
lone[0] -- lone[1] : pcie gen4 x16
peer within socket
cap bounce : 4 GB/s from \"memcpy\"
";

#[test]
fn cards_far_and_shared_isolated_devices_and_pairs_without_peer_access() {
    let (code, out, err) = check(CARDS, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        warnings(&err),
        [
            "isolated]: no GPU reaches lone[0], lone[1]",
            "isolated]: spare has no link",
            "nic-off-socket]: g[2], g[3] have no NIC on their socket: g[2] uses n on s[0], across the link between sockets",
            "no-peer-access]: 8 of 12 pairs have no peer access (all across sockets): their bytes go through host memory, twice over its bus",
            "shared-nic]: 4 GPUs share 1 NIC: n by g[0], g[1], g[2], g[3]",
        ]
    );
    assert_eq!(
        section(&out, "rules"),
        [
            "peer: peer access within a socket; beyond it through host memory",
            "cap: one bounce transfer reaches at most 4 GB/s (from memcpy)",
        ]
    );
    // 1 MiB at 4 GB/s: 262.144 us, more than any link needs (sw -> s[0]: 4 MiB, 159.479 us).
    assert_eq!(
        section(&out, "limit"),
        [
            "1 MiB from each GPU to each other takes at least 262.144 us: g[0] -> g[2] alone reaches 4 GB/s",
            "so each GPU sends at most 12 GB/s on average",
            "8 of 12 pairs have no peer access and go through host memory (all across sockets)",
        ]
    );
    assert!(section(&out, "defaults").iter().all(|line| !line.starts_with("peer access")));
}

#[test]
fn joint_capacities_are_shared_too() {
    let text = "\
topology \"sum\"
socket s[2] { memory 60 GB/s }
gpu g[4]
s[0] -- s[1] : 39 GB/s
g[k] -- s[k/2] : pcie gen4 x16
total s[0] -- s[1] : 64 GB/s from \"duplex\"
peer none
";
    let (code, out, err) = check(text, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        section(&out, "shared"),
        [
            "s[0] -- s[1] by up to 2 GPUs each way: 39 GB/s, 19.5 GB/s a GPU",
            "total s[0] -- s[1] by 4 GPUs: 64 GB/s, 16 GB/s a GPU",
            "memory of s[0..2] by 4 GPUs: 60 GB/s, 15 GB/s a GPU",
        ]
    );
    assert_eq!(
        section(&out, "rules"),
        [
            "peer: no peer access between GPUs; all goes through host memory",
            "total: s[0] -- s[1] carry at most 64 GB/s (from duplex) together",
        ]
    );
    // Into each socket's memory and out of it go 6 pairs: 12 MiB over 60 GB/s.
    assert_eq!(
        section(&out, "limit")[0],
        "1 MiB from each GPU to each other takes at least 209.715 us: memory of s[0] carries 6 of 12 pairs"
    );
}

#[test]
fn a_rule_of_one_part_leaves_the_default_to_the_others() {
    let text = "\
topology \"parts\"
part box {
  socket s
  gpu g[2]
  nic n
  g[*] -- s : pcie gen4 x16
  n -- s : pcie gen4 x16
}
part shut {
  use \"l20-8\"
  peer none
  peer nic none
  set s[0] -- s[1] : 39 GB/s from \"measured\"
}
box a
shut b[2]
fabric f
a.n -- f : 200 Gb/s
b[*].n[*] -- f : 200 Gb/s
";
    let (code, out, err) = check(text, &[]);
    assert_eq!(code, 0, "{err}");
    let defaults = section(&out, "defaults");
    let elsewhere = ", where no rule says otherwise";
    for line in [
        "peer access between all GPUs of the node, push and pull",
        "NICs read and write GPU memory within the node (GPUDirect)",
    ] {
        assert!(defaults.contains(&&*format!("{line}{elsewhere}")), "{defaults:?}");
    }
    assert_eq!(
        section(&out, "rules"),
        [
            "peer: no peer access between GPUs; all goes through host memory [b[0..2]]",
            "peer nic: no GPUDirect; NICs read and write host memory only [b[0..2]]",
        ]
    );
    let told = warnings(&err);
    assert!(
        told.iter().any(|w| w.starts_with(
            "no-peer-access]: 112 of 306 pairs have no peer access (64 across sockets, 32 within a \
             socket, 16 within a switch)"
        )),
        "{told:?}"
    );
    assert!(
        told.iter().any(|w| w.starts_with("no-gpudirect]: b[0..2].g[0..8] have no GPUDirect")),
        "{told:?}"
    );
}

/// What check calls refused is what the planner refuses.
#[test]
fn the_planner_refuses_what_is_marked() {
    let base = "topology \"x\"\nsocket s[2]\ngpu g[4]\nnic n[2]\ns[0] -- s[1] : 39 GB/s\n\
                g[k] -- s[k/2] : pcie gen4 x16\nn[k] -- s[k] : pcie gen4 x16\n";
    let folder = tempfile::tempdir().expect("a folder");
    for rule in ["loopback", "pacing cross", "peer within socket", "via any", "cost step : 5 us"] {
        fs::write(folder.path().join("x.topo"), format!("{base}{rule}\n")).expect("a file");
        let (code, out, err) = run(folder.path(), &["x.topo"]);
        assert_eq!(code, 0, "{err}");
        let refused = variopath(folder.path(), &["plan", "x.topo"]).0 == 3;
        assert_eq!(out.contains(UNPLANNED), refused, "{rule}: {out}");
        assert_eq!(!section(&out, "refused").is_empty(), refused, "{rule}: {out}");
        let plans = section(&out, "next").contains(&"variopath plan x.topo");
        assert_eq!(plans, !refused, "{rule}: {out}");
    }
}

#[test]
fn unknown_rates_are_asked_for_and_denied_only_on_request() {
    let text = "topology \"ask\"\nsocket s\ngpu g[2]\ng[*] -- s : unknown\n";
    let (code, out, err) = check(text, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(section(&out, "unknown"), ["g[0..2] -- s"]);
    assert_eq!(section(&out, "limit"), Vec::<&str>::new());
    assert_eq!(
        section(&out, "next"),
        ["answer the questions: write the rates into x.topo", "variopath check x.topo"]
    );
    assert_eq!(
        warnings(&err),
        [
            "unknown-rate]: routes need a rate that is unknown: what do the links `g[0] -- s` and `g[1] -- s` carry each?"
        ]
    );
    let (code, _, err) = check(text, &["--deny", "warnings"]);
    assert_eq!(code, 3);
    assert!(
        err.contains("error[denied]: there are warnings, and --deny warnings is given"),
        "{err}"
    );
    let sound = "topology \"sound\"\nsocket s\ngpu g[2]\ng[*] -- s : pcie gen4 x16\n";
    assert_eq!(check(sound, &["--deny", "warnings"]).0, 0);
}

#[test]
fn json_has_it_all_in_one_document() {
    let (code, out, _) = check(X8_AND_FAILED, &["--json", "--deny", "warnings"]);
    assert_eq!(code, 3);
    let document: Value = serde_json::from_str(&out).expect("one document");
    assert_eq!(document["format"], "variopath-check/1");
    assert_eq!(document["warnings"], 4);
    let survey = &document["survey"];
    assert_eq!(survey["gpus"], 7);
    assert_eq!(survey["gpu_kinds"][0]["model"], "NVIDIA L20");
    assert_eq!(survey["shared"][0]["gpus"][1], "g[1]");
    assert_eq!(survey["shared"][0]["bytes_per_second_each"], 13_150_000_000_u64);
    assert_eq!(survey["limit"]["critical"], "g[3] -> sw[1]");
    assert_eq!(survey["limit"]["t_star_ns"], 478_437);
    assert_eq!(survey["peers"]["pairs"], 42);
    let finding = |code: &str| {
        let all = document["findings"].as_array().expect("findings");
        all.iter().find(|finding| finding["code"] == code).cloned().expect(code)
    };
    let narrow = finding("narrow-link");
    assert_eq!(narrow["severity"], "warning");
    // The `set` that narrows it, not the declaration in the preset.
    assert_eq!((&narrow["file"], &narrow["line"]), (&"x.topo".into(), &3.into()));
    assert!(narrow["help"].is_string(), "{narrow}");
    assert_eq!(document["kernels_refused"], Value::Null);
    assert_eq!(document["next"][0], "variopath plan x.topo");
    assert_eq!(document["questions"], serde_json::json!([]));
    assert_eq!(document["machine"], Value::Null);
}

#[test]
fn what_comes_next_is_what_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("write");
    let next = |arguments: &[&str]| -> Vec<String> {
        let (code, out, err) = run(folder.path(), arguments);
        assert_eq!(code, 0, "{err}");
        section(&out, "next").into_iter().map(str::to_owned).collect()
    };
    let text = "topology \"t\"\nparam n = 2\nsocket s\ngpu g[n] -- s : 26 GB/s assumed\n";
    write("my box.topo", text);
    // A name of two words is one word of the shell; --set stays with the file that it was given for.
    assert_eq!(
        next(&["my box.topo", "--set", "n=4"]),
        [
            "variopath plan 'my box.topo' --set n=4",
            "variopath build 'my box.topo' --set n=4 -o BUNDLE",
            "variopath calibrate 'my box.topo' --set n=4 --measured FILE..."
        ]
    );
    // --assume has no effect on a topology file.
    write("ask.topo", "topology \"t\"\nsocket s\ngpu g[2] -- s : unknown\n");
    assert_eq!(
        next(&["ask.topo", "--assume", "gen4"]),
        ["answer the questions: write the rates into ask.topo", "variopath check ask.topo"]
    );
    assert_eq!(
        next(&["l20-cluster", "--set", "nodes=4"]),
        [
            "variopath analyze l20-cluster --set nodes=4",
            "variopath presets l20-cluster > mine.topo; variopath calibrate mine.topo --set nodes=4 --measured FILE..."
        ]
    );
}

#[test]
fn what_only_a_profile_says_is_left_out_by_an_option() {
    let text = "topology \"t\"\nlink up = 40 GB/s\nsocket s[2]\ngpu g[4]\ns[0] -- s[1] : up\n\
                g[k] -- s[k/2] : 25 GB/s\nefficiency up : 2 90%\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("box.topo"), text).expect("write");
    let (_, out, _) = run(folder.path(), &["box.topo"]);
    let next = section(&out, "next");
    assert_eq!(next, ["variopath analyze box.topo", "variopath plan box.topo --setting ideal"]);
    for line in next {
        let arguments: Vec<&str> = line.split(' ').skip(1).collect();
        let (code, _, err) = variopath(folder.path(), &arguments);
        assert_eq!(code, 0, "{line}: {err}");
    }
}

#[test]
fn kernels_that_are_not_built_are_not_proposed() {
    let (code, out, _) = preset(&["rtx4090-8"]);
    assert_eq!(code, 0);
    let none = "g[0] -> g[1] has no peer access (56 of 56 pairs), and the kernels of this version do not go through host memory";
    assert_eq!(section(&out, "kernels"), [format!("none: {none}")]);
    assert!(!out.contains("variopath build"), "{out}");
    let (code, _, err) = variopath(Path::new("."), &["run", "rtx4090-8"]);
    assert_eq!(code, 3);
    assert!(err.contains(&format!("error[unsupported-route]: {none}")), "{err}");
    assert!(err.contains("| peer none") && err.contains("= help:"), "{err}");
}

#[test]
fn an_uplink_is_no_a_uplink() {
    let text = "topology \"t\"\nuse \"l20-8\"\npeer within uplink\nlimit push in switch : 2\n";
    let (_, out, _) = check(text, &[]);
    assert_eq!(
        section(&out, "rules"),
        [
            "peer: peer access within an uplink; beyond it through host memory",
            "limit: at most 2 push transfers at once in a switch"
        ]
    );
}
