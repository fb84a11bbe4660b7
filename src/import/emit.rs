//! A sketch as a syntax tree that is pleasant to read and needs one edit for each open question.

use super::layout::Parent;
use super::sketch::{Array, Details, Sketch};
use crate::diagnostics::one_line;
use crate::dsl::tree::{
    Atom, Attribute, Block, File, Index, Item, JoinTail, Path, Rate, SetChange, Spanned, Statement,
    StatementKind, Step, Value,
};
use std::collections::BTreeMap;

/// The tree of `sketch`.
pub fn file(sketch: &Sketch) -> File {
    let mut body: Vec<Statement> = sketch
        .links
        .iter()
        .map(|link| {
            let kind = StatementKind::Link { name: bare(&link.name), value: link.value.clone() };
            let mut statement = Statement::bare(kind);
            statement.trailing = Some(link.comment.clone());
            statement
        })
        .collect();
    let arrays = [
        ("switch", "up", &sketch.upstream),
        ("switch", "sw", &sketch.switches),
        ("gpu", "g", &sketch.gpus),
        ("nic", "n", &sketch.nics),
    ];
    let first = body.len();
    body.push(declaration("socket", "s", sketch.sockets, Vec::new()));
    let mut exceptions = Vec::new();
    for (kind, name, array) in arrays.into_iter().filter(|array| !array.2.elements.is_empty()) {
        let (attributes, sets) = attributes(name, array);
        let mut statement = declaration(kind, name, array.elements.len(), attributes);
        statement.trailing = array.comment.as_deref().map(one_line);
        body.push(statement);
        exceptions.extend(sets);
    }
    body[first].blank_before = true;
    let first = body.len();
    if let Some(link) = sketch.between {
        body.extend(between_sockets(sketch.sockets, &sketch.links[link].name));
    }
    for (_, name, array) in arrays {
        for (position, link) in sketch.links.iter().enumerate() {
            let children: Vec<(usize, Parent)> = array
                .elements
                .iter()
                .enumerate()
                .filter(|(_, element)| element.link == position)
                .map(|(index, element)| (index, element.parent))
                .collect();
            body.extend(joins(name, &link.name, array.elements.len(), &children));
        }
    }
    if let Some(statement) = body.get_mut(first) {
        statement.blank_before = true;
    }
    if let Some(statement) = exceptions.first_mut() {
        statement.blank_before = true;
    }
    body.extend(exceptions);
    File {
        leading: sketch.heading.iter().map(|line| one_line(line)).collect(),
        trailing: None,
        name: Spanned::bare("imported".to_string()),
        body: Block { statements: body, dangling: Vec::new() },
    }
}

fn bare(text: &str) -> Spanned<String> {
    Spanned::bare(text.to_string())
}

fn declaration(
    kind: &str,
    name: &str,
    count: usize,
    attributes: Vec<Spanned<Attribute>>,
) -> Statement {
    Statement::bare(StatementKind::Device {
        kind: bare(kind),
        name: bare(name),
        count: Some(Spanned::bare(Atom::Integer(count as u64))),
        attributes,
        join: None,
    })
}

/// What all elements share goes to the declaration, with the list of bus ids where all are known;
/// the rest becomes `set` lines.
fn attributes(name: &str, array: &Array) -> (Vec<Spanned<Attribute>>, Vec<Statement>) {
    let (mut all, mut sets) = (Vec::new(), Vec::<(Vec<usize>, Attribute)>::new());
    type Get = fn(&Details) -> &Option<String>;
    type Make = fn(String) -> Attribute;
    let kinds: [(Get, Make); 2] =
        [(|details| &details.arch, Attribute::Arch), (|details| &details.model, Attribute::Model)];
    for (get, make) in kinds {
        let mut values: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        for (index, element) in array.elements.iter().enumerate() {
            if let Some(value) = get(&element.details) {
                values.entry(value).or_default().push(index);
            }
        }
        for (value, elements) in values {
            if elements.len() == array.elements.len() {
                all.push(Spanned::bare(make(value.clone())));
            } else {
                sets.push((elements, make(value.clone())));
            }
        }
    }
    let known: Vec<(usize, String)> = array
        .elements
        .iter()
        .enumerate()
        .filter_map(|(index, element)| Some((index, element.details.bus.clone()?)))
        .collect();
    let (elements, ids): (Vec<usize>, Vec<String>) = known.into_iter().unzip();
    if elements.len() == array.elements.len() {
        all.push(Spanned::bare(Attribute::Bus(ids)));
    } else if !elements.is_empty() {
        sets.push((elements, Attribute::Bus(ids)));
    }
    sets.sort_by(|a, b| a.0.cmp(&b.0));
    let sets = sets.into_iter().map(|(elements, attribute)| set(name, &elements, attribute));
    (all, sets.collect())
}

