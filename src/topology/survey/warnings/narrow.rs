//! GPUs and switches on slower links than most of their kind.

use crate::base::{BytesPerSecond, DeviceKind};
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;
use crate::dsl::machine::LinkValue;
use crate::topology::survey::tree::Forest;
use std::collections::BTreeMap;

/// What is compared with each other: GPUs of one model, switches.
type Sort<'a> = (DeviceKind, Option<&'a str>);

/// A warning for each rate that is far below that of most of the kind. Fewer lanes and older
/// generations halve a rate; what is measured differs by some percent, which is no matter here.
pub(super) fn narrow(machine: &Machine, forest: &Forest) -> Vec<Diagnostic> {
    let mut alike: BTreeMap<Sort<'_>, Vec<(BytesPerSecond, usize, usize)>> = BTreeMap::new();
    for (position, device) in machine.devices.iter().enumerate() {
        let Some((link, _)) = forest.above(position) else { continue };
        let Some(rate) = machine.links[link].value.rate else { continue };
        if matches!(device.kind, DeviceKind::Gpu | DeviceKind::Switch) {
            let kind = (device.kind, device.model.as_deref());
            alike.entry(kind).or_default().push((rate, position, link));
        }
    }
    let mut found = Vec::new();
    for ((kind, _), mut devices) in alike {
        devices.sort_unstable();
        let (usual, _, usual_link) = devices[devices.len() / 2];
        let usual_text = worth(&machine.links[usual_link].value);
        let slow = devices.partition_point(|(rate, ..)| is_far_below(*rate, usual));
        // Half of them are no exception.
        let slow = if 2 * slow < devices.len() { slow } else { 0 };
        for group in devices[..slow].chunk_by(|a, b| a.0 == b.0) {
            let link = &machine.links[group[0].2];
            let paths = group.iter().map(|&(_, device, _)| machine.devices[device].path.as_str());
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
                // A `set` stands elsewhere than the link that it changes.
                Diagnostic::warning("narrow-link", message)
                    .at(link.value.written.or(link.span), "slower than the others")
                    .help(
                        "a slot with fewer lanes, a riser or a bad contact; `lspci -vv` shows what \
                         the link is able to (LnkCap) and runs at (LnkSta)",
                    ),
            );
        }
    }
    found
}

fn is_far_below(rate: BytesPerSecond, usual: BytesPerSecond) -> bool {
    u128::from(rate.0) * 4 < u128::from(usual.0) * 3
}

/// `pcie gen4 x8 (13.15 GB/s)`
fn worth(value: &LinkValue) -> String {
    let rate = value.rate.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
    match value.pcie {
        Some((generation, width)) => format!("pcie gen{generation} x{width} ({rate})"),
        None => rate,
    }
}
