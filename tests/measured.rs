//! Files of measurements: what is read, what is refused and in which words, and the real matrices
//! that `import` turns into them. The matrices lie outside of the project: in `VARIOPATH_CORPUS`, else
//! in `../shared/corpus`. Without them that test says that it was skipped.

mod command_support;
mod import_support;

use command_support::variopath;
use import_support::corpus;
use variopath::diagnostics::{Sources, render};
use variopath::import::measurements;
use variopath::measured::{Direction, MAX_FILE_BYTES, Measured, read, write};

fn of(text: &str) -> Result<Measured, String> {
    let mut sources = Sources::new();
    let source = sources.add("m.json", text);
    read(&sources, source).map_err(|faults| render(&sources, &faults, false))
}

/// A file with these samples of one series.
fn file(direction: &str, samples: &str) -> String {
    format!(
        "{{\"format\": \"variopath-measured/1\", \"devices\": [{{}}, {{}}, {{}}], \"series\": [{{\n\
         \"direction\": \"{direction}\", \"samples\": [\n{samples}\n]}}]}}"
    )
}

#[test]
fn what_is_read_is_written_alike() {
    let text = r#"{
        "series": [
            {"direction": "together", "mode": "pull", "initiator": "kernel", "peer_access": false,
             "evidence": {"tool": "t", "line": 3, "host": "left out"}, "unknown": [1, {"a": 2}],
             "samples": [{"transfers": [{"src": 1, "dst": 0, "bytes_per_second": 1},
                                        {"src": 0, "dst": 1, "bytes_per_second": 10000000000000}]}]},
            {"direction": "bidirectional", "mode": null, "evidence": null,
             "samples": [{"src": 0, "dst": 1, "bytes_per_second": 20000000000000}]}
        ],
        "devices": [{"name": "A \"B\"", "bus": "0000:C1:00.0"}, {"bus": null}],
        "format": "variopath-measured/1"
    }"#;
    let measured = of(text).expect("a file");
    let written = write(&measured);
    assert_eq!(of(&written).expect("a file"), measured);
    assert_eq!(write(&of(&written).expect("a file")), written);
    insta::assert_snapshot!(written, @r#"
    {
      "format": "variopath-measured/1",
      "devices": [
        {"name":"A \"B\"","bus":"0000:c1:00.0"},
        {}
      ],
      "series": [
        {
          "direction": "together",
          "mode": "pull",
          "initiator": "kernel",
          "peer_access": false,
          "evidence": {"tool":"t","line":3},
          "samples": [
            {"transfers":[{"src":1,"dst":0,"bytes_per_second":1},{"src":0,"dst":1,"bytes_per_second":10000000000000}]}
          ]
        },
        {
          "direction": "bidirectional",
          "samples": [
            {"src":0,"dst":1,"bytes_per_second":20000000000000}
          ]
        }
      ]
    }
    "#);
    let empty = Measured::default();
    assert_eq!(of(&write(&empty)).expect("a file"), empty);
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let sample = |rate: &str| format!("{{\"src\": 0, \"dst\": 1, \"bytes_per_second\": {rate}}}");
    let cases = [
        "[1, 2".to_owned(),
        "[]".to_owned(),
        "{\"devices\": []}".to_owned(),
        "{\"format\": \"variopath-measured/2\"}".to_owned(),
        "{\"format\": \"variopath-measured/1\", \"devices\": 3}".to_owned(),
        "{\"format\": \"variopath-measured/1\", \"devices\": [{\"bus\": \"c1\"},\n{\"bus\": \"0000:c1:00.0\"}, {\"bus\": \"0000:C1:00.0\"}], \"series\": []}".to_owned(),
        file("sideways", ""),
        file("unidirectional", &sample("-3")),
        file("unidirectional", &sample("1e308")),
        file("unidirectional", &sample("10000000000001")),
        file("unidirectional", &sample("NaN")),
        file("unidirectional", &sample("0")),
        file("unidirectional", &sample("2.5")),
        file("unidirectional", "{\"src\": 0, \"dst\": 3, \"bytes_per_second\": 1},\n{\"src\": 1, \"dst\": 1, \"bytes_per_second\": 1},\n{\"src\": -1, \"dst\": 1}"),
        file("bidirectional", &format!("{},\n{}", sample("1"), sample("2"))),
        file("together", "{\"transfers\": []}"),
        file("together", &format!("{{\"transfers\": [{}, {}]}}", sample("1"), sample("2"))),
    ];
    let told: Vec<String> = cases.iter().map(|text| of(text).expect_err("a mistake")).collect();
    insta::assert_snapshot!("measured_mistakes", told.join("\n"));
}

#[test]
fn hostile_files_end_soon() {
    let deep = "[".repeat(200_000);
    assert!(of(&deep).expect_err("deep").contains("recursion limit"));
    let large = " ".repeat(MAX_FILE_BYTES + 1);
    assert!(of(&large).expect_err("large").contains("larger than 4 MiB"));
    let twice = vec!["{\"src\": 0, \"dst\": 1, \"bytes_per_second\": 1}"; 20_000].join(",\n");
    assert!(of(&file("unidirectional", &twice)).expect_err("twice").contains("stands twice"));
}

