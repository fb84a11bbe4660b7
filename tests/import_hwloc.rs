//! Real topology files of hwloc, with what they say written down by hand.

mod import_support;

use import_support::{Case, bus, chain, corpus, import, names};
use std::collections::BTreeMap;
use variopath::base::SourceId;
use variopath::import::hwloc::read;
use variopath::import::inventory::{Above, FunctionKind, Inventory};

struct Told {
    file: &'static str,
    /// Bus ids of the GPUs in the order of their numbers, else of their bus ids.
    gpus: &'static str,
    /// Network card functions with the names of their ports.
    nics: &'static str,
    /// Each socket with its NUMA nodes.
    sockets: &'static str,
    /// The GPUs of each socket.
    near: &'static str,
    /// GPUs below one upper port of a switch.
    switches: &'static str,
    /// GPUs below one root port.
    root_ports: &'static str,
    /// What the GPUs' links are able to, where told.
    links: &'static str,
}

const TOLD: &[Told] = &[
    // The table of the corpus counts 4 display devices: the fourth is an ES1000 (1002:515e), the
    // screen of the server's management controller. It counts 2 network functions: the third
    // is InfiniBand under its old class 0c06. 4 GB/s is gen1 x16 or gen2 x8.
    Told {
        file: "v1-2xwestmere-4gpu-pci",
        gpus: "0000:06:00.0 0000:11:00.0 0000:14:00.0",
        nics: "0000:04:00.0=eth0 0000:04:00.1=eth1 0000:05:00.0=mlx4_0",
        sockets: "0:0 1:1",
        near: "0|1 2",
        switches: "",
        root_ports: "",
        links: "-",
    },
    Told {
        file: "v1-mi25-4gpu-opencl",
        gpus: "0000:13:00.0 0000:23:00.0 0000:53:00.0 0000:73:00.0",
        nics: "0000:03:00.0=enp3s0f0 0000:03:00.1=enp3s0f1 0000:33:00.0=mlx5_0",
        sockets: "0:0,1,2,3 1:4,5,6,7",
        near: "0 1|2 3",
        switches: "",
        root_ports: "",
        links: "gen3 x16",
    },
    Told {
        file: "v1-mixed-vendor-2gpu",
        gpus: "0000:08:00.0 0000:44:00.0",
        nics: "0000:04:00.0=enp4s0 0000:05:00.0=wlp5s0 0000:06:00.0=enp6s0",
        sockets: "0:0,2,1,3",
        near: "0 1",
        switches: "",
        root_ports: "",
        // The NVIDIA GPU is idle, and hwloc has no word of its width.
        links: "- gen3 x16",
    },
    Told {
        file: "v2-mi250x-8gpu-rsmi",
        gpus: "0000:c1:00.0 0000:c6:00.0 0000:c9:00.0 0000:ce:00.0 0000:d1:00.0 0000:d6:00.0 \
               0000:d9:00.0 0000:de:00.0",
        nics: "0000:d5:00.0=hsi2 0000:94:00.0=ens2 0000:cd:00.0=hsi1 0000:dd:00.0=hsi3 \
               0000:c5:00.0=hsi0",
        sockets: "0:0,1,2,3",
        near: "0 1 2 3 4 5 6 7",
        switches: "",
        root_ports: "",
        links: "gen4 x16",
    },
    Told {
        file: "v2-p100pcie-2gpu-cuda-nvml",
        gpus: "0000:04:00.0 0000:07:00.0",
        nics: "0000:08:00.0=mlx5_0 0000:0c:00.0=enp12s0f0 0000:0c:00.1=enp12s0f1",
        sockets: "0:0 1:1",
        near: "0 1",
        switches: "0 1",
        root_ports: "0 1",
        links: "gen3 x16",
    },
    // The ports above the GPUs run at 1.97 GB/s: two lanes of the third generation.
    Told {
        file: "v2-power9-v100-4gpu",
        gpus: "0004:04:00.0 0004:05:00.0 0035:03:00.0 0035:04:00.0",
        nics: "0003:01:00.0=mlx5_0 0003:01:00.1=mlx5_1 0005:01:00.0=enP5p1s0f0 \
               0005:01:00.1=enP5p1s0f1 0033:01:00.0=mlx5_2 0033:01:00.1=mlx5_3",
        sockets: "0:0 8:8",
        near: "0 1|2 3",
        switches: "0 1|2 3",
        root_ports: "0 1|2 3",
        links: "gen3 x2",
    },
    // The ports above the idle GPUs run at 2 GB/s, gen1 x8 or gen2 x4.
    Told {
        file: "v2-t4-8gpu-g4dn-metal",
        gpus: "0000:18:00.0 0000:19:00.0 0000:35:00.0 0000:36:00.0 0000:e7:00.0 0000:e8:00.0 \
               0000:f4:00.0 0000:f5:00.0",
        nics: "0000:c5:00.0=rdmap197s0 0000:c6:00.0=eth0",
        sockets: "0:0 1:1",
        near: "0 1 2 3|4 5 6 7",
        switches: "",
        root_ports: "",
        links: "-",
    },
    Told {
        file: "v2-turin-h200-4gpu-nvml",
        gpus: "0000:06:00.0 0000:16:00.0 0000:96:00.0 0000:e6:00.0",
        nics: "0000:51:00.0=eno6 0000:03:00.0=mlx5_0 0000:13:00.0=mlx5_3 0000:61:00.0=mlx5_1 \
               0000:61:00.1=mlx5_2 0000:93:00.0=mlx5_4 0000:e3:00.0=mlx5_5",
        sockets: "0:0,1,2,3 1:4,5,6,7",
        near: "0 1|2 3",
        switches: "",
        root_ports: "",
        links: "gen5 x16",
    },
    Told {
        file: "v3-dgx2-16gpu-nvml",
        gpus: "0000:34:00.0 0000:36:00.0 0000:39:00.0 0000:3b:00.0 0000:57:00.0 0000:59:00.0 \
               0000:5c:00.0 0000:5e:00.0 0000:b7:00.0 0000:b9:00.0 0000:bc:00.0 0000:be:00.0 \
               0000:e0:00.0 0000:e2:00.0 0000:e5:00.0 0000:e7:00.0",
        nics: "",
        sockets: "0:0 1:1",
        near: "0 1 2 3 4 5 6 7|8 9 10 11 12 13 14 15",
        switches: "0 1|2 3|4 5|6 7|8 9|10 11|12 13|14 15",
        root_ports: "0 1 2 3|4 5 6 7|8 9 10 11|12 13 14 15",
        links: "gen3 x16",
    },
    Told {
        file: "v3-power8-4gpu-distances",
        gpus: "0002:01:00.0 0003:01:00.0 000a:01:00.0 000b:01:00.0",
        nics: "",
        sockets: "0:0 1:1",
        near: "0 1|2 3",
        switches: "",
        root_ports: "",
        // The GPUs have 16 lanes, the ports of the CPU 8: 7.88 GB/s.
        links: "gen3 x8",
    },
];

