//! Small outputs written by hand.

use super::{read_details, read_tree};
use crate::base::SourceId;
use crate::diagnostics::Diagnostics;
use crate::import::inventory::{Above, FunctionKind, Inventory, PciLink};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const TREE: &str = "\
$ lspci -tv
-+-[0000:c8]-+-00.0-[c9-cc]----00.0-[ca-cc]--+-00.0-[cb]----00.0  Mellanox Technologies MT2910 Family [ConnectX-7]
 |           |                               \\-01.0-[cc]--+-00.0  NVIDIA Corporation Device 2335
 |           |                                            \\-00.1  NVIDIA Corporation Device 22ba
 |           \\-01.0-[cd]--
 \\-[0001:00]-+-00.0  Intel Corporation Host bridge
             \\-02.0-[01]----00.0  NVIDIA Corporation AD102GL [L20]
done
";

fn tree(text: &str) -> Inventory {
    match read_tree(text, SourceId(0)) {
        Ok(inventory) => inventory,
        Err(faults) => panic!("{faults:?}"),
    }
}

fn messages(notes: &Diagnostics) -> Vec<&str> {
    notes.iter().map(|note| note.message.as_str()).collect()
}

fn refusal(text: &str) -> (String, Option<(u32, u32)>) {
    let faults = read_tree(text, SourceId(0)).expect_err("refused");
    let fault = faults.iter().next().expect("a fault").clone();
    (fault.message, fault.labels.first().map(|(span, _)| (span.start, span.end)))
}

#[test]
fn a_tree() {
    let inventory = tree(TREE);
    let told: Vec<(String, FunctionKind, Above)> = inventory
        .functions
        .iter()
        .map(|f| (f.bus.map(|bus| bus.to_string()).unwrap_or_default(), f.kind, f.above))
        .collect();
    let told: Vec<_> = told.iter().map(|(bus, kind, above)| (&**bus, *kind, *above)).collect();
    use FunctionKind::{Bridge, Gpu, HostBridge, Nic};
    assert_eq!(
        told,
        [
            ("", HostBridge, Above::Unknown),
            ("0000:c8:00.0", Bridge, Above::Function(0)),
            ("0000:c9:00.0", Bridge, Above::Function(1)),
            ("0000:ca:00.0", Bridge, Above::Function(2)),
            ("0000:cb:00.0", Nic, Above::Function(3)),
            ("0000:ca:01.0", Bridge, Above::Function(2)),
            ("0000:cc:00.0", Gpu, Above::Function(5)),
            ("", HostBridge, Above::Unknown),
            ("0001:00:02.0", Bridge, Above::Function(7)),
            ("0001:01:00.0", Gpu, Above::Function(8)),
        ]
    );
    assert_eq!(inventory.functions[6].ids, Some((0x10de, 0x2335)));
    assert_eq!(inventory.functions[9].model.as_deref(), Some("L20"));
    assert_eq!(
        messages(&inventory.notes),
        [
            "lspci -t tells no classes: 2 GPUs told by name (device 10de:2335, L20)",
            "lspci -t tells no classes: 1 network card port told by name (ConnectX-7)",
        ]
    );
}

#[test]
fn a_cut_tree_is_warned_about() {
    let cut =
        "-[0000:00]-+-01.0-[01]----00.0  NVIDIA Corporation AD102GL [L20]\n           +-02.0  X\n";
    assert_eq!(
        messages(&tree(cut).notes)[0],
        "the tree is cut: bus 0000:00 is not complete, what follows is missing"
    );
}

#[test]
fn a_root_bus_within_another() {
    let nested = "-[0000:00]-+-[0000:14]---02.0-[15]----00.0  NVIDIA Corporation Device 2901\n";
    let inventory = tree(nested);
    assert_eq!(inventory.functions[0].above, Above::Unknown);
    assert_eq!(inventory.functions[1].bus.map(|b| b.to_string()).as_deref(), Some("0000:14:02.0"));
}

#[test]
fn devices_without_names() {
    let unknown =
        "-[0000:00]-+-01.0  Device 10de:2335\n           \\-02.0  Device 1234:1111 (rev 02)\n";
    let inventory = tree(unknown);
    assert_eq!(inventory.functions.len(), 2);
    assert_eq!(inventory.functions[1].ids, Some((0x10de, 0x2335)));
}

#[test]
fn refusals() {
    let name = "  NVIDIA Corporation AD102GL [L20]";
    let cases = [
        ("nothing".to_owned(), "no line opens a tree of lspci -t", None),
        (
            "-[0000:00]---00.0\n".to_owned(),
            "the tree has no names: nothing tells which devices are GPUs",
            Some((1, 10)),
        ),
        (
            format!("-[0000:00]-+-00.0{name}\n+-01.0{name}\n"),
            "this line continues no branch that is open above",
            Some((52, 92)),
        ),
        ("-[0000:00]-+-00.0-[01]-".to_owned(), "the line ends inside of the tree", Some((22, 23))),
        ("-[0000:00]-+-00.0-[01".to_owned(), "the line ends inside of the tree", Some((18, 21))),
        ("-[0000:00]---zz.0".to_owned(), "`zz.0` is neither a bus nor a device", Some((13, 17))),
        ("-[0000:00]---00.0-[5-1]----00.0".to_owned(), "`5-1` is no bus", Some((18, 23))),
        (
            format!("-[0000:00]---00.0{name}\n-[0000:00]---00.0{name}"),
            "0000:00:00.0 stands twice",
            Some((65, 69)),
        ),
        (
            "-[0000:00]---00.0  Intel Host".to_owned(),
            "no GPU by name among the PCI functions (2 told)",
            Some((1, 10)),
        ),
        ("-+-[0000:00]---00.0\n +-01.0".to_owned(), "01.0 hangs on no bus", Some((23, 27))),
    ];
    for (text, message, place) in cases {
        assert_eq!(refusal(&text), (message.to_owned(), place), "{text}");
    }
}

