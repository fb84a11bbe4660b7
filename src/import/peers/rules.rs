//! Peer access as rules of the language, the shortest that say exactly the same.

use super::parse::{PeerMatrix, PeerStatus};
use crate::base::Mode;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::tree::{Index, Path, Place, Rule, Spanned, Statement, StatementKind, Step};
use crate::import::merge::Fault;
use std::collections::{BTreeMap, BTreeSet};

/// Ordered pairs (source, destination) of GPUs.
type Pairs = BTreeSet<(usize, usize)>;

/// The rules for what the matrices refuse. `groups` are, for `switch` and `socket`, the number of
/// the place that each GPU lies in (its own for a GPU on no switch).
///
/// # Errors
/// Matrices of another size than the machine, and matrices for one mode that differ.
pub fn rules(
    matrices: &[PeerMatrix],
    groups: &[(Place, Vec<usize>)],
    notes: &mut Diagnostics,
) -> Result<Vec<Statement>, Diagnostics> {
    let Some(first) = matrices.first() else { return Ok(Vec::new()) };
    let gpus = groups.first().map_or(0, |group| group.1.len());
    if let Some(other) = matrices.iter().find(|matrix| matrix.gpus.len() != gpus) {
        let (first, second) =
            (("the peer matrix".into(), other.gpus.len()), ("the machine".into(), gpus));
        return Err(Fault::GpuCount { first, second }.at(&[Some(other.span)]).into());
    }
    if matrices.iter().all(|matrix| matrix.mode.is_none()) {
        let message = "the peer matrix does not tell whether it is about reads or writes: taken for \
                       both";
        let note = Diagnostic::note("import-peers", message)
            .help("copy the command above the matrix too: `nvidia-smi topo -p2p r`");
        notes.push(note.at(first.span, ""));
    }
    let pull = refused(matrices, Mode::Pull, notes)?;
    let push = refused(matrices, Mode::Push, notes)?;
    let mut rules = Vec::new();
    if push == pull {
        rules.extend(all(&push, gpus, groups));
    } else {
        rules.extend(forbidden(&push, Some(Mode::Push)));
        rules.extend(forbidden(&pull, Some(Mode::Pull)));
    }
    Ok(rules
        .into_iter()
        .map(|rule| Statement::bare(StatementKind::Rule(Spanned::bare(rule))))
        .collect())
}

/// The pairs that cannot use `mode`. The row's GPU acts: it reads from the column's memory (then
/// the column's GPU is the source) or writes to it.
fn refused(
    matrices: &[PeerMatrix],
    mode: Mode,
    notes: &mut Diagnostics,
) -> Result<Pairs, Diagnostics> {
    let mut pairs = Pairs::new();
    let speaks = |matrix: &&PeerMatrix| matrix.mode.is_none_or(|asked| asked == mode);
    let mut all = matrices.iter().filter(speaks);
    let Some(matrix) = all.next() else { return Ok(pairs) };
    for other in all {
        for (a, b) in
            (0..matrix.gpus.len()).flat_map(|a| (0..matrix.gpus.len()).map(move |b| (a, b)))
        {
            if matrix.status[a][b] != other.status[a][b] {
                let fault = Fault::PeersDiffer {
                    row: matrix.gpus[a].clone(),
                    column: matrix.gpus[b].clone(),
                    first: matrix.status[a][b].word().to_owned(),
                    second: other.status[a][b].word().to_owned(),
                };
                return Err(fault.at(&[Some(matrix.spans[a][b]), Some(other.spans[a][b])]).into());
            }
        }
    }
    let mut unknown = 0;
    for (a, row) in matrix.status.iter().enumerate() {
        for (b, status) in row.iter().enumerate() {
            match status {
                PeerStatus::Refused(_) if mode == Mode::Push => _ = pairs.insert((a, b)),
                PeerStatus::Refused(_) => _ = pairs.insert((b, a)),
                PeerStatus::Unknown => unknown += 1,
                PeerStatus::Own | PeerStatus::Access => {}
            }
        }
    }
    if unknown > 0 {
        let message = format!("peer access is unknown (U) for {unknown} pairs: taken to be there");
        let note = Diagnostic::warning("import-peers", message)
            .help("try it (simpleP2P of the CUDA samples), then write `forbid` lines");
        notes.push(note.at(matrix.span, ""));
    }
    Ok(pairs)
}

