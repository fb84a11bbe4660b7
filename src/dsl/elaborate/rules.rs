//! Rules with their names looked up.

use super::devices::Instance;
use super::paths::Walk;
use super::{Builder, Reported, place};
use crate::base::{DeviceKind, Span};
use crate::dsl::error::Error;
use crate::dsl::machine::{PlacedRule, Rule, ValueOrigin};
use crate::dsl::tree::{self, Path, StatementKind};
use std::collections::BTreeSet;

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
            if let Ok(rule) = self.rule(instance, &rule.value, span) {
                let (part, scope) = (part.clone(), devices.clone());
                self.placed.push(PlacedRule { part, scope, rule, span });
            }
        }
    }

    fn rule(
        &mut self,
        instance: usize,
        rule: &'t tree::Rule,
        span: Option<Span>,
    ) -> Result<Rule, Reported> {
        Ok(match rule {
            tree::Rule::Peer { nic, within } => Rule::Peer { nic: *nic, within: *within },
            tree::Rule::Forbid { mode, from, duplex, to } => {
                let from = self.all_of(instance, from, DeviceKind::Gpu)?;
                let to = self.all_of(instance, to, DeviceKind::Gpu)?;
                let mut pairs = BTreeSet::new();
                for &one in &from {
                    for &other in to.iter().filter(|other| **other != one) {
                        pairs.insert((one, other));
                        if *duplex {
                            pairs.insert((other, one));
                        }
                    }
                }
                Rule::Forbid { mode: *mode, pairs: pairs.into_iter().collect() }
            }
            tree::Rule::ViaNearest => Rule::ViaNearest,
            tree::Rule::ViaAny => Rule::ViaAny,
            tree::Rule::Via { of, through } => {
                let gpus = self.all_of(instance, of, DeviceKind::Gpu)?;
                let mut nics = BTreeSet::new();
                for path in through {
                    nics.extend(self.all_of(instance, path, DeviceKind::Nic)?);
                }
                Rule::Via { gpus, nics: nics.into_iter().collect() }
            }
            tree::Rule::Loopback => Rule::Loopback,
            tree::Rule::Cap { class, mode, by, value } => {
                let value = self.value_in(instance, value)?;
                Rule::Cap { class: *class, mode: *mode, by: *by, value }
            }
            tree::Rule::Pacing { class, mode } => Rule::Pacing { class: *class, mode: *mode },
            tree::Rule::Bounce { at_source, chunks } => {
                Rule::Bounce { at_source: *at_source, chunks: *chunks }
            }
            tree::Rule::Limit { mode, place, count } => {
                Rule::Limit { mode: *mode, place: *place, count: *count }
            }
            tree::Rule::Avoid { mode, from, to, value } => {
                let value = value.as_ref().map(|value| self.value_in(instance, value)).transpose();
                Rule::Avoid { mode: *mode, from: *from, to: *to, value: value? }
            }
            tree::Rule::Efficiency { link: _, mode, steps } => {
                Rule::Efficiency { links: Vec::new(), mode: *mode, steps: steps.clone() }
            }
            tree::Rule::Cost { flow, time, origin } => {
                let time = self.time(time, place(span))?;
                let origin = origin.as_ref().map_or(ValueOrigin::Stated, super::values::origin_of);
                Rule::Cost { flow: *flow, time, origin }
            }
            tree::Rule::Measured { mode, file } => {
                Rule::Measured { mode: *mode, file: file.value.clone() }
            }
        })
    }

    /// The devices that a path of a rule means, all of one kind.
    fn all_of(
        &mut self,
        instance: usize,
        path: &Path,
        kind: DeviceKind,
    ) -> Result<Vec<usize>, Reported> {
        self.shape(instance, path)?;
        let devices = self.devices_of(instance, path, &Walk::new())?;
        if let Some(&other) = devices.iter().find(|&&one| self.devices[one].kind != kind) {
            let (at, name) = (place(path.span), self.devices[other].path.clone());
            return Err(self.report(Error::NotGpu { at, name }));
        }
        Ok(devices)
    }
}
