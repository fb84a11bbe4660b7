//! Lines and words of a dump with their places: colours and comment marks are invisible here.

use crate::base::{SourceId, Span};

/// A word of a line and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The visible characters.
    pub text: String,
    /// Offset of its first byte in the text.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
    /// Position among the visible characters of the line, for columns aligned by spaces.
    pub column: usize,
    /// Position behind its last visible character.
    pub column_end: usize,
}

impl Word {
    /// Its place.
    pub fn span(&self, source: SourceId) -> Span {
        Span::new(source, self.start, self.end)
    }
}

/// A line without colour escapes, a leading `#`, and its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The visible characters with their offsets in the text.
    pub visible: Vec<(usize, char)>,
    /// The words between blanks.
    pub words: Vec<Word>,
    /// Offset of the line's first byte.
    pub start: usize,
    /// Offset behind its last byte, the line end left out.
    pub end: usize,
}

impl Line {
    /// The place of what stands on it, from the first word to the last.
    pub fn span(&self, source: SourceId) -> Span {
        match (self.words.first(), self.words.last()) {
            (Some(first), Some(last)) => Span::new(source, first.start, last.end),
            _ => Span::new(source, self.start, self.end),
        }
    }

    /// The text of word `index`, empty where there is none.
    pub fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| &word.text)
    }
}

/// The most lines and words of a dump that is no XML; `lspci -vv` of the largest machines has some
/// ten thousand lines.
pub const MAX_LINES: usize = 200_000;
pub const MAX_WORDS: usize = 1_000_000;

/// Whether `text` is longer than any dump.
pub fn is_too_long(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'\n').count() > MAX_LINES
        || text.split_whitespace().count() > MAX_WORDS
}

/// All lines of `text`; none of an XML document, which is not read by lines.
pub fn lines(text: &str) -> Vec<Line> {
    let is_xml = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<');
    let text = if is_xml { "" } else { text };
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|raw| {
            let line = line(raw.trim_end_matches(['\n', '\r']), start);
            start += raw.len();
            line
        })
        .collect()
}

fn line(raw: &str, start: usize) -> Line {
    let mut visible = Vec::new();
    let mut chars = raw.char_indices().peekable();
    while let Some((at, character)) = chars.next() {
        if character == '\u{feff}' {
            // The mark of UTF-8 that some editors write.
            continue;
        }
        if character != '\u{1b}' {
            visible.push((start + at, character));
            continue;
        }
        // A control sequence ends with its first letter; a lone escape is just dropped.
        if chars.next_if(|next| next.1 == '[').is_some() {
            for (_, next) in chars.by_ref() {
                if next.is_ascii_alphabetic() {
                    break;
                }
            }
        }
    }
    let first = visible.iter().position(|(_, c)| !c.is_whitespace());
    if let Some(first) = first.filter(|&first| visible[first].1 == '#') {
        visible.drain(..=first);
    }
    let words = words(&visible, 0);
    Line { visible, words, start, end: start + raw.len() }
}

/// The words of `visible`, whose first character stands at `column` of its line.
pub fn words(visible: &[(usize, char)], column: usize) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open = false;
    for (index, (at, character)) in visible.iter().enumerate() {
        if character.is_whitespace() {
            open = false;
            continue;
        }
        if !open {
            found.push(Word {
                text: String::new(),
                start: *at,
                end: *at,
                column: column + index,
                column_end: column + index,
            });
            open = true;
        }
        if let Some(word) = found.last_mut() {
            word.text.push(*character);
            word.end = at + character.len_utf8();
            word.column_end = column + index + 1;
        }
    }
    found
}

/// The number of a GPU's name: 3 for `GPU3`.
pub fn gpu_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix("GPU")?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Whether a header may name a network card so: letters, digits, `_`, `-`, `.`, and a digit among
/// them (`NIC0`, `mlx5_0`, `rocep49s0`).
pub fn is_nic_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && gpu_number(word).is_none()
        && super::PairLabel::from_word(word).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_comment_marks_are_invisible() {
        let text = "# \t\u{1b}[4mGPU0\tGPU1\u{1b}[0m\r\nx";
        let lines = lines(text);
        let words: Vec<_> = lines[0].words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(words, ["GPU0", "GPU1"]);
        assert_eq!(&text[lines[0].words[1].start..lines[0].words[1].end], "GPU1");
        assert_eq!(lines[1].words[0].start, text.len() - 1);
    }

    #[test]
    fn names() {
        assert_eq!(gpu_number("GPU12"), Some(12));
        assert_eq!(gpu_number("GPU"), None);
        assert!(is_nic_name("mlx5_bond_0") && is_nic_name("NIC12") && is_nic_name("rocep49s0"));
        assert!(!is_nic_name("and") && !is_nic_name("NV4") && !is_nic_name("0-31"));
    }
}
