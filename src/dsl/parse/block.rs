//! Blocks of statements with their comments, and recovery behind errors.

use super::fault::{Fault, Input, expected, mark, name, string, word};
use super::slips;
use super::statement::statement;
use crate::base::{SourceId, Span};
use crate::diagnostics::{Diagnostics, Sources};
use crate::dsl::error::{Error, MAX_DEPTH, MAX_ERRORS, MAX_FILE_BYTES, Wanted};
use crate::dsl::suggest::nearest;
use crate::dsl::token::{Token, TokenKind, quote, tokens};
use crate::dsl::tree::{Block, File, Spanned, Statement, StatementKind};
use crate::dsl::words::{first_words, is_reserved};
use nom::Parser;
use std::collections::BTreeSet;

/// Reads the text `id`.
///
/// # Errors
/// Every statement that does not fit the grammar, up to a hundred; a text that is empty or too long.
pub fn parse(sources: &Sources, id: SourceId) -> Result<File, Diagnostics> {
    let Some(source) = sources.get(id) else {
        let error = Error::Empty { at: Span::new(id, 0, 0) };
        return Err(error.diagnostic().into());
    };
    if source.text.len() > MAX_FILE_BYTES {
        let error = Error::TooLarge { file: source.name.clone(), bytes: source.text.len() };
        return Err(error.diagnostic().into());
    }
    let tokens = tokens(&source.text, id);
    let parts = tokens.windows(2).filter(|pair| pair[0].is_word("part") || pair[0].is_word("as"));
    let mut reader = Reader {
        text: &source.text,
        rest: &tokens,
        errors: Diagnostics::new(),
        found: 0,
        parts: parts.map(|pair| pair[1].text).collect(),
    };
    let file = reader.file();
    match file {
        Some(file) if reader.errors.is_empty() => Ok(file),
        _ => Err(reader.errors),
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: Input<'a>,
    errors: Diagnostics,
    found: usize,
    /// Names of parts, so that a first word that is one is not taken for a misspelt word.
    parts: BTreeSet<&'a str>,
}

/// Comments and blank lines between two statements.
#[derive(Default)]
struct Gap {
    comments: Vec<String>,
    blank: bool,
}

impl<'a> Reader<'a> {
    fn next(&self) -> Token<'a> {
        self.rest[0]
    }

    /// Steps over the next token, unless it is the last.
    fn step(&mut self) {
        if self.rest.len() > 1 {
            self.rest = &self.rest[1..];
        }
    }

    fn report(&mut self, error: Error) {
        self.found += 1;
        if self.found <= MAX_ERRORS {
            self.errors.push(error.diagnostic());
        }
        if self.found == MAX_ERRORS {
            self.errors.push(Error::Stopped { at: self.next().span() }.diagnostic());
        }
    }

    fn stopped(&self) -> bool {
        self.found >= MAX_ERRORS
    }

    /// The header that is missing before a statement, or stands there without its quotes.
    fn header_meant(&self, start: Input<'a>, statement: bool) -> Option<String> {
        if statement {
            return Some("topology \"name\"".to_owned());
        }
        let (first, second) = (start[0], start.get(1)?);
        if !first.is_word("topology")
            || matches!(second.kind, TokenKind::Text | TokenKind::Unclosed)
        {
            return None;
        }
        let line = self.text[first.start as usize + first.text.len()..].lines().next()?;
        let name = line.split(['#', ';']).next()?.trim().trim_matches(['=', ':', '\'', ' ']);
        let name = if name.is_empty() { "name" } else { name };
        (name.chars().count() < 80).then(|| format!("topology {}", quote(name)))
    }

    fn file(&mut self) -> Option<File> {
        let gap = self.gap();
        if self.next().kind == TokenKind::End {
            self.report(Error::Empty { at: Span::new(self.next().source, 0, 0) });
            return None;
        }
        let header = (word("topology"), string).parse(self.rest);
        let name = match header {
            Ok((rest, (_, name))) => {
                self.rest = rest;
                self.separator();
                name
            }
            Err(error) => {
                let start = self.rest;
                // A statement in place of the header is read as one, for the errors in it.
                let statement = !start[0].is_word("topology")
                    && (is_reserved(start[0].text) || self.parts.contains(start[0].text));
                let error = Box::new(unwrap(error).error);
                let written = self.header_meant(start, statement);
                self.report(match written {
                    Some(written) => Error::Slip { error, written },
                    None => *error,
                });
                if !statement {
                    self.skip(start);
                }
                Spanned::bare(String::new())
            }
        };
        let trailing = self.trailing();
        let body = self.block(0);
        if self.next().is_mark("}") && !self.stopped() {
            let fault = expected::<()>(self.rest, Wanted::Thing("a statement"));
            if let Err(error) = fault {
                self.report(unwrap(error).error);
            }
        }
        Some(File { leading: gap.comments, trailing, name, body })
    }

    /// Statements up to the end of the file or, inside of a part, its closing brace. At the top a
    /// stray brace is reported and skipped.
    fn block(&mut self, depth: usize) -> Block {
        let mut block = Block::default();
        loop {
            let gap = self.gap();
            let next = self.next();
            let closed = next.is_mark("}");
            if next.kind == TokenKind::End || self.stopped() || (closed && depth > 0) {
                block.dangling = gap.comments;
                return block;
            }
            if closed {
                if let Err(error) = expected::<()>(self.rest, Wanted::Thing("a statement")) {
                    self.report(unwrap(error).error);
                }
                self.step();
                continue;
            }
            let start = self.rest;
            let kind = if next.is_word("part") { self.part(depth) } else { self.plain() };
            let Some(kind) = kind else {
                continue;
            };
            let end = start[start.len() - self.rest.len() - 1].span();
            self.separator();
            let trailing = self.trailing();
            block.statements.push(Statement {
                blank_before: gap.blank,
                leading: gap.comments,
                kind,
                trailing,
                span: Some(next.span().to(end)),
            });
        }
    }

    /// Any statement but a part; `None` when it was reported and skipped.
    fn plain(&mut self) -> Option<StatementKind> {
        let start = self.rest;
        let mut fault = match statement(start) {
            Ok((rest, kind)) if ends(&rest[0]) => {
                self.rest = rest;
                return Some(kind);
            }
            Ok((rest, _)) => Fault::unexpected(rest, Wanted::Thing("the end of the statement")),
            Err(error) => unwrap(error),
        };
        self.propose_first_word(start[0], &mut fault);
        self.skip(start);
        let statement = &self.text[start[0].start as usize..self.next().start as usize];
        match slips::corrected(statement.trim_end()) {
            Some(written) => self.report(Error::Slip { error: Box::new(fault.error), written }),
            None => self.report(fault.error),
        }
        None
    }

    /// Where a statement fails that begins with no word of the language, the word may be misspelt.
    fn propose_first_word(&self, first: Token<'_>, fault: &mut Fault) {
        let Error::Expected { meant, .. } = &mut fault.error else { return };
        let known = is_reserved(first.text) || self.parts.contains(first.text);
        if meant.is_none() && first.kind == TokenKind::Word && !known {
            *meant = nearest(first.text, first_words());
        }
    }

    fn part(&mut self, depth: usize) -> Option<StatementKind> {
        let start = self.rest;
        let head = (word("part"), name, mark("{")).parse(start);
        let (rest, (_, name, brace)) = match head {
            Ok(head) => head,
            Err(error) => {
                let error = unwrap(error).error;
                let brace_missing = start.len() > 2 && ends(&start[2]);
                self.report(match name(&start[1..]) {
                    Ok((_, name)) if brace_missing => {
                        let written = format!("part {} {{", name.value);
                        Error::Slip { error: Box::new(error), written }
                    }
                    _ => error,
                });
                self.skip(start);
                return None;
            }
        };
        if depth + 1 > MAX_DEPTH {
            self.report(Error::TooDeep { at: brace.span() });
            self.skip(start);
            return None;
        }
        self.rest = rest;
        let body = self.block(depth + 1);
        if self.next().is_mark("}") {
            self.step();
        } else if !self.stopped() {
            self.report(Error::UnclosedPart { at: brace.span(), name: name.value.clone() });
        }
        if !ends(&self.next()) {
            let wanted = Wanted::Thing("the end of the statement");
            if let Err(error) = expected::<()>(self.rest, wanted) {
                self.report(unwrap(error).error);
            }
            self.skip(self.rest);
            return None;
        }
        Some(StatementKind::Part { name, body })
    }

    /// Comments, newlines and `;` before a statement. An empty line counts where it stands before
    /// the first comment.
    fn gap(&mut self) -> Gap {
        let mut gap = Gap::default();
        let mut newlines = 0;
        loop {
            let next = self.next();
            match next.kind {
                TokenKind::Newline => newlines += 1,
                TokenKind::Comment => {
                    gap.blank |= newlines > 1 && gap.comments.is_empty();
                    gap.comments.push(comment(&next));
                    newlines = 0;
                }
                _ if next.is_mark(";") => {}
                _ => {
                    gap.blank |= newlines > 1 && gap.comments.is_empty();
                    return gap;
                }
            }
            self.step();
        }
    }

    /// A `;` behind a statement, so that a comment behind it still belongs to the statement.
    fn separator(&mut self) {
        while self.next().is_mark(";") {
            self.step();
        }
    }

    /// The comment on the same line. The newline behind it is left, and counts as the first of an
    /// empty line.
    fn trailing(&mut self) -> Option<String> {
        let next = self.next();
        (next.kind == TokenKind::Comment).then(|| {
            self.step();
            comment(&next)
        })
    }

    /// Goes on behind the statement that began at `start`: at the next newline, `;` or closing brace
    /// of the same depth. A brace that ends its line opens a block, which is skipped as a whole;
    /// any other ends with its line at the latest.
    fn skip(&mut self, start: Input<'a>) {
        let (mut blocks, mut inline) = (0_usize, 0_usize);
        let mut rest = start;
        while rest.len() > 1 {
            let token = rest[0];
            let behind = rest[1].kind;
            if token.is_mark("{") {
                if matches!(behind, TokenKind::Newline | TokenKind::Comment) {
                    blocks += 1;
                } else {
                    inline += 1;
                }
            } else if token.is_mark("}") {
                if inline > 0 {
                    inline -= 1;
                } else if blocks > 0 {
                    blocks -= 1;
                } else {
                    break;
                }
            } else if token.kind == TokenKind::Newline {
                inline = 0;
                if blocks == 0 {
                    break;
                }
            } else if token.is_mark(";") && blocks == 0 && inline == 0 {
                break;
            }
            rest = &rest[1..];
        }
        self.rest = rest;
    }
}

fn unwrap(error: nom::Err<Fault>) -> Fault {
    match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault,
        // Token parsers are complete; this keeps the match total without a panic.
        nom::Err::Incomplete(_) => {
            Fault { start: 0, error: Error::Empty { at: Span::new(SourceId(0), 0, 0) } }
        }
    }
}

pub(super) fn ends(token: &Token<'_>) -> bool {
    token.is_separator()
        || token.is_mark("}")
        || matches!(token.kind, TokenKind::Comment | TokenKind::End)
}

fn comment(token: &Token<'_>) -> String {
    token.text.strip_prefix('#').unwrap_or(token.text).trim().to_owned()
}
