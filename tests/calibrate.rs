//! `calibrate`: real matrices against topologies written by hand, made-up measurements whose figures
//! are known, and the verb as users meet it. The real matrices lie outside of the project: in
//! `VARIOPATH_CORPUS`, else in `../shared/corpus`. Without them their test says that it was skipped.

mod command_support;
mod import_support;

use command_support::variopath;
use import_support::corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("write");
    }
    folder
}

/// A series of a file of measurements; rates in MB/s.
fn series(fields: &str, samples: &[(usize, usize, u64)]) -> String {
    let samples: Vec<String> = samples
        .iter()
        .map(|(src, dst, rate)| {
            format!("{{\"src\": {src}, \"dst\": {dst}, \"bytes_per_second\": {rate}000000}}")
        })
        .collect();
    format!("{{{fields}, \"samples\": [{}]}}", samples.join(", "))
}

fn measured(devices: usize, series: &[String]) -> String {
    format!(
        "{{\"format\": \"variopath-measured/1\", \"devices\": [{}], \"series\": [{}]}}",
        vec!["{}"; devices].join(", "),
        series.join(", ")
    )
}

const ONE_WAY: &str = "\"direction\": \"unidirectional\"";
const BOTH_WAYS: &str = "\"direction\": \"bidirectional\"";

/// All ordered pairs, each with the rate that `rate` gives.
fn pairs(count: usize, rate: impl Fn(usize, usize) -> u64) -> Vec<(usize, usize, u64)> {
    let ordered = (0..count).flat_map(|s| (0..count).map(move |d| (s, d)));
    ordered.filter(|(s, d)| s != d).map(|(s, d)| (s, d, rate(s, d))).collect()
}

/// Matrix, topology, what a matrix without a title is, and whether it is refused.
const CASES: &[(&str, &str, Option<&str>, bool)] = &[
    (
        "matrix-rtxpro6000-8gpu-custom-arrows",
        "rtxpro6000-8-broadcom",
        Some("unidirectional"),
        false,
    ),
    ("p2p-h100pcie-2gpu-nvlbridge-indented", "h100-pcie-2-bridge", None, false),
    ("p2p-rtx3090-2gpu-nop2p-truncated", "rtx3090-2-no-peer", None, false),
    // 11.46 GB/s alone one way, and 54 both ways: no machine does both.
    ("p2p-rtx4090-2gpu-asymmetric-truncated", "rtx4090-2", None, true),
    ("p2p-rtx4090-8gpu-p2pdriver-fragment", "rtx4090-8-p2p", None, false),
    ("p2p-rtx4090-rtx5090-mixed-windows", "rtx4090-rtx5090", None, false),
    ("p2p-rtx6000ada-4gpu-esc8000a", "rtx6000ada-4", None, false),
    ("p2p-rtxpro6000-6gpu-enabled-only", "rtxpro6000-6", None, false),
    (
        "p2p-rtxpro6000-8gpu-3switch-bidir-bare",
        "rtxpro6000-8-cascade",
        Some("bidirectional"),
        false,
    ),
    (
        "p2p-rtxpro6000-8gpu-broadcom-bidir-bare",
        "rtxpro6000-8-broadcom",
        Some("bidirectional"),
        false,
    ),
];

#[test]
fn real_matrices_are_predicted() {
    let Some(corpus) = corpus("bandwidth") else { return };
    let topologies = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calibrate");
    let mut table = format!("{:42} {:>5} {:>8} {:>8}\n", "matrix", "rates", "median", "worst");
    let mut refused = 0;
    for (matrix, topology, kind, is_refused) in CASES {
        let file = corpus.join(format!("{matrix}.txt"));
        let topology = topologies.join(format!("{topology}.topo"));
        let (file, topology) = (file.to_string_lossy(), topology.to_string_lossy());
        let mut arguments = vec!["calibrate", &topology, "--measured", &file, "--json"];
        if let Some(kind) = kind {
            arguments.extend(["--matrix", kind]);
        }
        let (code, out, err) = variopath(&topologies, &arguments);
        let document: Value = serde_json::from_str(&out).expect("JSON");
        if *is_refused {
            refused += 1;
            assert_eq!(code, 3, "{matrix}: {err}");
            let told = &document["diagnostics"][0];
            assert_eq!(told["code"], "calibrate-contradiction", "{matrix}");
            table += &format!("{matrix:42} refused: {}\n", told["help"].as_str().expect("pairs"));
            continue;
        }
        assert_eq!(code, 0, "{matrix}: {err}");
        let percent = |field: &str| document[field].as_f64().expect("a number") * 100.0;
        let (median, worst) = (percent("median_error"), percent("worst_error"));
        let rates = document["measurements"].as_array().expect("a list").len();
        table += &format!("{matrix:42} {rates:>5} {median:>6.2} % {worst:>6.2} %\n");
        assert!(median <= 5.0 && worst <= 20.0, "{table}");
    }
    println!("{table}");
    assert!(4 * refused <= CASES.len(), "{table}");
    insta::assert_snapshot!("calibrated_matrices", table);
}

