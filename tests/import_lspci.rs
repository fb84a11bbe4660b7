//! Real outputs of lspci, with what they say written down by hand.

mod import_support;

use import_support::{Case, bus, chain, corpus, import, import_all, names};
use std::collections::BTreeMap;
use variopath::base::SourceId;
use variopath::import::inventory::{FunctionKind, Inventory, PciLink};
use variopath::import::lspci::{read_details, read_tree};

struct Tree {
    file: &'static str,
    /// Bus ids of the GPUs.
    gpus: &'static str,
    /// Bus ids of the network card functions.
    nics: &'static str,
    /// Root buses with a GPU or a network card below.
    roots: usize,
    /// GPUs and network cards (`n`) below one upper port of a switch, at least two.
    switches: &'static str,
    /// GPUs below one root port, at least two.
    root_ports: &'static str,
    /// Branches that are cut.
    cut: usize,
}

const TREES: &[Tree] = &[
    // Filtered to one device: the branch of bus 00 is never closed. Of its two root buses one has
    // nothing below.
    Tree {
        file: "b200-1gpu-host-filtered-nested-domain",
        gpus: "0000:17:00.0",
        nics: "",
        roots: 1,
        switches: "",
        root_ports: "",
        cut: 1,
    },
    Tree {
        file: "grace-gb200-4gpu-domains-fragment",
        gpus: "0008:01:00.0 0009:01:00.0 0018:01:00.0 0019:01:00.0",
        nics: "",
        roots: 4,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // Three root buses are shown; the third has only a screen and is cut.
    Tree {
        file: "h200-8gpu-vm-pxb-truncated-tv",
        gpus: "0000:68:00.0 0000:6b:00.0 0000:70:00.0 0000:73:00.0 0000:cc:00.0 0000:cf:00.0 \
               0000:d3:00.0 0000:d8:00.0",
        nics: "0000:67:00.0 0000:6c:00.0 0000:6f:00.0 0000:74:00.0 0000:cb:00.0 0000:d0:00.0 \
               0000:d4:00.0 0000:d7:00.0",
        roots: 2,
        switches: "0 n0|1 n1|2 n2|3 n3|4 n4|5 n5|6 n6|7 n7",
        root_ports: "",
        cut: 1,
    },
    Tree {
        file: "l20-8gpu-vm-pxb-tv",
        gpus: "0000:23:00.0 0000:33:00.0 0000:34:00.0 0000:43:00.0 0000:63:00.0 0000:83:00.0 \
               0000:84:00.0 0000:a3:00.0",
        nics: "",
        roots: 6,
        switches: "1 2|5 6",
        root_ports: "1 2|5 6",
        cut: 0,
    },
    // Beside the two ports of the ConnectX-7 the X710 has two.
    Tree {
        file: "rtx6000ada-2gpu-wrx90-tv",
        gpus: "0000:c1:00.0 0000:c2:00.0",
        nics: "0000:14:00.0 0000:14:00.1 0000:21:00.0 0000:21:00.1",
        roots: 3,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // Likewise.
    Tree {
        file: "rtx6000ada-4gpu-esc8000a-tv",
        gpus: "0000:01:00.0 0000:41:00.0 0000:c1:00.0 0000:e1:00.0",
        nics: "0000:21:00.0 0000:21:00.1 0000:81:00.0 0000:81:00.1 0000:82:00.0 0000:82:00.1",
        roots: 6,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // The two BlueField functions sit behind root ports of their own in this machine.
    Tree {
        file: "vm-2gpu-flat-rootports-tv",
        gpus: "0000:03:00.0 0000:04:00.0",
        nics: "0000:01:00.0 0000:02:00.0",
        roots: 1,
        switches: "",
        root_ports: "",
        cut: 0,
    },
];

/// The functions of a kind by bus id.
fn of(inventory: &Inventory, kind: FunctionKind) -> Vec<usize> {
    let mut found: Vec<usize> =
        (0..inventory.functions.len()).filter(|f| inventory.functions[*f].kind == kind).collect();
    found.sort_by_key(|function| inventory.functions[*function].bus);
    found
}

fn groups(members: Vec<(Option<usize>, String)>) -> String {
    let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (key, name) in members {
        if let Some(key) = key {
            groups.entry(key).or_default().push(name);
        }
    }
    let mut groups: Vec<Vec<String>> = groups.into_values().filter(|g| g.len() > 1).collect();
    groups.sort();
    groups.iter().map(|group| group.join(" ")).collect::<Vec<_>>().join("|")
}

fn told(inventory: &Inventory) -> (String, String, usize, String, String) {
    let (gpus, nics) = (of(inventory, FunctionKind::Gpu), of(inventory, FunctionKind::Nic));
    let functions = &inventory.functions;
    let buses = |of: &[usize]| of.iter().map(|f| bus(&functions[*f])).collect::<Vec<_>>().join(" ");
    let upper = |function: usize| {
        let port = chain(inventory, function).get(1).copied()?;
        (functions[port].kind == FunctionKind::Bridge).then_some(port)
    };
    let named = |of: &[usize], prefix: &str| -> Vec<(usize, String)> {
        of.iter().enumerate().map(|(k, f)| (*f, format!("{prefix}{k}"))).collect()
    };
    let switches = [named(&gpus, ""), named(&nics, "n")].concat();
    let switches = switches.into_iter().map(|(f, name)| (upper(f), name)).collect();
    let root_ports = named(&gpus, "").into_iter().map(|(f, name)| {
        let above = chain(inventory, f);
        (above.len().checked_sub(2).map(|place| above[place]), name)
    });
    let roots = functions.iter().filter(|f| f.kind == FunctionKind::HostBridge).count();
    (buses(&gpus), buses(&nics), roots, groups(switches), groups(root_ports.collect()))
}

#[test]
fn every_tree_tells_what_is_written_down() {
    let Some(folder) = corpus("lspci") else { return };
    let files: Vec<String> = names(&folder)
        .iter()
        .map(|name| name.trim_end_matches(".txt").to_owned())
        .filter(|name| !name.contains("-vvv-"))
        .collect();
    let known: Vec<&str> = TREES.iter().map(|case| case.file).collect();
    assert_eq!(files, known, "every tree has a case");
    for case in TREES {
        let text =
            std::fs::read_to_string(folder.join(format!("{}.txt", case.file))).expect("text");
        let inventory = match read_tree(&text, SourceId(0)) {
            Ok(inventory) => inventory,
            Err(faults) => panic!("{}: {faults:?}", case.file),
        };
        let (gpus, nics, roots, switches, root_ports) = told(&inventory);
        assert_eq!(
            (&*gpus, &*nics, roots, &*switches, &*root_ports),
            (case.gpus, case.nics, case.roots, case.switches, case.root_ports),
            "{}",
            case.file
        );
        let cut = inventory.notes.iter().filter(|note| note.code == "import-cut").count();
        assert_eq!(cut, case.cut, "{}", case.file);
    }
}

/// Bus id, NUMA node, link, access control.
type Device = (&'static str, Option<u32>, [u32; 4], Option<bool>);

/// File, then each GPU and network card with its NUMA node, what its link is able to and what it
/// runs at, and whether access control redirects. The cards' lanes are all there: no warning.
const DETAILS: &[(&str, &[Device])] = &[
    (
        "rtx6000ada-2gpu-wrx90-vvv-selected",
        &[
            ("0000:21:00.0", None, [5, 16, 5, 16], Some(false)),
            ("0000:c1:00.0", None, [4, 16, 1, 16], None),
            ("0000:c2:00.0", None, [4, 16, 1, 16], None),
        ],
    ),
    (
        "rtx6000ada-4gpu-esc8000a-vvv-selected",
        &[
            ("0000:01:00.0", Some(0), [4, 16, 1, 16], None),
            ("0000:21:00.0", Some(0), [5, 16, 5, 16], Some(false)),
            ("0000:41:00.0", Some(0), [4, 16, 1, 16], None),
            ("0000:81:00.0", Some(1), [5, 16, 5, 16], Some(false)),
            ("0000:c1:00.0", Some(1), [4, 16, 1, 16], None),
            ("0000:e1:00.0", Some(1), [4, 16, 1, 16], None),
        ],
    ),
];

#[test]
fn every_list_of_details_tells_what_is_written_down() {
    let Some(folder) = corpus("lspci") else { return };
    for (file, expected) in DETAILS {
        let text = std::fs::read_to_string(folder.join(format!("{file}.txt"))).expect("text");
        let inventory = match read_details(&text, SourceId(0)) {
            Ok(inventory) => inventory,
            Err(faults) => panic!("{file}: {faults:?}"),
        };
        let mut devices =
            [of(&inventory, FunctionKind::Gpu), of(&inventory, FunctionKind::Nic)].concat();
        devices.sort_by_key(|device| inventory.functions[*device].bus);
        let told: Vec<_> = devices
            .iter()
            .map(|device| {
                let function = &inventory.functions[*device];
                let pair = |link: PciLink| [link.generation, link.width].map(|n| n.unwrap_or(0));
                let [a, b] = [function.link.capable, function.link.current].map(pair);
                (bus(function), function.numa, [a[0], a[1], b[0], b[1]], function.acs_redirect)
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(bus, numa, link, acs)| (bus.to_string(), *numa, *link, *acs))
            .collect();
        assert_eq!(told, expected, "{file}");
        let notes: Vec<&str> = inventory.notes.iter().map(|note| note.code).collect();
        assert_eq!(notes, ["import-idle"], "{file}");
    }
}

/// What follows from the trees: no speeds, no sockets. The ports of one card are one card.
const CASES: &[Case] = &[
    Case {
        file: "b200-1gpu-host-filtered-nested-domain",
        counts: [1, 0, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0",
        links: "unknown: 1",
        places: &["0000:17:00.0 s[0] unknown"],
        notes: "import-cut import-names import-rates import-sockets",
    },
    Case {
        file: "grace-gb200-4gpu-domains-fragment",
        counts: [4, 0, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3",
        links: "unknown: 4",
        places: &["0018:01:00.0 s[0] unknown"],
        notes: "import-names import-nvlink import-rates import-sockets",
    },
    Case {
        file: "h200-8gpu-vm-pxb-truncated-tv",
        counts: [8, 8, 1, 8],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3 4 5 6 7",
        links: "unknown: 24",
        places: &["0000:68:00.0 sw[0] unknown", "0000:67:00.0 sw[0] unknown"],
        notes: "import-cut import-names import-nvlink import-rates import-sockets",
    },
    Case {
        file: "l20-8gpu-vm-pxb-tv",
        counts: [8, 0, 1, 2],
        same_switch: "1 2|5 6",
        same_root_port: "1 2|5 6",
        sockets: "0 1 2 3 4 5 6 7",
        links: "unknown: 10",
        places: &["0000:84:00.0 sw[1] unknown", "0000:a3:00.0 s[0] unknown"],
        notes: "import-names import-rates import-sockets",
    },
    Case {
        file: "rtx6000ada-2gpu-wrx90-tv",
        counts: [2, 2, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1",
        links: "unknown: 4",
        places: &["0000:c2:00.0 s[0] unknown"],
        notes: "import-names import-rates import-sockets",
    },
    Case {
        file: "rtx6000ada-4gpu-esc8000a-tv",
        counts: [4, 3, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3",
        links: "unknown: 7",
        places: &["0000:e1:00.0 s[0] unknown"],
        notes: "import-names import-rates import-sockets",
    },
    Case {
        file: "vm-2gpu-flat-rootports-tv",
        counts: [2, 2, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1",
        links: "unknown: 4",
        places: &["0000:04:00.0 s[0] unknown"],
        notes: "import-names import-rates import-sockets",
    },
];

#[test]
fn each_tree_says_what_a_reader_sees() {
    let Some(folder) = corpus("lspci") else { return };
    assert_eq!(CASES.len(), TREES.len());
    for case in CASES {
        let name = format!("{}.txt", case.file);
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        case.holds_for(&import(&name, &text, None).unwrap());
    }
}

#[test]
fn details_are_refused_alone() {
    let Some(folder) = corpus("lspci") else { return };
    for (file, _) in DETAILS {
        let text = std::fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
        let refusal = import("details.txt", &text, None).unwrap_err();
        let said = "details.txt tells links but not what hangs on what\n --> details.txt:1:1";
        assert!(refusal.contains(said), "{refusal}");
        assert!(refusal.contains("variopath import tree.txt details.txt"), "{refusal}");
    }
}

/// Tree, details and matrix of one machine: what each leaves open another tells.
#[test]
fn what_belongs_together_is_whole() {
    let (Some(folder), Some(matrices)) = (corpus("lspci"), corpus("smi-topo")) else { return };
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let tree = text("rtx6000ada-4gpu-esc8000a-tv.txt");
    let details = text("rtx6000ada-4gpu-esc8000a-vvv-selected.txt");
    let matrix = std::fs::read_to_string(matrices.join("rtx6000ada-4gpu-4nic-spaces.txt")).unwrap();
    // Gen4 x16 although the idle GPUs run at 2.5 GT/s; the X710 is not in the details.
    let case = Case {
        file: "esc8000a",
        counts: [4, 3, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1|2 3",
        links: "pcie gen5 x16: 2, pcie gen4 x16: 4, unknown: 1",
        places: &[
            "0000:01:00.0 s[0] 26.3 GB/s",
            "0000:e1:00.0 s[1] 26.3 GB/s",
            "0000:81:00.0 s[1] 55 GB/s",
            "0000:82:00.0 s[1] unknown",
        ],
        notes: "import-idle import-names import-rates import-sockets",
    };
    let both = [("tree.txt", tree.as_str()), ("details.txt", details.as_str())];
    case.holds_for(&import_all(&both, None).unwrap());
    let all = [both[0], both[1], ("topo.txt", matrix.as_str())];
    let notes = "import-idle import-names import-order import-rates import-sockets";
    let imported = import_all(&all, None).unwrap();
    Case { notes, ..case }.holds_for(&imported);
    let heading = "Imported from the tree of lspci -t, the output of lspci -vvv and the matrix of \
                   nvidia-smi topo -m: 4 GPUs, 3 network cards, 2 sockets.";
    assert_eq!(imported.file.leading[0], heading);

    // The same machine by the labels alone, and any order of the files.
    let swapped = import_all(&[all[2], all[1], all[0]], None).unwrap();
    assert_eq!(swapped.overview, imported.overview);

    let small = text("rtx6000ada-2gpu-wrx90-tv.txt");
    let more = text("rtx6000ada-2gpu-wrx90-vvv-selected.txt");
    let case = Case {
        file: "wrx90",
        counts: [2, 2, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1",
        links: "pcie gen5 x16: 1, pcie gen4 x16: 2, unknown: 1",
        places: &["0000:c1:00.0 s[0] 26.3 GB/s", "0000:21:00.0 s[0] 55 GB/s"],
        notes: "import-idle import-names import-rates import-sockets",
    };
    case.holds_for(&import_all(&[("tree.txt", &small), ("details.txt", &more)], None).unwrap());
    // One file with both.
    let one = format!("$ lspci -tv\n{small}\n$ sudo lspci -vvv\n{more}");
    case.holds_for(&import("report.txt", &one, None).unwrap());

    // The boxes have a GPU and a card at equal addresses, but the other GPUs give them away.
    let refusal = import_all(&[("tree.txt", &small), ("details.txt", &details)], None).unwrap_err();
    let said = "0000:01:00.0 is a GPU in details.txt, but tree.txt, which lists every device, does \
                not have it: these are two machines";
    assert!(refusal.contains(said) && refusal.contains("details.txt:1:1"), "{refusal}");
    let refusal = import_all(&[("tree.txt", &small), ("topo.txt", &matrix)], None).unwrap_err();
    assert!(refusal.contains("topo.txt has 4 GPUs and tree.txt has 2"), "{refusal}");
}
