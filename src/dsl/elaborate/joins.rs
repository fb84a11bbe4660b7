//! Joins to links.

use super::devices::Elements;
use super::paths::Walk;
use super::values::{Kind, Worth};
use super::{Builder, Reported, place};
use crate::base::Span;
use crate::dsl::error::{Counted, Error, MAX_LINKS};
use crate::dsl::machine::Link;
use crate::dsl::print::{path_text, value_text};
use crate::dsl::tree::{Atom, Index, Item, JoinTail, Path, Spanned, StatementKind, Step};
use std::collections::BTreeMap;

/// A walking index of a join.
struct Walker<'p> {
    name: &'p str,
    span: Option<Span>,
    on_left: bool,
    on_right: bool,
    /// The size of the first array that it indexes without a division.
    size: Option<u64>,
}

impl<'t> Builder<'t> {
    /// Makes the links of an instance in the order of the text: those within a part where the part
    /// is instantiated.
    pub(super) fn join(&mut self, instance: usize) {
        let scope = self.instances[instance].scope;
        let block = self.scopes[scope].block;
        for statement in &block.statements {
            if self.stopped() {
                return;
            }
            match &statement.kind {
                StatementKind::Device { name, count, join, .. } => {
                    let entry = self.instances[instance].entries.get(name.value.as_str());
                    let Some(entry) = entry else { continue };
                    if let Elements::Devices(first) = entry.elements
                        && self.devices[first].span != name.span
                    {
                        // The name belongs to another declaration; this one is reported.
                        continue;
                    }
                    if let Elements::Parts(parts) = entry.elements.clone() {
                        for &part in &*parts {
                            let errors = self.found;
                            self.join(part);
                            if self.found > errors {
                                break;
                            }
                        }
                    }
                    if let Some(tail) = join {
                        let left = whole(name, count.is_some(), &tail.right);
                        let _ = self.one_join(instance, &left, tail, statement.span);
                    }
                }
                StatementKind::Join { left, tail } => {
                    let _ = self.one_join(instance, left, tail, statement.span);
                }
                _ => {}
            }
        }
    }

    fn one_join(
        &mut self,
        instance: usize,
        left: &Path,
        tail: &JoinTail,
        span: Option<Span>,
    ) -> Result<(), Reported> {
        // Both are reported where both are wrong.
        let worth = self.worth(instance, &tail.value);
        let pairs = self.pairs(instance, left, &tail.right);
        let (worth, pairs) = (worth?, pairs?);
        for (from, to) in pairs {
            self.link((from, to), tail, &worth, span)?;
        }
        Ok(())
    }

