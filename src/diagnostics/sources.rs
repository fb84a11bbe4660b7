//! The texts that diagnostics point into.

use crate::base::{SourceId, Span};

/// One text and the name it is shown under.
#[derive(Debug, Clone)]
pub struct Source {
    /// A path as the user gave it, `<stdin>`, or `preset l20-8`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// Every text that a command read.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.0.push(Source { name: name.into(), text: text.into() });
        SourceId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// The text of `id`.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.0.get(id.0 as usize)
    }

    /// The text under `span`, clamped to what is there.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source)
            .and_then(|source| source.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// Line and column of the start of `span`, both from 1; columns count characters.
    #[must_use]
    pub fn line_column(&self, span: Span) -> Option<(usize, usize)> {
        let text = &self.get(span.source)?.text;
        let mut at = (span.start as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Some((line, column))
    }
}
