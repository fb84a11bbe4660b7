//! Machines that the binary brings along.

/// A machine to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What `use` and the command line call it; also the name in its header.
    pub name: &'static str,
    /// Its text in the topology language.
    pub text: &'static str,
    /// One line without a full stop.
    pub summary: &'static str,
}

macro_rules! preset {
    ($name:literal, $summary:literal) => {
        Preset {
            name: $name,
            text: include_str!(concat!("../../dsl/platforms/", $name, ".topo")),
            summary: $summary,
        }
    };
}

static PRESETS: &[Preset] = &[
    preset!("a10-8", "8 A10 behind 2 cascaded switches on one socket, PCIe Gen4"),
    preset!("a100-pcie-4", "4 A100 PCIe, 2 sockets, 2 GPUs on the root ports of each, PCIe Gen4"),
    preset!("h100-pcie-8", "8 H100 PCIe, 2 sockets, 4 GPUs on the root ports of each, PCIe Gen5"),
    preset!("l20-8", "8 L20, 2 sockets, 2 switches a socket, a network card a switch, PCIe Gen4"),
    preset!("l20-cluster", "2 to 32 nodes of l20-8 on one fabric, 200 Gb/s a card (--set nodes=N)"),
    preset!("l40s-8", "8 L40S, 2 sockets, 4 GPUs on the root ports of each, PCIe Gen4"),
    preset!("rtx4090-8", "8 RTX 4090, 2 sockets, PCIe Gen4, no peer access: through host memory"),
    preset!("rtx4090-8-p2p", "8 RTX 4090, 2 sockets, PCIe Gen4, with the peer-to-peer driver"),
    preset!("rtxpro6000-8", "8 RTX PRO 6000 Blackwell behind 2 switches, 2 sockets, PCIe Gen5"),
    preset!(
        "rtxpro6000-8-broadcom",
        "8 RTX PRO 6000 Blackwell behind 4 Broadcom switches whose writes collapse, PCIe Gen5"
    ),
];

/// All presets, ordered by name.
#[must_use]
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The preset of this name.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
