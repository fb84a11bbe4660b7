//! Fitted figures into the tree, where they stand; comments and layout stay.

use super::fit::{Values, is_open, key_of};
use super::model::{Element, Elements, Key};
use super::observe::Observation;
use super::outcome::binds;
use crate::base::{BytesPerSecond, RouteClass, SourceId, Span};
use crate::dsl::tree::{
    Atom, Block, Decimal, File, Index, Item, JoinTail, Origin, Path, Rate, RateUnit, Rule,
    SetChange, Spanned, Statement, StatementKind, Step, Traffic, Value,
};
use crate::dsl::{Machine, path_text, traffic_text, value_text};
use std::collections::BTreeSet;

/// A figure that is different in the new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whose it is, as the language writes it: `link x16`, `g[3] -- s[0]`, `cap cross`.
    pub what: String,
    /// What the file said; `None` where it said nothing.
    pub old: Option<String>,
    /// What it says now.
    pub new: String,
}

/// A change to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    /// The value whose rate stands there.
    Value { span: Span, rate: BytesPerSecond, origin: Origin },
    /// The origin of an assumed value: the first of these places that says so.
    BorneOut { places: [Option<Span>; 2], origin: Origin },
    /// A link, or one direction of it (the reverse one or not), by a statement of its own.
    Link { link: usize, reverse: Option<bool>, rate: BytesPerSecond, origin: Origin },
    /// A cap by a statement of its own.
    Cap { class: RouteClass, rate: BytesPerSecond, origin: Origin },
    /// A total of each link of a statement.
    Total { statement: Span, rate: BytesPerSecond, origin: Origin },
}

/// What is to be done so that the file says what was fitted.
pub(super) fn plans(
    elements: &Elements,
    free: &Values,
    observations: &[Observation],
    names: &str,
) -> Vec<Plan> {
    let measured = || Origin::From(names.to_owned());
    let mut plans = Vec::new();
    for (&key, &value) in free {
        let rate = BytesPerSecond(value as u64);
        let origin = match is_open(elements, free, key) {
            true => Origin::Assumed(Some(format!("at least this: what passed alone in {names}"))),
            false => measured(),
        };
        match key {
            Key::Figure(span) | Key::Written(span) => {
                plans.push(Plan::Value { span, rate, origin });
            }
            Key::Link(link) => plans.push(Plan::Link { link, reverse: None, rate, origin }),
            Key::Direction { link, reverse } => {
                let reverse = Some(reverse);
                plans.push(Plan::Link { link, reverse, rate, origin });
            }
            // For both modes, whichever was measured: were the other one left without a cap, it would
            // be taken for the faster, of which nothing is known.
            Key::NewCap(class) => plans.push(Plan::Cap { class, rate, origin }),
            Key::NewTotal(statement) => plans.push(Plan::Total { statement, rate, origin }),
        }
    }
    // Assumed figures that the measurements bear out are assumed no longer.
    let mut borne_out = BTreeSet::new();
    for element in elements.all().filter(|element| element.assumed && element.decided) {
        let stays = key_of(element, free).is_none() && element.value.is_some();
        if stays && binds(elements, free, observations, element) {
            borne_out.insert(element.places);
        }
    }
    for places in borne_out {
        plans.push(Plan::BorneOut { places, origin: measured() });
    }
    plans
}

