//! The rules in force, in words.

use super::RuleLine;
use super::names;
use crate::dsl::Machine;
use crate::dsl::machine::{LinkValue, PlacedRule, Rule, ValueOrigin};
use crate::dsl::tree::{Place, Relation};
use crate::topology::fault::link_text;
use std::fmt::Display;

/// One line for each thing that rules say, equal rules of several parts in one.
pub(super) fn rules(machine: &Machine) -> Vec<RuleLine> {
    let mut lines: Vec<RuleLine> = Vec::new();
    for (index, placed) in machine.rules.iter().enumerate() {
        let text = words(machine, placed);
        let line = match lines.iter_mut().find(|line| line.text == text) {
            Some(line) => line,
            None => {
                lines.push(RuleLine { text, parts: Vec::new(), rules: Vec::new(), planned: None });
                let last = lines.len() - 1;
                &mut lines[last]
            }
        };
        if !placed.part.is_empty() {
            line.parts.push(placed.part.clone());
        }
        line.rules.push(index);
    }
    lines.extend(totals(machine));
    lines
}

/// Joint capacities, those of one figure together.
fn totals(machine: &Machine) -> Vec<RuleLine> {
    let mut by_figure: Vec<(String, Vec<&str>)> = Vec::new();
    for total in &machine.totals {
        let figure = figure(&total.value);
        match by_figure.iter_mut().find(|(known, _)| *known == figure) {
            Some((_, names)) => names.push(&total.name),
            None => by_figure.push((figure, vec![&total.name])),
        }
    }
    let line = |(figure, names): (String, Vec<&str>)| {
        let each = if names.len() == 1 { "" } else { " each" };
        let names = names::listed(names, 3);
        let text = format!("total: {names} carry at most {figure} together{each}");
        RuleLine { text, parts: Vec::new(), rules: Vec::new(), planned: None }
    };
    by_figure.into_iter().map(line).collect()
}

fn of_mode(mode: Option<impl Display>) -> String {
    mode.map_or_else(String::new, |mode| format!("{mode} "))
}

/// A figure with where it comes from.
fn figure(value: &LinkValue) -> String {
    let rate = value.rate.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
    format!("{rate}{}", origin(&value.origin))
}

fn origin(origin: &ValueOrigin) -> String {
    match origin {
        ValueOrigin::Stated => String::new(),
        ValueOrigin::Assumed(why) if why.is_empty() => " (assumed)".to_owned(),
        ValueOrigin::Assumed(why) => format!(" (assumed, {why})"),
        ValueOrigin::From(source) => format!(" (from {source})"),
    }
}

fn side((relation, place): (Relation, Place)) -> String {
    let relation = match relation {
        Relation::Same => "the same",
        Relation::Different => "different",
    };
    let plural = if relation == "different" { "s" } else { "" };
    let plural = if place == Place::Switch && plural == "s" { "es" } else { plural };
    format!("{relation} {}{plural}", word(place))
}

fn word(place: Place) -> &'static str {
    match place {
        Place::Gpu => "GPU",
        Place::Switch => "switch",
        Place::Uplink => "uplink",
        Place::Socket => "socket",
        Place::Node => "node",
    }
}

/// `an uplink`
fn one(place: Place) -> String {
    let article = if place == Place::Uplink { "an" } else { "a" };
    format!("{article} {}", word(place))
}

fn words(machine: &Machine, placed: &PlacedRule) -> String {
    // Names within the part, so that the same rule of another part reads the same.
    let name = |device: usize| {
        let path = machine.devices[device].path.as_str();
        let within = path.strip_prefix(&placed.part).filter(|_| !placed.part.is_empty());
        within.and_then(|rest| rest.strip_prefix('.')).unwrap_or(path)
    };
    let list = |devices: &[usize]| names::devices(devices.iter().map(|&device| name(device)));
    match &placed.rule {
        Rule::Peer { nic: false, within: None } => {
            "peer: no peer access between GPUs; all goes through host memory".to_owned()
        }
        Rule::Peer { nic: false, within: Some(Place::Node) } => {
            "peer: peer access between all GPUs of the node".to_owned()
        }
        Rule::Peer { nic: false, within: Some(place) } => {
            let place = one(*place);
            format!("peer: peer access within {place}; beyond it through host memory")
        }
        Rule::Peer { nic: true, within: None } => {
            "peer nic: no GPUDirect; NICs read and write host memory only".to_owned()
        }
        Rule::Peer { nic: true, within: Some(place) } => {
            let place = one(*place);
            format!("peer nic: GPUDirect within {place}; beyond it through host memory")
        }
        Rule::Forbid { mode, pairs } => {
            let texts: Vec<String> =
                pairs.iter().map(|&(src, dst)| format!("{} -> {}", name(src), name(dst))).collect();
            let pairs = names::listed(texts.iter().map(String::as_str), 3);
            let mode = mode.map_or_else(String::new, |mode| format!(" in mode {mode}"));
            format!("forbid: no peer access{mode} of {pairs}")
        }
        Rule::ViaNearest => "via: GPUs use the nearest NICs".to_owned(),
        Rule::ViaAny => "via: GPUs use every NIC of their node".to_owned(),
        Rule::Via { gpus, nics } => format!("via: {} by {}", list(gpus), list(nics)),
        Rule::Loopback => "loopback: NICs may carry transfers within the node".to_owned(),
        Rule::Cap { class, mode, by, value } => {
            let mode = of_mode(*mode);
            let by = by.map_or_else(String::new, |by| format!(" by {by}"));
            format!("cap: one {class} {mode}transfer{by} reaches at most {}", figure(value))
        }
        Rule::Pacing { class, mode } => {
            format!("pacing: {class} {}transfers are paced", of_mode(*mode))
        }
        Rule::Bounce { at_source, chunks } => {
            let at = if *at_source { "source" } else { "destination" };
            let chunks = chunks.map_or_else(String::new, |n| format!(", {n} chunks under way"));
            format!("bounce: through memory at the {at}'s socket{chunks}")
        }
        Rule::Limit { mode, place, count } => {
            let plural = if *count == 1 { "" } else { "s" };
            let place = one(*place);
            format!("limit: at most {count} {}transfer{plural} at once in {place}", of_mode(*mode))
        }
        Rule::Avoid { mode, from, to, value } => {
            let together = value
                .as_ref()
                .map_or_else(String::new, |value| format!(": together {}", figure(value)));
            format!(
                "avoid: no two {}transfers at once from {} to {}{together}",
                of_mode(*mode),
                side(*from),
                side(*to)
            )
        }
        Rule::Efficiency { links, mode, steps } => {
            let texts: Vec<String> = links.iter().map(|&link| link_text(machine, link)).collect();
            let links = names::listed(texts.iter().map(String::as_str), 3);
            let steps: Vec<String> =
                steps.iter().map(|(flows, percent)| format!("{percent} % with {flows}")).collect();
            let mode = of_mode(*mode);
            format!(
                "efficiency: {links} keep of their rate, by {mode}transfers at once: {}",
                steps.join(", ")
            )
        }
        Rule::Cost { flow, time, origin: from } => {
            let of = if *flow { "transfer" } else { "step" };
            format!("cost: {time} for each {of}{}", origin(from))
        }
        Rule::Measured { mode, file } => {
            let mode = mode.map_or_else(String::new, |mode| format!(" ({mode})"));
            format!("measured{mode}: figures rest on {file}")
        }
    }
}