    /// The devices that a join brings together, ordered by the left element, then the right.
    pub(super) fn pairs(
        &mut self,
        instance: usize,
        left: &Path,
        right: &Path,
    ) -> Result<Vec<(usize, usize)>, Reported> {
        let left_shape = self.shape(instance, left);
        if let (Ok(shape), Some(last)) = (&left_shape, right.steps.last())
            && last.index.is_none()
            && let Some((name, size)) = walking(left, shape)
        {
            self.unwalked(instance, (left, right), name, size)?;
        }
        let right_shape = self.shape(instance, right);
        let paths = [(left, left_shape?), (right, right_shape?)];
        let walkers = self.walkers(&paths, true)?;
        self.reach(&paths, &walkers)?;
        let mut pairs = Vec::new();
        let mut walk: Walk<'_> = walkers.iter().map(|(name, _)| (*name, 0)).collect();
        loop {
            let lefts = self.devices_of(instance, left, &walk)?;
            let rights = self.devices_of(instance, right, &walk)?;
            if lefts.len() > 1 && rights.len() > 1 {
                let at = place(right.span);
                let written = walked((left, lefts.len()), (right, rights.len()));
                return Err(self.report(Error::BothSides { at, written }));
            }
            for from in &lefts {
                pairs.extend(rights.iter().map(|to| (*from, *to)));
            }
            if pairs.len() > MAX_LINKS {
                let at = place(left.span);
                return Err(self.report(Error::MachineSize { at, of: Counted::Links }));
            }
            if !advance(&mut walk, &walkers) {
                break;
            }
        }
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// The walking indices of a join, or of a total, with their ranges, in the order of their first
    /// use. The two sides of a join (`both`) must share each.
    pub(super) fn walkers<'p>(
        &mut self,
        paths: &[(&'p Path, Vec<Option<u64>>)],
        both: bool,
    ) -> Result<Vec<(&'p str, u64)>, Reported> {
        let mut found: Vec<Walker<'p>> = Vec::new();
        let mut places: BTreeMap<&'p str, usize> = BTreeMap::new();
        for (index, (path, shape)) in paths.iter().enumerate() {
            let on_left = index == 0;
            for (step, size) in path.steps.iter().zip(shape) {
                let Some(Spanned { value: Index::Items(items), .. }) = &step.index else {
                    continue;
                };
                for item in items {
                    let (names, bare): ([Option<&Atom>; 2], bool) = match &item.value {
                        Item::One(one) => ([Some(one), None], true),
                        Item::Quotient(one, _) => ([Some(one), None], false),
                        Item::Range(from, to) => ([Some(from), Some(to)], false),
                    };
                    for atom in names.into_iter().flatten() {
                        let Atom::Name(name) = atom else { continue };
                        let slot = *places.entry(name).or_insert_with(|| {
                            found.push(Walker {
                                name,
                                span: item.span,
                                on_left: false,
                                on_right: false,
                                size: None,
                            });
                            found.len() - 1
                        });
                        let walker = &mut found[slot];
                        walker.on_left |= on_left;
                        walker.on_right |= !on_left;
                        if bare {
                            walker.size = walker.size.or(*size);
                        }
                    }
                }
            }
        }
        let mut walkers = Vec::new();
        let mut failed = None;
        for walker in found {
            let (at, name) = (place(walker.span), walker.name.to_owned());
            if both && !(walker.on_left && walker.on_right) {
                failed = Some(self.report(Error::UsedOnce { at, name }));
            } else if let Some(size) = walker.size {
                walkers.push((walker.name, size));
            } else {
                failed = Some(self.report(Error::NeverBare { at, name }));
            }
        }
        failed.map_or(Ok(walkers), Err)
    }

    /// A walking index on the left, and on the right an array without an index: both are written
    /// out.
    fn unwalked(
        &mut self,
        instance: usize,
        (left, right): (&Path, &Path),
        name: &str,
        walked: u64,
    ) -> Result<(), Reported> {
        let [step] = right.steps.as_slice() else { return Ok(()) };
        let array = step.name.value.as_str();
        let entry = self.instances[instance].entries.get(array);
        let Some(size) = entry.and_then(|entry| entry.count) else { return Ok(()) };
        let written = divided(array, name, walked, size)
            .map(|right| format!("{} -- {right}", path_text(left)));
        let (at, name) = (place(step.name.span), array.to_owned());
        Err(self.report(Error::NoIndex { at, name, size, written }))
    }

    /// Whether the walking indices stay within the arrays that they index.
    fn reach(
        &mut self,
        paths: &[(&Path, Vec<Option<u64>>); 2],
        walkers: &[(&str, u64)],
    ) -> Result<(), Reported> {
        for (path, shape) in paths {
            for (step, size) in path.steps.iter().zip(shape) {
                let (Some(Index::Items(items)), Some(size)) =
                    (step.index.as_ref().map(|index| &index.value), *size)
                else {
                    continue;
                };
                for item in items {
                    let (Item::One(Atom::Name(name)) | Item::Quotient(Atom::Name(name), _)) =
                        &item.value
                    else {
                        continue;
                    };
                    let divisor = if let Item::Quotient(_, by) = &item.value { *by } else { 1 };
                    let walker = walkers.iter().find(|(walker, _)| walker == name);
                    let Some(&(_, walked)) = walker else { continue };
                    if walked.saturating_sub(1) / divisor.max(1) >= size {
                        let array = step.name.value.clone();
                        let written = divided(&array, name, walked, size);
                        let (at, index) = (place(item.span), size);
                        let name = array;
                        return Err(self.report(Error::OutOfBounds {
                            at,
                            name,
                            index,
                            size,
                            written,
                        }));
                    }
                }
            }
        }
        Ok(())
    }

    fn link(
        &mut self,
        (from, to): (usize, usize),
        tail: &JoinTail,
        worth: &Worth<'t>,
        span: Option<Span>,
    ) -> Result<(), Reported> {
        let at = place(span);
        if from == to {
            let name = self.devices[from].path.clone();
            return Err(self.report(Error::SelfLink { at, name }));
        }
        let there = self.joined.get(&(from, to));
        let back = if tail.duplex { self.joined.get(&(to, from)) } else { None };
        if let Some(link) = there.or(back) {
            let first = self.links[*link].span;
            let (from, to) = (self.devices[from].path.clone(), self.devices[to].path.clone());
            let arrow = if tail.duplex { "--" } else { "->" };
            let set = format!("set {from} {arrow} {to} : {}", value_text(&tail.value));
            return Err(self.report(Error::SecondLink { at, first, from, to, set }));
        }
        if self.links.len() >= MAX_LINKS {
            return Err(self.report(Error::MachineSize { at, of: Counted::Links }));
        }
        let value = worth.value.clone();
        self.record(Link { from, to, duplex: tail.duplex, value, span }, worth.kind);
        Ok(())
    }

    /// Adds a link to the lists of links and to those that find it by its ends.
    pub(super) fn record(&mut self, link: Link, kind: Option<Kind<'t>>) {
        let (from, to, at) = (link.from, link.to, self.links.len());
        self.joined.insert((from, to), at);
        if link.duplex {
            self.joined.insert((to, from), at);
        }
        self.incident[from].push(at);
        self.incident[to].push(at);
        self.links.push(link);
        self.kinds.push(kind);
    }
}

/// The walking index that `path` indexes an array of this size by, without a division.
fn walking<'p>(path: &'p Path, shape: &[Option<u64>]) -> Option<(&'p str, u64)> {
    path.steps.iter().zip(shape).find_map(|(step, size)| match &step.index.as_ref()?.value {
        Index::Items(items) => match items.as_slice() {
            [Spanned { value: Item::One(Atom::Name(name)), .. }] => Some((name.as_str(), (*size)?)),
            _ => None,
        },
        Index::All => None,
    })
}

/// `s[k/4]`: how an index that runs over `walked` elements spreads them evenly over an array.
fn divided(array: &str, name: &str, walked: u64, size: u64) -> Option<String> {
    let even = size > 0 && walked >= size && walked.is_multiple_of(size);
    even.then(|| match walked / size {
        1 => format!("{array}[{name}]"),
        by => format!("{array}[{name}/{by}]"),
    })
}

/// Goes on to the next values of the walking indices, the last one fastest; false behind the last.
pub(super) fn advance<'p>(walk: &mut Walk<'p>, walkers: &[(&'p str, u64)]) -> bool {
    for (name, size) in walkers.iter().rev() {
        let value = walk.entry(name).or_insert(0);
        *value += 1;
        if *value < *size {
            return true;
        }
        *value = 0;
    }
    false
}

/// The left side of a join that stands behind a device: all elements, or the one that the walking
/// index on the right side names.
fn whole(name: &Spanned<String>, array: bool, right: &Path) -> Path {
    let index = array.then(|| {
        let walking = right.steps.iter().find_map(|step| match &step.index.as_ref()?.value {
            Index::All => None,
            Index::Items(items) => items.iter().find_map(|item| match &item.value {
                Item::One(Atom::Name(name)) | Item::Quotient(Atom::Name(name), _) => {
                    Some(Spanned { value: Item::One(Atom::Name(name.clone())), span: item.span })
                }
                _ => None,
            }),
        });
        let index = walking.map_or(Index::All, |item| Index::Items(vec![item]));
        Spanned { value: index, span: name.span }
    });
    Path { steps: vec![Step { name: name.clone(), index }], span: name.span }
}

/// The join written with a walking index: `g[k] -- sw[k/2]` where the left side has twice as many.
pub(super) fn walked((left, lefts): (&Path, usize), (right, rights): (&Path, usize)) -> String {
    let ratio = |a: usize, b: usize| if a > b && a.is_multiple_of(b) { (a / b) as u64 } else { 1 };
    let (left, right) = (indexed(left, ratio(rights, lefts)), indexed(right, ratio(lefts, rights)));
    format!("{left} -- {right}")
}

/// `path` with `k`, or `k/divisor`, in place of its last index of several elements.
fn indexed(path: &Path, divisor: u64) -> String {
    let mut path = path.clone();
    let wide = |step: &&mut Step| match step.index.as_ref().map(|index| &index.value) {
        Some(Index::All) => true,
        Some(Index::Items(items)) => {
            items.len() > 1 || items.iter().any(|item| matches!(item.value, Item::Range(..)))
        }
        None => false,
    };
    if let Some(step) = path.steps.iter_mut().rev().find(wide) {
        let k = Atom::Name("k".to_owned());
        let item = if divisor > 1 { Item::Quotient(k, divisor) } else { Item::One(k) };
        step.index = Some(Spanned::bare(Index::Items(vec![Spanned::bare(item)])));
    }
    path_text(&path)
}