/// Groups of at least two with the same key, as `0 1|2 3`.
fn groups<K: Ord>(keys: impl Iterator<Item = Option<K>>, least: usize) -> String {
    let mut groups: BTreeMap<K, Vec<String>> = BTreeMap::new();
    for (index, key) in keys.enumerate() {
        if let Some(key) = key {
            groups.entry(key).or_default().push(index.to_string());
        }
    }
    let mut groups: Vec<Vec<String>> = groups.into_values().filter(|g| g.len() >= least).collect();
    groups.sort_by_key(|group| group[0].parse::<usize>().unwrap_or(0));
    groups.iter().map(|group| group.join(" ")).collect::<Vec<_>>().join("|")
}

fn told(inventory: &Inventory) -> [String; 7] {
    let functions = &inventory.functions;
    let of = |kind| (0..functions.len()).filter(move |f| functions[*f].kind == kind);
    let mut gpus: Vec<usize> = of(FunctionKind::Gpu).collect();
    gpus.sort_by_key(|gpu| (functions[*gpu].number.unwrap_or(u32::MAX), functions[*gpu].bus));
    let nics = of(FunctionKind::Nic).map(|nic| {
        let ports: Vec<&str> = functions[nic].ports.iter().map(|port| &*port.name).collect();
        format!("{}={}", bus(&functions[nic]), ports.join(","))
    });
    let sockets = inventory.processors.iter().map(|processor| {
        let numa: Vec<String> = processor.numa.iter().map(u32::to_string).collect();
        format!("{}:{}", processor.socket.map_or("-".into(), |s| s.to_string()), numa.join(","))
    });
    let near = gpus.iter().map(|gpu| {
        let top = chain(inventory, *gpu).last().copied().unwrap_or(*gpu);
        match functions[top].above {
            Above::Processor(processor) => Some(processor),
            _ => None,
        }
    });
    // A GPU hangs on the lower port of a switch, and that on its upper one.
    let upper = gpus.iter().map(|gpu| {
        let above = chain(inventory, *gpu);
        let port = *above.get(1)?;
        (functions[port].kind == FunctionKind::Bridge).then_some(port)
    });
    let root_port = gpus.iter().map(|gpu| {
        let above = chain(inventory, *gpu);
        above.len().checked_sub(2).map(|place| above[place])
    });
    let links: Vec<String> = gpus
        .iter()
        .map(|gpu| match functions[*gpu].link.capable {
            link if link == Default::default() => "-".to_owned(),
            link => format!("gen{} x{}", link.generation.unwrap_or(0), link.width.unwrap_or(0)),
        })
        .collect();
    let links = match &links[..] {
        [first, rest @ ..] if rest.iter().all(|link| link == first) => first.clone(),
        _ => links.join(" "),
    };
    [
        gpus.iter().map(|gpu| bus(&functions[*gpu])).collect::<Vec<_>>().join(" "),
        nics.collect::<Vec<_>>().join(" "),
        sockets.collect::<Vec<_>>().join(" "),
        groups(near, 1),
        groups(upper, 2),
        groups(root_port, 2),
        links,
    ]
}

