//! Rules: how a machine behaves rather than what it is made of.

use super::fault::{Input, Parsed, integer, mark, name, one_of, string, word};
use super::values::{arrow, colon_value, list, origin, path, time};
use crate::base::{Initiator, Mode, RouteClass};
use crate::dsl::token::TokenKind;
use crate::dsl::tree::{Place, Relation, Rule};
use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt};
use nom::sequence::{preceded, terminated};

const MODES: &[(&str, Mode)] = &[("push", Mode::Push), ("pull", Mode::Pull)];
const RELATIONS: &[(&str, Relation)] =
    &[("same", Relation::Same), ("different", Relation::Different)];
const INITIATORS: &[(&str, Initiator)] =
    &[("kernel", Initiator::Kernel), ("engine", Initiator::Engine)];
const PLACES: &[(&str, Place)] = &[
    ("gpu", Place::Gpu),
    ("switch", Place::Switch),
    ("uplink", Place::Uplink),
    ("socket", Place::Socket),
    ("node", Place::Node),
];
const CLASSES: &[(&str, RouteClass)] = &[
    ("direct", RouteClass::Direct),
    ("switch", RouteClass::Switch),
    ("socket", RouteClass::Socket),
    ("cross", RouteClass::Cross),
    ("bounce", RouteClass::Bounce),
    ("network", RouteClass::Network),
    ("loopback", RouteClass::Loopback),
];

fn mode(input: Input<'_>) -> Parsed<'_, Option<Mode>> {
    opt(one_of(MODES)).parse(input)
}

/// The rule whose first word, already read, is `first`.
pub(super) fn rule<'a>(first: &str, input: Input<'a>) -> Parsed<'a, Rule> {
    match first {
        "peer" => peer(input),
        "forbid" => forbid(input),
        "via" => via(input),
        "loopback" => Ok((input, Rule::Loopback)),
        "cap" => {
            (one_of(CLASSES), mode, opt(preceded(word("by"), cut(one_of(INITIATORS)))), colon_value)
                .map(|(class, mode, by, value)| Rule::Cap { class, mode, by, value })
                .parse(input)
        }
        "pacing" => {
            (one_of(CLASSES), mode).map(|(class, mode)| Rule::Pacing { class, mode }).parse(input)
        }
        "bounce" => bounce(input),
        "limit" => (mode, preceded(word("in"), cut(one_of(PLACES))), preceded(mark(":"), integer))
            .map(|(mode, place, count)| Rule::Limit { mode, place, count: count.value })
            .parse(input),
        "avoid" => avoid(input),
        "efficiency" => {
            let step = |input| (integer, terminated(integer, mark("%"))).parse(input);
            (name, mode, preceded(mark(":"), cut(list(step))))
                .map(|(link, mode, steps)| {
                    let steps = steps.into_iter().map(|(n, percent)| (n.value, percent.value));
                    Rule::Efficiency { link, mode, steps: steps.collect() }
                })
                .parse(input)
        }
        "cost" => (
            one_of(&[("step", false), ("flow", true)]),
            preceded(mark(":"), cut(time)),
            opt(origin),
        )
            .map(|(flow, time, origin)| Rule::Cost { flow, time, origin })
            .parse(input),
        // The only one left; the caller passes nothing but first words of rules.
        _ => (mode, string).map(|(mode, file)| Rule::Measured { mode, file }).parse(input),
    }
}

fn peer(input: Input<'_>) -> Parsed<'_, Rule> {
    let (input, nic) = opt(word("nic")).parse(input)?;
    let (input, within) =
        alt((word("none").map(|_| None), preceded(word("within"), cut(one_of(PLACES))).map(Some)))
            .parse(input)?;
    Ok((input, Rule::Peer { nic: nic.is_some(), within }))
}

fn forbid(input: Input<'_>) -> Parsed<'_, Rule> {
    // A device may be called `push`: the word is a mode only where a path follows.
    let is_mode = input.get(1).is_some_and(|token| token.kind == TokenKind::Word);
    let (input, mode) = if is_mode { mode(input)? } else { (input, None) };
    (path, arrow, path)
        .map(|(from, duplex, to)| Rule::Forbid { mode, from, duplex, to })
        .parse(input)
}

fn via(input: Input<'_>) -> Parsed<'_, Rule> {
    alt((
        word("nearest").map(|_| Rule::ViaNearest),
        word("any").map(|_| Rule::ViaAny),
        (path, preceded(mark(":"), cut(list(path)))).map(|(of, through)| Rule::Via { of, through }),
    ))
    .parse(input)
}

fn bounce(input: Input<'_>) -> Parsed<'_, Rule> {
    (
        preceded(word("at"), cut(one_of(&[("source", true), ("destination", false)]))),
        opt(preceded(word("chunks"), cut(integer))),
    )
        .map(|(at_source, chunks)| Rule::Bounce { at_source, chunks: chunks.map(|c| c.value) })
        .parse(input)
}

fn avoid(input: Input<'_>) -> Parsed<'_, Rule> {
    let side = |input| (one_of(RELATIONS), one_of(PLACES)).parse(input);
    (mode, preceded(word("from"), cut(side)), preceded(word("to"), cut(side)), opt(colon_value))
        .map(|(mode, from, to, value)| Rule::Avoid { mode, from, to, value })
        .parse(input)
}
