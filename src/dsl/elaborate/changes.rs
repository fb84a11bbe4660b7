//! `set` and `without`, which act when everything else is in place.

use super::devices::{Elements, Target};
use super::paths::Walk;
use super::values::Worth;
use super::{Builder, Reported, place};
use crate::base::DeviceKind;
use crate::dsl::error::Error;
use crate::dsl::machine::{Device, Link};
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
                let worth = self.worth(instance, value);
                self.shape(instance, path)?;
                let devices = self.devices_of(instance, path, &Walk::new())?;
                let worth = worth?;
                for device in devices {
                    self.only_link(path, device, &worth)?;
                }
            }
            SetChange::Join(tail) => {
                let worth = self.worth(instance, &tail.value);
                let pairs = self.pairs(instance, path, &tail.right)?;
                let worth = worth?;
                for pair in pairs {
                    self.set_link(path, tail, pair, &worth)?;
                }
            }
        }
        Ok(())
    }

    fn only_link(&mut self, path: &Path, device: usize, worth: &Worth<'t>) -> Result<(), Reported> {
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
            self.links[link].value = worth.value.clone();
            self.kinds[link] = worth.kind;
            self.backwards.remove(&link);
        }
        Ok(())
    }

    fn set_link(
        &mut self,
        path: &Path,
        tail: &JoinTail,
        (from, to): (usize, usize),
        worth: &Worth<'t>,
    ) -> Result<(), Reported> {
        let there = self.joined.get(&(from, to)).copied();
        let back = self.joined.get(&(to, from)).copied();
        let Some(there) = there.filter(|_| !tail.duplex || back.is_some()) else {
            let at = place(path.span);
            let (from, to) = (self.devices[from].path.clone(), self.devices[to].path.clone());
            return Err(self.report(Error::NoLink { at, from, to }));
        };
        self.assign(there, from, worth);
        if let Some(back) = back.filter(|_| tail.duplex) {
            self.assign(back, to, worth);
        }
        Ok(())
    }

    /// Sets the direction of a link that starts at `from`.
    fn assign(&mut self, at: usize, from: usize, worth: &Worth<'t>) {
        let link = &mut self.links[at];
        if link.from != from {
            self.backwards.insert(at, worth.clone());
            return;
        }
        let value = std::mem::replace(&mut link.value, worth.value.clone());
        let kind = std::mem::replace(&mut self.kinds[at], worth.kind);
        if link.duplex {
            self.backwards.entry(at).or_insert(Worth { value, kind });
        }
    }

    /// Carries out what `set` and `without` asked for: links of removed devices go, links whose
    /// directions differ become two, the written direction first. From here on the positions of
    /// links are those of the machine.
    pub(super) fn settle(&mut self) {
        let links = std::mem::take(&mut self.links);
        let kinds = std::mem::take(&mut self.kinds);
        self.joined.clear();
        self.was_joined = self.incident.iter().map(|links| !links.is_empty()).collect();
        self.incident.iter_mut().for_each(Vec::clear);
        for (index, (link, kind)) in links.into_iter().zip(kinds).enumerate() {
            if self.removed[link.from] || self.removed[link.to] {
                continue;
            }
            match self.backwards.remove(&index) {
                Some(back) if back.value != link.value || back.kind != kind => {
                    let (from, to, span) = (link.from, link.to, link.span);
                    self.record(Link { duplex: false, ..link }, kind);
                    let value = back.value;
                    let back_link = Link { from: to, to: from, duplex: false, value, span };
                    self.record(back_link, back.kind);
                }
                _ => self.record(link, kind),
            }
        }
        self.nodes = nodes(&self.devices, &self.links);
    }
}

/// The node of each device, named by one of its devices: what hangs together without fabrics and
/// links between network cards.
fn nodes(devices: &[Device], links: &[Link]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..devices.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for link in links {
        let ends = [devices[link.from].kind, devices[link.to].kind];
        if ends.contains(&DeviceKind::Fabric) || ends == [DeviceKind::Nic; 2] {
            continue;
        }
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, link.to));
        parent[a.max(b)] = a.min(b);
    }
    (0..devices.len()).map(|at| root(&mut parent, at)).collect()
}
