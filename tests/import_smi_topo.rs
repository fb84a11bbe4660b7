//! Real dumps of `nvidia-smi topo -m`, with what they say written down by hand.

mod import_support;

use import_support::{corpus, import, names};
use std::collections::BTreeMap;
use variopath::diagnostics::{Sources, render};
use variopath::import::{Imported, PairLabel, detect};
use variopath::{dsl, topology};

struct Case {
    file: &'static str,
    gpus: usize,
    nics: usize,
    /// Labels of unordered GPU pairs with their counts, nearest first.
    labels: &'static str,
    /// Groups of GPUs that are PIX to each other.
    near: &'static str,
    /// The GPUs of each socket.
    sockets: &'static str,
    /// GPUs = CPU affinity @ NUMA affinity, `-` for none.
    affinity: &'static str,
}

const fn case(
    file: &'static str,
    gpus: usize,
    nics: usize,
    labels: &'static str,
    near: &'static str,
    sockets: &'static str,
    affinity: &'static str,
) -> Case {
    Case { file, gpus, nics, labels, near, sockets, affinity }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("1gpu-indented-header", 1, 0, "", "", "0", "0=16-31,48-63@1"),
    case("1gpu-plain", 1, 0, "", "", "0", "0=0-31@0"),
    case("2gpu-nv2-spaces-nolegend", 2, 0, "NV2:1", "", "0 1", "0-1=0-23@-"),
    case("2gpu-phb-spaces-nolegend", 2, 0, "PHB:1", "", "0 1", "0-1=0-11@-"),
    case("4gpu-all-node-1numa", 4, 0, "NODE:6", "", "0 1 2 3", "0-3=0-119@0"),
    // SYS between all, but one NUMA node and the same CPUs: one socket.
    case("4gpu-all-sys-indented", 4, 0, "SYS:6", "", "0 1 2 3", "0-3=0-47@0"),
    case("4gpu-nv18-subset-empty-cpus", 4, 0, "NV18:6", "", "0|1 2 3", "0=44-51,148-155@0 1-3=-@1"),
    // The cards are NODE to GPUs of both NUMA nodes: one root complex.
    case("4gpu-nv4-3nic-empty-affinity", 4, 3, "NV4:6", "", "0 1 2 3", "0-1=0@0 2-3=-@1"),
    case("6gpu-pix-node-sys-uneven", 6, 0, "PIX:3 NODE:4 SYS:8", "0 1|2 3|4 5", "0 1 2 3|4 5", "0-3=0-23,48-71@0 4-5=24-47,72-95@1"),
    case("8gpu-all-sys-2numa-tabs", 8, 0, "SYS:28", "", "0 1 2 3|4 5 6 7", "0-3=0-15,32-47@0 4-7=16-31,48-63@1"),
    case("a100-4gpu-polaris-nolead-spaceheader", 4, 2, "NV4:6", "", "0|1|2|3", "0=24-31,56-63@3 1=16-23,48-55@2 2=8-15,40-47@1 3=0-7,32-39@0"),
    case("a100-4gpu-topo-mp-commented-spaces", 4, 4, "SYS:6", "", "0|1|2|3", "0=18-23,66-71@3 1=6-11,54-59@1 2=42-47,90-95@7 3=30-35,78-83@5"),
    case("a100-8gpu-2mlx5-rst-indented", 8, 2, "NV12:28", "", "0 1 2 3|4 5 6 7", "0-3=0-31,64-95@0 4-7=32-63,96-127@1"),
    case("a100-8gpu-nv12-tight-spaces", 8, 0, "NV12:28", "", "0 1 2 3|4 5 6 7", "0-3=0-23@0 4-7=24-47@1"),
    case("a100pcie-4gpu-mlx5-column", 4, 1, "NODE:2 SYS:4", "", "0 1|2 3", "0-1=0,2,4,6,8,10@0 2-3=1,3,5,7,9,11@1"),
    case("a100sxm-4gpu-1nic", 4, 1, "NV12:6", "", "0 1 2 3", "0-3=32-63,96-127@1"),
    case("aws-2gpu-pix-nolead", 2, 0, "PIX:1", "0 1", "0 1", "0-1=0-47@0"),
    case("azure-ndv2-8gpu-nv-node", 8, 0, "NV1:8 NV2:8 NODE:12", "", "0 1 2 3 4 5 6 7", "0-7=0-19@0"),
    case("h100-8gpu-nv18-spaces", 8, 0, "NV18:28", "", "0 1 2 3|4 5 6 7", "0-3=0-51,104-155@0 4-7=52-103,156-207@1"),
    // Each GPU's own card is SYS to every other GPU, and no affinity says otherwise.
    case("h800-4gpu-17nic-empty-affinity", 4, 17, "NV8:6", "", "0|1|2|3", "0-3=-@-"),
    case("k80-8gpu-mixed-tabs-spaces-oldlegend", 8, 0, "PIX:4 PXB:4 PHB:8 SYS:12", "0 1|2 3|4 5|6 7", "0 1|2 3 4 5 6 7", "0-1=0-7,16-23@- 2-7=8-15,24-31@-"),
    case("l40-4gpu-2nic-remote", 4, 2, "NODE:2 SYS:4", "", "0 1|2 3", "0-1=0-127,256-383@0 2-3=128-255,384-511@1"),
    case("l40s-8gpu-1nic-normalised", 8, 1, "PIX:4 NODE:8 SYS:16", "0 1|2 3|4 5|6 7", "0 1 2 3|4 5 6 7", "0-3=0-31,64-95@0 4-7=32-63,96-127@1"),
    case("power9-4gpu-6mlx5", 4, 6, "NV3:2 SYS:4", "", "0 1|2 3", "0-1=0-63@0 2-3=64-127@8"),
    case("reconstructed-dgx2-16gpu-10mlx5", 16, 10, "NV6:120", "", "0 1 2 3 4 5 6 7|8 9 10 11 12 13 14 15", "0-7=0-23,48-71@- 8-15=24-47,72-95@-"),
    case("reconstructed-k80-6gpu-soc", 6, 0, "PIX:3 PHB:4 SYS:8", "0 1|2 3|4 5", "0 1|2 3 4 5", "0-1=0-7,16-23@- 2-5=8-15,24-31@-"),
    case("reconstructed-pcie-8gpu-sys-4numa-2nic", 8, 2, "SYS:28", "", "0 1 2|3|4 5 6|7", "0-2=0-15,64-79@0 3=16-31,80-95@1 4-6=32-47,96-111@2 7=48-63,112-127@3"),
    case("rtx3060ti-3gpu-sys-phb-numarange", 3, 0, "PHB:1 SYS:2", "", "0|1 2", "0-2=0-31@0-1"),
    case("rtx4090-2gpu-sys-numa-na", 2, 0, "SYS:1", "", "0 1", "0-1=0-127@-"),
    case("rtx5060ti-4gpu-phb-x8-nolegend", 4, 0, "PHB:6", "", "0 1 2 3", "0-3=0-7@0"),
    case("rtx6000ada-4gpu-4nic-spaces", 4, 4, "NODE:2 SYS:4", "", "0 1|2 3", "0-1=0-31@0 2-3=32-63@1"),
    case("rtxpro6000-2gpu-node", 2, 0, "NODE:1", "", "0 1", "0-1=0-31@0"),
    case("rtxpro6000-8gpu-2switch-flat", 8, 0, "PIX:12 NODE:16", "0 1 2 3|4 5 6 7", "0 1 2 3 4 5 6 7", "0-7=-@-"),
    case("rtxpro6000-8gpu-asus-ansi", 8, 0, "PIX:4 NODE:8 SYS:16", "0 1|2 3|4 5|6 7", "0 1 2 3|4 5 6 7", "0-3=0-63,128-191@0 4-7=64-127,192-238@1"),
    case("rtxpro6000-8gpu-phb-sys-bare", 8, 0, "PHB:12 SYS:16", "", "0 1 2 3|4 5 6 7", "0-7=-@-"),
    case("rtxpro6000-8gpu-pix-phb-bare", 8, 0, "PIX:12 PHB:16", "0 1 2 3|4 5 6 7", "0 1 2 3 4 5 6 7", "0-7=-@-"),
    case("titanv-8gpu-cpuaffinity-only", 8, 0, "PIX:4 PHB:8 SYS:16", "0 1|2 3|4 5|6 7", "0 1 2 3|4 5 6 7", "0-3=0-13,28-41@- 4-7=14-27,42-55@-"),
    case("v100-4gpu-p3-numa-na", 4, 0, "NV1:3 NV2:3", "", "0 1 2 3", "0-3=0-31@-"),
    case("v100-8gpu-vm-phb-partial-nvlink", 8, 0, "NV1:8 NV2:8 PHB:12", "", "0 1 2 3 4 5 6 7", "0-7=0-63@0-1"),
    case("v100pcie-2gpu-interleaved-cpus", 2, 0, "SYS:1", "", "0|1", "0=0,2,4,6,8,10@0 1=1,3,5,7,9,11@1"),
];