#[test]
fn huge_lines_end_soon() {
    let start = Instant::now();
    let long = format!("-[0000:00]---00.0  {}", "x".repeat(100 << 20));
    assert_eq!(refusal(&long).0, "no GPU by name among the PCI functions (2 told)");
    let deep = format!("-[0000:00]---{}", "00.0-[00]----".repeat(1_000_000));
    assert_eq!(refusal(&deep).0, "0000:00:00.0 stands twice");
    let domains: String = (0..200_000).map(|domain| format!("---[{domain:x}:00]")).collect();
    assert_eq!(refusal(&format!("-[0000:00]{domains}")).0, "more than 65536 PCI functions");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

const DETAILS: &str = "\
0000:01:00.0 VGA compatible controller: NVIDIA Corporation AD102GL [RTX 6000 Ada Generation] (rev a1) (prog-if 00 [VGA controller])
\tNUMA node: 1
\tCapabilities: [78] Express (v2) Legacy Endpoint, MSI 00
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <4us
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)
\tKernel modules: nouveau, nvidia

02:00.0 Ethernet controller [0200]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 32GT/s, Width x16
\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd-
03:01.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch
\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+
04:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 52)
";

#[test]
fn details() {
    let inventory = read_details(DETAILS, SourceId(0)).expect("details");
    let kinds: Vec<_> = inventory.functions.iter().map(|function| function.kind).collect();
    use FunctionKind::{Bridge, Gpu, Nic, Other};
    assert_eq!(kinds, [Gpu, Nic, Bridge, Other]);
    let link = |generation, width| PciLink { generation: Some(generation), width: Some(width) };
    let gpu = &inventory.functions[0];
    assert_eq!((gpu.link.capable, gpu.link.current), (link(4, 16), link(1, 8)));
    assert_eq!((gpu.numa, gpu.above), (Some(1), Above::Unknown));
    assert_eq!(gpu.model.as_deref(), Some("RTX 6000 Ada Generation"));
    assert_eq!(inventory.functions[1].ids, Some((0x15b3, 0x1021)));
    let redirect: Vec<_> = inventory.functions.iter().map(|f| f.acs_redirect).collect();
    assert_eq!(redirect, [None, Some(false), Some(true), None]);
    assert_eq!(
        messages(&inventory.notes),
        [
            "0000:01:00.0 runs on 8 lanes, though it is able to x16",
            "0000:01:00.0: below full speed when lspci ran, as idle GPUs are that save power: what \
             both ends are able to counts",
        ]
    );
}

#[test]
fn virtual_functions_share_the_card_unless_they_are_all_there_is() {
    let gpu = "-[0000:00]-+-01.0-[01]----00.0  NVIDIA Corporation AD102GL [L20]\n";
    let card = "           \\-02.0-[02]--+-00.0  Mellanox Technologies MT2910 Family [ConnectX-7]\n\
                \x20                       +-00.1  Mellanox Technologies ConnectX Family mlx5Gen Virtual Function\n\
                \x20                       \\-00.2  Mellanox Technologies ConnectX Family mlx5Gen Virtual Function\n";
    let cards = |text: &str| {
        let inventory = read_tree(text, SourceId(0)).expect("a tree");
        let all = inventory.functions.iter().filter(|f| f.kind == FunctionKind::Nic);
        let all: Vec<String> = all.filter_map(|f| f.bus).map(|bus| bus.to_string()).collect();
        (all.join(" "), messages(&inventory.notes).join("\n"))
    };
    let (found, notes) = cards(&format!("\u{feff}{gpu}{card}"));
    assert_eq!(found, "0000:02:00.0");
    assert!(notes.contains("2 virtual functions share a card's link: left out"), "{notes}");
    let guest = "           \\-02.0-[02]----00.0  Mellanox Technologies ConnectX Family mlx5Gen Virtual Function\n";
    assert_eq!(cards(&format!("{gpu}{guest}")).0, "0000:02:00.0");

    let details = "02:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\r\n\
                   02:00.1 Ethernet controller: Mellanox Technologies ConnectX Family mlx5Gen Virtual Function\r\n";
    let inventory = read_details(&format!("\u{feff}{details}"), SourceId(0)).expect("details");
    let kinds: Vec<FunctionKind> = inventory.functions.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FunctionKind::Nic, FunctionKind::Other]);
}

proptest! {
    #[test]
    fn mutations_never_panic(cut in 0..TREE.len(), at in 0..TREE.len(), with in "[-+\\\\|\\[\\] 0-9a-f.:é]{0,3}") {
        for text in [TREE, DETAILS] {
            let mut mutated: String = text.chars().take(cut).collect();
            let place = mutated.char_indices().nth(at % cut.max(1)).map_or(0, |(place, _)| place);
            mutated.insert_str(place, &with);
            let _ = read_tree(&mutated, SourceId(0));
            let _ = read_details(&mutated, SourceId(0));
        }
    }

    #[test]
    fn noise_never_panics(lines in proptest::collection::vec("[-+\\\\|\\[\\] 0-9a-f.:]{0,40}", 0..8)) {
        let _ = read_tree(&format!("-[0000:00]-+-00.0  X\n{}", lines.join("\n")), SourceId(0));
    }
}
