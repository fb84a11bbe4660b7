//! The words of the language that no device, part, link or param may bear.

/// Words that begin a statement, apart from the kinds of devices.
pub(super) const FIRST_WORDS: &[&str] = &[
    "use",
    "param",
    "link",
    "part",
    "set",
    "without",
    "ranks",
    "total",
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

/// Whether `word` may not be a name.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    FIRST_WORDS.contains(&word) || KINDS.contains(&word) || OTHERS.contains(&word)
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