const BOX: &str = "\
# Two sockets, four GPUs
topology \"box\"

link x16 = pcie gen4 x16 # every slot
link upi = 39 GB/s assumed \"a guess\"
socket s[2]

# The GPUs
gpu g[4]
s[0] -- s[1] : upi
g[k] -- s[k/2] : x16 # no switch
";

#[test]
fn the_verb_says_what_it_predicts_and_changes() {
    let rate = |s: usize, d: usize| if s / 2 == d / 2 { 25_000 } else { 21_900 + 100 * (s as u64) };
    let mode = format!(
        "{ONE_WAY}, \"mode\": \"push\", \"evidence\": {{\"file\": \"p.txt\", \"line\": 3}}"
    );
    let text = measured(4, &[series(&mode, &pairs(4, rate))]);
    let folder = folder(&[("box.topo", BOX), ("m.json", &text)]);
    let arguments = ["calibrate", "box.topo", "--measured", "m.json"];
    let (code, out, err) = variopath(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!(out, @r#"
    # Two sockets, four GPUs
    topology "box"

    link x16 = 25 GB/s from "m.json"  # every slot
    link upi = 39 GB/s assumed "a guess"
    socket s[2]

    # The GPUs
    gpu g[4]
    s[0] -- s[1] : upi
    g[k] -- s[k/2] : x16  # no switch

    cap cross : 22 GB/s from "m.json"
    "#);
    insta::assert_snapshot!(err, @r#"
    one way, GB/s: measured in p.txt line 3, predicted below
             g[0]     g[1]     g[2]     g[3]
    g[0]        -    25.00    21.90    21.90
                     25.00    22.00    22.00
    g[1]    25.00        -    22.00    22.00
            25.00             22.00    22.00
    g[2]    22.10    22.10        -    25.00
            22.00    22.00             25.00
    g[3]    22.20    22.20    25.00        -
            22.00    22.00    25.00

    errors      median 0.2 %, worst 0.9 % (g[3] to g[1]), of 12 measurements
    changed     link x16: pcie gen4 x16 -> 25 GB/s from "m.json"
                cap cross: nothing -> 22 GB/s from "m.json"
    note[calibrate-position]: m.json: not every GPU of the topology has a bus id; measured device N is taken as rank N
     |
     = help: add `bus` to the GPUs, so that they are matched by bus id
    "#);
    let to_file = [&arguments[..], &["-o", "new.topo"]].concat();
    let (code, report, err) = variopath(folder.path(), &to_file);
    assert_eq!(code, 0, "{err}");
    assert!(report.contains("errors      median 0.2 %"), "{report}");
    assert_eq!(fs::read_to_string(folder.path().join("new.topo")).expect("a file"), out);
    assert_eq!(variopath(folder.path(), &to_file).0, 4);
    assert_eq!(variopath(folder.path(), &[&to_file[..], &["--force"]].concat()).0, 0);
    // What was calibrated says what was measured.
    let again = ["calibrate", "new.topo", "--measured", "m.json", "-o", "third.topo"];
    let (code, report, _) = variopath(folder.path(), &again);
    assert_eq!(code, 0);
    assert!(report.ends_with("changed     nothing: the file says what was measured\n"), "{report}");
    assert_eq!(fs::read_to_string(folder.path().join("third.topo")).expect("a file"), out);
}

/// Reads count where the topology pulls, and are left out, and said to be, where it pushes.
#[test]
fn reads_are_used_where_pairs_are_pulled() {
    let mode = format!("{ONE_WAY}, \"mode\": \"pull\"");
    let text = measured(4, &[series(&mode, &pairs(4, |_, _| 25_000))]);
    let pulled = format!("{BOX}forbid push g[*] -> g[*]\n");
    let folder = folder(&[("box.topo", BOX), ("pulled.topo", &pulled), ("m.json", &text)]);
    let (code, _, err) =
        variopath(folder.path(), &["calibrate", "box.topo", "--measured", "m.json"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("12 rates are not used: of reads, but the topology has these pairs push"));
    let (code, out, err) =
        variopath(folder.path(), &["calibrate", "pulled.topo", "--measured", "m.json"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("link x16 = 25 GB/s from \"m.json\""), "{out}");
}

/// The changes that a calibration makes, one a line, without where they come from.
fn changes(topology: &str, measured: &str) -> String {
    let folder = folder(&[("t.topo", topology), ("m.json", measured)]);
    let arguments = ["calibrate", "t.topo", "--measured", "m.json", "--json"];
    let (code, out, err) = variopath(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert!(document["worst_error"].as_f64().expect("a number") <= 0.02, "{out}");
    let change = |change: &Value| {
        let new = change["new"].as_str().expect("a text");
        format!(
            "{}: {}\n",
            change["what"].as_str().expect("a text"),
            new.split(" from").next().expect("a rate")
        )
    };
    document["changes"].as_array().expect("a list").iter().map(change).collect()
}

#[test]
fn one_gpu_of_an_array_is_set_apart() {
    let rate = |s: usize, d: usize| if s == 3 || d == 3 { 13_100 } else { 26_300 };
    let text = measured(4, &[series(ONE_WAY, &pairs(4, rate))]);
    let topology = BOX.replace("39 GB/s assumed \"a guess\"", "unknown");
    let told = changes(&topology, &text);
    assert_eq!(
        told,
        "link upi: 26.3 GB/s assumed \"at least this: what passed alone in m.json\"\ng[3] -- s[1]: 13.1 GB/s\n"
    );
}

#[test]
fn one_direction_is_set_apart() {
    let rate = |s: usize, _: usize| if s == 2 { 11_000 } else { 26_300 };
    let text = measured(4, &[series(ONE_WAY, &pairs(4, rate))]);
    assert_eq!(changes(BOX, &text), "g[2] -> s[1]: 11 GB/s\n");
}

#[test]
fn a_slow_uplink_is_found() {
    let topology = "topology \"t\"\nsocket s\nswitch w[2]\ngpu g[4]\nw[*] -- s : pcie gen4 x16\ng[k] -- w[k/2] : pcie gen4 x16\n";
    let rate = |s: usize, d: usize| if s / 2 == d / 2 { 26_300 } else { 13_000 };
    let text = measured(4, &[series(ONE_WAY, &pairs(4, rate))]);
    // One uplink or a cap of the class say the same here; three switches tell them apart.
    assert_eq!(changes(topology, &text), "cap socket: 13 GB/s\n");
    let topology = topology.replace("w[2]", "w[3]").replace("g[4]", "g[6]");
    let far = |s: usize, d: usize| s / 2 != d / 2 && (s / 2 == 1 || d / 2 == 1);
    let rate = |s: usize, d: usize| if far(s, d) { 13_000 } else { 26_300 };
    let text = measured(6, &[series(ONE_WAY, &pairs(6, rate))]);
    assert_eq!(changes(&topology, &text), "w[1] -- s: 13 GB/s\n");
}

#[test]
fn both_ways_share_a_total() {
    let text = measured(
        4,
        &[series(ONE_WAY, &pairs(4, |_, _| 26_300)), series(BOTH_WAYS, &pairs(4, |_, _| 41_000))],
    );
    assert_eq!(changes(BOX, &text), "total g[k] -- s[k/2]: 41 GB/s\n");
    // Across sockets only: the link between them.
    let both = |s: usize, d: usize| if s / 2 == d / 2 { 52_600 } else { 40_000 };
    let text = measured(
        4,
        &[series(ONE_WAY, &pairs(4, |_, _| 26_300)), series(BOTH_WAYS, &pairs(4, both))],
    );
    assert_eq!(changes(BOX, &text), "total s[0] -- s[1]: 40 GB/s\n");
}

#[test]
fn figures_that_carried_more_are_raised_where_they_stand() {
    let topology = "topology \"t\"\npart box {\n  socket s\n  gpu g[2]\n  g[*] -- s : 12 GB/s # guessed\n}\nbox b\ncap socket : 11 GB/s assumed\n";
    let text = measured(2, &[series(ONE_WAY, &pairs(2, |_, _| 25_000))]);
    assert_eq!(changes(topology, &text), "g[*] -- s: 25 GB/s\ncap socket: 25 GB/s\n");
}

#[test]
fn what_is_borne_out_is_assumed_no_longer() {
    let text = measured(4, &[series(ONE_WAY, &pairs(4, |_, _| 26_200))]);
    let change = "g[k] -- s[k/2]: x16\n";
    assert_eq!(changes(&BOX.replace(": x16", ": x16 assumed \"seen elsewhere\""), &text), change);
    let link = BOX.replace("gen4 x16", "gen4 x16 assumed \"seen elsewhere\"");
    assert_eq!(changes(&link, &text), "link x16: pcie gen4 x16\n");
    assert_eq!(changes(BOX, &text), "");
}

#[test]
fn a_machine_in_use_is_set_from_outside() {
    let rate = |s: usize, d: usize| if s / 2 == d / 2 { 23_000 } else { 20_000 };
    let text = measured(4, &[series(ONE_WAY, &pairs(4, rate))]);
    let folder = folder(&[
        ("box.topo", BOX),
        ("t.topo", "topology \"t\"\nuse \"./box.topo\" # as delivered\n"),
        ("m.json", &text),
    ]);
    let (code, out, err) =
        variopath(folder.path(), &["calibrate", "t.topo", "--measured", "m.json"]);
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!(out, @r#"
    topology "t"
    use "./box.topo"  # as delivered

    set g[0] -- s[0] : 23 GB/s from "m.json"
    set g[1] -- s[0] : 23 GB/s from "m.json"
    set g[2] -- s[1] : 23 GB/s from "m.json"
    set g[3] -- s[1] : 23 GB/s from "m.json"
    cap cross : 20 GB/s from "m.json"
    "#);
}

#[test]
fn transfers_together_count() {
    let together = "{\"direction\": \"together\", \"samples\": [{\"transfers\": [\
        {\"src\": 0, \"dst\": 2, \"bytes_per_second\": 15000000000}, \
        {\"src\": 1, \"dst\": 3, \"bytes_per_second\": 15000000000}]}]}";
    let text = measured(4, &[series(ONE_WAY, &pairs(4, |_, _| 26_300)), together.to_owned()]);
    assert_eq!(changes(BOX, &text), "link upi: 30 GB/s\n");
    let unknown = BOX.replace("39 GB/s assumed \"a guess\"", "unknown");
    assert_eq!(changes(&unknown, &text), "link upi: 30 GB/s\n");
}

#[test]
fn refusals() {
    let told = |topology: &str, measured: &str| {
        let folder = folder(&[("t.topo", topology), ("m.json", measured)]);
        let arguments = ["calibrate", "t.topo", "--measured", "m.json", "-o", "new.topo"];
        let (code, _, err) = variopath(folder.path(), &arguments);
        assert!(!folder.path().join("new.topo").exists());
        format!("exit {code}\n{err}")
    };
    let one_way = |rate: u64| measured(4, &[series(ONE_WAY, &pairs(4, |_, _| rate))]);
    let bus = |text: &str| BOX.replace("gpu g[4]", &format!("gpu g[4] {{ bus [{text}] }}"));
    let ids = bus("\"0000:01:00.0\", \"0000:02:00.0\", \"0000:03:00.0\", \"0000:04:00.0\"");
    let file = one_way(20_000).replace(
        "[{}, {}, {}, {}]",
        "[{\"bus\": \"0000:01:00.0\"}, {\"bus\": \"0000:02:00.0\"}, {\"bus\": \"0000:03:00.0\"}, {\"bus\": \"0000:05:00.0\"}]",
    );
    let all = [
        // Above what sixteen lanes of gen4 carry at all.
        told(BOX, &one_way(40_000)),
        told(&ids, &file),
        told(BOX, &measured(3, &[series(ONE_WAY, &pairs(3, |_, _| 20_000))])),
        told(
            BOX,
            &measured(4, &[series(&format!("{ONE_WAY}, \"peer_access\": false"), &[(0, 1, 9000)])]),
        ),
        told(BOX, "topology \"x\"\n"),
        told(BOX, "\tGPU0\tGPU1\nGPU0\t X \tPHB\nGPU1\tPHB\t X \n"),
    ];
    insta::assert_snapshot!("calibrate_refusals", all.join("\n"));
}
