//! Real outputs of lspci, with what they say written down by hand. They lie outside of the project:
//! in `VARIOPATH_CORPUS`, else in `../shared/corpus`. Without them this test says that it was
//! skipped.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use variopath::base::SourceId;
use variopath::import::inventory::{Above, Function, FunctionKind, Inventory, PciLink};
use variopath::import::lspci::{read_details, read_tree};

struct Case {
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

const TREES: &[Case] = &[
    // Filtered to one device: the branch of bus 00 is never closed. Of its two root buses one has
    // nothing below.
    Case {
        file: "b200-1gpu-host-filtered-nested-domain",
        gpus: "0000:17:00.0",
        nics: "",
        roots: 1,
        switches: "",
        root_ports: "",
        cut: 1,
    },
    Case {
        file: "grace-gb200-4gpu-domains-fragment",
        gpus: "0008:01:00.0 0009:01:00.0 0018:01:00.0 0019:01:00.0",
        nics: "",
        roots: 4,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // Three root buses are shown; the third has only a screen and is cut.
    Case {
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
    Case {
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
    Case {
        file: "rtx6000ada-2gpu-wrx90-tv",
        gpus: "0000:c1:00.0 0000:c2:00.0",
        nics: "0000:14:00.0 0000:14:00.1 0000:21:00.0 0000:21:00.1",
        roots: 3,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // Likewise.
    Case {
        file: "rtx6000ada-4gpu-esc8000a-tv",
        gpus: "0000:01:00.0 0000:41:00.0 0000:c1:00.0 0000:e1:00.0",
        nics: "0000:21:00.0 0000:21:00.1 0000:81:00.0 0000:81:00.1 0000:82:00.0 0000:82:00.1",
        roots: 6,
        switches: "",
        root_ports: "",
        cut: 0,
    },
    // The two BlueField functions sit behind root ports of their own in this machine.
    Case {
        file: "vm-2gpu-flat-rootports-tv",
        gpus: "0000:03:00.0 0000:04:00.0",
        nics: "0000:01:00.0 0000:02:00.0",
        roots: 1,
        switches: "",
        root_ports: "",
        cut: 0,
    },
];

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("VARIOPATH_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        PathBuf::from,
    );
    let folder = folder.join("lspci");
    if folder.is_dir() {
        return Some(folder);
    }
    let line = "SKIPPED import_lspci: no corpus";
    eprintln!("{line}");
    let list = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/skipped.txt");
    if let Ok(mut list) = std::fs::OpenOptions::new().create(true).append(true).open(list) {
        let _ = writeln!(list, "{line}");
    }
    None
}

fn bus(function: &Function) -> String {
    function.bus.map(|bus| bus.to_string()).unwrap_or_default()
}

/// What stands above a function, nearest first.
fn chain(inventory: &Inventory, mut index: usize) -> Vec<usize> {
    let mut above = Vec::new();
    while let Above::Function(next) = inventory.functions[index].above {
        above.push(next);
        index = next;
    }
    above
}

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
    let Some(folder) = folder() else { return };
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|name| !name.contains("-vvv-"))
        .collect();
    files.sort();
    let names: Vec<&str> = TREES.iter().map(|case| case.file).collect();
    assert_eq!(files, names, "every tree has a case");
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
    let Some(folder) = folder() else { return };
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
