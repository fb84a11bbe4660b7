//! `set` and `without`, which act when everything else is in place.

use super::devices::{Elements, Target};
use super::paths::Walk;
use super::{Builder, Reported, place};
use crate::dsl::error::Error;
use crate::dsl::machine::LinkValue;
use crate::dsl::tree::{JoinTail, Path, SetChange, StatementKind};
use std::rc::Rc;

impl<'t> Builder<'t> {
    /// Carries out every `set`: those within parts first, so that the machine around a part has the
    /// last word.
    pub(super) fn change(&mut self, instance: usize) {
        self.within_parts(instance, Self::change);
        let scope = self.instances[instance].scope;
        let block = self.scopes[scope].block;
        for statement in &block.statements {
            if self.stopped() {
                return;
            }
            if let StatementKind::Set { path, change } = &statement.kind {
                let _ = self.one_change(instance, path, change);
            }
        }
    }

    /// Marks what `without` takes away.
    pub(super) fn remove(&mut self, instance: usize) {
        self.within_parts(instance, Self::remove);
        let scope = self.instances[instance].scope;
        let block = self.scopes[scope].block;
        for statement in &block.statements {
            let StatementKind::Without(paths) = &statement.kind else { continue };
            for path in paths {
                if self.shape(instance, path).is_err() {
                    continue;
                }
                let Ok(targets) = self.targets(instance, path, &Walk::new()) else { continue };
                for target in targets {
                    self.remove_target(target);
                }
            }
        }
    }

    /// Does `action` in every instance of a part in `instance`. Stops at the first of an array that
    /// reports something: the others would only repeat it.
    pub(super) fn within_parts(&mut self, instance: usize, action: fn(&mut Self, usize)) {
        let entries = self.instances[instance].entries.values();
        let parts = entries.filter_map(|entry| match &entry.elements {
            Elements::Parts(parts) => Some(Rc::clone(parts)),
            Elements::Devices(_) => None,
        });
        let parts: Vec<Rc<[usize]>> = parts.collect();
        for array in parts {
            for &part in &*array {
                let found = self.found;
                action(self, part);
                if self.found > found {
                    break;
                }
            }
        }
    }

    fn remove_target(&mut self, target: Target) {
        let mut todo = vec![target];
        while let Some(target) = todo.pop() {
            match target {
                Target::Device(device) => self.removed[device] = true,
                Target::Part(part) => {
                    for entry in self.instances[part].entries.values() {
                        todo.extend(entry.elements());
                    }
                }
            }
        }
    }

    fn one_change(
        &mut self,
        instance: usize,
        path: &'t Path,
        change: &'t SetChange,
    ) -> Result<(), Reported> {
        match change {
            SetChange::Attributes(attributes) => {
                self.shape(instance, path)?;
                let devices = self.devices_of(instance, path, &Walk::new())?;
                let scope = self.instances[instance].scope;
                self.attribute(scope, &devices, attributes);
            }
            SetChange::OnlyLink(value) => {
                let value = self.value_in(instance, value);
                self.shape(instance, path)?;
                let devices = self.devices_of(instance, path, &Walk::new())?;
                let value = value?;
                for device in devices {
                    self.only_link(path, device, &value)?;
                }
            }
            SetChange::Join(tail) => {
                let value = self.value_in(instance, &tail.value);
                let pairs = self.pairs(instance, path, &tail.right)?;
                let value = value?;
                for pair in pairs {
                    self.set_link(path, tail, pair, &value)?;
                }
            }
        }
        Ok(())
    }

    fn only_link(&mut self, path: &Path, device: usize, value: &LinkValue) -> Result<(), Reported> {
        let links = self.incident[device].clone();
        let mut ends: Vec<usize> = links
            .iter()
            .map(|link| self.links[*link].from + self.links[*link].to - device)
            .collect();
        ends.sort_unstable();
        ends.dedup();
        if ends.len() != 1 {
            let (at, name) = (place(path.span), self.devices[device].path.clone());
            return Err(self.report(Error::NotOneLink { at, name, links: ends.len() }));
        }
        for link in links {
            self.links[link].value = value.clone();
            self.backwards.remove(&link);
        }
        Ok(())
    }

    fn set_link(
        &mut self,
        path: &Path,
        tail: &JoinTail,
        (from, to): (usize, usize),
        value: &LinkValue,
    ) -> Result<(), Reported> {
        let there = self.joined.get(&(from, to)).copied();
        let back = self.joined.get(&(to, from)).copied();
        let Some(there) = there.filter(|_| !tail.duplex || back.is_some()) else {
            let at = place(path.span);
            let (from, to) = (self.devices[from].path.clone(), self.devices[to].path.clone());
            return Err(self.report(Error::NoLink { at, from, to }));
        };
        self.assign(there, from, value);
        if let Some(back) = back.filter(|_| tail.duplex) {
            self.assign(back, to, value);
        }
        Ok(())
    }

    /// Sets the direction of a link that starts at `from`.
    fn assign(&mut self, at: usize, from: usize, value: &LinkValue) {
        let link = &mut self.links[at];
        if link.from != from {
            self.backwards.insert(at, value.clone());
            return;
        }
        let old = std::mem::replace(&mut link.value, value.clone());
        if link.duplex {
            self.backwards.entry(at).or_insert(old);
        }
    }
}
