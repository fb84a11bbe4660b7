//! What holds because the machine does not say otherwise.

use crate::base::DeviceKind;
use crate::dsl::Machine;
use crate::dsl::machine::Rule;

/// The defaults in force, leaving out those that the machine overrides or has no use for.
pub(super) fn defaults(machine: &Machine) -> Vec<String> {
    let has = |kind| machine.devices.iter().any(|device| device.kind == kind);
    let rule = |test: fn(&Rule) -> bool| machine.rules.iter().any(|placed| test(&placed.rule));
    let mut lines = Vec::new();
    if !rule(|r| matches!(r, Rule::Peer { nic: false, .. })) {
        lines.push("peer access between all GPUs of the node, push and pull");
    }
    lines.push("routes take the fewest links; GPUs and NICs never forward");
    if has(DeviceKind::Nic) {
        if !rule(|r| matches!(r, Rule::ViaNearest | Rule::ViaAny | Rule::Via { .. })) {
            lines.push("GPUs use the nearest NICs (via nearest)");
        }
        if !rule(|r| matches!(r, Rule::Loopback)) {
            lines.push("no loopback over NICs");
        }
    }
    if machine.links.iter().any(|link| link.value.latency.0 == 0) {
        lines.push("latency 0 where none is given");
    }
    let mut sockets = machine.devices.iter().filter(|d| d.kind == DeviceKind::Socket);
    if sockets.any(|socket| socket.memory.is_none()) {
        lines.push("socket memory unlimited where none is given");
    }
    let profile = |r: &Rule| {
        matches!(
            r,
            Rule::Cap { .. } | Rule::Efficiency { .. } | Rule::Avoid { .. } | Rule::Cost { .. }
        )
    };
    if !rule(profile) {
        lines.push("no profile: links lose nothing when transfers share them");
    }
    if machine.devices.iter().any(|d| d.kind == DeviceKind::Gpu && d.arch.is_none()) {
        lines.push("PTX for compute_80 where no arch is given");
    }
    let declared =
        (0..machine.devices.len()).filter(|&d| machine.devices[d].kind == DeviceKind::Gpu);
    if machine.ranks.iter().copied().eq(declared) {
        lines.push("ranks in order of declaration");
    }
    lines.into_iter().map(str::to_owned).collect()
}
