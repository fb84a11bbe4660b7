//! Tree to text: the one canonical form.
//!
//! One statement a line, parts indented by two blanks, one blank around arrows and colons, comments
//! where they were, at most one empty line between statements. Nothing is expanded or reordered.

use super::token::quote;
use super::tree::{
    Atom, Attribute, Block, Decimal, File, Index, Item, JoinTail, Latency, Origin, Path, Place,
    Ranks, Rate, RateUnit, Relation, Rule, SetChange, Spanned, Statement, StatementKind, Traffic,
    Value,
};
use crate::base::Mode;
use std::fmt::Write as _;

/// The canonical text of a file; ends with a newline. Reading it gives an equal tree.
#[must_use]
pub fn format(file: &File) -> String {
    let mut out = String::new();
    comments(&mut out, &file.leading, 0);
    out.push_str("topology ");
    out.push_str(&quote(&file.name.value));
    trailing(&mut out, file.trailing.as_deref());
    block(&mut out, &file.body, 0);
    out
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn comment(out: &mut String, text: &str) {
    out.push('#');
    // A comment is one line; what would break it, or vanish at its ends, is taken away.
    let text = text.replace(['\n', '\r'], " ");
    let text = text.trim();
    // Several signs in a row, as in a heading, stay together.
    if !text.is_empty() && !text.starts_with('#') {
        out.push(' ');
    }
    out.push_str(text);
}

fn comments(out: &mut String, lines: &[String], depth: usize) {
    for line in lines {
        indent(out, depth);
        comment(out, line);
        out.push('\n');
    }
}

fn trailing(out: &mut String, text: Option<&str>) {
    if let Some(text) = text {
        out.push_str("  ");
        comment(out, text);
    }
    out.push('\n');
}

fn block(out: &mut String, block: &Block, depth: usize) {
    for (index, one) in block.statements.iter().enumerate() {
        if one.blank_before && (index > 0 || depth == 0) {
            out.push('\n');
        }
        statement(out, one, depth);
    }
    comments(out, &block.dangling, depth);
}

fn statement(out: &mut String, statement: &Statement, depth: usize) {
    comments(out, &statement.leading, depth);
    indent(out, depth);
    if let StatementKind::Part { name, body } = &statement.kind {
        let _ = writeln!(out, "part {} {{", name.value);
        block(out, body, depth + 1);
        indent(out, depth);
        out.push('}');
    } else {
        out.push_str(&kind(&statement.kind));
    }
    trailing(out, statement.trailing.as_deref());
}

fn kind(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Use { target, alias } => match alias {
            Some(alias) => format!("use {} as {}", quote(&target.value), alias.value),
            None => format!("use {}", quote(&target.value)),
        },
        StatementKind::Param { name, value } => format!("param {} = {}", name.value, value.value),
        StatementKind::Link { name, value } => {
            format!("link {} = {}", name.value, value_text(value))
        }
        // Bodies of parts are printed by `statement`, which knows the depth.
        StatementKind::Part { name, .. } => format!("part {} {{ }}", name.value),
        StatementKind::Device { kind, name, count, attributes, join } => {
            let mut out = format!("{} {}", kind.value, name.value);
            if let Some(count) = count {
                let _ = write!(out, "[{}]", atom(&count.value));
            }
            if !attributes.is_empty() {
                let _ = write!(out, " {}", attributes_text(attributes));
            }
            if let Some(join) = join {
                let _ = write!(out, " {}", tail(join));
            }
            out
        }
        StatementKind::Join { left, tail: right } => format!("{} {}", path_text(left), tail(right)),
        StatementKind::Set { path, change } => {
            let path = path_text(path);
            match change {
                SetChange::Attributes(all) => format!("set {path} {}", attributes_text(all)),
                SetChange::OnlyLink(value) => format!("set {path} : {}", value_text(value)),
                SetChange::Join(join) => format!("set {path} {}", tail(join)),
            }
        }
        StatementKind::Without(paths) => format!("without {}", list(paths, path_text)),
        StatementKind::Ranks(Ranks::By(names)) => {
            format!("ranks by {}", list(names, |name| name.value.clone()))
        }
        StatementKind::Ranks(Ranks::List(paths)) => format!("ranks {}", list(paths, path_text)),
        StatementKind::Total { of, value } => {
            format!("total {} : {}", list(of, traffic_text), value_text(value))
        }
        StatementKind::Rule(rule) => rule_text(&rule.value),
    }
}

fn list<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    all.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn tail(join: &JoinTail) -> String {
    let arrow = if join.duplex { "--" } else { "->" };
    format!("{arrow} {} : {}", path_text(&join.right), value_text(&join.value))
}

/// A member of a total as the language writes it: `s[0] -- s[1]`.
#[must_use]
pub fn traffic_text(traffic: &Traffic) -> String {
    let path = path_text(&traffic.path);
    match &traffic.to {
        None => path,
        Some((duplex, to)) => {
            format!("{path} {} {}", if *duplex { "--" } else { "->" }, path_text(to))
        }
    }
}

fn attributes_text(attributes: &[Spanned<Attribute>]) -> String {
    let text = |attribute: &Spanned<Attribute>| match &attribute.value {
        Attribute::Arch(arch) => format!("arch {arch}"),
        Attribute::Model(model) => format!("model {}", quote(model)),
        Attribute::Memory(rate, origin) => format!("memory {}{}", rate_text(rate), from(origin)),
        Attribute::Bus(ids) => match ids.as_slice() {
            [one] => format!("bus {}", quote(one)),
            all => format!("bus [{}]", list(all, |id| quote(id))),
        },
    };
    format!("{{ {} }}", list(attributes, text))
}

