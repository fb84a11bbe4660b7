//! The binary as users meet it: exact texts, exit codes, JSON.

mod command_support;

use command_support::{variopath, with_input};
use serde_json::Value;
use std::fs;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn an_unknown_preset_is_named_with_the_ones_there_are() {
    let folder = folder();
    let (code, out, err) = variopath(folder.path(), &["check", "l20-9"]);
    assert_eq!((code, out.as_str()), (1, ""));
    insta::assert_snapshot!("unknown_preset", err);
}

#[test]
fn failures_under_json_are_one_document() {
    let folder = folder();
    let (code, out, _) = variopath(folder.path(), &["analyze", "l20-9", "--json"]);
    assert_eq!(code, 1);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["format"], "variopath-error/1");
    assert_eq!(document["exit"], 1);
    assert_eq!(document["diagnostics"][0]["code"], "unknown-preset");
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_line() {
    let folder = folder();
    fs::write(folder.path().join("bad.topo"), b"topology \"x\"\nsocket \xff\n").expect("write");
    let (code, _, err) = variopath(folder.path(), &["check", "bad.topo"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!("not_utf_8", err);
}

#[test]
fn an_existing_output_needs_force() {
    let folder = folder();
    let arguments = ["demand", "uniform:4KiB", "--ranks", "3", "-o", "d.csv"];
    assert_eq!(variopath(folder.path(), &arguments).0, 0);
    let before = fs::read(folder.path().join("d.csv")).expect("written");
    let (code, _, err) = variopath(folder.path(), &arguments);
    assert_eq!(code, 4);
    insta::assert_snapshot!("existing_output", err);
    let mut forced = arguments.to_vec();
    forced.push("--force");
    assert_eq!(variopath(folder.path(), &forced).0, 0);
    assert_eq!(fs::read(folder.path().join("d.csv")).expect("written"), before);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = folder();
    // A file where a folder would have to be: fails for root, too.
    fs::write(folder.path().join("file"), "").expect("write");
    let (code, _, err) =
        variopath(folder.path(), &["demand", "zero", "--ranks", "2", "-o", "file/d.csv"]);
    assert_eq!(code, 4);
    insta::assert_snapshot!("unwritable_output", err);
    let (code, _, err) = variopath(folder.path(), &["build", "l20-8", "-o", "file/bundle"]);
    assert_eq!(code, 4);
    insta::assert_snapshot!("unwritable_bundle", err);
}

#[test]
fn demands_that_are_none_are_refused() {
    let folder = folder();
    for (name, text) in [
        ("shape", "0,1\n1,0\n"),
        ("ragged", "0,1,2\n1,0\n"),
        ("negative", "0,-1\n1,0\n"),
        ("fraction", "0,1.5\n1,0\n"),
        ("huge", "0,9007199254740993\n1,0\n"),
    ] {
        let file = format!("{name}.csv");
        fs::write(folder.path().join(&file), text).expect("write");
        fs::write(
            folder.path().join("two.topo"),
            "topology \"two\"\nsocket s\ngpu g[2]\ng[*] -- s : 25 GB/s\n",
        )
        .expect("write");
        let target = if name == "shape" { "l20-8" } else { "two.topo" };
        let (code, out, err) = variopath(folder.path(), &["plan", target, "--demand", &file]);
        assert_eq!((code, out.as_str()), (1, ""), "{name}: {err}");
        insta::assert_snapshot!(format!("demand_{name}"), err);
    }
}

#[test]
fn what_is_not_supported_says_so_with_exit_3() {
    let folder = folder();
    for (name, arguments) in [
        ("engine", ["run", "l20-8", "--engine", "cuda"]),
        ("strategy", ["plan", "l20-8", "--strategy", "two-rate"]),
        ("setting", ["plan", "l20-8", "--setting", "profile"]),
    ] {
        let (code, out, err) = variopath(folder.path(), &arguments);
        assert_eq!((code, out.as_str()), (3, ""), "{name}");
        insta::assert_snapshot!(format!("unsupported_{name}"), err);
    }
}

#[test]
fn a_plan_passes_verify_and_a_changed_one_does_not() {
    let folder = folder();
    let spec = "zipf:0.8,seed=3";
    let plan = ["plan", "l20-8", "--demand", spec, "-o", "p.json"];
    assert_eq!(variopath(folder.path(), &plan).0, 0);
    let verify = ["verify", "l20-8", "--demand", spec, "--plan", "p.json"];
    let (code, out, err) = variopath(folder.path(), &verify);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("valid "), "{out}");
    let text = fs::read_to_string(folder.path().join("p.json")).expect("written");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["format"], "variopath-plan/1");
    let bytes = document["pieces"][0]["bytes"].as_u64().expect("bytes");
    document["pieces"][0]["bytes"] = (bytes + 1).into();
    fs::write(folder.path().join("p.json"), document.to_string()).expect("write");
    assert_eq!(variopath(folder.path(), &verify).0, 3);
    let (code, _, err) =
        with_input(folder.path(), &["verify", "l20-8", "--plan", "-"], "no plan at all");
    assert_eq!(code, 1);
    insta::assert_snapshot!("not_a_plan", err);
}

