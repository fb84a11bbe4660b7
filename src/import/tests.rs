//! Matrices written by hand, their trees and refusals, and noise.

use super::{PairLabel, read};
use crate::diagnostics::{Diagnostics, Exit, Sources, render};
use crate::dsl;
use proptest::prelude::*;

const TWO_PAIRS: &str = "\
$ nvidia-smi topo -m
\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tPIX\tSYS\tSYS\tPIX\t0-7\t0\t\tN/A
GPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-7\t0\t\tN/A
GPU2\tSYS\tSYS\t X \tPIX\tSYS\t8-15\t1\t\tN/A
GPU3\tSYS\tSYS\tPIX\t X \tSYS\t8-15\t1\t\tN/A
NIC0\tPIX\tPIX\tSYS\tSYS\t X \t\t\t\t

NIC Legend:

  NIC0: mlx5_7
";

fn import(text: &str, assume: Option<u32>) -> Result<super::Imported, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let id = sources.add("topo.txt", text);
    read(&sources, &[id], assume).map_err(|faults| (sources, faults))
}

fn text_of(text: &str, assume: Option<u32>) -> String {
    dsl::format(&import(text, assume).unwrap().file)
}

fn refusal(text: &str) -> String {
    let (sources, faults) = import(text, None).unwrap_err();
    render(&sources, &faults, false)
}

#[test]
fn two_switches() {
    let imported = import(TWO_PAIRS, None).unwrap();
    assert_eq!(imported.summary.as_ref().unwrap().nics, ["mlx5_7"]);
    assert_eq!(imported.summary.as_ref().unwrap().numa[3].as_deref(), Some("1"));
    assert_eq!(imported.summary.as_ref().unwrap().gpu_numa[3], None);
    assert_eq!(imported.summary.as_ref().unwrap().sockets, 2);
    assert!(text_of(TWO_PAIRS, None).contains("g[k] -- sw[k/2] : slot"));
    assert!(text_of(TWO_PAIRS, Some(4)).contains("--assume gen4"));
}

#[test]
fn a_cascade_has_an_upstream_switch() {
    let text = "\
 GPU0 GPU1 GPU2 GPU3 CPU Affinity
GPU0 X PIX PXB PXB 0-7
GPU1 PIX X PXB PXB 0-7
GPU2 PXB PXB X PIX 0-7
GPU3 PXB PXB PIX X 0-7
";
    assert!(text_of(text, None).contains("sw[0..2] -- up[0] : trunk"));
}

#[test]
fn an_empty_cell_between_spaces_is_found_by_its_place() {
    let text = "\
      GPU0  CPU Affinity  NUMA Affinity
GPU0   X                  3
";
    let summary = import(text, None).unwrap().summary.unwrap();
    assert_eq!((summary.cpus[0].as_deref(), summary.numa[0].as_deref()), (None, Some("3")));
}

#[test]
fn refusals_name_line_and_reason() {
    assert!(
        refusal(&TWO_PAIRS.replace("GPU1\tPIX\t X \tSYS", "GPU1\tPIX\t X \tFOO"))
            .contains("unknown label `FOO` in row GPU1, column GPU2")
    );
    assert!(
        refusal(&TWO_PAIRS.replace("GPU1\tPIX", "GPU1\tPXB"))
            .contains("the matrix is not symmetric: GPU0 to GPU1 is PIX, GPU1 to GPU0 is PXB")
    );
    assert!(
        refusal(&TWO_PAIRS.replace("GPU3\tSYS\tSYS\tPIX\t X \tSYS", "GPU3\tSYS"))
            .contains("row GPU3 has 4 labels, but the header names 5 devices")
    );
    assert!(
        refusal(&TWO_PAIRS.replace("GPU0\t X ", "GPU0\tPIX"))
            .contains("row GPU0 has `PIX` for itself instead of `X`")
    );
    assert!(
        refusal(&TWO_PAIRS.replace("NIC0\tPIX", "NIC9\tPIX"))
            .contains("the matrix ends after 4 rows; missing: NIC0")
    );
    assert!(
        refusal(&TWO_PAIRS.replace("CPU Affinity", "Moon Phase"))
            .contains("unknown column `Moon` in the header")
    );
    assert!(
        refusal(&format!("{TWO_PAIRS}{TWO_PAIRS}"))
            .contains("a second matrix: one file describes one machine")
    );
    assert!(refusal("nothing here\n").contains("this is no dump that can be imported"));
    assert!(
        refusal("# nThread 1 nGpus 8\n").contains("a log of nccl-tests times whole collectives")
    );
    let uneven = "GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X PIX\nGPU2 SYS PIX X\n";
    assert!(refusal(uneven).contains("no PCIe tree has these labels: GPU0 to GPU2 is SYS, but their relations to other devices make it PIX"));
}

