//! `variopath simulate` as it is typed.

mod command_support;

use command_support::variopath;
use serde_json::Value;
use std::fs;

#[test]
fn a_plan_stands_beside_the_ways_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = variopath(folder.path(), &["simulate", "l20-8"]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!("simulate_l20_8", out);
    // A plan of a file is the same as the one that is made.
    let plan = ["plan", "l20-8", "-o", "plan.json"];
    assert_eq!(variopath(folder.path(), &plan).0, 0);
    let again = ["simulate", "l20-8", "--plan", "plan.json"];
    assert_eq!(variopath(folder.path(), &again).1, out);
    let other = ["simulate", "l20-8", "--plan", "plan.json", "--demand", "uniform:2MiB"];
    let (code, _, err) = variopath(folder.path(), &other);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("error[invalid-plan]") && err.contains("plan.json"), "{err}");
}

#[test]
fn settings_stand_side_by_side_where_the_file_has_a_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "topology \"box\"\nlink up = 40 GB/s\nsocket s[2]\ngpu g[4]\ns[0] -- s[1] : up\n\
                g[k] -- s[k/2] : 25 GB/s\nefficiency up : 2 50%\n";
    fs::write(folder.path().join("box.topo"), text).expect("write");
    let json = |more: &[&str]| -> Value {
        let mut arguments = vec!["simulate", "box.topo", "--baselines", "all-at-once", "--json"];
        arguments.extend(more);
        let (code, out, err) = variopath(folder.path(), &arguments);
        assert_eq!(code, 0, "{err}");
        serde_json::from_str(&out).expect("JSON")
    };
    let found = json(&[]);
    assert_eq!(found["format"], "variopath-simulation/1");
    let time = |row: usize, setting: usize| {
        found["exchanges"][row]["outcomes"][setting]["time_ns"].as_u64().expect("a time")
    };
    // Four pairs cross each way: at 40 GB/s together, or at 20 where two or more do.
    let crossing = |rate: u64| (4u64 << 20) / rate;
    assert!(time(1, 0).abs_diff(125_830) < 3);
    assert!(time(1, 1).abs_diff(crossing(20)) < 3, "{}", time(1, 1));
    // One at a time the plan loses nothing.
    assert_eq!(time(0, 0), time(0, 1));
    assert_eq!(found["exchanges"][1]["outcomes"][1]["critical"], "s[0] -> s[1]");
    let ideal = json(&["--setting", "ideal"]);
    assert_eq!(ideal["exchanges"][0]["outcomes"].as_array().expect("a list").len(), 1);
}

#[test]
fn what_has_no_plan_has_the_ways_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = variopath(folder.path(), &["simulate", "l20-cluster"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("plan (strict)         none: exchanges between several nodes"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("all-at-once ")), "{out}");
    // What is not for this machine says why.
    let unequal = "topology \"unequal\"\npart node { socket s; gpu g[2] -- s : 25 GB/s; nic n -- s : 25 GB/s }\n\
                   node h[2]\nfabric f\nh[*].n -- f : 25 GB/s\nwithout h[1].g[1]\n";
    fs::write(folder.path().join("unequal.topo"), unequal).expect("write");
    let (code, out, err) = variopath(folder.path(), &["simulate", "unequal.topo"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("fast                  none: nodes have different numbers of ranks"),
        "{out}"
    );
    let (code, _, err) = variopath(folder.path(), &["simulate", "l20-8", "--baselines", "warp"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no baseline `warp`") && err.contains("spread-out"), "{err}");
}

#[test]
fn a_trace_has_a_track_a_rank_and_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["simulate", "l20-8", "--baselines", "all-at-once", "--trace", "t.json"];
    let (code, out, err) = variopath(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("plan (strict)"));
    let text = fs::read_to_string(folder.path().join("t.json")).expect("a trace");
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let of = |kind: &'static str| events.iter().filter(move |event| event["ph"] == kind);
    assert_eq!(of("X").count(), 2 * 56);
    let names: Vec<&str> = of("M").filter_map(|event| event["args"]["name"].as_str()).collect();
    for name in ["plan (strict), ideal: ranks", "all-at-once, ideal: links", "g[7]", "g[0] (7)"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    // Tracks do not overlap, and what links carried adds up to what was sent over them.
    let mut tracks: std::collections::BTreeMap<(u64, u64), Vec<(f64, f64)>> = Default::default();
    for event in of("X") {
        let number = |key: &str| event[key].as_u64().expect("a number");
        let (start, long) = (event["ts"].as_f64().expect("µs"), event["dur"].as_f64().expect("µs"));
        tracks.entry((number("pid"), number("tid"))).or_default().push((start, start + long));
    }
    for times in tracks.values_mut() {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(times.windows(2).all(|two| two[0].1 <= two[1].0 + 1e-5), "{times:?}");
    }
    let (mut last, mut bytes) = ((0.0, 0.0), 0.0);
    for event in of("C").filter(|event| event["name"] == "g[0] -> sw[0]" && event["pid"] == 3) {
        let (time, rate) = (event["ts"].as_f64(), event["args"]["GB/s"].as_f64());
        bytes += last.1 * 1e9 * (time.expect("µs") - last.0) / 1e6;
        last = (time.expect("µs"), rate.expect("a rate"));
    }
    assert!((bytes - 7.0 * 1_048_576.0).abs() < 10.0, "{bytes}");
    assert_eq!(variopath(folder.path(), &arguments).0, 4, "the trace is there already");
}
