//! Text to tokens.

use crate::base::{SourceId, Span};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, recognize};
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or word.
    Word,
    /// `3` or `26.3`.
    Number,
    /// `"…"`, quotes included.
    Text,
    /// A string whose closing quote is missing.
    Unclosed,
    /// One of the marks of the language.
    Mark,
    /// The end of a line.
    Newline,
    /// `# …` up to the end of the line.
    Comment,
    /// Anything that the language has no use for.
    Noise,
    /// Behind the last character.
    End,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub start: u32,
    pub source: SourceId,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Span {
        let start = self.start as usize;
        Span::new(self.source, start, start + self.text.len())
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// A newline or `;`.
    pub(super) fn is_separator(&self) -> bool {
        self.kind == TokenKind::Newline || self.is_mark(";")
    }
}

/// The tokens of a text, `End` last. Never fails: what is no token becomes `Noise`, which the
/// grammar refuses where it stands.
pub(super) fn tokens(text: &str, source: SourceId) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\u{feff}']);
        let start = u32::try_from(text.len() - rest.len()).unwrap_or(u32::MAX);
        let Ok((behind, (kind, piece))) = token(rest) else {
            out.push(Token { kind: TokenKind::End, text: "", start, source });
            return out;
        };
        out.push(Token { kind, text: piece, start, source });
        rest = behind;
    }
}

fn token(input: &str) -> IResult<&str, (TokenKind, &str)> {
    alt((
        tag("\n").map(|piece| (TokenKind::Newline, piece)),
        word.map(|piece| (TokenKind::Word, piece)),
        number.map(|piece| (TokenKind::Number, piece)),
        recognize(pair(char('#'), take_while(|c| c != '\n')))
            .map(|piece: &str| (TokenKind::Comment, piece)),
        string,
        mark.map(|piece| (TokenKind::Mark, piece)),
        take_while1(is_noise).map(|piece| (TokenKind::Noise, piece)),
        // A lone character that only begins a mark, such as `-`.
        recognize(nom::character::complete::anychar).map(|piece| (TokenKind::Noise, piece)),
    ))
    .parse(input)
}

fn word(input: &str) -> IResult<&str, &str> {
    recognize(pair(
        take_while1(|c: char| c.is_ascii_alphabetic() || c == '_'),
        take_while(|c: char| c.is_ascii_alphanumeric() || c == '_'),
    ))
    .parse(input)
}

fn number(input: &str) -> IResult<&str, &str> {
    let digits = || take_while1(|c: char| c.is_ascii_digit());
    // `0..4` is a range: a point counts only with a digit behind it.
    recognize(pair(digits(), opt(preceded(char('.'), digits())))).parse(input)
}

fn mark(input: &str) -> IResult<&str, &str> {
    alt((
        alt((tag("--"), tag("->"), tag(".."))),
        alt((tag("."), tag("{"), tag("}"), tag("["), tag("]"), tag(","), tag(":"), tag(";"))),
        alt((tag("="), tag("/"), tag("*"), tag("%"))),
    ))
    .parse(input)
}

fn string(input: &str) -> IResult<&str, (TokenKind, &str)> {
    let (_, _) = char('"')(input)?;
    let mut escaped = false;
    for (at, c) in input.char_indices().skip(1) {
        match c {
            '\n' => return Ok((&input[at..], (TokenKind::Unclosed, &input[..at]))),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Ok((&input[at + 1..], (TokenKind::Text, &input[..=at]))),
            _ => {}
        }
    }
    Ok(("", (TokenKind::Unclosed, input)))
}

fn is_noise(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || " \t\r\n_#\"-.{}[],:;=/*%".contains(c))
}

/// The text that a `Text` token stands for; `None` when an escape is
/// unknown or a control character stands in it.
pub(super) fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        // Control characters would reach terminals through every output that shows the text.
        if c.is_control() && c != '\t' {
            return None;
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            '"' => out.push('"'),
            '\\' => out.push('\\'),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            _ => return None,
        }
    }
    Some(out)
}

/// `text` as the language writes it.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces() {
        let all = tokens("g[0..2]--s:26.3GB/s#x\n\"a\\\"b\" -", SourceId(0));
        let texts: Vec<&str> = all.iter().map(|t| t.text).collect();
        assert_eq!(
            texts,
            [
                "g",
                "[",
                "0",
                "..",
                "2",
                "]",
                "--",
                "s",
                ":",
                "26.3",
                "GB",
                "/",
                "s",
                "#x",
                "\n",
                "\"a\\\"b\"",
                "-",
                ""
            ]
        );
        assert_eq!(unquote("\"a\\\"b\""), Some("a\"b".into()));
    }
}
