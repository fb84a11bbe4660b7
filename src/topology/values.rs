//! Which figures of a machine are assumed or unknown, gathered by the statement they come from.

use crate::base::Span;
use crate::dsl::Machine;
use crate::dsl::machine::{LinkValue, ValueOrigin};
use std::collections::BTreeSet;

/// What links of one figure have in common: the place of the statement, or, in a machine that was
/// not read from a text, the kinds of the two ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    At(Span),
    Between(&'static str, &'static str),
}

fn statement(machine: &Machine, link: usize) -> Statement {
    let link = &machine.links[link];
    match link.span {
        Some(span) => Statement::At(span),
        None => Statement::Between(
            machine.devices[link.from].kind.word(),
            machine.devices[link.to].kind.word(),
        ),
    }
}

/// The links (positions in the machine) among `links` whose rate is unknown, one group a
/// statement, in the order of the first of each.
pub(super) fn unknown_groups(machine: &Machine, links: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Statement, Vec<usize>)> = Vec::new();
    for &link in links {
        if machine.links[link].value.rate.is_some() {
            continue;
        }
        let key = statement(machine, link);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(link),
            None => groups.push((key, vec![link])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The reason for which a value is assumed; nothing when it is not.
pub(super) fn assumed(value: &LinkValue) -> Option<&str> {
    match &value.origin {
        ValueOrigin::Assumed(reason) if value.rate.is_some() => Some(reason),
        _ => None,
    }
}

/// The links among `links` whose rate is assumed, one group a figure (rate, latency and reason):
/// a figure that many links share counts once. In the order of the first link of each.
pub(super) fn assumed_groups(machine: &Machine, links: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let figure = |link: usize| {
        let value = &machine.links[link].value;
        assumed(value).map(|reason| (value.rate, value.latency, reason))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &link in links.iter().filter(|&&link| figure(link).is_some()) {
        match groups.iter_mut().find(|group| figure(group[0]) == figure(link)) {
            Some(group) => group.push(link),
            None => groups.push(vec![link]),
        }
    }
    groups
}