/// File, what a matrix without a title is, devices, of them with bus ids, then each series as
/// direction, peer access and number of samples; or the refusal.
const FILES: &[(&str, Option<Direction>, &str)] = &[
    ("alltoall-rtx6000d-16gpu-2node-mpi-noise", None, "there is no matrix of rates in this output"),
    (
        "matrix-rtxpro6000-8gpu-custom-arrows",
        None,
        "the matrix has no title: it does not say whether a rate is of one direction or the sum of both, nor its unit",
    ),
    (
        "matrix-rtxpro6000-8gpu-custom-arrows",
        Some(Direction::Unidirectional),
        "8 0 unidirectional/unknown/56",
    ),
    ("p2p-gtx1650-1gpu-degenerate", None, "one GPU: no transfer between two was measured"),
    (
        "p2p-h100pcie-2gpu-nvlbridge-indented",
        None,
        "2 2 unidirectional/no/2 unidirectional/yes/2 bidirectional/no/2 bidirectional/yes/2",
    ),
    (
        "p2p-rtx3090-2gpu-nop2p-truncated",
        None,
        "2 2 unidirectional/no/2 unidirectional/no/2 bidirectional/no/2 bidirectional/no/2",
    ),
    (
        "p2p-rtx4090-2gpu-asymmetric-truncated",
        None,
        "2 2 unidirectional/no/2 unidirectional/yes/2 bidirectional/no/2 bidirectional/yes/2",
    ),
    ("p2p-rtx4090-8gpu-p2pdriver-fragment", None, "8 0 unidirectional/no/56 unidirectional/yes/56"),
    (
        "p2p-rtx4090-rtx5090-mixed-windows",
        None,
        "2 2 unidirectional/no/2 unidirectional/no/2 bidirectional/no/2 bidirectional/no/2",
    ),
    (
        "p2p-rtx6000ada-4gpu-esc8000a",
        None,
        "4 4 unidirectional/no/12 unidirectional/yes/12 bidirectional/no/12 bidirectional/yes/12",
    ),
    ("p2p-rtxpro6000-6gpu-enabled-only", None, "6 0 unidirectional/yes/30 bidirectional/yes/30"),
    (
        "p2p-rtxpro6000-8gpu-3switch-bidir-bare",
        Some(Direction::Bidirectional),
        "8 0 bidirectional/unknown/56",
    ),
    (
        "p2p-rtxpro6000-8gpu-broadcom-bidir-bare",
        Some(Direction::Bidirectional),
        "8 0 bidirectional/unknown/56",
    ),
];

#[test]
fn real_matrices_become_files() {
    let Some(folder) = corpus("bandwidth") else { return };
    for (name, bare, expected) in FILES {
        let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect("a file");
        let mut sources = Sources::new();
        let source = sources.add(format!("{name}.txt"), text);
        let found = match measurements(&sources, source, *bare) {
            Err(faults) => faults.sorted()[0].message.clone(),
            Ok(found) => {
                let again = of(&write(&found.measured)).expect("what was written");
                assert_eq!(again, found.measured, "{name}");
                let devices = &found.measured.devices;
                let buses = devices.iter().filter(|device| device.bus.is_some()).count();
                let mut words = vec![devices.len().to_string(), buses.to_string()];
                words.extend(found.measured.series.iter().map(|series| {
                    let access = match series.peer_access {
                        None => "unknown",
                        Some(true) => "yes",
                        Some(false) => "no",
                    };
                    format!("{}/{access}/{}", series.direction.word(), series.samples.len())
                }));
                words.join(" ")
            }
        };
        assert_eq!(&found, expected, "{name}");
    }
}

#[test]
fn a_rule_names_a_file_of_this_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let topology = "topology \"m\"\nsocket s\ngpu g[2] -- s : 25 GB/s\nmeasured \"m.json\"\n";
    std::fs::write(folder.path().join("m.topo"), topology).expect("write");
    let check = || variopath(folder.path(), &["check", "m.topo"]);
    std::fs::write(folder.path().join("m.json"), write(&Measured::default())).expect("write");
    assert_eq!(check().0, 0);
    std::fs::write(folder.path().join("m.json"), "{\"format\": \"variopath-demand/1\"}")
        .expect("write");
    let (code, _, told) = check();
    assert_eq!(code, 1);
    insta::assert_snapshot!(told, @r#"
    error[measured-format]: `format` is "variopath-demand/1", not "variopath-measured/1"
     --> m.json:1:12
      |
    1 | {"format": "variopath-demand/1"}
      |            ^^^^^^^^^^^^^^^^^^^^
      |
      = help: `variopath import` turns the output of p2pBandwidthLatencyTest into a file of the format variopath-measured/1
    "#);
}

#[test]
fn measurements_and_dumps_go_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let p2p =
        "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n D\\D 0 1\n 0 9 25.5\n 1 25.5 9\n";
    std::fs::write(folder.path().join("p2p.txt"), p2p).expect("write");
    let topo = "\tGPU0\tGPU1\nGPU0\t X \tPHB\nGPU1\tPHB\t X \n";
    std::fs::write(folder.path().join("topo.txt"), topo).expect("write");
    let run = |arguments: &[&str]| variopath(folder.path(), arguments);
    for arguments in [&["import", "topo.txt", "p2p.txt"][..], &["check", "p2p.txt"]] {
        let (code, _, told) = run(arguments);
        assert_eq!(code, 3, "{told}");
        assert!(told.contains("these are rates between GPUs"), "{told}");
        assert!(told.contains("`variopath calibrate` puts the two together"), "{told}");
    }
    assert_eq!(run(&["import", "p2p.txt", "-o", "p2p.json"]).0, 0);
    assert_eq!(run(&["import", "p2p.txt", "-o", "p2p.json"]).0, 4);
    let (code, _, told) = run(&["import", "topo.txt", "--matrix", "bidirectional"]);
    assert_eq!(code, 0);
    assert!(told.contains("--matrix has no effect"), "{told}");
}
