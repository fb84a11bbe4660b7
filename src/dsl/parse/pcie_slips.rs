//! `PCIe 4.0 x16`, `Gen4 X16`, `pcie4 16` and their kin: `pcie gen4 x16`.

use super::slips::{Edit, Failed, end, start};
use crate::dsl::token::{Token, TokenKind};

/// The rate of a PCIe link around the token that failed, written as the language has it.
pub(super) fn edit(failed: &Failed<'_>) -> Option<Edit> {
    (0..=3).rev().find_map(|back| {
        let first = failed.at.checked_sub(back)?;
        let (generation, width, used) = rate(&failed.tokens[first..])?;
        let tokens = &failed.tokens[first..first + used];
        let at = start(&tokens[0])..end(tokens.last()?);
        let text = format!("pcie gen{generation} x{width}");
        (failed.text[at.clone()] != text).then_some(Edit { at, text })
    })
}

/// Generation, width and the number of tokens that say so.
fn rate(tokens: &[Token<'_>]) -> Option<(u32, u32, usize)> {
    let mut used = 0;
    let word = |at: usize| tokens.get(at).map(|token| token.text.to_ascii_lowercase());
    let first = word(0)?;
    let mut generation = after(&first, "pcie").or_else(|| after(&first, "gen"));
    let mut named = generation.is_some();
    if first == "pcie" || named {
        used = 1;
        named = true;
    }
    if !named {
        return None;
    }
    if generation.is_none() {
        let token = tokens.get(used)?;
        if let Some((generation, width)) = joined(&word(used)?) {
            return Some((generation, width, used + 1));
        }
        generation = match token.kind {
            TokenKind::Number => token.text.trim_end_matches(".0").parse().ok(),
            _ => after(&word(used)?, "gen"),
        };
        used += 1;
        // `gen 4`
        if generation.is_none() && word(used - 1)? == "gen" {
            generation = tokens.get(used)?.text.parse().ok();
            used += 1;
        }
    }
    let generation = generation?;
    if tokens.get(used).is_some_and(|token| token.is_mark(",")) {
        used += 1;
    }
    let width = match tokens.get(used)?.kind {
        TokenKind::Number => tokens[used].text.parse().ok(),
        _ => after(&word(used)?, "x"),
    };
    let width = width.filter(|&width| is_pcie(generation, width))?;
    Some((generation, width, used + 1))
}

/// `gen4x16`
fn joined(word: &str) -> Option<(u32, u32)> {
    let (generation, width) = word.strip_prefix("gen")?.split_once('x')?;
    let (generation, width) = (generation.parse().ok()?, width.parse().ok()?);
    is_pcie(generation, width).then_some((generation, width))
}

fn is_pcie(generation: u32, width: u32) -> bool {
    (1..=7).contains(&generation) && [1, 2, 4, 8, 12, 16, 32].contains(&width)
}

/// The number behind a prefix: 4 for `gen4`.
fn after(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix)?.parse().ok()
}