/// Groups of GPUs for which `same` holds, those of one GPU only where `alone`.
fn groups(gpus: usize, alone: bool, same: impl Fn(usize, usize) -> bool) -> String {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for gpu in 0..gpus {
        match groups.iter_mut().find(|group| same(group[0], gpu)) {
            Some(group) => group.push(gpu),
            None => groups.push(vec![gpu]),
        }
    }
    let texts: Vec<String> = groups
        .iter()
        .filter(|group| alone || group.len() > 1)
        .map(|group| group.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        .collect();
    texts.join("|")
}

fn label_counts(imported: &Imported) -> String {
    let mut counts: BTreeMap<PairLabel, usize> = BTreeMap::new();
    let summary = imported.summary.as_ref().expect("a matrix");
    let gpus = summary.gpus.len();
    for a in 0..gpus {
        for b in a + 1..gpus {
            *counts.entry(summary.labels[a][b]).or_default() += 1;
        }
    }
    counts.iter().map(|(label, n)| format!("{label}:{n}")).collect::<Vec<_>>().join(" ")
}

fn affinities(imported: &Imported) -> String {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_string());
    let summary = imported.summary.as_ref().expect("a matrix");
    let mut runs: Vec<(usize, usize, String)> = Vec::new();
    for (gpu, (cpus, numa)) in summary.cpus.iter().zip(&summary.numa).enumerate() {
        let text = format!("{}@{}", or_dash(cpus), or_dash(numa));
        match runs.last_mut() {
            Some(run) if run.2 == text => run.1 = gpu,
            _ => runs.push((gpu, gpu, text)),
        }
    }
    let texts: Vec<String> = runs
        .iter()
        .map(|(first, last, text)| match first == last {
            true => format!("{first}={text}"),
            false => format!("{first}-{last}={text}"),
        })
        .collect();
    texts.join(" ")
}