fn set(name: &str, elements: &[usize], attribute: Attribute) -> Statement {
    Statement::bare(StatementKind::Set {
        path: path(name, ranges(elements)),
        change: SetChange::Attributes(vec![Spanned::bare(attribute)]),
    })
}

fn path(array: &str, items: Vec<Item>) -> Path {
    let items = items.into_iter().map(Spanned::bare).collect();
    let index = Some(Spanned::bare(Index::Items(items)));
    Path { steps: vec![Step { name: bare(array), index }], span: None }
}

fn one(index: usize) -> Item {
    Item::One(Atom::Integer(index as u64))
}

fn join(left: Path, right: Path, link: &str) -> Statement {
    let value =
        Value { rate: Spanned::bare(Rate::Named(link.to_string())), latency: None, origin: None };
    Statement::bare(StatementKind::Join { left, tail: JoinTail { duplex: true, right, value } })
}

fn between_sockets(sockets: usize, link: &str) -> impl Iterator<Item = Statement> {
    (0..sockets).filter(move |a| a + 1 < sockets).map(move |a| {
        let right = if a + 2 == sockets {
            one(a + 1)
        } else {
            Item::Range(Atom::Integer(a as u64 + 1), Atom::Integer(sockets as u64))
        };
        join(path("s", vec![one(a)]), path("s", vec![right]), link)
    })
}

fn place(parent: Parent) -> (&'static str, usize) {
    match parent {
        Parent::Socket(index) => ("s", index),
        Parent::Upstream(index) => ("up", index),
        Parent::Switch(index) => ("sw", index),
    }
}

/// The joins of one array: `g[k] -- sw[k/2]` where all of it goes in step, else a line a parent.
/// `count` is the length of the array; `children` may be a part of it.
fn joins(array: &str, link: &str, count: usize, children: &[(usize, Parent)]) -> Vec<Statement> {
    // A walking index runs over the whole array.
    if children.len() == count
        && let Some(statement) = walking(array, link, children)
    {
        return vec![statement];
    }
    let mut by_parent: BTreeMap<Parent, Vec<usize>> = BTreeMap::new();
    for (child, parent) in children {
        by_parent.entry(*parent).or_default().push(*child);
    }
    let mut lines: Vec<(Vec<usize>, Parent)> =
        by_parent.into_iter().map(|(parent, children)| (children, parent)).collect();
    lines.sort();
    lines
        .into_iter()
        .map(|(children, parent)| {
            let (target, index) = place(parent);
            join(path(array, ranges(&children)), path(target, vec![one(index)]), link)
        })
        .collect()
}

fn walking(array: &str, link: &str, children: &[(usize, Parent)]) -> Option<Statement> {
    let (target, first) = place(children.first()?.1);
    // At least two elements on each of two parents, or four in step; less is clearer written out.
    let size = children.iter().take_while(|child| place(child.1) == (target, first)).count();
    let regular = children.iter().enumerate().all(|(position, (child, parent))| {
        *child == position && place(*parent) == (target, position / size)
    });
    if !regular || children.len() <= size || (size == 1 && children.len() < 4) {
        return None;
    }
    let k = || Atom::Name("k".to_string());
    let right = if size == 1 { Item::One(k()) } else { Item::Quotient(k(), size as u64) };
    let right = path(target, vec![right]);
    Some(join(path(array, vec![Item::One(k())]), right, link))
}

/// Ascending indices as items: 0, 1, 2, 5 is `0..3, 5`.
pub(super) fn ranges(indices: &[usize]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = indices;
    while let Some(&first) = rest.first() {
        let run = rest.iter().enumerate().take_while(|(at, index)| **index == first + at).count();
        items.push(if run == 1 {
            one(first)
        } else {
            Item::Range(Atom::Integer(first as u64), Atom::Integer((first + run) as u64))
        });
        rest = &rest[run..];
    }
    items
}
