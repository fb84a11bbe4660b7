//! Devices that no exchange can use.

use crate::base::DeviceKind;
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;

/// A warning for the devices without a link, and one for those that no GPU reaches.
pub(super) fn isolated(machine: &Machine) -> Vec<Diagnostic> {
    let count = machine.devices.len();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for link in &machine.links {
        neighbours[link.from].push(link.to);
        neighbours[link.to].push(link.from);
    }
    let mut reached = vec![false; count];
    let mut queue: Vec<usize> = machine.ranks.clone();
    while let Some(device) = queue.pop() {
        if !std::mem::replace(&mut reached[device], true) {
            queue.extend(neighbours[device].iter().filter(|&&other| !reached[other]));
        }
    }
    let (far, alone): (Vec<usize>, Vec<usize>) = (0..count)
        .filter(|&device| !reached[device])
        .partition(|&device| !neighbours[device].is_empty());
    let paths = |devices: &[usize]| -> Vec<&str> {
        devices.iter().map(|&device| machine.devices[device].path.as_str()).collect()
    };
    let mut found = Vec::new();
    if let Some(&first) = alone.first() {
        let message = format!("{} no link", super::subject(paths(&alone), "has", "have"));
        let device = &machine.devices[first];
        let diagnostic = Diagnostic::warning("isolated", message).help(join(machine, first));
        found.push(diagnostic.at(device.span, "not linked to anything"));
    }
    if let Some(&first) = far.first() {
        let message = format!("no GPU reaches {}", super::names::devices(paths(&far)));
        let diagnostic = Diagnostic::warning("isolated", message)
            .help("a link on the way is missing; or leave it out with `without`");
        found.push(diagnostic.at(machine.devices[first].span, "linked, but to no GPU"));
    }
    found
}

fn join(machine: &Machine, device: usize) -> String {
    let path = &machine.devices[device].path;
    let kind = machine.devices[device].kind;
    let wanted = if kind == DeviceKind::Fabric { DeviceKind::Nic } else { DeviceKind::Socket };
    let other = machine
        .devices
        .iter()
        .enumerate()
        .find(|(position, other)| *position != device && other.kind == wanted)
        .map(|(_, other)| other.path.as_str());
    let value = match kind {
        DeviceKind::Fabric => "200 Gb/s",
        DeviceKind::Socket => "unknown",
        _ => "pcie gen4 x16",
    };
    match other {
        Some(other) => format!(
            "join it, as in `{path} -- {other} : {value}`, or leave it out with `without {path}`"
        ),
        None => format!("leave it out with `without {path}`"),
    }
}
