//! This machine, on folders that look like `/sys` and that the tests build.

#![cfg(unix)]

mod import_support;

use import_support::machine::{CARD, GEN4, GEN5, GPU, IDLE, Machine, ROOT_PORT, machine};
use std::os::unix::fs::symlink;
use variopath::diagnostics::{Diagnostics, Exit};
use variopath::import::inventory::{Above, FunctionKind, Inventory, PciLink};
use variopath::import::sysfs::read;

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

#[test]
fn what_cannot_be_followed_or_read_is_left_open() {
    let machine = machine();
    let list = machine.root().join("bus/pci/devices");
    symlink("0000:aa:00.0", list.join("0000:aa:00.0")).expect("a link to itself");
    symlink("0000:ac:00.0", list.join("0000:ab:00.0")).expect("a link in a circle");
    symlink("0000:ab:00.0", list.join("0000:ac:00.0")).expect("a link in a circle");
    symlink("../../../devices/gone", list.join("0000:ad:00.0")).expect("a link to nothing");
    // A folder in the place of a file, bytes that are no text, numbers that are none.
    let gpu = machine
        .root()
        .join("devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:00.0/0000:19:00.0");
    std::fs::remove_file(gpu.join("max_link_speed")).expect("a file");
    std::fs::create_dir(gpu.join("max_link_speed")).expect("a folder");
    std::fs::write(gpu.join("max_link_width"), b"\xff\xfe").expect("a file");
    std::fs::write(gpu.join("numa_node"), "many\n").expect("a file");
    let inventory = read(machine.root()).expect("a machine");
    let known = &inventory.functions[find(&inventory, "0000:19:00.0")];
    let port = PciLink { generation: Some(5), width: Some(16) };
    assert_eq!(known.link.capable, port, "what the port above is able to");
    assert_eq!(known.numa, None);
    let said = "4 of 18 PCI devices lead nowhere below /sys: left out";
    assert!(messages(&inventory.notes).contains(&said), "{:?}", messages(&inventory.notes));
}

#[test]
fn domains_beyond_the_first() {
    let machine = Machine::new();
    machine.node(0, 0);
    for domain in ["0001", "10000"] {
        let port = format!("pci{domain}:00/{domain}:00:01.0");
        machine.function(&port, ROOT_PORT, GEN5, GEN5);
        machine.function(&format!("{port}/{domain}:01:00.0"), GPU, GEN4, GEN4);
    }
    let inventory = read(machine.root()).expect("a machine");
    let gpus: Vec<String> = (0..inventory.functions.len())
        .filter(|index| inventory.functions[*index].kind == FunctionKind::Gpu)
        .map(|index| bus(&inventory, index))
        .collect();
    assert_eq!(gpus, ["0001:01:00.0", "10000:01:00.0"]);
    // One socket and no NUMA node told: all hangs on it.
    let hosts = inventory.functions.iter().filter(|f| f.kind == FunctionKind::HostBridge);
    assert!(hosts.into_iter().all(|host| host.above == Above::Processor(0)));
}

#[test]
fn a_kernel_that_tells_nothing_beyond_addresses() {
    let machine = Machine::new();
    let path = "pci0000:00/0000:00:01.0";
    for (name, text) in [("class", "0x030200"), ("vendor", "0x10de")] {
        machine.write(&format!("devices/{path}/{name}"), text);
    }
    let list = machine.root().join("bus/pci/devices");
    std::fs::create_dir_all(&list).expect("a folder");
    symlink(format!("../../../devices/{path}"), list.join("0000:00:01.0")).expect("a link");
    let inventory = read(machine.root()).expect("a machine");
    let gpu = &inventory.functions[1];
    assert_eq!((gpu.kind, gpu.ids, gpu.numa), (FunctionKind::Gpu, None, None));
    assert_eq!(gpu.link, Default::default());
    assert!(inventory.processors.is_empty());
}
