//! "Did you mean": the known word that is nearest to a misspelt one.

/// The candidate nearest to `word`, if it is near enough to be meant: at most one edit for three
/// letters, two for six, three beyond. Swapped neighbours count as one edit. The first of equals
/// wins.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names longer than this are not typed by hand; the table below would only cost time.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let limit = word.chars().count().div_ceil(3).min(3);
    let mut best: Option<((usize, usize), &str)> = None;
    for candidate in candidates {
        if candidate == word || candidate.len() > LONGEST {
            continue;
        }
        let distance = edits(word, candidate);
        // A word of the same length is likelier than one with a letter more or less.
        let rank = (distance, word.len().abs_diff(candidate.len()));
        if distance <= limit && best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, removals, replacements and swaps of neighbours between two words.
fn edits(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_and_far() {
        let kinds = ["gpu", "nic", "switch", "socket", "fabric"];
        assert_eq!(nearest("gpus", kinds), Some("gpu"));
        assert_eq!(nearest("swithc", kinds), Some("switch"));
        assert_eq!(nearest("x61", ["x16", "upi"]), Some("x16"));
        assert_eq!(nearest("bridge", kinds), None);
        assert_eq!(nearest("", kinds), None);
    }
}
