//! Real topology files of NCCL and RCCL, with what they say written down by hand.

mod import_support;

use import_support::{Case, corpus, import, names};
use variopath::import::Format;

/// Where rows differ from the table of the corpus: it groups by the bridges of the file, and an AMD
/// card's own bridge is one, so that it finds no switch in AMD files; here on-card bridges belong to
/// the card and the port above is the switch. It calls every `<net>` a device; here the ports of one
/// card are one, and devices without hardware are none.
const CASES: &[Case] = &[
    Case {
        file: "amd-mi100-4gpu-slow-x1",
        counts: [4, 1, 1, 1],
        same_switch: "0 1 2 3",
        same_root_port: "0 1 2 3",
        sockets: "0 1 2 3",
        // The card's own port is Gen4, the way out of the card Gen3.
        links: "pcie gen3 x16: 5, pcie gen1 x1: 1",
        places: &["0000:1d:00.0 sw[0] 12 GB/s", "0000:60:00.0 s[0] 0.1875 GB/s"],
        notes: "import-nvlink import-virtual",
    },
    Case {
        file: "amd-mi100-8gpu-4nic",
        counts: [8, 4, 4, 4],
        same_switch: "0 1|2 3|4 5|6 7",
        same_root_port: "0 1|2 3|4 5|6 7",
        sockets: "0 1|2 3|4 5|6 7",
        links: "pcie gen4 x16: 16",
        places: &["0000:0f:00.0 sw[1] 26.3 GB/s", "0000:85:00.0 sw[3] 26.3 GB/s"],
        notes: "import-mesh import-nvlink import-rates import-sockets",
    },
    Case {
        file: "amd-mi210-3gpu-pcie-1",
        counts: [3, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1 2",
        links: "pcie gen4 x16: 4",
        places: &["0000:e4:00.0 s[1] 26.3 GB/s", "0000:a1:00.0 s[1] 26.3 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "amd-mi210-3gpu-pcie",
        counts: [3, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1 2",
        links: "pcie gen4 x16: 4",
        places: &["0000:23:00.0 s[0] 26.3 GB/s", "0000:41:00.0 s[0] 26.3 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "amd-mi250-16gpu",
        counts: [16, 8, 4, 12],
        same_switch: "0 1|2 3|4 5|6 7|8 9|10 11|12 13|14 15",
        same_root_port: "0 1 2 3|4 5 6 7|8 9 10 11|12 13 14 15",
        sockets: "0 1 2 3|4 5 6 7|8 9 10 11|12 13 14 15",
        // The cards are x8 towards their switch, whatever their inner link is.
        links: "pcie gen4 x16: 20, pcie gen4 x8: 16",
        places: &[
            "0000:51:00.0 sw[0] 13.15 GB/s",
            "0000:52:00.0 up[0] 26.3 GB/s",
            "0000:9b:00.0 sw[7] 26.3 GB/s",
        ],
        notes: "import-mesh import-nvlink import-rates import-sockets",
    },
    Case {
        file: "amd-mi250-8gpu-x1-x4",
        counts: [8, 1, 4, 0],
        same_switch: "",
        same_root_port: "",
        // The file lists NUMA nodes 3, 1, 0, 2.
        sockets: "0 1|2 3|4 5|6 7",
        links: "pcie gen4 x16: 8, pcie gen1 x1: 1",
        places: &["0000:de:00.0 s[3] 26.3 GB/s", "0000:94:00.0 s[2] 0.1875 GB/s"],
        notes: "import-mesh import-nvlink import-rates import-sockets import-virtual",
    },
    Case {
        file: "amd-mi50-4gpu-1hive-x4nic",
        counts: [4, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1|2 3",
        links: "pcie gen3 x16: 4, pcie gen3 x4: 1",
        places: &["0000:b1:00.0 s[1] 12 GB/s", "0000:01:00.0 s[0] 3 GB/s"],
        notes: "import-nvlink import-rates import-sockets import-virtual",
    },
    Case {
        file: "amd-mi50-8gpu-pcie-2nic",
        counts: [8, 2, 1, 2],
        same_switch: "0 1 2 3|4 5 6 7",
        same_root_port: "0 1 2 3|4 5 6 7",
        sockets: "0 1 2 3 4 5 6 7",
        links: "pcie gen3 x16: 12",
        places: &["0000:49:00.0 sw[1] 12 GB/s", "0000:1a:00.0 sw[0] 12 GB/s"],
        notes: "",
    },
    Case {
        file: "amd-mi50-8gpu-rome-2nic-x4",
        counts: [8, 2, 4, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1 2 3|4 5|6 7",
        links: "pcie gen4 x16: 9, pcie gen2 x4: 1",
        places: &["0000:62:00.0 s[0] 1.5 GB/s", "0000:e1:00.0 s[2] 26.3 GB/s"],
        notes: "import-mesh import-nvlink import-rates import-sockets",
    },
    Case {
        file: "amd-mi50-8gpu-rome-pcie",
        counts: [8, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen4 x16: 8, pcie gen3 x4: 1",
        places: &["0000:83:00.0 s[1] 26.3 GB/s", "0000:a1:00.0 s[1] 3 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "aws-p4d-24xl-a100-skeleton",
        counts: [8, 4, 2, 4],
        same_switch: "0 1|2 3|4 5|6 7",
        same_root_port: "0 1|2 3|4 5|6 7",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen3 x16: 16",
        places: &["0000:a0:1d.0 sw[3] 12 GB/s", "0000:20:1b.0 sw[1] 12 GB/s"],
        // The file has no word of NVLink, but these GPUs have no other kind of board.
        notes: "import-nvlink import-rates import-sockets",
    },
    Case {
        file: "azure-ncv4-a100pcie-4gpu",
        // eth0 has no PCI function; the NVLinks lead to the GPU itself.
        counts: [4, 0, 4, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1|2|3",
        links: "unknown: 4",
        places: &["0003:00:00.0 s[2] unknown"],
        notes: "import-mesh import-rates import-sockets import-virtual",
    },
    Case {
        file: "azure-ndv2-v100-flat",
        counts: [8, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen4 x16: 9",
        places: &["0008:00:00.0 s[1] 26.3 GB/s", "0101:00:00.0 s[0] 26.3 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "azure-ndv5-h100-virtual-switch",
        counts: [8, 8, 2, 8],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen5 x16: 24",
        places: &["0009:00:00.0 sw[4] 55 GB/s", "0105:00:00.0 sw[4] 55 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "dcu-8gpu-double-switch",
        // Two of four GPUs of a cascade share a leaf; one shares its leaf with the network card; one
        // hangs behind a port of its own, which is no switch.
        counts: [8, 3, 3, 6],
        same_switch: "0 1|4 5",
        same_root_port: "0 1 2 3|4 5 6 7",
        sockets: "0 1 2 3|4 5 6 7|",
        links: "pcie gen4 x16: 16, pcie gen3 x8: 1",
        places: &[
            "0000:3f:00.0 up[0] 26.3 GB/s",
            "0000:45:00.0 sw[1] 26.3 GB/s",
            "0000:42:00.0 sw[1] 26.3 GB/s",
            "0000:c0:00.0 sw[3] 26.3 GB/s",
            "0000:91:00.0 s[2] 6 GB/s",
        ],
        notes: "import-mesh import-rates import-sockets",
    },
    Case {
        file: "nv-4090-2gpu-nps4",
        counts: [2, 1, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|1",
        links: "pcie gen4 x16: 2, pcie gen3 x16: 1",
        places: &["0000:46:00.0 s[1] 26.3 GB/s", "0000:02:00.0 s[0] 12 GB/s"],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "nv-a6000-1rank-trimmed-fusednic",
        counts: [1, 2, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0|",
        links: "pcie gen4 x16: 1, unknown: 2",
        places: &["0000:99:00.0 s[0] 26.3 GB/s"],
        notes: "import-fused import-hidden import-nvlink import-rates import-sockets",
    },
    Case {
        file: "nv-a6000-2gpu-edited",
        // The table counts two network functions: 18:00.0 and 18:00.1 are one card.
        counts: [2, 1, 1, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1",
        links: "pcie gen3 x16: 2, pcie gen3 x4: 1",
        places: &["0000:5e:00.0 s[0] 12 GB/s", "0000:18:00.0 s[0] 3 GB/s"],
        notes: "import-virtual",
    },
    Case {
        file: "nv-b200-8gpu-vm-emptyspeed",
        // Thirteen ports with ten identifiers, on host bridges instead of functions of their own.
        counts: [8, 10, 2, 0],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen5 x16: 8, unknown: 10",
        places: &["0003:00:04.0 s[1] 55 GB/s"],
        notes: "import-hidden import-nvlink import-rates import-sockets",
    },
    Case {
        file: "nv-h800-8gpu-sxm",
        counts: [8, 8, 2, 8],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        links: "pcie gen5 x16: 24",
        places: &["0000:34:00.0 sw[1] 55 GB/s", "0000:35:00.0 sw[1] 55 GB/s"],
        notes: "import-nvlink import-rates import-sockets",
    },
    Case {
        file: "nv-l20-8gpu-cx8-switch",
        counts: [8, 9, 2, 8],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        // Gen6 below the cards' switches, Gen5 towards the processor.
        links: "pcie gen6 x16: 16, pcie gen5 x16: 8, pcie gen4 x2: 1",
        places: &[
            "0000:1b:00.0 sw[0] 110 GB/s",
            "0000:18:00.0 sw[0] 110 GB/s",
            "0000:16:00.0 s[0] 55 GB/s",
            "0000:27:00.0 s[0] 3.2875 GB/s",
        ],
        notes: "import-rates import-sockets",
    },
    Case {
        file: "oci-a100-flattened-b4",
        counts: [8, 8, 4, 4],
        same_switch: "0 1|2 3|4 5|6 7",
        same_root_port: "0 1|2 3|4 5|6 7",
        sockets: "0 1|2 3|4 5|6 7",
        links: "pcie gen4 x16: 20",
        places: &["0000:15:00.0 sw[0] 26.3 GB/s", "0000:d1:00.0 sw[3] 26.3 GB/s"],
        notes: "import-mesh import-rates import-sockets",
    },
    Case {
        file: "oci-h100-8gpu-16net",
        counts: [8, 8, 2, 8],
        same_switch: "",
        same_root_port: "",
        sockets: "0 1 2 3|4 5 6 7",
        // The reported figure stays, marked: `check` and every output say that it is assumed.
        links: "pcie gen5 x16: 16, pcie gen2 x16 assumed \"as reported, though all that hangs on it \
                is faster\": 8",
        places: &["0000:d8:00.0 sw[7] 55 GB/s", "0000:d1:00.0 s[1] 6 GB/s"],
        notes: "import-nvlink import-rates import-slow-switch import-sockets",
    },
];

#[test]
fn each_file_says_what_a_reader_sees() {
    let Some(folder) = corpus("nccl-xml") else { return };
    for case in CASES {
        let name = case.file;
        let text = std::fs::read_to_string(folder.join(format!("{name}.xml"))).unwrap();
        let imported = import(name, &text, None).unwrap();
        assert_eq!(imported.overview.format, Format::NcclXml);
        case.holds_for(&imported);
    }
}

#[test]
fn the_rest_is_refused_with_line_and_reason() {
    let Some(folder) = corpus("nccl-xml") else { return };
    let mut refused = Vec::new();
    let rest = names(&folder)
        .into_iter()
        .filter(|name| !CASES.iter().any(|case| format!("{}.xml", case.file) == *name));
    for name in rest {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        refused.push(import(&name, &text, None).unwrap_err());
    }
    assert_eq!(refused.len(), 2);
    // The file has addresses only: eight of the nine are GPUs, but nothing in it says which.
    assert_eq!(
        refused[0],
        "error[nccl-class]: the number of GPUs is not in the file: 9 PCI devices over 2 NUMA nodes \
         have no class and no `<gpu>`\n  --> aws-g5-48xl-a10g-skeleton.xml:14:10\n   |\n14 |     \
         <pci busid=\"0000:00:16.0\"/>\n   |          ^^^^^^^^^^^^^^^^^^^^\n   |\n   = help: add \
         class=\"0x030200\" to the GPUs and class=\"0x020000\" to the network cards, or let NCCL \
         write a complete file with NCCL_TOPO_DUMP_FILE\n"
    );
    assert_eq!(
        refused[1],
        "error[xml-ends]: the XML ends before `<cpu>` is closed\n  --> \
         malformed-h200-vm-truncated-numa-1.xml:12:10\n   |\n12 |     </pci>\n   |          ^\n   \
         |\n   = help: copy the whole file, down to the last closing tag\n"
    );
}
