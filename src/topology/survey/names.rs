//! Many names in few words: `h[0..32].n[0..4] -- leaf` for 128 links.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pattern in the language's own writing and the number of names that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) names: usize,
}

/// The patterns of paths or links, each name in one of them, in the order of their first names.
/// Links within equal parts of a machine become one: `g[0..2] -- sw[0] in h[0..32]`.
pub(super) fn patterns<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Pattern> {
    // What the names say within a part, and the parts in which they say it.
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for name in names {
        let (part, rest) = split_part(name);
        let at = *known.entry(part).or_insert(parts.len());
        if at == parts.len() {
            parts.push((part, Vec::new()));
        }
        parts[at].1.push(rest);
    }
    let mut alike: Vec<(Vec<Pattern>, Vec<&str>)> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (part, rest) in &parts {
        let inside = plain(rest);
        let key: Vec<&str> = inside.iter().map(|pattern| pattern.text.as_str()).collect();
        let at = *seen.entry(key.join(", ")).or_insert(alike.len());
        if at == alike.len() {
            alike.push((inside, Vec::new()));
        }
        alike[at].1.push(part);
    }
    let mut all = Vec::new();
    for (inside, parts) in alike {
        if parts == [""] {
            all.extend(inside);
            continue;
        }
        let owned: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        let places: Vec<String> = plain(&owned).into_iter().map(|place| place.text).collect();
        all.extend(inside.into_iter().map(|pattern| {
            let names = pattern.names * parts.len();
            // A single link keeps the name that statements know it by.
            let text = if names == 1 {
                in_full(&places[0], &pattern.text)
            } else {
                format!("{} in {}", pattern.text, places.join(", "))
            };
            Pattern { text, names }
        }));
    }
    all
}

/// Both ends of a link in one part of the machine: that part, and the link within it.
fn split_part(name: &str) -> (&str, String) {
    let whole = ("", name.to_owned());
    let Some(arrow) = [" -- ", " -> "].into_iter().find(|arrow| name.contains(arrow)) else {
        return whole;
    };
    let Some((from, to)) = name.split_once(arrow) else { return whole };
    let same =
        from.match_indices('.').map(|(at, _)| at).rfind(|&at| to.get(..=at) == from.get(..=at));
    match same {
        Some(at) => (&from[..at], format!("{}{arrow}{}", &from[at + 1..], &to[at + 1..])),
        None => whole,
    }
}

fn in_full(part: &str, link: &str) -> String {
    let words = link.split(' ').enumerate();
    let word = |(at, word): (usize, &str)| {
        if at == 1 { word.to_owned() } else { format!("{part}.{word}") }
    };
    words.map(word).collect::<Vec<_>>().join(" ")
}

/// A set of indices for each place in a template.
type Product = Vec<BTreeSet<u64>>;

fn plain(names: &[String]) -> Vec<Pattern> {
    let mut templates: Vec<(Vec<&str>, Vec<Vec<u64>>)> = Vec::new();
    let mut known: HashMap<Vec<&str>, usize> = HashMap::new();
    for name in names {
        let (text, indices) = template(name);
        let at = *known.entry(text.clone()).or_insert(templates.len());
        if at == templates.len() {
            templates.push((text, Vec::new()));
        }
        templates[at].1.push(indices);
    }
    let mut all = Vec::new();
    for (text, indices) in templates {
        let indices: Vec<&[u64]> = indices.iter().map(Vec::as_slice).collect();
        all.extend(products(&indices).into_iter().map(|product| Pattern {
            names: product.iter().map(BTreeSet::len).product(),
            text: written(&text, &product),
        }));
    }
    all
}

/// The text around the indices, and the indices: `h[`, `].g[`, `]` and 3, 1.
fn template(name: &str) -> (Vec<&str>, Vec<u64>) {
    let (mut text, mut indices) = (Vec::new(), Vec::new());
    let mut rest = name;
    let mut from = 0;
    while let Some(open) = rest[from..].find('[').map(|at| from + at + 1) {
        from = open;
        let Some(length) = rest[open..].find(']') else { break };
        if let Ok(index) = rest[open..open + length].parse() {
            text.push(&rest[..open]);
            indices.push(index);
            rest = &rest[open + length..];
            from = 0;
        }
    }
    text.push(rest);
    (text, indices)
}

