//! Machines for the tests of this module, made without a text.

use crate::base::{BytesPerSecond, DeviceKind, Nanos};
use crate::dsl::Machine;
use crate::dsl::machine::{Device, Link, LinkValue, ValueOrigin};

/// A machine that grows device by device.
pub(super) struct Maker(pub(super) Machine);

impl Maker {
    pub(super) fn new(name: &str) -> Self {
        Self(Machine {
            name: name.to_owned(),
            devices: Vec::new(),
            links: Vec::new(),
            ranks: Vec::new(),
            totals: Vec::new(),
            rules: Vec::new(),
        })
    }

    /// `count` devices `name[0]`, `name[1]`, …; GPUs become ranks. Gives their positions.
    pub(super) fn add(&mut self, kind: DeviceKind, name: &str, count: usize) -> Vec<usize> {
        (0..count)
            .map(|index| {
                let position = self.0.devices.len();
                self.0.devices.push(Device {
                    path: format!("{name}[{index}]"),
                    kind,
                    arch: None,
                    model: None,
                    memory: None,
                    bus: None,
                    span: None,
                });
                if kind == DeviceKind::Gpu {
                    self.0.ranks.push(position);
                }
                position
            })
            .collect()
    }

    /// A duplex link; the rate in MB/s.
    pub(super) fn join(&mut self, from: usize, to: usize, megabytes: u64) -> &mut LinkValue {
        self.0.links.push(Link {
            from,
            to,
            duplex: true,
            value: LinkValue {
                rate: Some(BytesPerSecond(megabytes * 1_000_000)),
                latency: Nanos(0),
                origin: ValueOrigin::Stated,
                pcie: None,
                figure: None,
                written: None,
            },
            span: None,
        });
        &mut self.0.links.last_mut().expect("just added").value
    }
}

/// Two sockets at 40 GB/s, two switches each, two GPUs and a NIC at 25 GB/s on each switch.
pub(super) fn platform_b() -> Maker {
    let mut maker = Maker::new("B");
    let s = maker.add(DeviceKind::Socket, "s", 2);
    let sw = maker.add(DeviceKind::Switch, "sw", 4);
    let g = maker.add(DeviceKind::Gpu, "g", 8);
    let n = maker.add(DeviceKind::Nic, "n", 4);
    maker.join(s[0], s[1], 40_000);
    for k in 0..4 {
        maker.join(sw[k], s[k / 2], 25_000);
    }
    for k in 0..8 {
        maker.join(g[k], sw[k / 2], 25_000);
    }
    for k in 0..4 {
        maker.join(n[k], sw[k], 25_000);
    }
    maker
}
