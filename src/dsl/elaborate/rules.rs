//! Rules with their names looked up.

use super::devices::Instance;
use super::paths::Walk;
use super::values::Kind;
use super::{Builder, Reported, place};
use crate::base::{BusId, DeviceKind, Span};
use crate::dsl::error::{Counted, Error, MAX_CHUNKS, MAX_RULES, Sought, StepFault};
use crate::dsl::machine::{Device, PlacedRule, Rule, ValueOrigin};
use crate::dsl::tree::{self, Path, Rate, Spanned, StatementKind};
use std::collections::{BTreeMap, BTreeSet};

impl<'t> Builder<'t> {
    /// Works out the rules of an instance and of the parts in it, those of parts first.
    pub(super) fn rules(&mut self, instance: usize) {
        self.within_parts(instance, Self::rules);
        let Instance { scope, devices, prefix, .. } = &self.instances[instance];
        let (block, devices) = (self.scopes[*scope].block, devices.clone());
        let part = prefix.trim_end_matches('.').to_owned();
        for statement in &block.statements {
            if self.stopped() {
                return;
            }
            let StatementKind::Rule(rule) = &statement.kind else { continue };
            let span = statement.span.or(rule.span);
            let rules = self.rule(instance, &rule.value, span);
            for rule in rules.unwrap_or_default() {
                if self.placed.len() >= MAX_RULES {
                    self.too_large(place(span), Counted::Rules);
                    return;
                }
                let (part, scope) = (part.clone(), devices.clone());
                self.placed.push(PlacedRule { part, scope, rule, span });
            }
        }
    }

    /// The network cards of GPUs: one rule for each value of the walking indices.
    fn via(
        &mut self,
        instance: usize,
        of: &'t Path,
        through: &'t [Path],
        at: Span,
    ) -> Result<Vec<Rule>, Reported> {
        let mut paths = vec![(of, self.shape(instance, of)?)];
        for path in through {
            paths.push((path, self.shape(instance, path)?));
        }
        let walkers = self.walkers(&paths, true)?;
        let mut walk: Walk<'_> = walkers.iter().map(|(name, _)| (*name, 0)).collect();
        let mut rules = Vec::new();
        loop {
            let gpus = self.all_of(instance, of, DeviceKind::Gpu, "via", &walk)?;
            let mut nics = BTreeSet::new();
            for path in through {
                nics.extend(self.all_of(instance, path, DeviceKind::Nic, "via", &walk)?);
            }
            self.list(gpus.len() + nics.len(), at)?;
            rules.push(Rule::Via { gpus, nics: nics.into_iter().collect() });
            if !super::joins::advance(&mut walk, &walkers) {
                return Ok(rules);
            }
        }
    }

    /// What a rule comes to: one, or with walking indices several.
    fn rule(
        &mut self,
        instance: usize,
        rule: &'t tree::Rule,
        span: Option<Span>,
    ) -> Result<Vec<Rule>, Reported> {
        Ok(vec![match rule {
            tree::Rule::Peer { nic, within } => Rule::Peer { nic: *nic, within: *within },
            tree::Rule::Forbid { mode, from, duplex, to } => {
                let pairs = self.forbidden(instance, from, *duplex, to, place(span))?;
                Rule::Forbid { mode: *mode, pairs }
            }
            tree::Rule::ViaNearest => Rule::ViaNearest,
            tree::Rule::ViaAny => Rule::ViaAny,
            tree::Rule::Via { of, through } => {
                return self.via(instance, of, through, place(span));
            }
            tree::Rule::Loopback => Rule::Loopback,
            tree::Rule::Cap { class, mode, by, value } => {
                let value = self.worth(instance, value)?.value;
                Rule::Cap { class: *class, mode: *mode, by: *by, value }
            }
            tree::Rule::Pacing { class, mode } => Rule::Pacing { class: *class, mode: *mode },
            tree::Rule::Bounce { at_source, chunks } => {
                if chunks.is_some_and(|chunks| !(1..=MAX_CHUNKS).contains(&chunks)) {
                    let (at, count) = (place(span), chunks.unwrap_or(0));
                    return Err(self.report(Error::BadChunks { at, count }));
                }
                Rule::Bounce { at_source: *at_source, chunks: *chunks }
            }
            tree::Rule::Limit { mode, place: within, count } => {
                if *count == 0 {
                    return Err(self.report(Error::ZeroLimit { at: place(span) }));
                }
                Rule::Limit { mode: *mode, place: *within, count: *count }
            }
            tree::Rule::Avoid { mode, from, to, value } => {
                let value = value.as_ref().map(|value| self.worth(instance, value)).transpose()?;
                let value = value.map(|worth| worth.value);
                Rule::Avoid { mode: *mode, from: *from, to: *to, value }
            }
            tree::Rule::Efficiency { link, mode, steps } => {
                let links = self.links_of(instance, link)?;
                self.list(links.len(), place(span))?;
                if let Some(fault) = wrong_step(steps) {
                    return Err(self.report(Error::BadStep { at: place(span), fault }));
                }
                Rule::Efficiency { links, mode: *mode, steps: steps.clone() }
            }
            tree::Rule::Cost { flow, time, origin } => {
                let time = self.time(time, place(span))?;
                let origin = origin.as_ref().map_or(ValueOrigin::Stated, super::values::origin_of);
                Rule::Cost { flow: *flow, time, origin }
            }
            tree::Rule::Measured { mode, file } => {
                Rule::Measured { mode: *mode, file: file.value.clone() }
            }
        }])
    }