#[test]
fn a_dump_on_standard_input_is_drawn_and_asked_about() {
    let folder = folder();
    let dump = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n\
        GPU0\t X \tPIX\tSYS\tSYS\t0-31\t0\t\tN/A\n\
        GPU1\tPIX\t X \tSYS\tSYS\t0-31\t0\t\tN/A\n\
        GPU2\tSYS\tSYS\t X \tPIX\t32-63\t1\t\tN/A\n\
        GPU3\tSYS\tSYS\tPIX\t X \t32-63\t1\t\tN/A\n";
    let (code, out, err) = with_input(folder.path(), &["check", "-"], dump);
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!("check_dump_stdout", out);
    insta::assert_snapshot!("check_dump_stderr", err);
    let (code, _, err) = with_input(folder.path(), &["plan", "-"], dump);
    assert_eq!(code, 1);
    insta::assert_snapshot!("plan_dump_stderr", err);
    let (code, out, err) = with_input(folder.path(), &["plan", "-", "--assume", "gen4"], dump);
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!("plan_dump_assumed", out);
}

#[test]
fn outputs_do_not_depend_on_folder_or_threads() {
    let (first, second) = (folder(), folder());
    let mut bundles = Vec::new();
    let mut plans = Vec::new();
    for (place, threads) in [(&first, "1"), (&second, "2")] {
        let build = ["build", "l20-8", "-o", "bundle", "--threads", threads];
        assert_eq!(variopath(place.path(), &build).0, 0);
        let mut files: Vec<_> = fs::read_dir(place.path().join("bundle"))
            .expect("a bundle")
            .map(|entry| entry.expect("an entry").path())
            .map(|path| (path.file_name().expect("a name").to_owned(), fs::read(&path).unwrap()))
            .collect();
        files.sort();
        bundles.push(files);
        let plan = ["plan", "l20-8", "--demand", "random:seed=1", "--json", "--threads", threads];
        plans.push(variopath(place.path(), &plan));
    }
    assert_eq!(plans[0].0, 0, "{}", plans[0].2);
    assert!(bundles[0] == bundles[1]);
    assert_eq!(plans[0], plans[1]);
}

#[test]
fn a_bundle_is_a_target() {
    let folder = folder();
    assert_eq!(variopath(folder.path(), &["build", "a10-8", "-o", "bundle"]).0, 0);
    let (code, from_bundle, err) = variopath(folder.path(), &["analyze", "./bundle", "--json"]);
    assert_eq!(code, 0, "{err}");
    let (_, from_preset, _) = variopath(folder.path(), &["analyze", "a10-8", "--json"]);
    assert_eq!(from_bundle, from_preset);
    let manifest = folder.path().join("bundle/manifest.json");
    fs::write(&manifest, "{}").expect("write");
    let (code, _, err) = variopath(folder.path(), &["analyze", "./bundle"]);
    assert_eq!(code, 4);
    insta::assert_snapshot!("damaged_bundle", err);
}

#[test]
fn an_output_that_is_no_ordinary_file_is_left_alone() {
    let folder = folder();
    fs::create_dir(folder.path().join("d.csv")).expect("a folder");
    for (name, output) in [("folder", "d.csv"), ("dash", "-")] {
        let (code, out, err) =
            variopath(folder.path(), &["demand", "zero", "--ranks", "2", "-o", output, "--force"]);
        assert_eq!((code, out.as_str()), (if name == "dash" { 2 } else { 4 }, ""), "{err}");
        insta::assert_snapshot!(format!("no_ordinary_file_{name}"), err);
    }
}

