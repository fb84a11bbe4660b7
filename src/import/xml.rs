//! XML documents opened with limits: no entity of a document type is expanded, and neither the
//! number of nodes nor the depth is without bound.

use crate::base::{SourceId, Span};
use crate::diagnostics::Diagnostic;
use roxmltree::{Document, Error, Node, ParsingOptions, TextPos};
use std::fmt;

/// The most nodes; the largest real dumps have about ten thousand.
pub const NODES: u32 = 500_000;

/// The longest text in bytes; the largest real dumps have 300 KB.
pub const LENGTH: usize = 8 << 20;

/// The most attributes of an element; real ones have a dozen.
pub const ATTRIBUTES: usize = 256;

/// The deepest nesting; real dumps stay below 40.
pub const DEPTH: usize = 256;

/// Why a document cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XmlFault {
    /// It ends inside of this element.
    Ends(String),
    /// It declares a document type with entities.
    Entities,
    /// More than [`NODES`].
    TooLarge,
    /// Longer than [`LENGTH`].
    TooLong,
    /// An element with more than [`ATTRIBUTES`].
    TooWide,
    /// Deeper than [`DEPTH`].
    TooDeep,
    /// Not well formed, in the words of the parser without the place.
    Malformed(String),
}

impl fmt::Display for XmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends(open) => write!(f, "the XML ends before `<{open}>` is closed"),
            Self::Entities => f.write_str("the XML declares a document type of its own"),
            Self::TooLarge => write!(f, "the XML has more than {NODES} nodes"),
            Self::TooLong => write!(f, "the XML is longer than {} MiB", LENGTH >> 20),
            Self::TooWide => write!(f, "an element has more than {ATTRIBUTES} attributes"),
            Self::TooDeep => write!(f, "the XML is nested deeper than {DEPTH} elements"),
            Self::Malformed(what) => write!(f, "the XML is not well formed: {what}"),
        }
    }
}

impl XmlFault {
    fn at(self, span: Span) -> Diagnostic {
        let (code, help) = match self {
            Self::Ends(_) => ("xml-ends", "copy the whole file, down to the last closing tag"),
            Self::Entities => ("xml-entities", "remove the declaration: dumps have no entities"),
            Self::TooLarge | Self::TooLong | Self::TooWide | Self::TooDeep => {
                ("xml-limit", "no dump of a machine is like that: check the file")
            }
            Self::Malformed(_) => ("xml-malformed", "copy the file again as the tool wrote it"),
        };
        Diagnostic::error(code, self.to_string()).at(span, "").help(help)
    }
}

/// Parses the XML `text`; a document type may stand in it, entities may not.
///
/// # Errors
/// For text that is not well formed, entities, and documents beyond the limits; all with a place.
pub fn parse(text: &str, source: SourceId) -> Result<Document<'_>, Diagnostic> {
    let whole = |at: usize| Span::new(source, at, text.len().min(at + 1));
    if let Some(at) = declares_entities(text) {
        return Err(XmlFault::Entities.at(Span::new(source, at, at + "<!ENTITY".len())));
    }
    if text.len() > LENGTH {
        return Err(XmlFault::TooLong.at(whole(0)));
    }
    if let Some(at) = too_wide(text) {
        return Err(XmlFault::TooWide.at(whole(at)));
    }
    let options = ParsingOptions { allow_dtd: true, nodes_limit: NODES, ..Default::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(Error::NodesLimitReached | Error::AttributesLimitReached) => {
            return Err(XmlFault::TooLarge.at(whole(0)));
        }
        Err(error) => return Err(malformed(text, source, &error)),
    };
    if let Some(deep) = too_deep(&document) {
        let start = deep.range().start;
        return Err(XmlFault::TooDeep.at(whole(start)));
    }
    Ok(document)
}

/// Where an element with too many attributes starts: the parser compares each with each.
fn too_wide(text: &str) -> Option<usize> {
    let mut start = 0;
    text.split_inclusive('<').find_map(|piece| {
        let at = start;
        start += piece.len();
        (piece.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES).then_some(at)
    })
}