#[test]
fn every_file_tells_what_is_written_down() {
    let Some(folder) = corpus("hwloc-xml") else { return };
    let files: Vec<String> =
        names(&folder).iter().map(|name| name.trim_end_matches(".xml").to_owned()).collect();
    let known: Vec<&str> = TOLD.iter().map(|case| case.file).collect();
    assert_eq!(files, known, "every file has a case");
    for case in TOLD {
        let text =
            std::fs::read_to_string(folder.join(format!("{}.xml", case.file))).expect("text");
        let inventory = match read(&text, SourceId(0)) {
            Ok(inventory) => inventory,
            Err(faults) => panic!("{}: {faults:?}", case.file),
        };
        let expected = [
            case.gpus,
            case.nics,
            case.sockets,
            case.near,
            case.switches,
            case.root_ports,
            case.links,
        ];
        assert_eq!(told(&inventory), expected, "{}", case.file);
    }
}

/// What follows from them. The table of the corpus groups by upper ports with GPUs alone; a switch
/// that a GPU shares with a network card only is a switch here, too. Ports of one card are one.
const CASES: &[Case] = &[
    Case {
        file: "v1-2xwestmere-4gpu-pci",
        counts: [3, 2, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1 2",
        links: "unknown: 5",
        places: &["0000:06:00.0 s[0] unknown", "0000:05:00.0 s[0] unknown"],
        notes: "import-link import-rates",
    },
    Case {
        file: "v1-mi25-4gpu-opencl",
        // A bridge of two ports is on each of these cards; the card 33:00.0 hangs behind a switch
        // with nothing else on it.
        counts: [4, 2, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1|2 3",
        links: "pcie gen3 x16: 4, unknown: 2",
        places: &["0000:73:00.0 s[1] 12 GB/s", "0000:33:00.0 s[0] unknown"],
        notes: "import-rates",
    },
    Case {
        file: "v1-mixed-vendor-2gpu",
        // The chipset is a switch with three cards.
        counts: [2, 3, 1, 1],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1",
        links: "pcie gen3 x16: 1, pcie gen1 x1: 3, unknown: 2",
        places: &["0000:08:00.0 s[0] unknown", "0000:05:00.0 sw[0] 0.1875 GB/s"],
        notes: "import-link import-rates import-vendors",
    },
    Case {
        file: "v2-mi250x-8gpu-rsmi",
        counts: [8, 5, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3 4 5 6 7",
        links: "pcie gen4 x16: 12, pcie gen1 x1: 1",
        places: &["0000:de:00.0 s[0] 26.3 GB/s", "0000:94:00.0 s[0] 0.1875 GB/s"],
        // A matrix of xGMI bandwidths is in the file.
        notes: "import-nvlink",
    },
    Case {
        file: "v2-p100pcie-2gpu-cuda-nvml",
        // The card 08:00.0 is on the switch of the GPUs.
        counts: [2, 2, 2, 1],
        same_switch: "0 1",
        same_root_port: "0 1",
        sockets: "0 1|",
        links: "pcie gen3 x16: 4, unknown: 1",
        places: &["0000:08:00.0 sw[0] 12 GB/s", "0000:07:00.0 sw[0] 12 GB/s"],
        notes: "import-link import-rates",
    },
    Case {
        file: "v2-power9-v100-4gpu",
        // The fast way of these GPUs is NVLink to the processor, of which the file has no word.
        counts: [4, 3, 2, 2],
        same_switch: "0 1|2 3",
        same_root_port: "0 1|2 3",
        sockets: "0 1|2 3",
        links: "pcie gen3 x4: 2, pcie gen3 x2: 4, unknown: 3",
        places: &["0035:04:00.0 sw[1] 1.5 GB/s", "0035:01:00.0 s[1] 3 GB/s"],
        notes: "import-link import-nvlink import-rates",
    },
    Case {
        file: "v2-t4-8gpu-g4dn-metal",
        // Two cards are on one switch.
        counts: [8, 2, 2, 1],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "unknown: 11",
        places: &["0000:c6:00.0 sw[0] unknown", "0000:e7:00.0 s[1] unknown"],
        notes: "import-link import-rates",
    },
    Case {
        file: "v2-turin-h200-4gpu-nvml",
        counts: [4, 6, 2, 4],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1|2 3",
        links: "pcie gen5 x16: 12, pcie gen1 x1: 1, unknown: 1",
        places: &["0000:16:00.0 sw[1] 55 GB/s", "0000:13:00.0 sw[1] 55 GB/s"],
        notes: "import-link import-nvlink import-rates",
    },
    Case {
        file: "v3-dgx2-16gpu-nvml",
        counts: [16, 0, 2, 12],
        same_switch: "0 1|2 3|4 5|6 7|8 9|10 11|12 13|14 15",
        same_root_port: "0 1 2 3|4 5 6 7|8 9 10 11|12 13 14 15",
        sockets: "0 1 2 3 4 5 6 7|8 9 10 11 12 13 14 15",
        links: "pcie gen3 x16: 28",
        places: &["0000:e7:00.0 sw[7] 12 GB/s", "0000:e3:00.0 up[3] 12 GB/s"],
        notes: "import-nvlink import-rates",
    },
    Case {
        file: "v3-power8-4gpu-distances",
        counts: [4, 0, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1|2 3",
        links: "pcie gen3 x8: 4",
        places: &["000b:01:00.0 s[1] 6 GB/s"],
        notes: "import-link import-nvlink import-rates",
    },
];

#[test]
fn each_file_says_what_a_reader_sees() {
    let Some(folder) = corpus("hwloc-xml") else { return };
    assert_eq!(CASES.len(), TOLD.len());
    for case in CASES {
        let name = format!("{}.xml", case.file);
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        case.holds_for(&import(&name, &text, None).unwrap());
    }
}
