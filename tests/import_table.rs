//! What is imported beside what the table of the corpus says of each dump. That table was computed
//! by another program and calls itself a strong hint; where this one differs, the reason stands here.

mod import_support;

use import_support::{codes, corpus, groups, import};
use std::collections::BTreeSet;
use variopath::import::{Imported, PairLabel};

/// A row: kind of dump, file, conclusion.
struct Row {
    kind: &'static str,
    file: String,
    says: String,
}

impl Row {
    /// What stands between `before` and the next semicolon or the end.
    fn part(&self, before: &str) -> Option<&str> {
        let rest = &self.says[self.says.find(before)? + before.len()..];
        Some(rest.split(';').next().unwrap_or_default().trim())
    }

    /// The number before `after`.
    fn number(&self, after: &str) -> Option<usize> {
        let before = &self.says[..self.says.find(after)?];
        before.trim_end().rsplit(' ').next()?.parse().ok()
    }
}

/// `{0,1} {2,3}` as `0 1|2 3`; `{#0,#1}` where the table counts itself; `none` as nothing.
fn listed(text: &str) -> String {
    let text = text.replace('#', "");
    let groups = text.split(['{', '}']).map(str::trim).filter(|group| !group.is_empty());
    let groups: Vec<String> =
        groups.filter(|group| *group != "none").map(|group| group.replace(',', " ")).collect();
    groups.join("|")
}

fn rows() -> Vec<Row> {
    let Some(folder) = corpus("") else { return Vec::new() };
    let table = std::fs::read_to_string(folder.join("README.md")).expect("the table");
    let mut kind = "";
    let mut rows = Vec::new();
    for line in table.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let kinds = ["nccl-xml", "smi-topo", "hwloc-xml", "lspci"];
            kind = kinds.into_iter().find(|kind| *kind == heading).unwrap_or_default();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", file, .., says, ""] = cells[..]
            && !kind.is_empty()
            && file.contains('.')
        {
            rows.push(Row { kind, file: file.to_owned(), says: says.to_owned() });
        }
    }
    rows
}

/// Rows, and files that are imported.
#[test]
fn the_table_agrees_or_the_reason_is_here() {
    let (rows, mut imported) = (rows(), 0);
    if rows.is_empty() {
        return;
    }
    for row in &rows {
        let text = std::fs::read_to_string(corpus(row.kind).unwrap().join(&row.file)).unwrap();
        let found = import(&row.file, &text, None);
        let refused = [
            "aws-g5-48xl-a10g-skeleton.xml",
            "malformed-h200-vm-truncated-numa-1.xml",
            "h100-8gpu-12nic-headerless.txt",
            "p2p-2gpu-cns-nolegend.txt",
            "p2p-8gpu-ok-full-legend.txt",
            "p2p-rtx5060ti-4gpu-rw-ok.txt",
            "rtx6000ada-2gpu-wrx90-vvv-selected.txt",
            "rtx6000ada-4gpu-esc8000a-vvv-selected.txt",
        ];
        let is_refused = refused.contains(&row.file.as_str());
        assert_eq!(found.is_err(), is_refused, "{}", row.file);
        let Ok(found) = found else { continue };
        imported += 1;
        match row.kind {
            "nccl-xml" => nccl(row, &found),
            "smi-topo" => smi(row, &found),
            "hwloc-xml" => hwloc(row, &found),
            _ => {
                let gpus = row.number("NVIDIA function-0 leaves");
                assert_eq!(Some(found.overview.gpus), gpus, "{}", row.file);
            }
        }
    }
    assert_eq!((rows.len(), imported), (88, 80));
}

