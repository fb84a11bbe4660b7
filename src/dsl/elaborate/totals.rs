//! Joint capacities.

use super::devices::Instance;
use super::paths::Walk;
use super::{Builder, Reported, place};
use crate::base::Span;
use crate::dsl::error::Error;
use crate::dsl::machine::{LinkValue, Total};
use crate::dsl::print::traffic_text;
use crate::dsl::tree::{Atom, Index, Item, Path, Spanned, StatementKind, Traffic, Value};
use std::collections::BTreeSet;

impl<'t> Builder<'t> {
    /// Works out the totals of an instance and of the parts in it, those of parts first.
    pub(super) fn totals(&mut self, instance: usize) {
        self.within_parts(instance, Self::totals);
        let block = self.scopes[self.instances[instance].scope].block;
        for statement in &block.statements {
            if self.stopped() {
                return;
            }
            if let StatementKind::Total { of, value } = &statement.kind {
                let _ = self.total(instance, of, value, statement.span);
            }
        }
    }

    /// One total for each value of the walking indices.
    fn total(
        &mut self,
        instance: usize,
        of: &'t [Traffic],
        value: &'t Value,
        span: Option<Span>,
    ) -> Result<(), Reported> {
        let scope = self.instances[instance].scope;
        let value = self.value(scope, value);
        let mut paths = Vec::new();
        for traffic in of {
            for path in std::iter::once(&traffic.path).chain(traffic.to.as_ref().map(|to| &to.1)) {
                paths.push((path, self.shape(instance, path)?));
            }
        }
        let walkers = self.walkers(&paths, false)?;
        let value = value?;
        let mut walk: Walk<'_> = walkers.iter().map(|(name, _)| (*name, 0)).collect();
        loop {
            self.one_total(instance, of, &value, &walk, span)?;
            if !super::joins::advance(&mut walk, &walkers) {
                return Ok(());
            }
        }
    }

    fn one_total(
        &mut self,
        instance: usize,
        of: &'t [Traffic],
        value: &LinkValue,
        walk: &Walk<'_>,
        span: Option<Span>,
    ) -> Result<(), Reported> {
        let mut links = Vec::new();
        let mut counted = BTreeSet::new();
        for traffic in of {
            let at = place(traffic.path.span);
            for (from, to) in self.directions(instance, traffic, walk)? {
                if self.removed[from] || self.removed[to] {
                    continue;
                }
                let Some(&link) = self.joined.get(&(from, to)) else {
                    let back = self.joined.contains_key(&(to, from));
                    let name = |device: usize| self.devices[device].path.clone();
                    let (from, to) = (name(from), name(to));
                    return Err(self.report(Error::TotalNoLink { at, from, to, back }));
                };
                if !counted.insert((from, to)) {
                    let name = |device: usize| self.devices[device].path.clone();
                    let (from, to) = (name(from), name(to));
                    return Err(self.report(Error::TotalTwice { at, from, to }));
                }
                links.push((link, self.links[link].from == from));
            }
        }
        self.list(links.len() + 1, place(span))?;
        // What `without` took away entirely bounds nothing.
        if !links.is_empty() {
            let Instance { prefix, .. } = &self.instances[instance];
            let names = of.iter().map(|one| traffic_text(&walked(one, prefix, walk)));
            let name = names.collect::<Vec<_>>().join(", ");
            self.totals.push(Total { name, links, value: value.clone(), span });
        }
        Ok(())
    }

    /// The pairs of devices whose traffic counts, each from source to destination.
    fn directions(
        &mut self,
        instance: usize,
        traffic: &'t Traffic,
        walk: &Walk<'_>,
    ) -> Result<Vec<(usize, usize)>, Reported> {
        let lefts = self.devices_of(instance, &traffic.path, walk)?;
        let mut directions = Vec::new();
        let Some((duplex, right)) = &traffic.to else {
            for device in lefts {
                let before = directions.len();
                for &link in &self.incident[device] {
                    let link = &self.links[link];
                    if link.to == device {
                        directions.push((link.from, device));
                    } else if link.duplex {
                        directions.push((link.to, device));
                    }
                }
                let emptied = self.was_joined[device] && self.incident[device].is_empty();
                if directions.len() == before && !emptied {
                    let at = place(traffic.path.span);
                    let name = self.devices[device].path.clone();
                    return Err(self.report(Error::TotalNothing { at, name }));
                }
            }
            return Ok(directions);
        };
        let rights = self.devices_of(instance, right, walk)?;
        if lefts.len() > 1 && rights.len() > 1 {
            let at = place(right.span);
            let left = (&traffic.path, lefts.len());
            let written = super::joins::walked(left, (right, rights.len()));
            return Err(self.report(Error::BothSides { at, written }));
        }
        for &from in &lefts {
            for &to in &rights {
                directions.push((from, to));
                if *duplex {
                    directions.push((to, from));
                }
            }
        }
        Ok(directions)
    }
}

/// `traffic` as seen from the top, with the values of the walking indices.
fn walked(traffic: &Traffic, prefix: &str, walk: &Walk<'_>) -> Traffic {
    let path = |path: &Path| {
        let mut path = path.clone();
        for step in &mut path.steps {
            let Some(Spanned { value: Index::Items(items), .. }) = &mut step.index else {
                continue;
            };
            for item in items {
                match &mut item.value {
                    Item::One(one) => replace(one, walk),
                    Item::Range(from, to) => {
                        replace(from, walk);
                        replace(to, walk);
                    }
                    Item::Quotient(one, divisor) => {
                        replace(one, walk);
                        if let Atom::Integer(value) = one {
                            item.value = Item::One(Atom::Integer(*value / (*divisor).max(1)));
                        }
                    }
                }
            }
        }
        if let Some(first) = path.steps.first_mut() {
            first.name.value.insert_str(0, prefix);
        }
        path
    };
    Traffic {
        path: path(&traffic.path),
        to: traffic.to.as_ref().map(|(duplex, to)| (*duplex, path(to))),
    }
}

fn replace(atom: &mut Atom, walk: &Walk<'_>) {
    if let Atom::Name(name) = atom
        && let Some(value) = walk.get(name.as_str())
    {
        *atom = Atom::Integer(*value);
    }
}
