//! Phrases that several verbs print.

use crate::analyzer;
use crate::base::{DeviceKind, Picos, Setting};
use crate::catalog::Plan;
use crate::cli::pipeline::NamedDemand;
use crate::cli::target::Kind;
use crate::diagnostics::one_line;
use crate::topology::Topology;

/// `1 switch`, `4 switches`.
pub(super) fn count(n: usize, word: &str) -> String {
    let plural = if word.ends_with("ch") { "es" } else { "s" };
    format!("{n} {word}{}", if n == 1 { "" } else { plural })
}

/// `l20-8 (preset): 8 GPUs, 4 switches, 2 sockets; 1 value assumed`
pub(super) fn machine_line(kind: Kind, topology: &Topology) -> String {
    let of = |kind| topology.vertices.iter().filter(|vertex| vertex.kind == kind).count();
    let mut parts = vec![count(topology.ranks.len(), "GPU")];
    for (kind, word) in
        [(DeviceKind::Switch, "switch"), (DeviceKind::Socket, "socket"), (DeviceKind::Nic, "NIC")]
    {
        if of(kind) > 0 {
            parts.push(count(of(kind), word));
        }
    }
    let assumed = match topology.assumed {
        0 => String::new(),
        n => format!("; {} assumed", count(n, "value")),
    };
    let name = one_line(&topology.name);
    format!("{name} ({}): {}{assumed}", kind.word(), parts.join(", "))
}

/// A line that says in which setting a machine is looked at; none where nothing was said of it.
pub(super) fn setting_line(setting: Option<Setting>) -> String {
    match setting {
        None => String::new(),
        Some(Setting::Ideal) => {
            "setting     ideal: efficiency, costs and latencies do not count\n".to_owned()
        }
        Some(Setting::Profile) => {
            "setting     profile: links lose by the number of transfers that share them\n"
                .to_owned()
        }
    }
}

/// `uniform:1MiB (default): 56 pairs, 58720256 bytes`
pub(super) fn demand_line(demand: &NamedDemand) -> String {
    format!(
        "{}{}: {}, {} bytes",
        demand.name,
        if demand.is_default { " (default)" } else { "" },
        count(demand.demand.pairs(), "pair"),
        demand.demand.total()
    )
}

/// `16 steps; predicted 0.7 ms, bound 0.7 ms, gap 0.0 %, critical s[0] -> s[1]`
pub(super) fn plan_line(topology: &Topology, plan: &Plan) -> String {
    if plan.pieces.is_empty() {
        return "no steps: nothing to send between ranks".to_owned();
    }
    let critical = analyzer::critical_name(topology, &plan.bounds)
        .map_or_else(String::new, |name| format!(", critical {name}"));
    format!(
        "{}; predicted {}, bound {}, gap {}{critical}",
        count(plan.steps.len(), "step"),
        plan.makespan.nanos_up(),
        plan.bounds.t_eff.nanos_down(),
        gap(plan.makespan, plan.bounds.t_eff)
    )
}

/// How far `time` lies above `bound`, in percent with one decimal, rounded up.
pub(super) fn gap(time: Picos, bound: Picos) -> String {
    if bound.0 == 0 {
        return "0.0 %".to_owned();
    }
    let excess = u128::from(time.0.saturating_sub(bound.0)) * 1000;
    let thousandths = excess.div_ceil(u128::from(bound.0));
    // Bounds are rounded down by up to a picosecond; that is not a gap.
    let thousandths = if time.0 <= bound.0 + 1000 { 0 } else { thousandths };
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// A time over another, to the nearest thousandth: `1.333`.
pub(in crate::cli) fn times(time: Picos, other: Picos) -> String {
    let other = u128::from(other.0.max(1));
    let thousandths = (u128::from(time.0) * 1000 + other / 2) / other;
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// An argument as a shell takes it for one word.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=+@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn words_are_quoted_where_a_shell_would_break_them() {
        assert_eq!(word("a/b-1.topo"), "a/b-1.topo");
        assert_eq!(word("my box.topo"), "'my box.topo'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(""), "''");
    }
}
