//! Paths to devices.

use super::devices::{Elements, Entry, Target};
use super::{Builder, Reported, place};
use crate::dsl::error::{Error, Sought};
use crate::dsl::suggest::nearest;
use crate::dsl::tree::{Atom, Index, Item, Path, Spanned, Step};
use std::collections::{BTreeMap, BTreeSet};

/// What the walking indices stand for at the moment.
pub(super) type Walk<'t> = BTreeMap<&'t str, u64>;

impl<'t> Builder<'t> {
    /// The sizes of the arrays along `path`, `None` for what is no array. Checks everything about
    /// the path but the values of its indices.
    pub(super) fn shape(
        &mut self,
        instance: usize,
        path: &Path,
    ) -> Result<Vec<Option<u64>>, Reported> {
        let mut sizes = Vec::new();
        let mut inside = Some(instance);
        for (at, step) in path.steps.iter().enumerate() {
            let Some(instance) = inside else {
                let (at, name) = (place(step.name.span), path.steps[at - 1].name.value.clone());
                return Err(self.report(Error::BehindDevice { at, name }));
            };
            let entry = self.entry_of(instance, step)?;
            let name = step.name.value.clone();
            match (entry.count, &step.index) {
                (None, Some(index)) => {
                    let at = place(index.span);
                    return Err(self.report(Error::NotArray { at, name }));
                }
                (Some(size), None) => {
                    let at = place(step.name.span);
                    return Err(self.report(Error::NoIndex { at, name, size, written: None }));
                }
                _ => {}
            }
            sizes.push(entry.count);
            inside = match entry.elements {
                Elements::Devices(_) => None,
                Elements::Parts(instances) => instances.first().copied(),
            };
        }
        Ok(sizes)
    }

    fn entry_of(&mut self, instance: usize, step: &Step) -> Result<Entry, Reported> {
        let here = &self.instances[instance];
        let name = step.name.value.as_str();
        if let Some(entry) = here.entries.get(name) {
            return Ok(entry.clone());
        }
        if here.broken.contains(name) {
            return Err(Reported);
        }
        let meant = element(name, &here.entries)
            .or_else(|| nearest(name, here.entries.keys().copied()).map(str::to_owned));
        let (at, name, sought) = (place(step.name.span), name.to_owned(), Sought::Device);
        Err(self.report(Error::Unknown { at, name, sought, meant }))
    }

    /// The devices and parts that `path` means, in the order written, ranges ascending.
    pub(super) fn targets(
        &mut self,
        instance: usize,
        path: &Path,
        walk: &Walk<'_>,
    ) -> Result<Vec<Target>, Reported> {
        let mut targets = vec![Target::Part(instance)];
        for step in &path.steps {
            let mut next = Vec::new();
            let mut indices: Option<(Option<u64>, Vec<u64>)> = None;
            for target in targets {
                let Target::Part(instance) = target else { return Err(Reported) };
                let entry = self.entry_of(instance, step)?;
                // Every instance of a part looks the same, so the indices are worked out once.
                let indices = match &mut indices {
                    Some((count, indices)) if *count == entry.count => indices,
                    slot => {
                        let list = self.indices(step, &entry, walk)?;
                        &mut slot.insert((entry.count, list)).1
                    }
                };
                next.extend(indices.iter().map(|index| entry.element(*index)));
            }
            self.charge(next.len(), place(step.name.span))?;
            targets = next;
        }
        Ok(targets)
    }

    /// The devices that `path` means; an error where it means a part.
    pub(super) fn devices_of(
        &mut self,
        instance: usize,
        path: &Path,
        walk: &Walk<'_>,
    ) -> Result<Vec<usize>, Reported> {
        let targets = self.targets(instance, path, walk)?;
        let mut devices = Vec::with_capacity(targets.len());
        for target in targets {
            match target {
                Target::Device(device) => devices.push(device),
                Target::Part(part) => {
                    let example = self.instances[part].order.first().map(|name| {
                        let entry = &self.instances[part].entries[name];
                        format!("{name}{}", if entry.count.is_some() { "[0]" } else { "" })
                    });
                    let at = place(path.span);
                    let name = self.instances[part].prefix.trim_end_matches('.').to_owned();
                    return Err(self.report(Error::EndsAtPart { at, name, example }));
                }
            }
        }
        Ok(devices)
    }

    fn indices(
        &mut self,
        step: &Step,
        entry: &Entry,
        walk: &Walk<'_>,
    ) -> Result<Vec<u64>, Reported> {
        let Some(size) = entry.count else { return Ok(vec![0]) };
        let Some(index) = &step.index else { return Err(Reported) };
        let items = match &index.value {
            Index::All => return Ok((0..size).collect()),
            Index::Items(items) => items,
        };
        let mut all = Vec::new();
        for item in items {
            let at = place(item.span);
            match &item.value {
                Item::One(one) => all.push((self.atom(one, item, walk)?, at)),
                Item::Quotient(one, divisor) => {
                    let value = self.atom(one, item, walk)?;
                    all.push((value / (*divisor).max(1), at));
                }
                Item::Range(from, to) => {
                    let (from, to) = (self.atom(from, item, walk)?, self.atom(to, item, walk)?);
                    if from >= to {
                        return Err(self.report(Error::EmptyRange { at, from, to }));
                    }
                    if to > size {
                        // The first element that is not there, without listing them all.
                        let (name, index) = (step.name.value.clone(), from.max(size));
                        return Err(self.report(Error::OutOfBounds {
                            at,
                            name,
                            index,
                            size,
                            written: None,
                        }));
                    }
                    all.extend((from..to).map(|index| (index, at)));
                }
            }
        }
        let mut named = BTreeSet::new();
        for (index, at) in &all {
            if *index >= size {
                let (at, name, index) = (*at, step.name.value.clone(), *index);
                return Err(self.report(Error::OutOfBounds {
                    at,
                    name,
                    index,
                    size,
                    written: None,
                }));
            }
            if !named.insert(*index) {
                let (at, name, index) = (*at, step.name.value.clone(), *index);
                return Err(self.report(Error::Repeated { at, name, index }));
            }
        }
        Ok(all.into_iter().map(|(index, _)| index).collect())
    }

    fn atom(
        &mut self,
        atom: &Atom,
        item: &Spanned<Item>,
        walk: &Walk<'_>,
    ) -> Result<u64, Reported> {
        match atom {
            Atom::Integer(value) => Ok(*value),
            Atom::Name(name) => match walk.get(name.as_str()) {
                Some(value) => Ok(*value),
                None => {
                    let (at, name) = (place(item.span), name.clone());
                    Err(self.report(Error::NoWalk { at, name }))
                }
            },
        }
    }
}

/// `g[5]` for `g5`, where there is such an element.
fn element(name: &str, entries: &BTreeMap<&str, Entry>) -> Option<String> {
    let array = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let index: u64 = name[array.len()..].parse().ok()?;
    let size = entries.get(array.trim_end_matches('_'))?.count?;
    (index < size).then(|| format!("{}[{index}]", array.trim_end_matches('_')))
}
