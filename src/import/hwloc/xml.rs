//! XML from elsewhere: parsed only after a look that keeps hostile files from costing anything.
//!
//! Topology files of NCCL and hwloc are small, shallow and free of entities; what isn't is refused
//! before the parser sees it.

use crate::base::{SourceId, Span};
use crate::diagnostics::Diagnostic;
use roxmltree::{Document, ParsingOptions};
use std::fmt;

/// Elements may nest this deep; real files nest below 40.
const MAX_DEPTH: usize = 256;
/// Attributes of one element; real ones have below 30.
const MAX_ATTRIBUTES: usize = 256;
/// Elements, texts and comments of one file; the largest machines have below 100,000.
const MAX_NODES: u32 = 1_000_000;
/// Bytes of one file.
const MAX_BYTES: usize = 64 << 20;

/// Why a text is no XML that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XmlFault {
    /// More than [`MAX_BYTES`].
    TooLarge(usize),
    /// More than [`MAX_DEPTH`] open elements.
    TooDeep,
    /// More than [`MAX_ATTRIBUTES`] attributes.
    TooManyAttributes,
    /// More than [`MAX_NODES`] nodes.
    TooManyNodes,
    /// A document type that declares entities.
    Entities,
    /// What the parser says.
    Syntax(String),
    /// The text ends inside an element.
    Truncated,
}

impl fmt::Display for XmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(bytes) => {
                write!(f, "the file has {} MB; {} MB are read", bytes >> 20, MAX_BYTES >> 20)
            }
            Self::TooDeep => write!(f, "elements nest more than {MAX_DEPTH} deep"),
            Self::TooManyAttributes => {
                write!(f, "an element has more than {MAX_ATTRIBUTES} attributes")
            }
            Self::TooManyNodes => write!(f, "the file has more than {MAX_NODES} elements"),
            Self::Entities => f.write_str("the document type declares entities"),
            Self::Syntax(message) => write!(f, "this is no well-formed XML: {message}"),
            Self::Truncated => f.write_str("the file ends before its elements are closed"),
        }
    }
}

impl XmlFault {
    fn at(self, span: Option<Span>) -> Diagnostic {
        let help = match self {
            Self::Truncated => "copy the whole file",
            Self::Entities => "topology files have none: remove the declarations",
            Self::Syntax(_) => "give the file as the tool wrote it",
            _ => "no topology file is that large: give the file as the tool wrote it",
        };
        let diagnostic = Diagnostic::error("import-xml", self.to_string()).help(help);
        match span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        }
    }
}

/// Parses `text`.
///
/// # Errors
/// Text that is not well-formed, or larger than any topology file, with the place.
pub fn parse(text: &str, source: SourceId) -> Result<Document<'_>, Diagnostic> {
    if let Err((fault, at)) = look(text.as_bytes()) {
        let span = Span::new(source, at, line_end(text, at));
        return Err(fault.at(Some(span)));
    }
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let fault = match error {
            roxmltree::Error::NodesLimitReached => XmlFault::TooManyNodes,
            roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
                XmlFault::Truncated
            }
            _ => XmlFault::Syntax(words(&error.to_string())),
        };
        let at = match fault {
            XmlFault::Truncated => text.trim_end().rfind('\n').map_or(0, |newline| newline + 1),
            _ => offset(text, error.pos()),
        };
        fault.at(Some(Span::new(source, at, line_end(text, at))))
    })
}

/// The parser's words without the place, which is shown beside them.
fn words(message: &str) -> String {
    match message.rsplit_once(" at ") {
        Some((words, place)) if place.bytes().all(|b| b.is_ascii_digit() || b == b':') => {
            words.to_owned()
        }
        _ => message.to_owned(),
    }
}

fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take(200).position(|byte| *byte == b'\n').unwrap_or(rest.len().min(200))
}

fn offset(text: &str, at: roxmltree::TextPos) -> usize {
    let rows = (at.row as usize).saturating_sub(1);
    let start = match rows {
        0 => 0,
        _ => text.match_indices('\n').nth(rows - 1).map_or(text.len(), |found| found.0 + 1),
    };
    let line = text.get(start..).unwrap_or_default();
    let within = line.char_indices().nth((at.col as usize).saturating_sub(1));
    (start + within.map_or(0, |found| found.0)).min(text.len())
}

/// One pass over the bytes: sizes only. What is not well-formed is left to the parser.
fn look(bytes: &[u8]) -> Result<(), (XmlFault, usize)> {
    if bytes.len() > MAX_BYTES {
        return Err((XmlFault::TooLarge(bytes.len()), 0));
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'<') {
        let start = at + found;
        let rest = &bytes[start..];
        let skip = |end: &[u8]| {
            rest.windows(end.len()).position(|window| window == end).map(|found| found + end.len())
        };
        let length = if rest.starts_with(b"<!--") {
            skip(b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            skip(b"]]>")
        } else if rest.starts_with(b"<!ENTITY") {
            return Err((XmlFault::Entities, start));
        } else if rest.starts_with(b"<!") {
            // Only the opening: declarations inside a document type are looked at in turn.
            Some(2)
        } else if rest.starts_with(b"<?") {
            skip(b"?>")
        } else {
            match tag(rest) {
                None => None,
                Some((_, attributes)) if attributes > MAX_ATTRIBUTES => {
                    return Err((XmlFault::TooManyAttributes, start));
                }
                Some((length, _)) => {
                    if rest.starts_with(b"</") {
                        depth = depth.saturating_sub(1);
                    } else if rest[length - 2] != b'/' {
                        depth += 1;
                    }
                    Some(length)
                }
            }
        };
        let Some(length) = length else { break };
        if depth > MAX_DEPTH {
            return Err((XmlFault::TooDeep, start));
        }
        at = start + length;
    }
    Ok(())
}

/// The bytes of the tag at the start of `bytes`, and its attributes; a tag without an end has none
/// to tell unless they are too many.
fn tag(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut quote = None;
    let mut attributes = 0;
    for (index, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => {
                quote = Some(*byte);
                attributes += 1;
                if attributes > MAX_ATTRIBUTES {
                    return Some((index + 1, attributes));
                }
            }
            (None, b'>') => return Some((index + 1, attributes)),
            (Some(open), _) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn message(text: &str) -> Option<String> {
        parse(text, SourceId(0)).err().map(|diagnostic| diagnostic.message)
    }

    #[test]
    fn ordinary_files() {
        assert_eq!(
            message("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"x\">\n<a/>"),
            None
        );
        assert_eq!(
            message("<!-- <a> > --><a b='<![CDATA['/>").as_deref(),
            Some("this is no well-formed XML: expected ''' not '<'")
        );
    }

    #[test]
    fn hostile_files_end_soon() {
        let deep = "<a>".repeat(200_000);
        let wide = format!("<a {}/>", "b=\"1\" ".repeat(1_000_000));
        let unclosed = format!("<a {}", "b=\"1\" ".repeat(1_000_000));
        let many = format!("<a>{}</a>", "<b/>".repeat(1_100_000));
        let quoted = format!("<a b=\"{}", "x".repeat(50 << 20));
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>";
        let start = Instant::now();
        let cases = [
            (deep.as_str(), "elements nest more than 256 deep"),
            (&wide, "an element has more than 256 attributes"),
            (&unclosed, "an element has more than 256 attributes"),
            (&many, "the file has more than 1000000 elements"),
            (&quoted, "the file ends before its elements are closed"),
            (bomb, "the document type declares entities"),
            ("<a><b>", "the file ends before its elements are closed"),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text).as_deref(), Some(expected));
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
