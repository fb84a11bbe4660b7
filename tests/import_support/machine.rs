//! Folders that look like `/sys`.

use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

/// A folder that looks like `/sys`.
pub struct Machine(TempDir);

/// Class, vendor and device, NUMA node.
pub type Kind = (&'static str, &'static str, &'static str, i32);

pub const ROOT_PORT: Kind = ("0x060400", "0x8086", "0x352a", 0);
pub const SWITCH: Kind = ("0x060400", "0x1000", "0xc030", 0);
pub const GPU: Kind = ("0x030200", "0x10de", "0x26ba", 0);
pub const CARD: Kind = ("0x020000", "0x15b3", "0x1021", 0);

impl Machine {
    /// On socket 0: two GPUs, idle, and a card on a switch; the config space of its lower ports has
    /// this access control. The path of the upper port.
    pub fn switch_of_three(&self, access: u8) -> String {
        let port = "pci0000:16/0000:16:01.0";
        self.function(port, ROOT_PORT, GEN5, GEN5);
        self.config(port, Some(0x1d));
        let upper = format!("{port}/0000:17:00.0");
        self.function(&upper, SWITCH, GEN5, GEN5);
        self.config(&upper, Some(0));
        for (number, device) in [(0, GPU), (1, GPU), (2, CARD)] {
            let lower = format!("{upper}/0000:18:{number:02x}.0");
            self.function(&lower, SWITCH, GEN5, GEN4);
            self.config(&lower, Some(access));
            let at = format!("{lower}/0000:{:02x}:00.0", 0x19 + number);
            let (able, runs) = if device == CARD { (GEN5, GEN5) } else { (GEN4, IDLE) };
            self.function(&at, device, able, runs);
        }
        upper
    }

    pub fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// A function at `path` below `devices`, with the speed and width that it is able to and that
    /// it runs at.
    pub fn function(&self, path: &str, kind: Kind, able: (&str, &str), runs: (&str, &str)) {
        let (class, vendor, device, numa) = kind;
        let numa = numa.to_string();
        let files = [
            ("class", class),
            ("vendor", vendor),
            ("device", device),
            ("numa_node", &numa),
            ("max_link_speed", able.0),
            ("max_link_width", able.1),
            ("current_link_speed", runs.0),
            ("current_link_width", runs.1),
        ];
        for (name, text) in files {
            self.write(&format!("devices/{path}/{name}"), &format!("{text}\n"));
        }
        let list = self.root().join("bus/pci/devices");
        std::fs::create_dir_all(&list).expect("a folder");
        let name = path.rsplit('/').next().expect("a name");
        symlink(format!("../../../devices/{path}"), list.join(name)).expect("a link");
    }

    /// The first 64 bytes that everybody may read, or all with access control.
    pub fn config(&self, path: &str, control: Option<u8>) {
        let mut space = vec![0_u8; if control.is_some() { 4096 } else { 64 }];
        if let Some(control) = control {
            space[0x100..0x104].copy_from_slice(&0x1401_0001_u32.to_le_bytes());
            space[0x140..0x144].copy_from_slice(&0x0001_000d_u32.to_le_bytes());
            space[0x146] = control;
        }
        std::fs::write(self.root().join(format!("devices/{path}/config")), space).expect("a file");
    }

    /// A CPU of a socket, and the NUMA node that has only it.
    pub fn node(&self, node: u32, socket: u32) {
        self.write(&format!("devices/system/node/node{node}/cpulist"), &format!("{node}\n"));
        let cpu = format!("devices/system/cpu/cpu{node}/topology/physical_package_id");
        self.write(&cpu, &format!("{socket}\n"));
    }
}

pub const GEN5: (&str, &str) = ("32.0 GT/s PCIe", "16");
pub const GEN4: (&str, &str) = ("16.0 GT/s PCIe", "16");
pub const IDLE: (&str, &str) = ("2.5 GT/s PCIe", "16");

/// Two sockets with two NUMA nodes each; a switch with two GPUs and a card on the first, a GPU in an
/// eight lane slot on the second.
pub fn machine() -> Machine {
    let machine = Machine::new();
    for (node, socket) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        machine.node(node, socket);
    }
    machine.write("devices/system/node/node4/cpulist", "\n");
    let upper = machine.switch_of_three(0);
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
