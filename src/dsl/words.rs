//! The words of the language that no device, part, link or param may bear.

/// Words that begin a statement, apart from rules and the kinds of devices.
const STATEMENT_WORDS: &[&str] =
    &["use", "param", "link", "part", "set", "without", "ranks", "total"];

/// Words that begin a rule.
pub(super) const RULE_WORDS: &[&str] = &[
    "peer",
    "forbid",
    "via",
    "loopback",
    "cap",
    "pacing",
    "bounce",
    "limit",
    "avoid",
    "efficiency",
    "cost",
    "measured",
];

/// The kinds of devices.
pub(super) const KINDS: &[&str] = &["gpu", "nic", "switch", "socket", "fabric"];

/// Words that stand in place of a name and would be mistaken for one.
const OTHERS: &[&str] = &["topology", "nearest", "any", "pcie", "unknown"];

/// All words that begin a statement.
pub(super) fn first_words() -> impl Iterator<Item = &'static str> {
    [STATEMENT_WORDS, RULE_WORDS, KINDS].into_iter().flatten().copied()
}

/// Whether `word` may not be a name.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    first_words().any(|known| known == word) || OTHERS.contains(&word)
}

/// Whether `word` has the form of a name and is not reserved: a letter or `_`, then letters, digits
/// and `_`.
#[must_use]
pub fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !is_reserved(word)
}