/// The place of the first element at a depth beyond [`DEPTH`], without recursion.
fn too_deep<'a, 'input>(document: &'a Document<'input>) -> Option<Node<'a, 'input>> {
    let mut next = Some(document.root_element());
    let mut depth = 1_usize;
    while let Some(node) = next {
        if depth > DEPTH {
            return Some(node);
        }
        next = node.first_element_child();
        if next.is_some() {
            depth += 1;
            continue;
        }
        let mut up = node;
        loop {
            next = up.next_sibling_element();
            if next.is_some() {
                break;
            }
            match up.parent_element() {
                Some(parent) => {
                    up = parent;
                    depth -= 1;
                }
                None => break,
            }
        }
    }
    None
}

fn declares_entities(text: &str) -> Option<usize> {
    // Only before the root, where a document type stands; elsewhere the parser refuses it.
    let at = text.find("<!DOCTYPE")?;
    text[at..].find("<!ENTITY").map(|inside| at + inside)
}

fn malformed(text: &str, source: SourceId, error: &Error) -> Diagnostic {
    let at = offset(text, error.pos());
    let ends = matches!(error, Error::UnclosedRootNode | Error::UnexpectedEndOfStream)
        || text[at..].trim().is_empty();
    if ends && let Some((open, place)) = last_open(text) {
        let end = text.trim_end().len();
        let span = Span::new(source, end.saturating_sub(1).max(place), end);
        return XmlFault::Ends(open).at(span);
    }
    let words = error.to_string();
    let words = words.split(" at ").next().unwrap_or(&words).to_owned();
    XmlFault::Malformed(words).at(Span::new(source, at, at + 1))
}

fn offset(text: &str, place: TextPos) -> usize {
    let line = text.split_inclusive('\n').take(place.row.saturating_sub(1) as usize);
    let start: usize = line.map(str::len).sum();
    let rest = text.get(start..).unwrap_or("");
    let column = place.col.saturating_sub(1) as usize;
    start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
}

/// The innermost element that is never closed, and where it starts.
fn last_open(text: &str) -> Option<(String, usize)> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let tag = &text[start..];
        if tag.starts_with("<!--") {
            at = start + tag.find("-->").unwrap_or(tag.len());
            continue;
        }
        let Some(length) = tag.find('>') else {
            // Cut inside of a tag.
            let name = name_of(&tag[1..]);
            return if name.is_empty() {
                open.last().map(|(name, at)| ((*name).to_owned(), *at))
            } else {
                Some((name.to_owned(), start))
            };
        };
        let inside = &tag[1..length];
        if inside.starts_with('/') {
            open.pop();
        } else if !inside.ends_with('/') && !inside.starts_with(['!', '?']) {
            open.push((name_of(inside), start));
        }
        at = start + length;
    }
    open.last().map(|(name, at)| ((*name).to_owned(), *at))
}

fn name_of(tag: &str) -> &str {
    tag.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("")
}

/// The place of attribute `name` of `node` (name and value), else of the start of the tag.
pub fn span_of(node: Node<'_, '_>, name: &str, source: SourceId) -> Span {
    match node.attribute_node(name) {
        Some(attribute) => {
            let range = attribute.range();
            Span::new(source, range.start, range.end)
        }
        None => {
            let start = node.range().start;
            Span::new(source, start, start + 1 + node.tag_name().name().len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (String, u32) {
        let error = parse(text, SourceId(0)).expect_err("a fault");
        (error.message, error.labels[0].0.start)
    }

    #[test]
    fn the_unclosed_element_is_named() {
        let (message, at) = fault("<system>\n <cpu a='1'>\n  <pci/>\n");
        assert_eq!(message, "the XML ends before `<cpu>` is closed");
        assert_eq!(at, 29, "the end of the text");
        assert_eq!(fault("<a><b x=\"1").0, "the XML ends before `<b>` is closed");
        assert_eq!(fault("<a></b>").0, "the XML is not well formed: expected 'a' tag, not 'b'");
    }

    #[test]
    fn bombs_and_towers_are_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        assert_eq!(fault(bomb), ("the XML declares a document type of its own".to_owned(), 13));
        assert!(parse("<!DOCTYPE a SYSTEM 'a.dtd'><a/>", SourceId(0)).is_ok());
        let tower = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
        assert_eq!(fault(&tower).0, "the XML is nested deeper than 256 elements");
        let flat = format!("<a>{}</a>", "<b/>".repeat(500_001));
        assert_eq!(fault(&flat).0, "the XML has more than 500000 nodes");
        let wide: String = (0..300).map(|number| format!(" a{number}=''")).collect();
        assert_eq!(fault(&format!("<a{wide}/>")).0, "an element has more than 256 attributes");
    }
}