#[test]
fn a_plan_without_its_channel_names_is_refused() {
    let folder = folder();
    let (_, plan, _) = variopath(folder.path(), &["plan", "l20-8", "--json"]);
    for (name, steps) in
        [("none", "[]"), ("online", r#"[{"node":0,"orbit":"online","element":[]}]"#)]
    {
        let mut document: Value = serde_json::from_str(&plan).expect("JSON");
        document["steps"][0]["channels"] = serde_json::from_str(steps).expect("JSON");
        let input = document.to_string();
        let (code, out, err) =
            with_input(folder.path(), &["verify", "l20-8", "--plan", "-"], &input);
        assert_eq!((code, out.as_str()), (3, ""), "{name}: {err}");
    }
}

#[test]
fn an_option_without_effect_says_so() {
    let folder = folder();
    let (code, _, err) = variopath(folder.path(), &["analyze", "l20-8", "--assume", "gen4"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!("assume_without_effect", err);
}

#[test]
fn wrong_usage_under_json_carries_all_that_is_said() {
    let folder = folder();
    let (code, out, _) =
        variopath(folder.path(), &["plan", "l20-8", "--json", "--stategy", "strict"]);
    assert_eq!(code, 2);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let told = &document["diagnostics"][0];
    assert_eq!(told["message"], "unexpected argument '--stategy' found");
    let help = told["help"].as_str().expect("help");
    assert!(help.contains("'--strategy'") && help.contains("Usage: variopath plan"), "{help}");
    let (_, out, _) = variopath(folder.path(), &["demand", "zero", "--ranks", "x", "--json"]);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let message = document["diagnostics"][0]["message"].as_str().expect("a message");
    assert!(message.contains("'x'") || message.contains("--json"), "{message}");
}

#[test]
fn a_param_is_set_once() {
    let folder = folder();
    let sets = ["check", "l20-cluster", "--set", "nodes=4", "--set", "nodes=8"];
    let (code, out, err) = variopath(folder.path(), &sets);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "error[usage]: --set gives `nodes` two values: nodes=4 and nodes=8\n |\n = help: leave one of \
         them out\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_is_told() {
    let folder = folder();
    for arguments in [&["--help"][..], &["build", "l20-8", "-o", "bundle"], &["presets"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_variopath"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(full)
            .output()
            .expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {err}");
        assert!(err.contains("error[file]: <stdout>: cannot write: "), "{err}");
    }
}

#[test]
fn outputs_are_told_once_they_are_in_place() {
    let folder = folder();
    for (arguments, path) in [
        (&["demand", "zero", "--ranks", "2", "-o", "d.csv"][..], "d.csv"),
        (&["plan", "a10-8", "-o", "p.json"], "p.json"),
        (&["build", "a10-8", "-o", "bundle"], "bundle"),
    ] {
        let (code, _, err) = variopath(folder.path(), arguments);
        assert_eq!((code, err), (0, format!("wrote {path}\n")), "{arguments:?}");
    }
}

#[test]
fn exact_optima_are_printed_beside_the_bounds() {
    let folder = folder();
    let b = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/platforms/b.topo");
    let (code, out, _) = variopath(folder.path(), &["analyze", b, "--exact"]);
    assert_eq!(code, 0);
    let exact = out.lines().find(|line| line.starts_with("exact")).expect("a line");
    assert_eq!(
        exact,
        "exact       strict channels 671.090 us, 1.000 T_eff; two-rate channels 545.261 us, 1.083 T*"
    );
    let (_, out, _) = variopath(folder.path(), &["analyze", b, "--exact", "--json"]);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let within = |what: &str, low: u64, high: u64| {
        let exact = &document["exact"][what];
        let (lower, upper) = (exact["lower_ns"].as_u64(), exact["upper_ns"].as_u64());
        assert!(lower >= Some(low) && lower <= upper && upper <= Some(high), "{what}: {exact}");
    };
    within("strict", 671_088, 671_095);
    within("two_rate", 545_250, 545_265);
}

#[test]
fn two_machines_are_compared() {
    let folder = folder();
    let narrow = "use \"l20-8\"\nset g[3] : pcie gen4 x4\n";
    fs::write(folder.path().join("narrow.topo"), format!("topology \"narrow\"\n{narrow}"))
        .expect("write");
    let (code, out, err) = variopath(folder.path(), &["compare", "l20-8", "narrow.topo"]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!("compared", out);
    let (code, out, _) = variopath(folder.path(), &["compare", "l20-8", "narrow.topo", "--json"]);
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["format"], "variopath-comparison/1");
    assert_eq!(document["b"]["critical"], "g[3] -> sw[1]");
    let (code, _, err) = variopath(folder.path(), &["compare", "l20-8", "a100-pcie-4"]);
    assert_eq!(code, 1);
    assert!(err.contains("l20-8 has 8 ranks and a100-pcie-4 has 4"), "{err}");
}

#[test]
fn machines_are_analyzed_a_line_each() {
    let folder = folder();
    let platform =
        |name: &str| format!("{}/tests/platforms/{name}.topo", env!("CARGO_MANIFEST_DIR"));
    fs::write(
        folder.path().join("one.topo"),
        "topology \"one\"\nsocket s\ngpu g\ng -- s : 9 GB/s\n",
    )
    .expect("write");
    let (b, e6) = (platform("b"), platform("e6"));
    let arguments = ["bench", "analyze", &b, &e6, "one.topo"];
    let (code, out, err) = variopath(folder.path(), &arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    let words = |line: usize| out.lines().nth(line).expect("a line").split_whitespace().skip(1);
    let known = "8 128 3 1889 in 31 3937 in 52 14 1.333";
    assert_eq!(words(1).take(11).collect::<Vec<_>>().join(" "), known);
    let known = "6 4 14 1340 in 356 1624 in 430 43 1.000";
    assert_eq!(words(2).take(11).collect::<Vec<_>>().join(" "), known);
    assert!(out.lines().nth(3).expect("a line").contains("refused: g is the only GPU"), "{out}");
    let (code, out, _) = variopath(folder.path(), &["bench", "analyze", &b, "one.topo", "--json"]);
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["format"], "variopath-bench-analyze/1");
    assert_eq!(document["rows"][0]["two_rate"]["orbits"], 52);
    assert_eq!(document["rows"][0]["catalog_bytes"].as_u64().expect("bytes").div_ceil(1024), 14);
    assert_eq!(document["rows"][1]["target"], "one.topo");
}