#[test]
fn each_dump_says_what_a_reader_sees() {
    let Some(folder) = corpus("smi-topo") else { return };
    for case in CASES {
        let name = format!("{}.txt", case.file);
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let imported = import(&name, &text, None).unwrap_or_else(|fault| panic!("{name}\n{fault}"));
        let summary = imported.summary.as_ref().expect("a matrix");
        assert_eq!(summary.gpus.len(), case.gpus, "{name}: GPUs");
        assert_eq!(summary.nics.len(), case.nics, "{name}: cards");
        assert_eq!(label_counts(&imported), case.labels, "{name}: labels");
        let near = groups(case.gpus, false, |a, b| summary.labels[a][b] == PairLabel::Pix);
        assert_eq!(near, case.near, "{name}: PIX");
        let sockets = groups(case.gpus, true, |a, b| summary.socket_of[a] == summary.socket_of[b]);
        assert_eq!(sockets, case.sockets, "{name}: sockets");
        assert_eq!(affinities(&imported), case.affinity, "{name}: affinity");
    }
}

/// Where each card is, by hand: (file, card, GPUs that are PIX, GPUs that are PXB, its socket).
#[test]
fn cards_hang_where_their_labels_say() {
    let Some(folder) = corpus("smi-topo") else { return };
    #[rustfmt::skip]
    let cases: &[(&str, &str, &str, &str, usize)] = &[
        ("a100-4gpu-topo-mp-commented-spaces", "mlx5_2", "2", "", 2),
        ("a100-8gpu-2mlx5-rst-indented", "mlx5_1", "", "4 5", 1),
        ("a100sxm-4gpu-1nic", "rocep49s0", "", "", 1),
        ("h800-4gpu-17nic-empty-affinity", "mlx5_14", "1", "", 1),
        ("h800-4gpu-17nic-empty-affinity", "mlx5_5", "", "", 4),
        ("l40-4gpu-2nic-remote", "mlx5_1", "", "", 1),
        ("l40s-8gpu-1nic-normalised", "NIC0", "", "", 0),
        ("reconstructed-dgx2-16gpu-10mlx5", "mlx5_6", "12 13", "14 15", 1),
        ("reconstructed-dgx2-16gpu-10mlx5", "mlx5_9", "", "", 2),
        ("rtx6000ada-4gpu-4nic-spaces", "mlx5_2", "", "", 1),
    ];
    for (file, card, near, cascade, socket) in cases {
        let text = std::fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
        let summary = import(file, &text, None).unwrap().summary.expect("a matrix");
        let gpus = summary.gpus.len();
        let at = gpus + summary.nics.iter().position(|name| name == card).unwrap();
        let with = |label| {
            let gpus = (0..gpus).filter(|&gpu| summary.labels[at][gpu] == label);
            gpus.map(|gpu| gpu.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(with(PairLabel::Pix), *near, "{file} {card}");
        assert_eq!(with(PairLabel::Pxb), *cascade, "{file} {card}");
        assert_eq!(summary.socket_of[at], *socket, "{file} {card}");
    }
}

/// Ports of one card, by hand: pairs of card columns that are PIX to each other.
#[test]
fn twins_are_told() {
    let Some(folder) = corpus("smi-topo") else { return };
    // Nine cards: the ports i and i + 9 of eight, and port 5 alone.
    let cases = [
        ("h800-4gpu-17nic-empty-affinity", 8),
        ("l40-4gpu-2nic-remote", 1),
        ("rtx6000ada-4gpu-4nic-spaces", 2),
        ("reconstructed-pcie-8gpu-sys-4numa-2nic", 1),
        ("power9-4gpu-6mlx5", 3),
    ];
    for (file, pairs) in cases {
        let text = std::fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
        let notes = import(file, &text, None).unwrap().notes;
        let twins = notes.iter().filter(|note| note.code == "import-twins").count();
        assert_eq!(twins, pairs, "{file}");
    }
}

#[test]
fn each_tree_prints_parses_back_and_builds() {
    let Some(folder) = corpus("smi-topo") else { return };
    for case in CASES {
        let text = std::fs::read_to_string(folder.join(format!("{}.txt", case.file))).unwrap();
        for assume in [None, Some(4)] {
            let imported = import(case.file, &text, assume).unwrap();
            let printed = dsl::format(&imported.file);
            let mut sources = Sources::new();
            let id = sources.add("imported.topo", &printed);
            let show = |faults| format!("{printed}\n{}", render(&sources, &faults, false));
            let parsed =
                dsl::parse(&sources, id).unwrap_or_else(|faults| panic!("{}", show(faults)));
            assert_eq!(parsed, imported.file, "{printed}");
            assert_eq!(dsl::format(&parsed), printed);
            let machine =
                dsl::elaborate(&parsed).unwrap_or_else(|faults| panic!("{}", show(faults)));
            assert_eq!(machine.ranks.len(), case.gpus, "{}", case.file);
            if assume.is_none() || case.gpus < 2 {
                continue;
            }
            // Where NVLink hides the place of GPUs, that and the rate are assumed.
            topology::build(&machine, dsl::digest(&parsed))
                .unwrap_or_else(|faults| panic!("{}: {}", case.file, show(faults)));
        }
    }
}

#[test]
fn the_rest_is_refused_with_line_and_reason() {
    let Some(folder) = corpus("smi-topo") else { return };
    let mut others = Vec::new();
    let rest = names(&folder)
        .into_iter()
        .filter(|name| !CASES.iter().any(|case| format!("{}.txt", case.file) == *name));
    for name in rest {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(detect(&text).is_some(), "{name}");
        others.push(import(&name, &text, None).unwrap_err());
    }
    assert_eq!(others.len(), 4);
    assert!(
        others[0].contains("the matrix has no header: row GPU0 has 20 labels"),
        "{}",
        others[0]
    );
    // What the matrices of peer access say is in the reason: no machine can be drawn from them.
    let states = ["2 GPUs, CNS", "8 GPUs, OK", "4 GPUs, OK"];
    for (refusal, state) in others[1..].iter().zip(states) {
        assert!(refusal.contains(&format!("nvidia-smi topo -p2p ({state})")), "{refusal}");
    }
}

#[test]
fn measurements_are_refused_by_name() {
    let Some(folder) = corpus("bandwidth") else { return };
    for name in names(&folder) {
        let text = std::fs::read(folder.join(&name)).unwrap();
        let refusal = import(&name, &String::from_utf8_lossy(&text), None).unwrap_err();
        let reason = match name.as_str() {
            "alltoall-rtx6000d-16gpu-2node-mpi-noise.txt" => {
                "a log of nccl-tests times whole collectives"
            }
            _ => "these are rates between GPUs: they do not say how the machine is built",
        };
        assert!(refusal.contains(reason), "{name}\n{refusal}");
    }
}
