//! What nom carries when a statement does not fit, and the smallest parsers over tokens.

use crate::base::Span;
use crate::dsl::error::{Error, MAX_NAME, MAX_STRING, Wanted};
use crate::dsl::suggest::nearest;
use crate::dsl::token::{Token, TokenKind, unquote};
use crate::dsl::tree::Spanned;
use crate::dsl::words::is_reserved;
use nom::IResult;
use nom::error::{ErrorKind, ParseError};

/// Tokens still to read. The last one is `End`, which no parser consumes.
pub(super) type Input<'a> = &'a [Token<'a>];
pub(super) type Parsed<'a, T> = IResult<Input<'a>, T, Fault>;

/// Where and why a parser gave up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset of the token that did not fit.
    pub(super) start: u32,
    pub(super) error: Error,
}

impl Fault {
    /// Something else was wanted in place of the next token.
    pub(super) fn unexpected(input: Input<'_>, wanted: Wanted) -> Self {
        expectation(input, vec![wanted], None)
    }
}

impl<'a> ParseError<Input<'a>> for Fault {
    fn from_error_kind(input: Input<'a>, _: ErrorKind) -> Self {
        expectation(input, Vec::new(), None)
    }

    fn append(_: Input<'a>, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two attempts the one that came further; what both expected where they came equally far.
    fn or(self, other: Self) -> Self {
        if self.start != other.start {
            return if self.start > other.start { self } else { other };
        }
        match (self.error, other.error) {
            (
                Error::Expected { at, found, mut wanted, meant },
                Error::Expected { wanted: more, meant: other_meant, .. },
            ) => {
                for one in more {
                    if !wanted.contains(&one) {
                        wanted.push(one);
                    }
                }
                let error = Error::Expected { at, found, wanted, meant: meant.or(other_meant) };
                Self { start: self.start, error }
            }
            (Error::Expected { .. }, special) => Self { start: self.start, error: special },
            (special, _) => Self { start: self.start, error: special },
        }
    }
}

/// The place of a token in messages: what ends a line is pointed at where the line ends, not where
/// the next one begins.
pub(super) fn pointed(token: &Token<'_>) -> Span {
    match token.kind {
        TokenKind::Newline | TokenKind::Comment | TokenKind::End => {
            let start = token.start as usize;
            Span::new(token.source, start, start)
        }
        _ => token.span(),
    }
}

fn expectation(input: Input<'_>, wanted: Vec<Wanted>, meant: Option<&'static str>) -> Fault {
    let token = input[0];
    let at = pointed(&token);
    let error = match token.kind {
        TokenKind::Unclosed => Error::UnclosedString { at },
        _ => Error::Expected { at, found: describe(&token), wanted, meant },
    };
    Fault { start: token.start, error }
}

/// A token in words, shortened to what fits a line.
fn describe(token: &Token<'_>) -> String {
    const SHOWN: usize = 24;
    match token.kind {
        TokenKind::Newline | TokenKind::Comment => "end of line".to_owned(),
        TokenKind::End => "end of file".to_owned(),
        TokenKind::Text | TokenKind::Unclosed => "string".to_owned(),
        _ if token.text.chars().count() > SHOWN => {
            let start: String = token.text.chars().take(SHOWN).collect();
            format!("`{}…`", shown(&start))
        }
        _ => format!("`{}`", shown(token.text)),
    }
}

/// Quotes and backslashes as they stand, what would spoil a line escaped.
fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\'' | '"' | '\\' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    out
}

/// Fails at the next token, which a parser beside this one may still take.
pub(super) fn expected<T>(input: Input<'_>, wanted: Wanted) -> Parsed<'_, T> {
    Err(nom::Err::Error(expectation(input, vec![wanted], None)))
}

/// Fails at the next token for good.
pub(super) fn fail<T>(input: Input<'_>, error: Error) -> Parsed<'_, T> {
    Err(nom::Err::Failure(Fault { start: input[0].start, error }))
}

pub(super) fn mark<'a>(text: &'static str) -> impl Fn(Input<'a>) -> Parsed<'a, Token<'a>> {
    move |input| {
        if input[0].is_mark(text) {
            return Ok((&input[1..], input[0]));
        }
        expected(input, Wanted::Literal(text))
    }
}

pub(super) fn word<'a>(text: &'static str) -> impl Fn(Input<'a>) -> Parsed<'a, Token<'a>> {
    move |input| {
        if input[0].is_word(text) {
            return Ok((&input[1..], input[0]));
        }
        expected(input, Wanted::Literal(text))
    }
}

/// One of several words, each with what it stands for; proposes the nearest one.
pub(super) fn one_of<'a, T: Copy>(
    words: &'static [(&'static str, T)],
) -> impl Fn(Input<'a>) -> Parsed<'a, T> {
    move |input| {
        let token = input[0];
        if token.kind == TokenKind::Word
            && let Some((_, value)) = words.iter().find(|(word, _)| *word == token.text)
        {
            return Ok((&input[1..], *value));
        }
        let wanted = words.iter().map(|(word, _)| Wanted::Literal(word)).collect();
        let near = nearest(token.text, words.iter().map(|(word, _)| *word));
        Err(nom::Err::Error(expectation(input, wanted, near)))
    }
}

/// A word that is not reserved.
pub(super) fn name(input: Input<'_>) -> Parsed<'_, Spanned<String>> {
    let token = input[0];
    if token.kind != TokenKind::Word {
        return expected(input, Wanted::Thing("a name"));
    }
    if is_reserved(token.text) {
        let error = Error::Reserved { at: token.span(), word: token.text.to_owned() };
        return Err(nom::Err::Error(Fault { start: token.start, error }));
    }
    if token.text.len() > MAX_NAME {
        return fail(input, too_long(&token, "name", MAX_NAME));
    }
    Ok((&input[1..], spanned(token, token.text.to_owned())))
}

/// Points at the start only: the whole would not fit on any screen.
fn too_long(token: &Token<'_>, what: &'static str, limit: usize) -> Error {
    let start = token.start as usize;
    Error::TooLong { at: Span::new(token.source, start, start + 1), what, limit }
}

/// A string, without its quotes.
pub(super) fn string(input: Input<'_>) -> Parsed<'_, Spanned<String>> {
    let token = input[0];
    if token.kind != TokenKind::Text {
        return expected(input, Wanted::Thing("a string"));
    }
    if token.text.len() > MAX_STRING && token.text.chars().count() > MAX_STRING + 2 {
        return fail(input, too_long(&token, "string", MAX_STRING));
    }
    match unquote(token.text) {
        Some(text) => Ok((&input[1..], spanned(token, text))),
        None => fail(input, Error::BadEscape { at: token.span() }),
    }
}

/// A whole number of at most 18 digits.
pub(super) fn integer(input: Input<'_>) -> Parsed<'_, Spanned<u64>> {
    let token = input[0];
    if token.kind != TokenKind::Number {
        return expected(input, Wanted::Thing("an integer"));
    }
    if token.text.contains('.') {
        return fail(input, Error::Fraction { at: token.span() });
    }
    match token.text.parse() {
        Ok(value) if token.text.len() <= 18 => Ok((&input[1..], spanned(token, value))),
        _ => fail(input, Error::LongNumber { at: token.span() }),
    }
}

pub(super) fn spanned<T>(token: Token<'_>, value: T) -> Spanned<T> {
    Spanned { value, span: Some(token.span()) }
}
