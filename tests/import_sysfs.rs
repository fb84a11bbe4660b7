//! This machine, on folders that look like `/sys` and that the tests build.

#![cfg(unix)]

mod sysfs_support;

use std::os::unix::fs::symlink;
use sysfs_support::{CARD, GEN4, GEN5, GPU, IDLE, Kind, Machine, ROOT_PORT, SWITCH};
use variopath::diagnostics::{Diagnostics, Exit};
use variopath::import::inventory::{Above, FunctionKind, Inventory, PciLink};
use variopath::import::sysfs::read;

/// Two sockets with two NUMA nodes each; a switch with two GPUs and a card on the first, a GPU in an
/// eight lane slot on the second.
fn machine() -> Machine {
    let machine = Machine::new();
    for (node, socket) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        machine.node(node, socket);
    }
    machine.write("devices/system/node/node4/cpulist", "\n");
    let port = "pci0000:16/0000:16:01.0";
    machine.function(port, ROOT_PORT, GEN5, GEN5);
    machine.config(port, Some(0x1d));
    let upper = format!("{port}/0000:17:00.0");
    machine.function(&upper, SWITCH, GEN5, GEN5);
    machine.config(&upper, Some(0));
    for (number, device) in [(0, GPU), (1, GPU), (2, CARD)] {
        let lower = format!("{upper}/0000:18:{number:02x}.0");
        machine.function(&lower, SWITCH, GEN5, GEN4);
        machine.config(&lower, Some(0));
        let at = format!("{lower}/0000:{:02x}:00.0", 0x19 + number);
        let (able, runs) = if device == CARD { (GEN5, GEN5) } else { (GEN4, IDLE) };
        machine.function(&at, device, able, runs);
    }
    let audio = format!("{upper}/0000:18:00.0/0000:19:00.1");
    machine.function(&audio, ("0x040300", "0x10de", "0x22ba", 0), GEN4, IDLE);
    let card = format!("devices/{upper}/0000:18:02.0/0000:1b:00.0");
    machine.write(&format!("{card}/infiniband/mlx5_0/ports/1/rate"), "400 Gb/sec (4X NDR)\n");
    machine.write(&format!("{card}/infiniband/mlx5_0/sys_image_guid"), "a:b:c:d\n");
    machine.write(&format!("{card}/net/ens1np0/address"), "00:00\n");
    let slot = "pci0000:97/0000:97:01.0";
    let second = |kind: Kind| (kind.0, kind.1, kind.2, 3);
    machine.function(slot, second(ROOT_PORT), ("16.0 GT/s PCIe", "8"), ("2.5 GT/s PCIe", "8"));
    machine.config(slot, None);
    let at = format!("{slot}/0000:98:00.0");
    machine.function(&at, second(GPU), GEN4, ("2.5 GT/s PCIe", "8"));
    let plain = "pci0000:97/0000:97:02.0/0000:99:00.0";
    let unknown = ("Unknown", "255");
    machine.function("pci0000:97/0000:97:02.0", second(ROOT_PORT), unknown, unknown);
    machine.function(plain, ("0x020000", "0x8086", "0x1521", -1), unknown, unknown);
    machine.write(&format!("devices/{plain}/net/eno1/address"), "00:00\n");
    machine.write("class/net/eno1/speed", "1000\n");
    machine.function(
        "pci0000:97/0000:97:1f.0",
        ("0x030000", "0x1a03", "0x2000", 3),
        unknown,
        unknown,
    );
    machine
}

fn bus(inventory: &Inventory, index: usize) -> String {
    inventory.functions[index].bus.map(|bus| bus.to_string()).unwrap_or_default()
}

fn find(inventory: &Inventory, id: &str) -> usize {
    (0..inventory.functions.len()).find(|index| bus(inventory, *index) == id).expect(id)
}

fn messages(notes: &Diagnostics) -> Vec<&str> {
    notes.iter().map(|note| note.message.as_str()).collect()
}

#[test]
fn the_paths_are_the_tree() {
    let inventory = read(machine().root()).expect("a machine");
    let told: Vec<(String, FunctionKind, String)> = inventory
        .functions
        .iter()
        .enumerate()
        .map(|(index, function)| {
            let above = match function.above {
                Above::Function(above) => bus(&inventory, above),
                Above::Processor(processor) => format!("socket {processor}"),
                Above::Unknown => "?".to_owned(),
            };
            (bus(&inventory, index), function.kind, above)
        })
        .collect();
    let told: Vec<_> = told.iter().map(|(bus, kind, above)| (&**bus, *kind, &**above)).collect();
    use FunctionKind::{Bridge, Gpu, HostBridge, Nic};
    assert_eq!(
        told,
        [
            ("", HostBridge, "socket 0"),
            ("0000:16:01.0", Bridge, ""),
            ("0000:17:00.0", Bridge, "0000:16:01.0"),
            ("0000:18:00.0", Bridge, "0000:17:00.0"),
            ("0000:18:01.0", Bridge, "0000:17:00.0"),
            ("0000:18:02.0", Bridge, "0000:17:00.0"),
            ("0000:19:00.0", Gpu, "0000:18:00.0"),
            ("0000:1a:00.0", Gpu, "0000:18:01.0"),
            ("0000:1b:00.0", Nic, "0000:18:02.0"),
            ("", HostBridge, "socket 1"),
            ("0000:97:01.0", Bridge, ""),
            ("0000:97:02.0", Bridge, ""),
            ("0000:98:00.0", Gpu, "0000:97:01.0"),
            ("0000:99:00.0", Nic, "0000:97:02.0"),
        ]
    );
    let sockets: Vec<_> = inventory
        .processors
        .iter()
        .map(|p| (p.socket, p.numa.as_slice(), p.cpus.as_deref()))
        .collect();
    assert_eq!(sockets, [(Some(0), &[0, 1][..], Some("0,1")), (Some(1), &[2, 3][..], Some("2,3"))]);
}