/// Carries out what is planned.
pub(super) fn apply(
    file: &File,
    main: SourceId,
    machine: &Machine,
    elements: &Elements,
    plans: &[Plan],
) -> (File, Vec<Change>) {
    let mut file = file.clone();
    let mut changes = Vec::new();
    let mut added: Vec<(StatementKind, Change)> = Vec::new();
    for plan in plans {
        match plan {
            Plan::Value { span, rate, origin } if span.source == main => {
                let new = |old: &Value| {
                    let latency = old.latency.clone();
                    Some(Value { latency, ..value(*rate, origin) })
                };
                changes.extend(replace(&mut file.body, *span, &new));
            }
            Plan::BorneOut { places, origin } => {
                let assumed = |old: &Value| matches!(old.origin, Some(Origin::Assumed(_)));
                let new = |old: &Value| {
                    let origin = Some(origin.clone());
                    assumed(old).then(|| Value { origin, ..old.clone() })
                };
                let here = places.iter().flatten().filter(|span| span.source == main);
                changes.extend(here.filter_map(|span| replace(&mut file.body, *span, &new)).next());
            }
            Plan::Value { span, rate, origin } => {
                // The figure stands in another file: its links are set here.
                let keys = [Key::Figure(*span), Key::Written(*span)];
                let with = |e: &&Element| e.keys.iter().any(|key| keys.contains(key));
                let links = elements.all().filter(with).filter_map(|element| element.link);
                for link in links.collect::<BTreeSet<usize>>() {
                    added.push(set(machine, link, None, *rate, origin));
                }
            }
            Plan::Link { link, reverse, rate, origin } => {
                added.push(set(machine, *link, *reverse, *rate, origin));
            }
            Plan::Cap { class, rate, origin } => {
                let value = value(*rate, origin);
                let what = format!("cap {class}");
                let change = Change { what, old: None, new: value_text(&value) };
                let rule = Rule::Cap { class: *class, mode: None, by: None, value };
                added.push((StatementKind::Rule(Spanned::bare(rule)), change));
            }
            Plan::Total { statement, rate, origin } => {
                let value = value(*rate, origin);
                for of in totals(&file.body, *statement, machine, elements) {
                    let what = format!("total {}", traffic_text(&of));
                    let change = Change { what, old: None, new: value_text(&value) };
                    added.push((
                        StatementKind::Total { of: vec![of], value: value.clone() },
                        change,
                    ));
                }
            }
        }
    }
    for (index, (kind, change)) in added.into_iter().enumerate() {
        let mut statement = Statement::bare(kind);
        statement.blank_before = index == 0;
        file.body.statements.push(statement);
        changes.push(change);
    }
    (file, changes)
}

fn value(rate: BytesPerSecond, origin: &Origin) -> Value {
    Value { rate: Spanned::bare(gigabytes(rate)), latency: None, origin: Some(origin.clone()) }
}

/// The rate in GB/s, exactly.
fn gigabytes(rate: BytesPerSecond) -> Rate {
    let (mut digits, mut places) = (rate.0, 9);
    while places > 0 && digits.is_multiple_of(10) {
        digits /= 10;
        places -= 1;
    }
    Rate::Number(Decimal { digits, places }, RateUnit::GigabytesPerSecond)
}

/// The statement that sets a link, or one direction of it: the reverse one or not.
fn set(
    machine: &Machine,
    link: usize,
    reverse: Option<bool>,
    rate: BytesPerSecond,
    origin: &Origin,
) -> (StatementKind, Change) {
    let duplex = reverse.is_none() && machine.links[link].duplex;
    let link = &machine.links[link];
    let backwards = reverse == Some(true);
    let (from, to) = if backwards { (link.to, link.from) } else { (link.from, link.to) };
    let (left, right) = (&machine.devices[from].path, &machine.devices[to].path);
    let mut value = value(rate, origin);
    // A latency that the link has stays with it.
    if link.value.latency.0 > 0 {
        value.latency = Some(crate::dsl::tree::Latency {
            number: Decimal { digits: link.value.latency.0, places: 0 },
            microseconds: false,
        });
    }
    let what = format!("{left} {} {right}", if duplex { "--" } else { "->" });
    let old = link.value.rate.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
    let change = Change { what, old: Some(old), new: value_text(&value) };
    let tail = JoinTail { duplex, right: path(right), value };
    (StatementKind::Set { path: path(left), change: SetChange::Join(tail) }, change)
}

/// The path that a device's name says: `h[3].g[1]`.
fn path(text: &str) -> Path {
    let step = |step: &str| {
        let (name, index) = step
            .split_once('[')
            .map_or((step, None), |(name, index)| (name, index.trim_end_matches(']').parse().ok()));
        let item = |number| Spanned::bare(Item::One(Atom::Integer(number)));
        let index = index.map(|number| Spanned::bare(Index::Items(vec![item(number)])));
        Step { name: Spanned::bare(name.to_owned()), index }
    };
    Path { steps: text.split('.').map(step).collect(), span: None }
}

