//! One statement, apart from parts, whose bodies the reader of blocks takes care of.

use super::fault::{Input, Parsed, expected, integer, mark, name, string, word};
use super::rules::rule;
use super::values::{arrow, atom, attributes, colon_value, join_tail, list, path, value};
use crate::dsl::error::Wanted;
use crate::dsl::token::TokenKind;
use crate::dsl::tree::{Ranks, SetChange, Spanned, StatementKind, Traffic};
use crate::dsl::words::{KINDS, RULE_WORDS, is_reserved};
use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, peek};
use nom::sequence::{delimited, preceded};

pub(super) fn statement(input: Input<'_>) -> Parsed<'_, StatementKind> {
    let first = input[0];
    if first.kind != TokenKind::Word {
        return expected(input, Wanted::Thing("a statement"));
    }
    let rest = &input[1..];
    match first.text {
        "use" => (string, opt(preceded(word("as"), cut(name))))
            .map(|(target, alias)| StatementKind::Use { target, alias })
            .parse(rest),
        "param" => (name, preceded(mark("="), integer))
            .map(|(name, value)| StatementKind::Param { name, value })
            .parse(rest),
        "link" => (name, preceded(mark("="), value))
            .map(|(name, value)| StatementKind::Link { name, value })
            .parse(rest),
        "set" => {
            (path, change).map(|(path, change)| StatementKind::Set { path, change }).parse(rest)
        }
        "without" => list(path).map(StatementKind::Without).parse(rest),
        "ranks" => ranks(rest),
        "total" => total(rest),
        text if RULE_WORDS.contains(&text) => {
            let (behind, rule) = rule(text, rest)?;
            let span = first.span().to(input[input.len() - behind.len() - 1].span());
            Ok((behind, StatementKind::Rule(Spanned { value: rule, span: Some(span) })))
        }
        text if KINDS.contains(&text) => device(input),
        text if rest[0].kind == TokenKind::Word && is_reserved(text) => {
            expected(input, Wanted::Thing("a statement"))
        }
        _ if rest[0].kind == TokenKind::Word => device(input),
        _ => join(input),
    }
}

fn device(input: Input<'_>) -> Parsed<'_, StatementKind> {
    let kind = Spanned { value: input[0].text.to_owned(), span: Some(input[0].span()) };
    (
        name,
        opt(delimited(mark("["), cut(atom), cut(mark("]")))),
        opt(attributes).map(Option::unwrap_or_default),
        opt(join_tail),
    )
        .map(|(name, count, attributes, join)| StatementKind::Device {
            kind: kind.clone(),
            name,
            count,
            attributes,
            join: join.map(Box::new),
        })
        .parse(&input[1..])
}

fn join(input: Input<'_>) -> Parsed<'_, StatementKind> {
    let (rest, left) = path(input)?;
    // A lone word may be the start of a device as well.
    if rest.len() + 1 == input.len() {
        let hint = alt((
            name.map(|_| ()),
            mark("[").map(|_| ()),
            mark(".").map(|_| ()),
            arrow.map(|_| ()),
        ));
        let _ = peek(hint).parse(rest)?;
    }
    let (rest, tail) = join_tail(rest)?;
    Ok((rest, StatementKind::Join { left, tail }))
}

fn change(input: Input<'_>) -> Parsed<'_, SetChange> {
    alt((
        attributes.map(SetChange::Attributes),
        colon_value.map(SetChange::OnlyLink),
        join_tail.map(SetChange::Join),
    ))
    .parse(input)
}

fn ranks(input: Input<'_>) -> Parsed<'_, StatementKind> {
    // A device may be called `by`: the word begins an order only where a name follows.
    if input[0].is_word("by") && input.get(1).is_some_and(|t| t.kind == TokenKind::Word) {
        let (rest, names) = list(name).parse(&input[1..])?;
        return Ok((rest, StatementKind::Ranks(Ranks::By(names))));
    }
    list(path).map(|paths| StatementKind::Ranks(Ranks::List(paths))).parse(input)
}

fn total(input: Input<'_>) -> Parsed<'_, StatementKind> {
    let (rest, of) = list(traffic).parse(input)?;
    if of.last().is_some_and(|last| last.to.is_none()) {
        let _ = peek(alt((arrow.map(|_| ()), mark(":").map(|_| ())))).parse(rest)?;
    }
    colon_value.map(|value| StatementKind::Total { of: of.clone(), value }).parse(rest)
}

fn traffic(input: Input<'_>) -> Parsed<'_, Traffic> {
    (path, opt((arrow, cut(path)))).map(|(path, to)| Traffic { path, to }).parse(input)
}
