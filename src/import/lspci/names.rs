//! Devices by the names of the PCI database, where no class is told.

use super::super::inventory::{Function, FunctionKind};
use super::super::pci::{self, AMD, NVIDIA};
use crate::diagnostics::{Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// A name without ids and revision: `NVIDIA Corporation AD102GL [L20]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// All of it.
    pub text: &'a str,
    /// The vendor's id, where the vendor is one that matters here.
    pub vendor: Option<u16>,
    /// The device's id, where the database does not know the device (`Device 2335`).
    pub device: Option<u16>,
}

const VENDORS: &[(&str, u16)] = &[
    ("NVIDIA Corporation", NVIDIA),
    ("nVidia Corporation", NVIDIA),
    ("Advanced Micro Devices, Inc. [AMD/ATI]", AMD),
    ("ATI Technologies Inc", AMD),
    ("ASPEED Technology", 0x1a03),
    ("Matrox", 0x102b),
    ("Mellanox Technologies", 0x15b3),
    ("Intel Corporation", 0x8086),
];

impl<'a> Name<'a> {
    /// Takes a name apart.
    pub fn of(text: &'a str) -> Self {
        let text = text.trim();
        // A vendor that the database does not know: `Device 10de:2335`.
        if let Some(ids) = text.strip_prefix("Device ").and_then(pair) {
            return Self { text, vendor: Some(ids.0), device: Some(ids.1) };
        }
        let found = VENDORS.iter().find(|(vendor, _)| text.starts_with(vendor));
        let rest = found.map_or(text, |(vendor, _)| text[vendor.len()..].trim_start());
        let device = rest.strip_prefix("Device ").and_then(|id| {
            let id = id.split_whitespace().next()?;
            u16::from_str_radix(id, 16).ok().filter(|_| id.len() == 4)
        });
        Self { text, vendor: found.map(|(_, id)| *id), device }
    }

    /// The name that is sold: what stands in the last brackets, else all behind the vendor.
    pub fn model(&self) -> Option<String> {
        if self.device.is_some() {
            return None;
        }
        let vendor = VENDORS.iter().find(|(vendor, _)| self.text.starts_with(vendor));
        let rest = vendor.map_or(self.text, |(vendor, _)| self.text[vendor.len()..].trim());
        let inner = rest.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
        let model = inner.map_or(rest, |(_, inner)| inner).trim();
        (!model.is_empty()).then(|| model.to_owned())
    }

    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// What a device of this name is, bridges aside; `function` is its last digit.
    pub fn kind(&self, function: u8) -> FunctionKind {
        if self.has(&["NVSwitch"]) {
            return FunctionKind::NvSwitch;
        }
        // The first function of a graphics card is the GPU, the others its audio and USB devices.
        let is_beside = function != 0
            || self.has(&["Audio", "USB", "UCSI", "Serial", "SMBus", "Bridge", "SATA", "Switch"]);
        match self.vendor {
            Some(NVIDIA) if is_beside || self.has(&["Ethernet", "nForce", "MCP"]) => {
                FunctionKind::Other
            }
            Some(NVIDIA) => match self.device {
                // Chips of NVLink switches.
                Some(0x1ac0..=0x1ac2 | 0x1af1 | 0x22a3) => FunctionKind::NvSwitch,
                _ => FunctionKind::Gpu,
            },
            Some(AMD) if is_beside || self.has(&["ES1000", "Rage", "RV100"]) => FunctionKind::Other,
            Some(AMD) => FunctionKind::Gpu,
            Some(0x8086) if self.has(&["Data Center GPU"]) => FunctionKind::Gpu,
            _ => self.network(),
        }
    }

