//! Real topology files of hwloc, with what they say written down by hand. The files lie outside of
//! the project: in `VARIOPATH_CORPUS`, else in `../shared/corpus`. Without them this test says that
//! it was skipped.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use variopath::base::SourceId;
use variopath::import::hwloc::read;
use variopath::import::inventory::{Above, Function, FunctionKind, Inventory};

struct Case {
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

const CASES: &[Case] = &[
    // The table of the corpus counts 4 display devices: the fourth is an ES1000 (1002:515e), the
    // screen of the server's management controller. It counts 2 network functions: the third
    // is InfiniBand under its old class 0c06. 4 GB/s is gen1 x16 or gen2 x8.
    Case {
        file: "v1-2xwestmere-4gpu-pci",
        gpus: "0000:06:00.0 0000:11:00.0 0000:14:00.0",
        nics: "0000:04:00.0=eth0 0000:04:00.1=eth1 0000:05:00.0=mlx4_0",
        sockets: "0:0 1:1",
        near: "0|1 2",
        switches: "",
        root_ports: "",
        links: "-",
    },
    Case {
        file: "v1-mi25-4gpu-opencl",
        gpus: "0000:13:00.0 0000:23:00.0 0000:53:00.0 0000:73:00.0",
        nics: "0000:03:00.0=enp3s0f0 0000:03:00.1=enp3s0f1 0000:33:00.0=mlx5_0",
        sockets: "0:0,1,2,3 1:4,5,6,7",
        near: "0 1|2 3",
        switches: "",
        root_ports: "",
        links: "gen3 x16",
    },
    Case {
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
    Case {
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
    Case {
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
    Case {
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
    Case {
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
    Case {
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
    Case {
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
    Case {
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

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("VARIOPATH_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        PathBuf::from,
    );
    let folder = folder.join("hwloc-xml");
    if folder.is_dir() {
        return Some(folder);
    }
    let line = "SKIPPED import_hwloc: no corpus";
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
    let Some(folder) = folder() else { return };
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    files.sort();
    let names: Vec<&str> = CASES.iter().map(|case| case.file).collect();
    assert_eq!(files, names, "every file has a case");
    for case in CASES {
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
