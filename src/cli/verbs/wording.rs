//! Phrases that several verbs print.

use crate::analyzer::{self, Certificate, RaisedBounds};
use crate::base::{DeviceKind, Picos, Setting};
use crate::catalog::Plan;
use crate::cli::pipeline::NamedDemand;
use crate::cli::target::Kind;
use crate::diagnostics::one_line;
use crate::topology::Topology;
use serde::Serialize;
use serde_json::{Value, json};

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

/// `bounds      uniform:1MiB: T_eff 0.7 ms (strict channels), T* …, critical s[0] -> s[1]`, and what
/// they are worth where pairs have several routes or there are too many to list.
pub(super) fn bounds_lines(topology: &Topology, demand: &str, raised: &RaisedBounds) -> String {
    let bounds = &raised.bounds;
    let critical = analyzer::critical_name(topology, bounds).unwrap_or_else(|| "none".to_owned());
    let t_eff = match raised.has_t_eff {
        true => format!("T_eff {} (strict channels), ", bounds.t_eff.nanos_down()),
        false => String::new(),
    };
    let t_star = bounds.t_star.nanos_down();
    let mut out = format!(
        "bounds      {demand}: {t_eff}T* {t_star} (bytes / capacity), critical {critical}\n"
    );
    let mut more = |words: &str| out.push_str(&format!("            {words}\n"));
    if raised.has_alternatives {
        match &raised.certificate {
            None => more("of pairs with several routes they count what every route takes"),
            Some(Certificate::Weights { resources, routes }) => more(&format!(
                "T* is over all routes of a pair, proved by weights of {} and {}",
                count(resources.len(), "resource"),
                count(routes.len(), "cap")
            )),
            Some(_) => more("T* is over all routes of a pair"),
        }
    }
    if !raised.has_t_eff {
        more(&format!(
            "T_eff is not sought: the machine has more than {} routes",
            analyzer::MAX_OUTLINE_ROUTES
        ));
    }
    out
}

/// The bounds as documents have them: `t_eff_ns` is null where it was not sought, and weights are there
/// where those prove `T*`.
pub(super) fn bounds_document(demand: &str, raised: &RaisedBounds) -> Value {
    let bounds = &raised.bounds;
    let mut document = json!({
        "demand": demand,
        "t_star_ns": bounds.t_star.nanos_down(),
        "t_eff_ns": raised.has_t_eff.then(|| bounds.t_eff.nanos_down()),
        "critical_link": bounds.critical_link,
        // The pair that a cap holds back so that it alone needs as long.
        "alone": bounds.alone,
    });
    if let Some(Certificate::Weights { resources, routes }) = &raised.certificate {
        // Of routes (source, destination, index) by the caps that hold them back.
        document["dual_weights"] = json!(resources);
        document["dual_route_weights"] = json!(routes);
    }
    document
}

/// How long something is as JSON.
pub(in crate::cli) fn json_bytes(catalog: &impl Serialize) -> usize {
    serde_json::to_vec(catalog).map_or(0, |text| text.len())
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

/// A whole number as it is up to twelve digits, else `2.70e102`, cut after the third digit.
pub(in crate::cli) fn short(number: &str) -> String {
    match number.get(..3) {
        Some(first) if number.len() > 12 => {
            format!("{}.{}e{}", &first[..1], &first[1..], number.len() - 1)
        }
        _ => number.to_owned(),
    }
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
    use super::{short, word};

    #[test]
    fn long_numbers_are_shortened() {
        assert_eq!(short("128"), "128");
        assert_eq!(short("123456789012"), "123456789012");
        assert_eq!(short("1234567890123"), "1.23e12");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_break_them() {
        assert_eq!(word("a/b-1.topo"), "a/b-1.topo");
        assert_eq!(word("my box.topo"), "'my box.topo'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(""), "''");
    }
}