    fn network(&self) -> FunctionKind {
        let is_card = self.has(&[
            "ConnectX",
            "Ethernet",
            "Network Connection",
            "Network Adapter",
            "Fabric Adapter",
            "InfiniBand",
            "Omni-Path",
            "Slingshot",
            "Cassini",
            "NetXtreme",
            "mlx5Gen",
        ]);
        let is_else = self.has(&["Bridge", "DMA", "Management", "Virtio", "Switch"]);
        if is_card && !is_else { FunctionKind::Nic } else { FunctionKind::Other }
    }

    /// What a device of this name and class is.
    pub fn kind_in(&self, class: u16, ids: Option<(u16, u16)>) -> FunctionKind {
        let is_old_screen = self.has(&["ES1000", "Rage XL", "RV100"]);
        let (vendor, device) = ids.unwrap_or((self.vendor.unwrap_or(0), self.device.unwrap_or(0)));
        match pci::kind(class, vendor, device) {
            FunctionKind::Gpu if is_old_screen => FunctionKind::Other,
            kind => kind,
        }
    }
}

/// Leaves out virtual functions (SR-IOV) beside the card that they are carved out of: they share its
/// link. In a virtual machine they stand alone, and are all there is.
pub fn leave_out_virtual(functions: &mut [Function], notes: &mut Diagnostics) {
    let is_virtual = |function: &Function| {
        function.model.as_deref().is_some_and(|model| model.contains("Virtual Function"))
    };
    let bus = |function: &Function| function.bus.map(|bus| (bus.domain, bus.bus));
    let cards: BTreeSet<_> = functions
        .iter()
        .filter(|function| function.kind == FunctionKind::Nic && !is_virtual(function))
        .filter_map(bus)
        .collect();
    let mut count = 0;
    let beside = |function: &Function| bus(function).is_some_and(|bus| cards.contains(&bus));
    for function in functions.iter_mut().filter(|f| is_virtual(f) && beside(f)) {
        function.kind = FunctionKind::Other;
        count += 1;
    }
    if count > 0 {
        let functions = if count == 1 { "function" } else { "functions" };
        let message = format!("{count} virtual {functions} share a card's link: left out");
        notes.push(Diagnostic::note("import-virtual", message));
    }
}

/// The class code of a class that lspci names.
pub fn class(name: &str) -> u16 {
    match name {
        "VGA compatible controller" => 0x0300,
        "3D controller" => 0x0302,
        "Display controller" => 0x0380,
        "Processing accelerators" => 0x1200,
        "Ethernet controller" => 0x0200,
        "Infiniband controller" => 0x0207,
        "Network controller" => 0x0280,
        "InfiniBand" => 0x0c06,
        "Host bridge" => 0x0600,
        "PCI bridge" => 0x0604,
        "Bridge" => 0x0680,
        _ => 0xff00,
    }
}

/// `10de:2330`
fn pair(text: &str) -> Option<(u16, u16)> {
    let (vendor, device) = text.split_once(':')?;
    let hex = |text: &str| u16::from_str_radix(text, 16).ok().filter(|_| text.len() == 4);
    Some((hex(vendor)?, hex(device)?))
}

/// `text` without `[10de:2330]` and `(rev a1)` behind it, and those ids.
pub fn ids(text: &str) -> (&str, Option<(u16, u16)>) {
    let mut text = text.trim();
    while let Some((before, _)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        text = before.trim_end();
    }
    let found = text
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once('['))
        .and_then(|(before, inside)| Some((before.trim_end(), pair(inside)?)));
    match found {
        Some((before, ids)) => (before, Some(ids)),
        None => (text, None),
    }
}

/// The lines of a text without blanks at their ends, and where each starts. Some editors mark UTF-8
/// at the start of a file; that is no part of its first line.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let inner = text.trim_start_matches('\u{feff}');
    let mut next = text.len() - inner.len();
    inner.split_inclusive('\n').map(move |raw| {
        let start = next;
        next += raw.len();
        (raw.trim_end(), start)
    })
}

/// `at`, or the end of the line, or the border of the character around it.
pub fn until(line: &str, at: usize) -> usize {
    let mut at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}
