//! Diagnostics as text with carets, and as JSON.

use super::{Diagnostic, Diagnostics, Exit, Severity, Sources};
use crate::base::Span;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// At most this many are shown; the count below them tells of the rest.
const SHOWN: usize = 20;

/// The diagnostics as text: worst first, each with file, line and caret, then a count of errors and
/// warnings where there are several. Ends with a newline unless empty.
#[must_use]
pub fn render(sources: &Sources, diagnostics: &Diagnostics, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let sorted = diagnostics.sorted();
    let mut out = String::new();
    for diagnostic in sorted.iter().take(SHOWN) {
        out.push_str(&one(sources, diagnostic, &renderer));
        out.push('\n');
    }
    if sorted.len() > 1 {
        let count = |severity| sorted.iter().filter(|d| d.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let mut parts = Vec::new();
        if errors > 0 {
            parts.push(plural(errors, "error"));
        }
        if warnings > 0 {
            parts.push(plural(warnings, "warning"));
        }
        if sorted.len() > SHOWN {
            parts.push(format!("{} not shown", sorted.len() - SHOWN));
        }
        if !parts.is_empty() {
            let _ = writeln!(out, "{}", parts.join(", "));
        }
    }
    out
}

fn one(sources: &Sources, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = match (&diagnostic.file, diagnostic.labels.is_empty()) {
        (Some(file), true) => format!("{file}: {}", diagnostic.message),
        _ => diagnostic.message.clone(),
    };
    let mut group = level
        .primary_title(message)
        .id(diagnostic.code)
        .elements(std::iter::empty::<Snippet<'_, annotate_snippets::Annotation<'_>>>());
    // The snippets of one source stand together; the main place comes first.
    let mut seen = Vec::new();
    for (span, _) in &diagnostic.labels {
        if seen.contains(&span.source) {
            continue;
        }
        seen.push(span.source);
        let Some(source) = sources.get(span.source) else { continue };
        // Only the lines in question: the renderer reads all that it is given.
        let places = diagnostic.labels.iter().map(|label| label.0);
        let (window, first) = window(&source.text, places.filter(|at| at.source == span.source));
        let lines = 1 + source.text.as_bytes()[..first].iter().filter(|b| **b == b'\n').count();
        let mut snippet = Snippet::source(window).path(one_line(&source.name)).line_start(lines);
        for (index, (at, label)) in diagnostic.labels.iter().enumerate() {
            if at.source != span.source {
                continue;
            }
            let (start, end) = (at.start as usize, at.end as usize);
            let (start, end) =
                clamp(window, start.saturating_sub(first), end.saturating_sub(first));
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(start..end);
            snippet = snippet.annotation(if label.is_empty() {
                annotation
            } else {
                annotation.label(label)
            });
        }
        group = group.element(snippet);
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group])
}

/// A text as it may stand in a line on a terminal: names of files, devices and sources come from
/// elsewhere, and no control character in them moves the cursor or begins a line.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The whole lines that the spans touch, and the offset at which they begin.
fn window(text: &str, spans: impl Iterator<Item = Span>) -> (&str, usize) {
    let (mut start, mut end) = (text.len(), 0);
    for span in spans {
        let (from, to) = clamp(text, span.start as usize, span.end as usize);
        (start, end) = (start.min(from), end.max(to));
    }
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = end.max(start);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    (&text[start..end], start)
}

/// A range inside the text, on character boundaries: the renderer panics outside of it.
fn clamp(text: &str, start: usize, end: usize) -> (usize, usize) {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(start);
    (start, boundary(end).max(start))
}

/// The document that a failing command writes to stdout under `--json`:
/// `{"format":"variopath-error/1","exit","diagnostics":[…]}`.
#[must_use]
pub fn json_document(sources: &Sources, diagnostics: &Diagnostics, exit: Exit) -> Value {
    let entries: Vec<Value> = diagnostics
        .sorted()
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| json_entry(sources, d))
        .collect();
    json!({"format": "variopath-error/1", "exit": exit as i32, "diagnostics": entries})
}

/// A diagnostic as an entry of a document: its severity, code, place, message and help.
#[must_use]
pub fn json_entry(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let place = diagnostic.labels.first().map(|label| label.0);
    let position = place.and_then(|span| sources.line_column(span));
    let file = place
        .and_then(|span| sources.get(span.source))
        .map(|source| source.name.clone())
        .or_else(|| diagnostic.file.clone());
    let help = &diagnostic.help;
    json!({
        "severity": diagnostic.severity.word(),
        "code": diagnostic.code,
        "file": file,
        "line": position.map(|p| p.0),
        "column": position.map(|p| p.1),
        "message": diagnostic.message,
        "help": if help.is_empty() { Value::Null } else { help.join("; ").into() },
    })
}