/// The vectors as products of sets: those with equal rests are taken together.
fn products(vectors: &[&[u64]]) -> Vec<Product> {
    let mut by_first: BTreeMap<u64, Vec<&[u64]>> = BTreeMap::new();
    for vector in vectors {
        let Some((first, rest)) = vector.split_first() else { return vec![Vec::new()] };
        by_first.entry(*first).or_default().push(rest);
    }
    let mut groups: Vec<(BTreeSet<u64>, Vec<Product>)> = Vec::new();
    for (first, rest) in by_first {
        let rest = products(&rest);
        match groups.iter_mut().find(|(_, known)| *known == rest) {
            Some((firsts, _)) => drop(firsts.insert(first)),
            None => groups.push((BTreeSet::from([first]), rest)),
        }
    }
    let join = |(firsts, rest): (BTreeSet<u64>, Vec<Product>)| {
        rest.into_iter().map(move |product| {
            let mut all = vec![firsts.clone()];
            all.extend(product);
            all
        })
    };
    groups.into_iter().flat_map(join).collect()
}

fn written(text: &[&str], product: &Product) -> String {
    let mut out = text[0].to_owned();
    for (set, after) in product.iter().zip(&text[1..]) {
        out.push_str(&ranges(set));
        out.push_str(after);
    }
    out
}

/// `0..4, 6`, half open as in the language.
pub(in crate::topology) fn ranges(set: &BTreeSet<u64>) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &index in set {
        match runs.last_mut() {
            Some((_, end)) if *end == index => *end += 1,
            _ => runs.push((index, index + 1)),
        }
    }
    let run = |&(start, end): &(u64, u64)| {
        if end == start + 1 { start.to_string() } else { format!("{start}..{end}") }
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// At most `shown` patterns, and how many names the others stand for.
pub(in crate::topology) fn listed<'a>(
    names: impl IntoIterator<Item = &'a str>,
    shown: usize,
) -> String {
    let all = patterns(names);
    let first = if all.len() <= shown { all.len() } else { shown.saturating_sub(1).max(1) };
    let texts: Vec<&str> = all[..first].iter().map(|pattern| pattern.text.as_str()).collect();
    let more: usize = all[first..].iter().map(|pattern| pattern.names).sum();
    match more {
        0 => texts.join(", "),
        more => format!("{} and {more} more", texts.join(", ")),
    }
}

/// Devices by name where they are few, else by patterns.
pub(in crate::topology) fn devices<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if names.len() <= 4 { names.join(", ") } else { listed(names, 6) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<(String, usize)> {
        patterns(names.iter().copied()).into_iter().map(|p| (p.text, p.names)).collect()
    }

    #[test]
    fn names_that_go_together() {
        let one = |text: &str, names| (text.to_owned(), names);
        assert_eq!(texts(&["g[0]", "g[1]", "g[3]"]), [one("g[0..2, 3]", 3)]);
        assert_eq!(texts(&["leaf", "s[0]"]), [one("leaf", 1), one("s[0]", 1)]);
        assert_eq!(
            texts(&["g[0] -- sw[0]", "g[1] -- sw[0]", "g[2] -- sw[1]", "g[3] -- sw[1]"]),
            [one("g[0..2] -- sw[0]", 2), one("g[2..4] -- sw[1]", 2)]
        );
        assert_eq!(
            texts(&[
                "h[0].n[0] -- leaf",
                "h[0].n[1] -- leaf",
                "h[1].n[0] -- leaf",
                "h[1].n[1] -- leaf"
            ]),
            [one("h[0..2].n[0..2] -- leaf", 4)]
        );
        assert_eq!(
            texts(&[
                "h[0].g[0] -- h[0].sw[0]",
                "h[1].g[0] -- h[1].sw[0]",
                "h[1].g[1] -- h[1].sw[0]"
            ]),
            [one("h[0].g[0] -- h[0].sw[0]", 1), one("g[0..2] -- sw[0] in h[1]", 2)]
        );
        assert_eq!(texts(&["memory of a.s[1]", "x[k] -- y"]).len(), 2);
    }

    #[test]
    fn long_lists_are_cut() {
        let names = ["a", "b", "c", "d"];
        assert_eq!(listed(names, 3), "a, b and 2 more");
        assert_eq!(listed(["a", "b", "c"], 3), "a, b, c");
        assert_eq!(devices(["g[0]", "g[1]"]), "g[0], g[1]");
        assert_eq!(devices(["g[0]", "g[1]", "g[2]", "g[3]", "g[4]"]), "g[0..5]");
    }
}
