//! GPUs and switches on slower links than most of their kind.

use super::at;
use crate::base::{BytesPerSecond, DeviceKind};
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;
use crate::dsl::machine::LinkValue;
use crate::topology::survey::tree::Forest;
use std::collections::BTreeMap;

/// What is compared with each other: GPUs of one model, switches.
type Sort<'a> = (DeviceKind, Option<&'a str>);

/// A warning for each lower rate than what more than half of the kind have.
pub(super) fn narrow(machine: &Machine, forest: &Forest) -> Vec<Diagnostic> {
    let mut alike: BTreeMap<Sort<'_>, Vec<(usize, usize)>> = BTreeMap::new();
    for (position, device) in machine.devices.iter().enumerate() {
        let Some((link, _)) = forest.above(position) else { continue };
        if matches!(device.kind, DeviceKind::Gpu | DeviceKind::Switch) {
            let kind = (device.kind, device.model.as_deref());
            alike.entry(kind).or_default().push((position, link));
        }
    }
    let mut found = Vec::new();
    for ((kind, _), devices) in alike {
        let mut by_rate: BTreeMap<BytesPerSecond, Vec<(usize, usize)>> = BTreeMap::new();
        for &(device, link) in &devices {
            let Some(rate) = machine.links[link].value.rate else { continue };
            by_rate.entry(rate).or_default().push((device, link));
        }
        let most = by_rate.iter().find(|(_, group)| 2 * group.len() > devices.len());
        let Some((&usual, usual_group)) = most else { continue };
        let usual_text = worth(&machine.links[usual_group[0].1].value);
        for (_, group) in by_rate.range(..usual) {
            let link = &machine.links[group[0].1];
            let paths = group.iter().map(|&(device, _)| machine.devices[device].path.as_str());
            let (verb, many) = match kind {
                DeviceKind::Gpu => ("on", "GPUs"),
                _ => ("linked by", "switches"),
            };
            let message = format!(
                "{} {verb} {}, most {many} {verb} {usual_text}",
                super::subject(paths, "is", "are"),
                worth(&link.value),
            );
            found.push(
                at(
                    Diagnostic::warning("narrow-link", message),
                    link.span,
                    "slower than the others",
                )
                .help(
                    "a slot with fewer lanes, a riser or a bad contact; `lspci -vv` shows what \
                         the link is able to (LnkCap) and runs at (LnkSta)",
                ),
            );
        }
    }
    found
}

/// `pcie gen4 x8 (13.15 GB/s)`
fn worth(value: &LinkValue) -> String {
    let rate = value.rate.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
    match value.pcie {
        Some((generation, width)) => format!("pcie gen{generation} x{width} ({rate})"),
        None => rate,
    }
}
