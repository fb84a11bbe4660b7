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