/// One rule where a place says it all, else the pairs.
fn all(refused: &Pairs, gpus: usize, groups: &[(Place, Vec<usize>)]) -> Vec<Rule> {
    let every = || (0..gpus).flat_map(|a| (0..gpus).map(move |b| (a, b))).filter(|(a, b)| a != b);
    if refused.is_empty() {
        return Vec::new();
    }
    if every().all(|pair| refused.contains(&pair)) {
        return vec![Rule::Peer { nic: false, within: None }];
    }
    for (place, group) in groups {
        if every().all(|(a, b)| refused.contains(&(a, b)) == (group[a] != group[b])) {
            return vec![Rule::Peer { nic: false, within: Some(*place) }];
        }
    }
    forbidden(refused, None)
}

/// `forbid` lines: sources with the same destinations together, both directions where both hold.
fn forbidden(refused: &Pairs, mode: Option<Mode>) -> Vec<Rule> {
    let (mut both, mut single): (BTreeMap<usize, Vec<usize>>, BTreeMap<usize, Vec<usize>>) =
        Default::default();
    for &(a, b) in refused {
        if !refused.contains(&(b, a)) {
            single.entry(a).or_default().push(b);
        } else if a < b {
            both.entry(a).or_default().push(b);
        }
    }
    let mut rules = Vec::new();
    for (lists, duplex) in [(both, true), (single, false)] {
        let mut by_list: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (source, list) in lists {
            by_list.entry(list).or_default().push(source);
        }
        let mut lines: Vec<(Vec<usize>, Vec<usize>)> =
            by_list.into_iter().map(|(list, sources)| (sources, list)).collect();
        lines.sort();
        rules.extend(lines.into_iter().map(|(from, to)| Rule::Forbid {
            mode,
            from: gpus(&from),
            duplex,
            to: gpus(&to),
        }));
    }
    rules
}

/// `g[0..4]` or `g[0, 2]`
fn gpus(indices: &[usize]) -> Path {
    let items = crate::import::emit::ranges(indices).into_iter().map(Spanned::bare).collect();
    let index = Some(Spanned::bare(Index::Items(items)));
    Path { steps: vec![Step { name: Spanned::bare("g".to_owned()), index }], span: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsl::rule_text;

    fn texts(rules: &[Rule]) -> Vec<String> {
        rules.iter().map(rule_text).collect()
    }

    fn refuse(list: &[(usize, usize)]) -> Pairs {
        list.iter().copied().collect()
    }

    #[test]
    fn places_before_pairs() {
        let groups = [(Place::Switch, vec![0, 0, 1, 1]), (Place::Socket, vec![0, 0, 0, 0])];
        let apart = refuse(&[(0, 2), (2, 0), (0, 3), (3, 0), (1, 2), (2, 1), (1, 3), (3, 1)]);
        assert_eq!(texts(&all(&apart, 4, &groups)), ["peer within switch"]);
        let everyone = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b);
        assert_eq!(texts(&all(&everyone.collect(), 4, &groups)), ["peer none"]);
        assert_eq!(texts(&all(&Pairs::new(), 4, &groups)), [""; 0]);
    }

    #[test]
    fn pairs_together() {
        let some = refuse(&[(0, 2), (2, 0), (1, 2), (2, 1), (3, 0)]);
        let lines = texts(&forbidden(&some, Some(Mode::Push)));
        assert_eq!(lines, ["forbid push g[0..2] -- g[2]", "forbid push g[3] -> g[0]"]);
    }
}