#[test]
fn both_ends_bound_a_link_and_ports_are_named() {
    let inventory = read(machine().root()).expect("a machine");
    let link = |generation, width| PciLink { generation, width };
    let of = |id: &str| &inventory.functions[find(&inventory, id)];
    assert_eq!(of("0000:19:00.0").link.capable, link(Some(4), Some(16)));
    assert_eq!(of("0000:19:00.0").link.current, link(Some(1), Some(16)));
    assert_eq!(of("0000:98:00.0").link.capable, link(Some(4), Some(8)), "the slot has 8 lanes");
    assert_eq!(of("0000:1b:00.0").link.capable, link(Some(5), Some(16)));
    assert_eq!(of("0000:99:00.0").link.capable, link(None, None), "Unknown and 255");
    let port = |id: &str| {
        let port = &of(id).ports[0];
        (port.name.clone(), port.megabits, port.guid.clone())
    };
    assert_eq!(port("0000:1b:00.0"), ("mlx5_0".into(), Some(400_000), Some("a:b:c:d".into())));
    assert_eq!(port("0000:99:00.0"), ("eno1".into(), Some(1000), None));
    assert_eq!(of("0000:19:00.0").ids, Some((0x10de, 0x26ba)));
}

#[test]
fn access_control_is_read_where_it_can_be() {
    let inventory = read(machine().root()).expect("a machine");
    let of = |id: &str| inventory.functions[find(&inventory, id)].acs_redirect;
    assert_eq!(of("0000:16:01.0"), Some(true));
    assert_eq!(of("0000:18:00.0"), Some(false));
    assert_eq!(of("0000:97:01.0"), None, "64 bytes are all that was readable");
    assert_eq!(
        messages(&inventory.notes),
        ["whether 2 ports redirect requests between GPUs (ACS) only root can read: unknown"]
    );
}

#[test]
fn virtual_functions_share_the_card() {
    let machine = machine();
    let lower = "pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:02.0";
    let shared = format!("{lower}/0000:1b:00.1");
    machine.function(&shared, CARD, ("Unknown", "0"), ("Unknown", "0"));
    symlink("../0000:1b:00.0", machine.root().join(format!("devices/{shared}/physfn")))
        .expect("link");
    let inventory = read(machine.root()).expect("a machine");
    assert!(
        inventory
            .functions
            .iter()
            .all(|f| f.bus.map(|b| b.to_string()) != Some("0000:1b:00.1".into()))
    );
}

#[test]
fn a_root_bus_below_another_device() {
    let machine = Machine::new();
    let far = "LNXSYSTM:00/VMBUS:00/1a2b/pci1000:00/1000:00:00.0";
    machine.function(far, ("0x030200", "0x10de", "0x20b5", -1), ("Unknown", "0"), ("Unknown", "0"));
    let inventory = read(machine.root()).expect("a machine");
    assert_eq!(bus(&inventory, 1), "1000:00:00.0");
    assert_eq!(inventory.functions[0].above, Above::Unknown);
    assert_eq!(
        messages(&inventory.notes),
        ["the kernel does not tell the NUMA node of a root bus with GPUs or network cards"]
    );
}

#[test]
fn machines_without_gpus_are_refused() {
    let machine = Machine::new();
    let faults = read(machine.root()).expect_err("no folder");
    let folder = machine.root().join("bus/pci/devices");
    assert_eq!(messages(&faults), [format!("no PCI devices in {}", folder.display())]);
    assert_eq!(faults.exit(), Some(Exit::File));
    machine.function("pci0000:00/0000:00:1f.0", ("0x030000", "0x1a03", "0x2000", 0), IDLE, IDLE);
    let faults = read(machine.root()).expect_err("no GPU");
    assert_eq!(messages(&faults), ["this machine has no GPU: its PCI device is none"]);
    assert_eq!(faults.exit(), Some(Exit::Input));
    machine.function("pci0000:00/0000:00:02.0", ("0x030000", "0x8086", "0x4680", 0), IDLE, IDLE);
    let faults = read(machine.root()).expect_err("no GPU");
    assert_eq!(messages(&faults), ["this machine has no GPU: none of its 2 PCI devices is one"]);
}
