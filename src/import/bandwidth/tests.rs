use super::measurements;
use crate::diagnostics::{Sources, render};
use crate::measured::{Direction, write};

fn read(text: &str, bare: Option<Direction>) -> Result<(String, String), String> {
    let mut sources = Sources::new();
    let source = sources.add("runs/p2p.txt", text);
    match measurements(&sources, source, bare) {
        Ok(found) => Ok((write(&found.measured), render(&sources, &found.notes, false))),
        Err(faults) => Err(render(&sources, &faults, false)),
    }
}

const RUN: &str = "\
Device: 0, NVIDIA A, B 4090, pciBusID: c1, pciDeviceID: 0, pciDomainID:0
Device: 1, NVIDIA C, pciBusID: 1, pciDeviceID: 0, pciDomainID:10000
Device=0 CAN Access Peer Device=1
Device=1 CANNOT Access Peer Device=0
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1
     0 913.03  27.07
     1  11.4600000001 916.42
Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 899.54  N/A
P2P=Disabled Latency Matrix (us)
   GPU     0      1
     0   1.37  11.64
";

#[test]
fn a_run_becomes_a_file() {
    let (file, notes) = read(RUN, None).expect("measurements");
    insta::assert_snapshot!(file, @r#"
    {
      "format": "variopath-measured/1",
      "devices": [
        {"name":"NVIDIA A, B 4090","bus":"0000:c1:00.0"},
        {"name":"NVIDIA C","bus":"10000:01:00.0"}
      ],
      "series": [
        {
          "direction": "unidirectional",
          "mode": "push",
          "initiator": "engine",
          "peer_access": true,
          "evidence": {"file":"p2p.txt","tool":"p2pBandwidthLatencyTest","line":5},
          "samples": [
            {"src":0,"dst":1,"bytes_per_second":27070000000}
          ]
        },
        {
          "direction": "unidirectional",
          "initiator": "engine",
          "peer_access": false,
          "evidence": {"file":"p2p.txt","tool":"p2pBandwidthLatencyTest","line":5},
          "samples": [
            {"src":1,"dst":0,"bytes_per_second":11460000000}
          ]
        }
      ]
    }
    "#);
    insta::assert_snapshot!(notes, @r#"
    warning[measured-unknown]: 2 cells of this matrix hold no rate: left unknown
     --> runs/p2p.txt:9:1
      |
    9 | Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    note[measured-initiator]: p2pBandwidthLatencyTest is taken to have used copy engines, as it does without --sm_copy
    1 warning
    "#);
}

#[test]
fn what_is_no_measurement_is_refused() {
    insta::assert_snapshot!(read("D\\D 0 1\n0 — 104\n1 104 —\n", None).expect_err("bare"), @r#"
    error[import-matrix-kind]: the matrix has no title: it does not say whether a rate is of one direction or the sum of both, nor its unit
     --> runs/p2p.txt:1:1
      |
    1 | D\D 0 1
      | ^^^^^^^
      |
      = help: copy the line above it too, or say what it is, in GB/s: `--matrix unidirectional` or `--matrix bidirectional`
    "#);
    let text = "Dst→ GPU0 GPU1\nGPU0: — 1e400\nGPU1: -3 —\n";
    insta::assert_snapshot!(read(text, Some(Direction::Bidirectional)).expect_err("cells"), @r#"
    error[import-rate]: `1e400` is no rate: it is no decimal number
     --> runs/p2p.txt:2:9
      |
    2 | GPU0: — 1e400
      |         ^^^^^
      |
      = help: unmeasured cells are -, N/A or X
    error[import-rate]: `-3` is no rate: it is negative
     --> runs/p2p.txt:3:7
      |
    3 | GPU1: -3 —
      |       ^^
      |
      = help: unmeasured cells are -, N/A or X
    2 errors
    "#);
    let text = "Bidirectional P2P=Enabled Bandwidth Matrix\n D\\D 0 2\n";
    insta::assert_snapshot!(read(text, None).expect_err("columns"), @r#"
    error[import-matrix]: the title does not say GB/s
     --> runs/p2p.txt:1:1
      |
    1 | Bidirectional P2P=Enabled Bandwidth Matrix
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    error[import-matrix]: column `2` stands where column 1 should
     --> runs/p2p.txt:2:8
      |
    2 |  D\D 0 2
      |        ^
      |
      = help: keep the output of one run in a file, as the tool printed it
    2 errors
    "#);
    insta::assert_snapshot!(read("P2P Connectivity Matrix\n", None).expect_err("nothing"), @r#"
    error[import-matrix]: there is no matrix of rates in this output
     --> runs/p2p.txt:1:1
      |
    1 | P2P Connectivity Matrix
      | ^
      |
      = help: copy the whole output of p2pBandwidthLatencyTest
    "#);
}

#[test]
fn the_bare_matrix_is_what_it_is_told_to_be() {
    let text = "Dst→ GPU0 GPU1\nGPU0: — 53.9\nGPU1: 0.000000001 —\n";
    let (file, _) = read(text, Some(Direction::Unidirectional)).expect("measurements");
    insta::assert_snapshot!(file, @r#"
    {
      "format": "variopath-measured/1",
      "devices": [
        {},
        {}
      ],
      "series": [
        {
          "direction": "unidirectional",
          "evidence": {"file":"p2p.txt","line":1},
          "samples": [
            {"src":0,"dst":1,"bytes_per_second":53900000000},
            {"src":1,"dst":0,"bytes_per_second":1}
          ]
        }
      ]
    }
    "#);
}
