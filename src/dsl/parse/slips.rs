//! The commonest slips of the hand, put right: a statement that does not read is changed where it
//! fails, and only what then reads is proposed.

use super::block::ends;
use super::fault::Fault;
use super::pcie_slips;
use super::statement::statement;
use super::value_slips;
use crate::base::SourceId;
use crate::dsl::error::{Error, Wanted};
use crate::dsl::token::{Token, TokenKind, tokens};
use crate::dsl::words::KINDS;
use std::ops::Range;

/// Longer statements are not written by hand.
const LONGEST: usize = 400;
/// At most this many slips in one statement are put right.
const EDITS: usize = 8;

/// What goes in place of a piece of the statement.
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) text: String,
}

/// A statement that fails at one of its tokens.
pub(super) struct Failed<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    pub(super) error: &'a Error,
}

impl<'a> Failed<'a> {
    /// The token `offset` away from the one that failed.
    pub(super) fn token(&self, offset: isize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at.checked_add_signed(offset)?)
    }

    /// The token that failed.
    pub(super) fn here(&self) -> &'a Token<'a> {
        &self.tokens[self.at]
    }

    /// The text from the token that failed on.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[start(self.here())..]
    }

    pub(super) fn wants(&self, text: &str) -> bool {
        let Error::Expected { wanted, .. } = self.error else { return false };
        wanted.iter().any(|one| match one {
            Wanted::Literal(word) | Wanted::Thing(word) => *word == text,
        })
    }

    /// Puts `text` in place of `length` bytes from the token that failed on.
    pub(super) fn replace(&self, length: usize, text: impl Into<String>) -> Edit {
        let from = start(self.here());
        Edit { at: from..from + length, text: text.into() }
    }

    /// Puts `text` between the token before and the one that failed, in place of the blanks there.
    fn between(&self, text: &str) -> Edit {
        let from = self.token(-1).map_or(0, end);
        Edit { at: from..start(self.here()), text: text.to_owned() }
    }
}

pub(super) fn start(token: &Token<'_>) -> usize {
    token.start as usize
}

pub(super) fn end(token: &Token<'_>) -> usize {
    start(token) + token.text.len()
}

/// `text`, a statement that does not read, as it was probably meant.
pub(super) fn corrected(text: &str) -> Option<String> {
    if text.len() > LONGEST || text.contains('\n') {
        return None;
    }
    let mut now = text.to_owned();
    for _ in 0..EDITS {
        let tokens = tokens(&now, SourceId(0));
        let fault = match statement(&tokens) {
            Ok((rest, _)) if ends(&rest[0]) => return (now != text).then(|| now.clone()),
            Ok((rest, _)) => Fault::unexpected(rest, Wanted::Thing("the end of the statement")),
            Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => fault,
            Err(nom::Err::Incomplete(_)) => return None,
        };
        let at = tokens.iter().position(|token| token.start == fault.start)?;
        let failed = Failed { text: &now, tokens: &tokens, at, error: &fault.error };
        let edit = edit(&failed)?;
        let mut next = now.clone();
        next.replace_range(edit.at, &edit.text);
        if next.starts_with('#') {
            return Some(next);
        }
        now = next;
    }
    None
}

fn edit(failed: &Failed<'_>) -> Option<Edit> {
    comment(failed)
        .or_else(|| index(failed))
        .or_else(|| pcie_slips::edit(failed))
        .or_else(|| value_slips::edit(failed))
        .or_else(|| arrow(failed))
        .or_else(|| device(failed))
        .or_else(|| superfluous_kind(failed))
        .or_else(|| forgotten_set(failed))
        .or_else(|| hyphen(failed))
        .or_else(|| mark(failed))
}

/// `// …` and `/* … */`.
fn comment(failed: &Failed<'_>) -> Option<Edit> {
    let rest = failed.rest();
    let inside = rest.strip_prefix("//").or_else(|| rest.strip_prefix("/*"))?;
    let inside = inside.trim_end().trim_end_matches("*/").trim();
    Some(failed.replace(rest.len(), format!("# {inside}")))
}

/// Arrows of other hands, and one that points backwards.
fn arrow(failed: &Failed<'_>) -> Option<Edit> {
    const BOTH: [&str; 9] = ["<-->", "<->", "<=>", "↔", "⇔", "–", "—", "−", "-"];
    const ONE: [&str; 5] = ["==>", "=>", "→", "⇒", "⟶"];
    const BACK: [&str; 3] = ["<--", "<-", "←"];
    // `-->` and `---` begin as a join does and fail at their last sign.
    if let Some(before) = failed.token(-1).filter(|token| token.is_mark("--")) {
        let arrow = match failed.rest().chars().next() {
            Some('>') => "->",
            Some('-') => "--",
            _ => return None,
        };
        let at = start(before)..start(failed.here()) + 1;
        return Some(Edit { at, text: arrow.to_owned() });
    }
    if !failed.wants("--") {
        return None;
    }
    let known =
        |signs: &[&str]| signs.iter().find(|s| failed.rest().starts_with(**s)).map(|s| s.len());
    if let Some(length) = known(&ONE) {
        return Some(failed.replace(length, "->"));
    }
    // Before the sign for both directions, whose first characters are the same.
    let both = failed.rest().starts_with("<->") || failed.rest().starts_with("<-->");
    if let Some(length) = known(&BACK).filter(|_| !both) {
        return backwards(failed, length);
    }
    known(&BOTH).map(|length| failed.replace(length, "--"))
}

