//! What holds because the machine does not say otherwise.

use crate::base::DeviceKind;
use crate::dsl::Machine;
use crate::dsl::machine::{PlacedRule, Rule};

/// The defaults in force, leaving out those that the machine overrides or has no use for.
pub(super) fn defaults(machine: &Machine) -> Vec<String> {
    let has = |kind| machine.devices.iter().any(|device| device.kind == kind);
    let rule = |test: fn(&Rule) -> bool| machine.rules.iter().any(|placed| test(&placed.rule));
    let mut lines = Vec::new();
    let mut unless = |line: &str, kind, test: fn(&Rule) -> bool| {
        let ruled: Vec<&PlacedRule> =
            machine.rules.iter().filter(|placed| test(&placed.rule)).collect();
        let mut of_kind =
            (0..machine.devices.len()).filter(|&device| machine.devices[device].kind == kind);
        let is_free = |device: usize| !ruled.iter().any(|placed| placed.scope.contains(&device));
        if ruled.is_empty() {
            lines.push(line.to_owned());
        } else if of_kind.any(is_free) {
            lines.push(format!("{line}, where no rule says otherwise"));
        }
    };
    unless("peer access between all GPUs of the node, push and pull", DeviceKind::Gpu, |rule| {
        matches!(rule, Rule::Peer { nic: false, .. })
    });
    if has(DeviceKind::Nic) {
        unless(
            "NICs read and write GPU memory within the node (GPUDirect)",
            DeviceKind::Nic,
            |rule| matches!(rule, Rule::Peer { nic: true, .. }),
        );
        unless(
            "GPUs use the nearest NICs, all that are equally near (via nearest)",
            DeviceKind::Gpu,
            |rule| matches!(rule, Rule::ViaNearest | Rule::ViaAny | Rule::Via { .. }),
        );
        unless("no loopback over NICs", DeviceKind::Nic, |rule| matches!(rule, Rule::Loopback));
    }
    lines.push("routes take the fewest links; GPUs and NICs never forward".to_owned());
    if machine.links.iter().any(|link| link.value.latency.0 == 0) {
        lines.push("latency 0 where none is given".to_owned());
    }
    let mut sockets = machine.devices.iter().filter(|d| d.kind == DeviceKind::Socket);
    if sockets.any(|socket| socket.memory.is_none()) {
        lines.push("socket memory unlimited where none is given".to_owned());
    }
    let profile = |r: &Rule| {
        matches!(
            r,
            Rule::Cap { .. } | Rule::Efficiency { .. } | Rule::Avoid { .. } | Rule::Cost { .. }
        )
    };
    if !rule(profile) {
        lines.push("no profile: links lose nothing when transfers share them".to_owned());
    }
    if machine.devices.iter().any(|d| d.kind == DeviceKind::Gpu && d.arch.is_none()) {
        lines.push("PTX for compute_80 where no arch is given".to_owned());
    }
    let declared =
        (0..machine.devices.len()).filter(|&d| machine.devices[d].kind == DeviceKind::Gpu);
    if machine.ranks.iter().copied().eq(declared) {
        lines.push("ranks in order of declaration".to_owned());
    }
    lines
}