/// A value as the language writes it: `26.3 GB/s, latency 1 us from "…"`.
#[must_use]
pub fn value_text(value: &Value) -> String {
    let mut out = rate_text(&value.rate.value);
    if let Some(latency) = &value.latency {
        let _ = write!(out, ", latency {}", time(latency));
    }
    out.push_str(&from(&value.origin));
    out
}

fn from(origin: &Option<Origin>) -> String {
    match origin {
        None => String::new(),
        Some(Origin::Assumed(None)) => " assumed".to_owned(),
        Some(Origin::Assumed(Some(why))) => format!(" assumed {}", quote(why)),
        Some(Origin::From(source)) => format!(" from {}", quote(source)),
    }
}

fn rate_text(rate: &Rate) -> String {
    match rate {
        Rate::Number(number, unit) => {
            let unit = match unit {
                RateUnit::GigabytesPerSecond => "GB/s",
                RateUnit::GibibytesPerSecond => "GiB/s",
                RateUnit::MegabytesPerSecond => "MB/s",
                RateUnit::GigabitsPerSecond => "Gb/s",
            };
            format!("{} {unit}", decimal(*number))
        }
        Rate::Pcie { generation, width } => format!("pcie gen{generation} x{width}"),
        Rate::Named(name) => name.clone(),
        Rate::Unknown => "unknown".to_owned(),
    }
}

fn time(latency: &Latency) -> String {
    let unit = if latency.microseconds { "us" } else { "ns" };
    format!("{} {unit}", decimal(latency.number))
}

fn decimal(number: Decimal) -> String {
    let places = number.places as usize;
    let digits = format!("{:0>width$}", number.digits, width = places + 1);
    if places == 0 {
        return digits;
    }
    let (whole, part) = digits.split_at(digits.len() - places);
    format!("{whole}.{part}")
}

/// A path as the language writes it: `h[*].g[k/2]`.
#[must_use]
pub fn path_text(path: &Path) -> String {
    let step = |step: &super::tree::Step| match &step.index {
        None => step.name.value.clone(),
        Some(index) => match &index.value {
            Index::All => format!("{}[*]", step.name.value),
            Index::Items(items) => format!("{}[{}]", step.name.value, list(items, item)),
        },
    };
    path.steps.iter().map(step).collect::<Vec<_>>().join(".")
}

fn item(item: &Spanned<Item>) -> String {
    match &item.value {
        Item::One(one) => atom(one),
        Item::Range(from, to) => format!("{}..{}", atom(from), atom(to)),
        Item::Quotient(one, divisor) => format!("{}/{divisor}", atom(one)),
    }
}

fn atom(atom: &Atom) -> String {
    match atom {
        Atom::Integer(number) => number.to_string(),
        Atom::Name(name) => name.clone(),
    }
}

fn with_mode(word: &str, mode: Option<Mode>) -> String {
    match mode {
        Some(mode) => format!("{word} {mode}"),
        None => word.to_owned(),
    }
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Gpu => "gpu",
        Place::Switch => "switch",
        Place::Uplink => "uplink",
        Place::Socket => "socket",
        Place::Node => "node",
    }
}

fn side((relation, at): (Relation, Place)) -> String {
    let relation = match relation {
        Relation::Same => "same",
        Relation::Different => "different",
    };
    format!("{relation} {}", place(at))
}

/// A rule as the language writes it.
#[must_use]
pub fn rule_text(rule: &Rule) -> String {
    match rule {
        Rule::Peer { nic, within } => {
            let word = if *nic { "peer nic" } else { "peer" };
            match within {
                None => format!("{word} none"),
                Some(within) => format!("{word} within {}", place(*within)),
            }
        }
        Rule::Forbid { mode, from, duplex, to } => {
            let arrow = if *duplex { "--" } else { "->" };
            format!("{} {} {arrow} {}", with_mode("forbid", *mode), path_text(from), path_text(to))
        }
        Rule::ViaNearest => "via nearest".to_owned(),
        Rule::ViaAny => "via any".to_owned(),
        Rule::Via { of, through } => {
            format!("via {} : {}", path_text(of), list(through, path_text))
        }
        Rule::Loopback => "loopback".to_owned(),
        Rule::Cap { class, mode, by, value } => {
            let mut out = with_mode(&format!("cap {class}"), *mode);
            if let Some(by) = by {
                let _ = write!(out, " by {by}");
            }
            let _ = write!(out, " : {}", value_text(value));
            out
        }
        Rule::Pacing { class, mode } => with_mode(&format!("pacing {class}"), *mode),
        Rule::Bounce { at_source, chunks } => {
            let at = if *at_source { "source" } else { "destination" };
            match chunks {
                Some(chunks) => format!("bounce at {at} chunks {chunks}"),
                None => format!("bounce at {at}"),
            }
        }
        Rule::Limit { mode, place: at, count } => {
            format!("{} in {} : {count}", with_mode("limit", *mode), place(*at))
        }
        Rule::Avoid { mode, from, to, value } => {
            let mut out =
                format!("{} from {} to {}", with_mode("avoid", *mode), side(*from), side(*to));
            if let Some(value) = value {
                let _ = write!(out, " : {}", value_text(value));
            }
            out
        }
        Rule::Efficiency { link, mode, steps } => {
            let word = with_mode(&format!("efficiency {}", link.value), *mode);
            format!("{word} : {}", list(steps, |(flows, percent)| format!("{flows} {percent}%")))
        }
        Rule::Cost { flow, time: cost, origin } => {
            let of = if *flow { "flow" } else { "step" };
            format!("cost {of} : {}{}", time(cost), from(origin))
        }
        Rule::Measured { mode, file } => {
            format!("{} {}", with_mode("measured", *mode), quote(&file.value))
        }
    }
}