/// `a <- b : value` is `b -> a : value`.
fn backwards(failed: &Failed<'_>, length: usize) -> Option<Edit> {
    let left = failed.text[..start(failed.here())].trim();
    let behind = &failed.rest()[length..];
    let (right, value) = behind.split_once(':')?;
    if left.contains(' ') {
        return None;
    }
    let text = format!("{} -> {left} :{value}", right.trim());
    Some(Edit { at: 0..failed.text.len(), text })
}

/// Ranges of other languages, and lists of elements of one array.
fn index(failed: &Failed<'_>) -> Option<Edit> {
    let before = failed.token(-1)?;
    let next = failed.token(1)?;
    let number = |token: &Token<'_>| match token.kind {
        TokenKind::Number => token.text.parse::<u64>().ok(),
        _ => None,
    };
    if failed.wants("]") && number(before).is_some() {
        let first = failed.rest().chars().next()?;
        let last = number(next)?;
        let last = match first {
            ':' => last,
            // Written so, the last element counts.
            '-' | '–' => last.checked_add(1)?,
            _ => return None,
        };
        return Some(failed.replace(end(next) - start(failed.here()), format!("..{last}")));
    }
    if before.is_mark("..") && (failed.here().is_mark(".") || failed.here().is_mark("=")) {
        let last = number(next)?.checked_add(1)?;
        return Some(failed.replace(end(next) - start(failed.here()), last.to_string()));
    }
    // `g[0], g[1] -- s` names one array twice.
    if failed.here().is_mark(",") && before.is_mark("]") && failed.token(2)?.is_mark("[") {
        let open = failed.tokens[..failed.at].iter().rposition(|token| token.is_mark("["))?;
        let name = failed.tokens.get(open.checked_sub(1)?)?;
        if name.text == next.text {
            return Some(Edit { at: start(before)..end(failed.token(2)?), text: ", ".to_owned() });
        }
    }
    None
}

/// Counts and attributes of devices without their brackets.
fn device(failed: &Failed<'_>) -> Option<Edit> {
    const KEYS: [&str; 4] = ["arch", "model", "memory", "bus"];
    let (here, before) = (failed.here(), failed.token(-1)?);
    let is_key = here.kind == TokenKind::Word && KEYS.contains(&here.text);
    if is_key && failed.wants("}") {
        return Some(failed.between(", "));
    }
    if !failed.wants("the end of the statement") {
        return None;
    }
    if is_key {
        let rest = failed.rest();
        let length = rest.find("--").or_else(|| rest.find("->")).unwrap_or(rest.len());
        let inside = rest[..length].trim_end();
        return Some(failed.replace(inside.len(), format!("{{ {inside} }}")));
    }
    if failed.rest().starts_with('(') {
        let length = failed.rest().find(')')?;
        let inside = failed.rest()[1..length].trim();
        return Some(failed.replace(length + 1, format!("[{inside}]")));
    }
    let declares = failed.at == 2 && before.kind == TokenKind::Word;
    if declares && here.kind == TokenKind::Number {
        let at = end(before)..end(here);
        return Some(Edit { at, text: format!("[{}]", here.text) });
    }
    None
}

/// `without gpu g[5]`: names stand alone.
fn superfluous_kind(failed: &Failed<'_>) -> Option<Edit> {
    let here = failed.here();
    let next = failed.token(1).filter(|next| next.kind == TokenKind::Word)?;
    let kind = matches!(failed.error, Error::Reserved { .. }) && KINDS.contains(&here.text);
    kind.then(|| failed.replace(start(next) - start(here), ""))
}

/// `g[3] : pcie gen4 x8` changes a link.
fn forgotten_set(failed: &Failed<'_>) -> Option<Edit> {
    let change = failed.wants("--") && failed.here().is_mark(":");
    change.then(|| Edit { at: 0..0, text: "set ".to_owned() })
}

/// `my-nic`, which is no name.
fn hyphen(failed: &Failed<'_>) -> Option<Edit> {
    let (before, next) = (failed.token(-1)?, failed.token(1)?);
    let inside = failed.here().text == "-"
        && before.kind == TokenKind::Word
        && end(before) == start(failed.here())
        && end(failed.here()) == start(next)
        && matches!(next.kind, TokenKind::Word | TokenKind::Number);
    inside.then(|| failed.replace(1, "_"))
}

/// A mark or a small word that is missing, or stands in place of another.
fn mark(failed: &Failed<'_>) -> Option<Edit> {
    let here = failed.here();
    if failed.wants("within") && here.is_word("in") {
        return Some(failed.replace(here.text.len(), "within"));
    }
    let either = here.is_mark("=") || here.is_mark(":");
    for wanted in [":", "="] {
        if failed.wants(wanted) {
            let blank = if wanted == ":" || !either { " " } else { "" };
            if either {
                return Some(failed.replace(1, wanted));
            }
            return Some(failed.between(&format!("{blank}{wanted} ")));
        }
    }
    let Error::Expected { wanted, .. } = failed.error else { return None };
    match wanted.as_slice() {
        [Wanted::Literal(mark @ ("]" | "%"))] => Some(failed.between(mark)),
        [Wanted::Literal("}")] => Some(failed.between(" }")),
        [Wanted::Literal(word @ ("from" | "to" | "in" | "at"))] => {
            Some(failed.between(&format!(" {word} ")))
        }
        _ => None,
    }
}