/// What a total of both directions of each link of a statement is over: with the statement's own
/// walking index where it has one, else link by link.
fn totals(body: &Block, at: Span, machine: &Machine, elements: &Elements) -> Vec<Traffic> {
    let join = body.statements.iter().find(|one| one.span == Some(at)).map(|one| &one.kind);
    if let Some(StatementKind::Join { left, tail }) = join {
        let one_each = |path: &Path| {
            path.steps.iter().all(|step| match step.index.as_ref().map(|index| &index.value) {
                None => true,
                Some(Index::All) => false,
                Some(Index::Items(items)) => {
                    items.len() == 1 && !matches!(items[0].value, Item::Range(..))
                }
            })
        };
        if one_each(left) && one_each(&tail.right) {
            return vec![Traffic { path: left.clone(), to: Some((true, tail.right.clone())) }];
        }
    }
    let links = elements.duplex.get(&at).map(|links| links.keys()).into_iter().flatten();
    let name = |device: usize| path(&machine.devices[device].path);
    links
        .map(|&link| &machine.links[link])
        .map(|link| Traffic { path: name(link.from), to: Some((true, name(link.to))) })
        .collect()
}

/// Replaces the value whose rate stands at `span`, where `new` has one for it.
fn replace(block: &mut Block, span: Span, new: &dyn Fn(&Value) -> Option<Value>) -> Option<Change> {
    for statement in &mut block.statements {
        if let StatementKind::Part { body, .. } = &mut statement.kind {
            if let Some(change) = replace(body, span, new) {
                return Some(change);
            }
            continue;
        }
        let what = what(&statement.kind);
        let Some(value) = value_of(&mut statement.kind) else { continue };
        if value.rate.span == Some(span) {
            let old = Some(value_text(value));
            *value = new(value)?;
            return Some(Change { what, old, new: value_text(value) });
        }
    }
    None
}

fn value_of(kind: &mut StatementKind) -> Option<&mut Value> {
    match kind {
        StatementKind::Link { value, .. } | StatementKind::Total { value, .. } => Some(value),
        StatementKind::Device { join, .. } => join.as_mut().map(|tail| &mut tail.value),
        StatementKind::Join { tail, .. } => Some(&mut tail.value),
        StatementKind::Set { change, .. } => match change {
            SetChange::OnlyLink(value) => Some(value),
            SetChange::Join(tail) => Some(&mut tail.value),
            SetChange::Attributes(_) => None,
        },
        StatementKind::Rule(rule) => match &mut rule.value {
            Rule::Cap { value, .. } => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// A statement with a value, without it.
fn what(kind: &StatementKind) -> String {
    let arrow = |tail: &JoinTail| {
        format!("{} {}", if tail.duplex { "--" } else { "->" }, path_text(&tail.right))
    };
    match kind {
        StatementKind::Link { name, .. } => format!("link {}", name.value),
        StatementKind::Total { of, .. } => {
            format!("total {}", of.iter().map(traffic_text).collect::<Vec<_>>().join(", "))
        }
        StatementKind::Device { name, join: Some(tail), .. } => {
            format!("{} {}", name.value, arrow(tail))
        }
        StatementKind::Join { left, tail } => format!("{} {}", path_text(left), arrow(tail)),
        StatementKind::Set { path, change: SetChange::Join(tail) } => {
            format!("set {} {}", path_text(path), arrow(tail))
        }
        StatementKind::Set { path, .. } => format!("set {}", path_text(path)),
        StatementKind::Rule(rule) => match &rule.value {
            Rule::Cap { class, mode: Some(mode), .. } => format!("cap {class} {mode}"),
            Rule::Cap { class, .. } => format!("cap {class}"),
            _ => String::new(),
        },
        _ => String::new(),
    }
}
