//! Rates, times, origins, paths and attributes.

use super::fault::{
    Input, Parsed, expected, fail, integer, mark, name, one_of, pointed, spanned, string, word,
};
use crate::dsl::error::{Error, Wanted};
use crate::dsl::token::TokenKind;
use crate::dsl::tree::{
    Atom, Attribute, Decimal, Index, Item, JoinTail, Latency, Origin, Path, Rate, RateUnit,
    Spanned, Step, Value,
};
use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt};
use nom::sequence::{delimited, preceded};

const RATE_UNITS: &[&str] = &["GB/s", "GiB/s", "MB/s", "Gb/s"];
const TIME_UNITS: &[&str] = &["ns", "us"];

/// One or more, separated by `separator`; behind a separator there must be another.
fn separated<'a, T>(
    separator: &'static str,
    one: impl Fn(Input<'a>) -> Parsed<'a, T> + Copy,
) -> impl Fn(Input<'a>) -> Parsed<'a, Vec<T>> {
    move |input| {
        let (mut rest, first) = one(input)?;
        let mut all = vec![first];
        while rest[0].is_mark(separator) {
            let (behind, next) = cut(one).parse(&rest[1..])?;
            all.push(next);
            rest = behind;
        }
        Ok((rest, all))
    }
}

/// One or more, separated by commas.
pub(super) fn list<'a, T>(
    one: impl Fn(Input<'a>) -> Parsed<'a, T> + Copy,
) -> impl Fn(Input<'a>) -> Parsed<'a, Vec<T>> {
    separated(",", one)
}

pub(super) fn value(input: Input<'_>) -> Parsed<'_, Value> {
    let start = input[0];
    let (input, rate) = rate(input)?;
    let rate = Spanned { value: rate.value, span: rate.span.or(Some(start.span())) };
    let (input, latency) =
        opt(preceded(mark(","), cut(preceded(word("latency"), time)))).parse(input)?;
    let (input, origin) = opt(origin).parse(input)?;
    Ok((input, Value { rate, latency, origin }))
}

/// `: value`, with nothing else allowed.
pub(super) fn colon_value(input: Input<'_>) -> Parsed<'_, Value> {
    preceded(mark(":"), cut(value)).parse(input)
}

fn rate(input: Input<'_>) -> Parsed<'_, Spanned<Rate>> {
    let token = input[0];
    match token.kind {
        TokenKind::Number => {
            let (rest, number) = decimal(input)?;
            let (behind, unit) = rate_unit(rest, token.text)?;
            let span = token.span().to(behind_span(rest, behind).unwrap_or(token.span()));
            Ok((behind, Spanned { value: Rate::Number(number, unit), span: Some(span) }))
        }
        TokenKind::Word if token.text == "unknown" => {
            Ok((&input[1..], spanned(token, Rate::Unknown)))
        }
        TokenKind::Word if token.text == "pcie" => pcie(input),
        TokenKind::Word => {
            let (rest, name) = cut(name).parse(input)?;
            Ok((rest, Spanned { value: Rate::Named(name.value), span: name.span }))
        }
        _ => expected(input, Wanted::Thing("a rate")),
    }
}

/// The span of the last token consumed between two inputs.
fn behind_span(before: Input<'_>, after: Input<'_>) -> Option<crate::base::Span> {
    let consumed = before.len().checked_sub(after.len())?;
    before.get(consumed.checked_sub(1)?).map(|token| token.span())
}

fn pcie(input: Input<'_>) -> Parsed<'_, Spanned<Rate>> {
    let first = input[0];
    let (rest, generation) = numbered(&input[1..], "gen", &[1, 2, 3, 4, 5, 6, 7])?;
    let (rest, width) = numbered(rest, "x", &[1, 2, 4, 8, 12, 16, 32])?;
    let span = first.span().to(behind_span(input, rest).unwrap_or(first.span()));
    Ok((rest, Spanned { value: Rate::Pcie { generation, width }, span: Some(span) }))
}

/// A word made of `prefix` and one of the known numbers.
fn numbered<'a>(input: Input<'a>, prefix: &str, known: &[u32]) -> Parsed<'a, u32> {
    let token = input[0];
    if token.kind != TokenKind::Word {
        let thing =
            if prefix == "x" { "a width such as `x16`" } else { "a generation such as `gen4`" };
        return cut(|input| expected(input, Wanted::Thing(thing))).parse(input);
    }
    match token.text.strip_prefix(prefix).and_then(|number| number.parse().ok()) {
        Some(number) if known.contains(&number) => Ok((&input[1..], number)),
        _ => fail(input, Error::BadPcie { at: token.span(), word: token.text.to_owned() }),
    }
}

fn decimal(input: Input<'_>) -> Parsed<'_, Decimal> {
    let token = input[0];
    if token.kind != TokenKind::Number {
        return expected(input, Wanted::Thing("a number"));
    }
    let (whole, part) = token.text.split_once('.').unwrap_or((token.text, ""));
    let digits = format!("{whole}{part}");
    let behind = &input[1];
    let exponent = behind.kind == TokenKind::Word
        && behind.start == token.start + token.text.len() as u32
        && behind.text.trim_end_matches(|c: char| c.is_ascii_digit()).eq_ignore_ascii_case("e");
    if exponent {
        return fail(input, Error::Exponent { at: token.span().to(behind.span()) });
    }
    match digits.parse() {
        Ok(value) if digits.len() <= 18 => {
            // At most 18 digits, so the count fits.
            let places = part.len() as u32;
            Ok((&input[1..], Decimal { digits: value, places }))
        }
        _ => fail(input, Error::LongNumber { at: token.span() }),
    }
}

fn rate_unit<'a>(input: Input<'a>, number: &str) -> Parsed<'a, RateUnit> {
    let token = input[0];
    let missing = |token: crate::dsl::token::Token<'_>| {
        let (at, number) = (pointed(&token), number.to_owned());
        Error::MissingUnit { at, number, units: RATE_UNITS }
    };
    if token.kind != TokenKind::Word {
        return fail(input, missing(token));
    }
    if matches!(token.text, "assumed" | "from") {
        return fail(input, missing(token));
    }
    let per_second = input.len() > 2 && input[1].is_mark("/") && input[2].is_word("s");
    let unit = match token.text {
        "GB" => RateUnit::GigabytesPerSecond,
        "GiB" => RateUnit::GibibytesPerSecond,
        "MB" => RateUnit::MegabytesPerSecond,
        "Gb" => RateUnit::GigabitsPerSecond,
        _ => return fail(input, unknown_unit(input, per_second, RATE_UNITS)),
    };
    if !per_second {
        return fail(input, unknown_unit(input, false, RATE_UNITS));
    }
    Ok((&input[3..], unit))
}

fn unknown_unit(input: Input<'_>, per_second: bool, units: &'static [&'static str]) -> Error {
    let (unit, end) = if per_second {
        (format!("{}/s", input[0].text), input[2].span())
    } else {
        (input[0].text.to_owned(), input[0].span())
    };
    Error::UnknownUnit { at: input[0].span().to(end), unit, units }
}

pub(super) fn time(input: Input<'_>) -> Parsed<'_, Latency> {
    let number_token = input[0];
    let (input, number) = decimal(input)?;
    let token = input[0];
    let microseconds = match (token.kind, token.text) {
        (TokenKind::Word, "ns") => false,
        (TokenKind::Word, "us") => true,
        (TokenKind::Word, text) if !matches!(text, "assumed" | "from") => {
            return fail(input, unknown_unit(input, false, TIME_UNITS));
        }
        _ => {
            let (at, number) = (pointed(&token), number_token.text.to_owned());
            return fail(input, Error::MissingUnit { at, number, units: TIME_UNITS });
        }
    };
    Ok((&input[1..], Latency { number, microseconds }))
}

pub(super) fn origin(input: Input<'_>) -> Parsed<'_, Origin> {
    alt((
        preceded(word("assumed"), opt(string)).map(|why| Origin::Assumed(why.map(|w| w.value))),
        preceded(word("from"), cut(string)).map(|source| Origin::From(source.value)),
    ))
    .parse(input)
}

pub(super) fn path(input: Input<'_>) -> Parsed<'_, Path> {
    let start = input[0];
    let (rest, steps) = separated(".", step)(input)?;
    let end = behind_span(input, rest).unwrap_or(start.span());
    Ok((rest, Path { steps, span: Some(start.span().to(end)) }))
}

fn step(input: Input<'_>) -> Parsed<'_, Step> {
    let (input, name) = name(input)?;
    let (rest, index) = opt(delimited(mark("["), cut(index), cut(mark("]")))).parse(input)?;
    let span = input[0].span().to(behind_span(input, rest).unwrap_or(input[0].span()));
    let index = index.map(|value| Spanned { value, span: Some(span) });
    Ok((rest, Step { name, index }))
}

fn index(input: Input<'_>) -> Parsed<'_, Index> {
    alt((mark("*").map(|_| Index::All), list(item).map(Index::Items))).parse(input)
}

fn item(input: Input<'_>) -> Parsed<'_, Spanned<Item>> {
    let start = input[0];
    let (rest, first) = atom(input)?;
    let (rest, value) = if rest[0].is_mark("..") {
        let (rest, end) = cut(atom).parse(&rest[1..])?;
        (rest, Item::Range(first.value, end.value))
    } else if rest[0].is_mark("/") {
        let (behind, divisor) = cut(integer).parse(&rest[1..])?;
        if divisor.value == 0 {
            return fail(&rest[1..], Error::ZeroDivisor { at: rest[1].span() });
        }
        (behind, Item::Quotient(first.value, divisor.value))
    } else {
        (rest, Item::One(first.value))
    };
    let end = behind_span(input, rest).unwrap_or(start.span());
    Ok((rest, Spanned { value, span: Some(start.span().to(end)) }))
}

pub(super) fn atom(input: Input<'_>) -> Parsed<'_, Spanned<Atom>> {
    alt((
        integer.map(|n| Spanned { value: Atom::Integer(n.value), span: n.span }),
        name.map(|n| Spanned { value: Atom::Name(n.value), span: n.span }),
    ))
    .parse(input)
}

/// Whether both directions are meant.
pub(super) fn arrow(input: Input<'_>) -> Parsed<'_, bool> {
    alt((mark("--").map(|_| true), mark("->").map(|_| false))).parse(input)
}

pub(super) fn join_tail(input: Input<'_>) -> Parsed<'_, JoinTail> {
    let (input, duplex) = arrow(input)?;
    let (input, (right, value)) = cut((path, colon_value)).parse(input)?;
    Ok((input, JoinTail { duplex, right, value }))
}

pub(super) fn attributes(input: Input<'_>) -> Parsed<'_, Vec<Spanned<Attribute>>> {
    delimited(mark("{"), cut(list(attribute)), cut(mark("}"))).parse(input)
}

#[derive(Clone, Copy)]
enum Key {
    Arch,
    Model,
    Memory,
    Bus,
}

fn attribute(input: Input<'_>) -> Parsed<'_, Spanned<Attribute>> {
    let keys = one_of(&[
        ("arch", Key::Arch),
        ("model", Key::Model),
        ("memory", Key::Memory),
        ("bus", Key::Bus),
    ]);
    let (rest, key) = keys(input)?;
    let (behind, value) = match key {
        Key::Arch => cut(name).map(|n| Attribute::Arch(n.value)).parse(rest),
        Key::Model => cut(string).map(|s| Attribute::Model(s.value)).parse(rest),
        Key::Memory => cut((rate, opt(origin)))
            .map(|(rate, origin)| Attribute::Memory(rate.value, origin))
            .parse(rest),
        Key::Bus => cut(alt((
            string.map(|s| vec![s.value]),
            delimited(mark("["), cut(list(string)), cut(mark("]")))
                .map(|all| all.into_iter().map(|s| s.value).collect()),
        )))
        .map(Attribute::Bus)
        .parse(rest),
    }?;
    let end = behind_span(input, behind).unwrap_or(input[0].span());
    Ok((behind, Spanned { value, span: Some(input[0].span().to(end)) }))
}
