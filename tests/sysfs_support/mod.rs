//! Folders that look like `/sys`.

#![allow(dead_code, reason = "each test file uses a part of it")]

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