fn nccl(row: &Row, found: &Imported) {
    let (file, seen) = (row.file.as_str(), &found.overview);
    assert_eq!(Some(seen.gpus), row.number(" GPUs;"), "{file}");
    assert_eq!(Some(seen.sockets), row.number("cpu/NUMA nodes"), "{file}");
    // Bridges with one card below are part of it, and so the port above is the switch where AMD's
    // cards bring a bridge of their own: the table sees none there.
    let same_switch = listed(row.part("same immediate switch:").unwrap());
    let root_ports = listed(row.part("same root port:").unwrap());
    match file {
        _ if !same_switch.is_empty() => {
            assert_eq!(groups(&seen.same_switch), same_switch, "{file}");
        }
        // A leaf of the cascade has two GPUs, another a GPU and the card.
        "dcu-8gpu-double-switch.xml" => assert_eq!(groups(&seen.same_switch), "0 1|4 5"),
        // The four GPUs of a port hang on two switches below one.
        "amd-mi250-16gpu.xml" => {
            assert_eq!(groups(&seen.same_switch), "0 1|2 3|4 5|6 7|8 9|10 11|12 13|14 15");
        }
        _ => assert_eq!(groups(&seen.same_switch), root_ports, "{file}"),
    }
    assert_eq!(groups(&seen.same_root_port), root_ports, "{file}");
    let told = codes(found).contains("import-nvlink");
    let expected = match file {
        // Links of a GPU to itself are noise, as the table says in another place.
        "azure-ncv4-a100pcie-4gpu.xml" => false,
        // Not in the file, but this kind of GPU has NVLink on every board.
        "aws-p4d-24xl-a100-skeleton.xml" => true,
        _ => row.part("fabric:") != Some("none"),
    };
    assert_eq!(told, expected, "{file}");
    // Ports of one card are one, and what has no hardware is none; cards of which the file has the
    // ports only are counted by their identifiers.
    let functions = row.says.split('(').nth(1).and_then(|text| {
        let text = text.split(", ").nth(1)?.split(' ').next()?;
        text.parse::<usize>().ok()
    });
    let expected = match file {
        "nv-a6000-1rank-trimmed-fusednic.xml" => 2,
        "nv-b200-8gpu-vm-emptyspeed.xml" => 10,
        // 18:00.0 and 18:00.1.
        "nv-a6000-2gpu-edited.xml" => 1,
        _ => functions.unwrap_or_default(),
    };
    assert_eq!(seen.nics, expected, "{file}");
}

fn smi(row: &Row, found: &Imported) {
    let (file, summary) = (&row.file, found.summary.as_ref().unwrap());
    let count = summary.gpus.len();
    assert_eq!(Some(count), row.number(" GPUs;"), "{file}");
    assert_eq!(Some(summary.nics.len()), row.number("NIC rows"), "{file}");
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let labels: BTreeSet<String> = pairs.map(|(a, b)| summary.labels[a][b].to_string()).collect();
    let said: BTreeSet<String> = row
        .part("GPU-GPU labels")
        .unwrap()
        .split('/')
        // The old word for SYS.
        .map(|label| if label == "SOC" { "SYS".to_owned() } else { label.to_owned() })
        .filter(|label| label != "-")
        .collect();
    assert_eq!(labels, said, "{file}");
    let near = |a: usize, b: usize| a == b || summary.labels[a][b] == PairLabel::Pix;
    let same: BTreeSet<Vec<usize>> = (0..count)
        .map(|a| (0..count).filter(|b| near(a, *b)).collect::<Vec<_>>())
        .filter(|group| group.len() > 1)
        .collect();
    let same: Vec<Vec<usize>> = same.into_iter().collect();
    assert_eq!(groups(&same), listed(row.part("(PIX):").unwrap()), "{file}");
    // Groups without SYS stay together on a socket.
    let sides = listed(row.part("(no SYS):").unwrap());
    for side in sides.split('|').filter(|side| !side.is_empty()) {
        let gpus: Vec<usize> = side.split(' ').map(|gpu| gpu.parse().unwrap()).collect();
        let socket = summary.socket_of[gpus[0]];
        assert!(gpus.iter().all(|gpu| summary.socket_of[*gpu] == socket), "{file}: {side}");
    }
}

fn hwloc(row: &Row, found: &Imported) {
    let (file, seen) = (row.file.as_str(), &found.overview);
    let gpus = row.number("NVIDIA/AMD display-class").unwrap();
    // The fourth is an ES1000, the screen of the server's management controller.
    let gpus = if file == "v1-2xwestmere-4gpu-pci.xml" { gpus - 1 } else { gpus };
    assert_eq!(seen.gpus, gpus, "{file}");
    assert_eq!(Some(seen.sockets), row.number("packages"), "{file}");
    let switches = listed(row.part("share upstream switch port:").unwrap());
    assert_eq!(groups(&seen.same_switch), switches, "{file}");
    let root_ports = listed(row.part("same root port:").unwrap());
    assert_eq!(groups(&seen.same_root_port), root_ports, "{file}");
}
