//! Slips in units, strings and attributes.

use super::slips::{Edit, Failed, end, start};
use crate::dsl::error::Error;
use crate::dsl::token::{TokenKind, quote};

pub(super) fn edit(failed: &Failed<'_>) -> Option<Edit> {
    unit(failed).or_else(|| missing(failed)).or_else(|| string(failed)).or_else(|| latency(failed))
}

/// Units whose meaning is beyond doubt. What only looks similar may be off by any factor.
fn unit(failed: &Failed<'_>) -> Option<Edit> {
    const RATES: [(&str, &str); 14] = [
        ("GBps", "GB/s"),
        ("GBPS", "GB/s"),
        ("GB/sec", "GB/s"),
        ("GByte/s", "GB/s"),
        ("GBytes/s", "GB/s"),
        ("GB", "GB/s"),
        ("GiBps", "GiB/s"),
        ("GiB/sec", "GiB/s"),
        ("GiB", "GiB/s"),
        ("MBps", "MB/s"),
        ("MB", "MB/s"),
        ("Gbps", "Gb/s"),
        ("Gbit/s", "Gb/s"),
        ("Gbits/s", "Gb/s"),
    ];
    const TIMES: [(&str, &str); 5] =
        [("µs", "us"), ("μs", "us"), ("usec", "us"), ("nsec", "ns"), ("microseconds", "us")];
    let (Error::UnknownUnit { units, .. } | Error::MissingUnit { units, .. }) = failed.error else {
        return None;
    };
    let rest = failed.rest();
    // A comma in place of a point: `1,5 GB/s`.
    let next = failed.token(1)?;
    if rest.starts_with(',')
        && next.kind == TokenKind::Number
        && start(next) == start(failed.here()) + 1
    {
        return Some(failed.replace(1, "."));
    }
    // `memory 48 GB` is likelier a size, which the language has no word for, than a rate.
    if failed.token(-2).is_some_and(|token| token.is_word("memory")) {
        return None;
    }
    let known: &[(&str, &str)] = if units.contains(&"ns") { &TIMES } else { &RATES };
    let length = rest.find([' ', ',', '}', '#', '\t']).unwrap_or(rest.len());
    let (_, right) = known.iter().find(|(wrong, _)| rest[..length] == **wrong)?;
    Some(failed.replace(length, *right))
}

/// A rate that is not there at all.
fn missing(failed: &Failed<'_>) -> Option<Edit> {
    let end = failed.here().kind == TokenKind::End;
    (end && failed.wants("a rate")).then(|| failed.replace(0, "unknown"))
}

/// Strings without quotes, or with others; architectures with them.
fn string(failed: &Failed<'_>) -> Option<Edit> {
    let (here, rest) = (failed.here(), failed.rest());
    let before = failed.token(-1)?;
    if matches!(failed.error, Error::UnclosedString { .. }) {
        // Before the brace that the string has swallowed, else at the end.
        let inside = rest.trim_end();
        let (inside, brace) = match inside.strip_suffix('}') {
            Some(inside) => (inside.trim_end(), " }"),
            None => (inside, ""),
        };
        return Some(failed.replace(rest.len(), format!("{inside}\"{brace}")));
    }
    if before.is_word("arch") && failed.wants("a name") {
        let digits = here.text.trim_matches('"').trim_start_matches("sm_").replace('.', "");
        let right = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        return right.then(|| failed.replace(here.text.len(), format!("sm_{digits}")));
    }
    // `assumed` stands alone as well, so there the statement should have ended.
    let origin = before.is_word("assumed") && failed.wants("the end of the statement");
    if !origin && !failed.wants("a string") {
        return None;
    }
    if here.is_mark("=") || here.is_mark(":") {
        return Some(Edit { at: end(before)..end(here), text: String::new() });
    }
    for (open, close) in [('\'', '\''), ('‘', '’'), ('“', '”'), ('`', '`'), ('”', '”')]
    {
        if let Some(inside) = rest.strip_prefix(open) {
            let length = inside.find(close)?;
            let whole = open.len_utf8() + length + close.len_utf8();
            return Some(failed.replace(whole, quote(&inside[..length])));
        }
    }
    if !matches!(here.kind, TokenKind::Word | TokenKind::Number) {
        return None;
    }
    let stop = match before.text {
        "use" => rest.find(" as ").or_else(|| rest.find('#')),
        "bus" => rest.find([' ', ',', '}', ']']),
        _ => rest.find([',', '}', '#']),
    };
    let inside = rest[..stop.unwrap_or(rest.len())].trim_end();
    Some(failed.replace(inside.len(), quote(inside)))
}

/// `39 GB/s latency 3 us`, `latency = 3 us`.
fn latency(failed: &Failed<'_>) -> Option<Edit> {
    let (here, before) = (failed.here(), failed.token(-1)?);
    if here.is_word("latency") && failed.wants("the end of the statement") {
        return Some(Edit { at: end(before)..start(here), text: ", ".to_owned() });
    }
    let sign = here.is_mark("=") || here.is_mark(":");
    (before.is_word("latency") && sign).then(|| failed.replace(1, " "))
}
