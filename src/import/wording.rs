//! Phrases that several parts of an import write.

use crate::diagnostics::one_line;

/// `1 GPU`, `4 GPUs`.
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The first few names, and how many more there are.
pub fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    one_line(&text)
}