    /// The pairs of a `forbid`, those of one node: GPUs of different nodes reach each other's memory
    /// in no case.
    fn forbidden(
        &mut self,
        instance: usize,
        from: &Path,
        duplex: bool,
        to: &Path,
        at: Span,
    ) -> Result<Vec<(usize, usize)>, Reported> {
        let from = self.all_of(instance, from, DeviceKind::Gpu, "forbid", &Walk::new())?;
        let to = self.all_of(instance, to, DeviceKind::Gpu, "forbid", &Walk::new())?;
        self.list(from.len().saturating_mul(to.len()), at)?;
        let (mut pairs, mut across) = (Vec::new(), false);
        for &one in &from {
            for &other in to.iter().filter(|other| **other != one) {
                // Devices that `without` takes away hang on nothing, but are no slip.
                let gone = self.removed[one] || self.removed[other];
                if self.nodes[one] != self.nodes[other] && !gone {
                    across = true;
                    continue;
                }
                pairs.push((one, other));
                if duplex {
                    pairs.push((other, one));
                }
            }
        }
        if pairs.is_empty() {
            return Err(self.report(Error::ForbidNothing { at, across }));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// The devices that a path of a rule means with these values of walking indices, all of one kind.
    fn all_of(
        &mut self,
        instance: usize,
        path: &Path,
        kind: DeviceKind,
        rule: &'static str,
        walk: &Walk<'_>,
    ) -> Result<Vec<usize>, Reported> {
        self.shape(instance, path)?;
        let devices = self.devices_of(instance, path, walk)?;
        if let Some(&other) = devices.iter().find(|&&one| self.devices[one].kind != kind) {
            let Device { path: name, kind: found, .. } = &self.devices[other];
            let (at, name, found) = (place(path.span), name.clone(), *found);
            return Err(self.report(Error::WrongKind { at, name, found, wanted: kind, rule }));
        }
        Ok(devices)
    }

    /// The links between devices of an instance whose value comes from the `link` statement that
    /// `name` means there, or from one that names it in turn.
    fn links_of(
        &mut self,
        instance: usize,
        name: &Spanned<String>,
    ) -> Result<Vec<usize>, Reported> {
        let Instance { scope, devices, .. } = &self.instances[instance];
        let (scope, devices) = (*scope, devices.clone());
        let Some(kind) = self.find_link(scope, &name.value) else {
            return Err(self.report(self.unknown(scope, name, Sought::Link)));
        };
        let by_kind = self.by_kind.take().unwrap_or_else(|| self.by_kind());
        let mut links = Vec::new();
        let mut todo = vec![kind];
        let mut seen = 0;
        while let Some(kind) = todo.pop() {
            seen += 1;
            todo.extend(by_kind.heirs.get(&kind).into_iter().flatten());
            let all = by_kind.links.get(&kind).map(Vec::as_slice).unwrap_or_default();
            let start = all.partition_point(|(first, ..)| *first < devices.start);
            let here = all[start..].iter().take_while(|(first, ..)| *first < devices.end);
            for (_, last, link) in here {
                seen += 1;
                if *last < devices.end {
                    links.push(*link);
                }
            }
        }
        self.by_kind = Some(by_kind);
        self.charge(seen, place(name.span))?;
        links.sort_unstable();
        Ok(links)
    }

    fn by_kind(&self) -> ByKind<'t> {
        let mut by_kind = ByKind::default();
        for (index, (link, kind)) in self.links.iter().zip(&self.kinds).enumerate() {
            if let Some(kind) = kind {
                let ends = (link.from.min(link.to), link.from.max(link.to), index);
                by_kind.links.entry(*kind).or_default().push(ends);
            }
        }
        by_kind.links.values_mut().for_each(|links| links.sort_unstable());
        for (id, scope) in self.scopes.iter().enumerate() {
            for (name, named) in &scope.links {
                if let Rate::Named(other) = &named.value.rate.value
                    && let Some(other) = self.find_link(id, other)
                {
                    by_kind.heirs.entry(other).or_default().push((id, name));
                }
            }
        }
        by_kind
    }

    /// Bus ids are unique in a node, save that network cards may be ports of one function.
    pub(super) fn buses(&mut self) {
        let mut seen: BTreeMap<(usize, BusId), usize> = BTreeMap::new();
        for device in 0..self.devices.len() {
            let Some(bus) = self.devices[device].bus else { continue };
            if self.removed[device] || self.stopped() {
                continue;
            }
            let Some(first) = seen.insert((self.nodes[device], bus), device) else { continue };
            let (one, other) = (&self.devices[first], &self.devices[device]);
            if [one.kind, other.kind] != [DeviceKind::Nic; 2] {
                let (at, id) = (place(other.span), bus);
                let names = [one.path.clone(), other.path.clone()];
                self.report(Error::BusTwice { at, id, names });
            }
        }
    }
}

/// The links of each kind: the lower end, the higher end, the position; ascending.
#[derive(Default)]
pub(super) struct ByKind<'t> {
    links: BTreeMap<Kind<'t>, Vec<(usize, usize, usize)>>,
    /// The `link` statements whose value is the name of another.
    heirs: BTreeMap<Kind<'t>, Vec<Kind<'t>>>,
}

/// What is wrong with the steps of an efficiency, if anything.
fn wrong_step(steps: &[(u64, u64)]) -> Option<StepFault> {
    let (mut before, mut kept) = (None, 100);
    for &(flows, percent) in steps {
        if flows == 0 {
            return Some(StepFault::NoFlows);
        }
        if let Some(before) = before.filter(|before| *before >= flows) {
            return Some(StepFault::Order { before, flows });
        }
        if !(1..=100).contains(&percent) {
            return Some(StepFault::Percent(percent));
        }
        if percent > kept {
            return Some(StepFault::Rises { before: kept, percent });
        }
        (before, kept) = (Some(flows), percent);
    }
    None
}