#[test]
fn what_no_dump_is_like_ends_soon() {
    let start = std::time::Instant::now();
    for text in ["a\n".repeat(2_000_000), "GPU0 GPU1 ".repeat(600_000)] {
        assert!(refusal(&text).contains("more than 200000 lines or 1000000 words"));
        assert_eq!(super::detect(&text), None);
    }
    assert!(start.elapsed().as_secs() < 5, "an unoptimised build: {:?}", start.elapsed());
}

#[test]
fn an_unread_format_exits_3() {
    let (_, faults) = import(" GPU0 GPU1\n GPU0 X OK\n GPU1 OK X\n", None).unwrap_err();
    assert_eq!(faults.exit(), Some(Exit::Failed));
    let (_, faults) = import("GPU0 X SYS\n", None).unwrap_err();
    assert_eq!(faults.exit(), Some(Exit::Input));
    let (_, faults) = import(TWO_PAIRS, Some(9)).unwrap_err();
    let message = faults.iter().next().unwrap().message.clone();
    assert_eq!(message, "cannot assume PCIe gen9: gen1 to gen6 are known");
}

#[test]
fn labels() {
    for word in ["X", "NV18", "PIX", "PXB", "PHB", "NODE", "SYS"] {
        assert_eq!(PairLabel::from_word(word).unwrap().to_string(), word);
    }
    assert_eq!(PairLabel::from_word("SOC"), Some(PairLabel::Sys));
    for word in ["NV", "NV0", "NV-1", "NV+1", "NV99999999999", "x", "", "N/A"] {
        assert_eq!(PairLabel::from_word(word), None, "{word}");
    }
}

/// Whatever is imported must print, parse back to the same tree and elaborate to the right counts.
fn check_tree(text: &str) {
    for assume in [None, Some(4)] {
        let Ok(imported) = import(text, assume) else { continue };
        let printed = dsl::format(&imported.file);
        let mut sources = Sources::new();
        let id = sources.add("imported.topo", &printed);
        let parsed = dsl::parse(&sources, id)
            .unwrap_or_else(|faults| panic!("{printed}\n{}", render(&sources, &faults, false)));
        assert_eq!(parsed, imported.file, "{printed}");
        let machine = dsl::elaborate(&parsed)
            .unwrap_or_else(|faults| panic!("{printed}\n{}", render(&sources, &faults, false)));
        assert_eq!(machine.ranks.len(), imported.summary.as_ref().unwrap().gpus.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutations_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, prop::sample::select(vec![
        "PIX", "PXB", "SYS", "NV4", "NODE", "X", "\t", "\n", " ", "GPU0", "NIC1", "é", "\u{1b}[4m", "\u{1b}", "#", "N/A", "0-3",
    ])), 0..6)) {
        let mut text = TWO_PAIRS.to_string();
        for (at, kind, word) in edits {
            let starts: Vec<usize> = text.char_indices().map(|c| c.0).collect();
            if starts.is_empty() {
                break;
            }
            let at = *at.get(&starts);
            match kind {
                0 => text.insert_str(at, word),
                1 => { text.remove(at); }
                2 => text.truncate(at),
                _ => {
                    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |n| at + n);
                    text.replace_range(at..end, word);
                }
            }
        }
        check_tree(&text);
    }

    #[test]
    fn random_labels_never_panic(
        gpus in 1..6usize,
        cards in 0..4usize,
        words in prop::collection::vec(prop::sample::select(vec!["PIX", "PXB", "PHB", "NODE", "SYS", "NV2"]), 81),
        numa in prop::collection::vec(prop::sample::select(vec!["0", "1", "N/A"]), 6),
    ) {
        let name = |i: usize| if i < gpus { format!("GPU{i}") } else { format!("NIC{}", i - gpus) };
        let count = gpus + cards;
        let mut text: String = (0..count).map(|i| format!("\t{}", name(i))).collect();
        text.push_str("\tCPU Affinity\tNUMA Affinity\n");
        for i in 0..count {
            text.push_str(&name(i));
            for j in 0..count {
                let cell = if i == j { "X" } else { words[i.min(j) * 9 + i.max(j)] };
                text.push_str(&format!("\t{cell}"));
            }
            if i < gpus {
                text.push_str(&format!("\t\t{}", numa[i]));
            }
            text.push('\n');
        }
        check_tree(&text);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_tree(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_card_may_be_called_like_a_comment() {
    check_tree(&TWO_PAIRS.replace("NIC0: mlx5_7", "NIC0: #mlx5_7"));
    check_tree(&format!("{TWO_PAIRS}\nNIC Legend:\n\n  NIC0: ##\n"));
}

#[test]
fn a_part_of_the_cards_does_not_walk() {
    // GPU0 to GPU3 hang in pairs on two switches; NVLink hides where GPU4 hangs.
    check_tree(
        "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\n\
         GPU0\tX\tPIX\tNODE\tNODE\tNV2\n\
         GPU1\tPIX\tX\tNODE\tNODE\tNV2\n\
         GPU2\tNODE\tNODE\tX\tPIX\tNV2\n\
         GPU3\tNODE\tNODE\tPIX\tX\tNV2\n\
         GPU4\tNV2\tNV2\tNV2\tNV2\tX\n",
    );
}
