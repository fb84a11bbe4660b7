//! Tree to machine: arrays, parts, joins and changes carried out.
//!
//! The work goes in passes over the whole tree, each in the order of the text: the blocks with the
//! names that they declare ([`scopes`]), devices ([`devices`]), links ([`joins`]), `set` and
//! `without` ([`changes`]), rules ([`rules`]), joint capacities ([`totals`]), ranks ([`ranks`]). So a
//! name may be used above its declaration, and `set` acts last wherever it stands.

mod changes;
mod devices;
mod joins;
mod paths;
mod ranks;
mod rules;
mod scopes;
mod totals;
mod values;

pub use values::pcie_rate;

use super::error::{Counted, Error, MAX_ELEMENTS_NAMED, MAX_ERRORS, MAX_LISTED};
use super::machine::{Device, Link, Machine, PlacedRule, Rule, Total};
use super::tree::File;
use crate::base::{SourceId, Span};
use crate::diagnostics::Diagnostics;
use std::collections::BTreeMap;

/// Expands a resolved file (see [`super::resolve`]) into devices and links.
///
/// # Errors
/// Every independent mistake in names, indices, joins, values and attributes, up to a hundred.
pub fn elaborate(file: &File) -> Result<Machine, Diagnostics> {
    let mut builder = Builder::default();
    let top = builder.scopes(&file.body, None);
    let root = builder.instantiate(top, String::new());
    builder.join(root);
    builder.change(root);
    builder.remove(root);
    builder.settle();
    builder.buses();
    builder.rules(root);
    builder.totals(root);
    let ranks = builder.ranks(root);
    if !builder.errors.is_empty() {
        return Err(builder.errors);
    }
    Ok(builder.machine(file.name.value.clone(), ranks))
}

/// That an error was reported and nothing more is to be said.
#[derive(Debug, Clone, Copy)]
struct Reported;

#[derive(Default)]
struct Builder<'t> {
    errors: Diagnostics,
    found: usize,
    scopes: Vec<scopes::Scope<'t>>,
    instances: Vec<devices::Instance<'t>>,
    /// The parts that are being expanded, to find a part within itself.
    expanding: Vec<usize>,
    devices: Vec<Device>,
    links: Vec<Link>,
    /// The link that joins the first device to the second.
    joined: BTreeMap<(usize, usize), usize>,
    /// The links that each device has a part in.
    incident: Vec<Vec<usize>>,
    /// The `link` statement that the value of each link comes from.
    kinds: Vec<Option<values::Kind<'t>>>,
    /// What `set` gave the reverse directions of duplex links.
    backwards: BTreeMap<usize, values::Worth<'t>>,
    removed: Vec<bool>,
    /// Whether each device had a link before `without`.
    was_joined: Vec<bool>,
    /// The node of each device, known once links are settled.
    nodes: Vec<usize>,
    /// Links by their kind, worked out when the first rule asks.
    by_kind: Option<rules::ByKind<'t>>,
    placed: Vec<PlacedRule>,
    totals: Vec<Total>,
    /// How many elements paths have named so far.
    elements: usize,
    /// How many pairs, devices and links rules and totals list so far.
    listed: usize,
}

impl Builder<'_> {
    fn report(&mut self, error: Error) -> Reported {
        self.found += 1;
        if self.found <= MAX_ERRORS {
            self.errors.push(error.diagnostic());
        }
        Reported
    }

    /// Whether so many errors were found that more would help nobody.
    fn stopped(&self) -> bool {
        self.found >= MAX_ERRORS
    }

    /// Counts work that a short file may ask for a great deal of.
    fn charge(&mut self, elements: usize, at: Span) -> Result<(), Reported> {
        self.elements = self.elements.saturating_add(elements);
        if self.elements > MAX_ELEMENTS_NAMED {
            return Err(self.too_large(at, Counted::Elements));
        }
        Ok(())
    }

    /// Counts what rules and totals list.
    fn list(&mut self, entries: usize, at: Span) -> Result<(), Reported> {
        self.listed = self.listed.saturating_add(entries);
        if self.listed > MAX_LISTED {
            return Err(self.too_large(at, Counted::Listed));
        }
        Ok(())
    }

    /// The last error: whatever follows would only say the same.
    fn too_large(&mut self, at: Span, of: Counted) -> Reported {
        if !self.stopped() {
            self.report(Error::MachineSize { at, of });
            self.found = MAX_ERRORS;
        }
        Reported
    }

    /// The machine without what `without` removed.
    fn machine(self, name: String, ranks: Vec<usize>) -> Machine {
        let mut place = Vec::with_capacity(self.devices.len());
        let mut devices = Vec::new();
        for (device, removed) in self.devices.into_iter().zip(&self.removed) {
            place.push((!removed).then_some(devices.len()));
            if !removed {
                devices.push(device);
            }
        }
        // Links of removed devices are gone already.
        let links = self.links.into_iter().filter_map(|link| {
            let (from, to) = (place[link.from]?, place[link.to]?);
            Some(Link { from, to, ..link })
        });
        let links = links.collect();
        let ranks = ranks.into_iter().filter_map(|gpu| place[gpu]).collect();
        let rules = self.placed.into_iter().map(|rule| moved(rule, &place)).collect();
        Machine { name, devices, links, ranks, totals: self.totals, rules }
    }
}

/// A rule after `without`: `place` is where each device went.
fn moved(rule: PlacedRule, place: &[Option<usize>]) -> PlacedRule {
    let kept = |range: std::ops::Range<usize>| place[range].iter().flatten().count();
    let start = kept(0..rule.scope.start);
    let scope = start..start + kept(rule.scope);
    let devices = |all: Vec<usize>| all.into_iter().filter_map(|one| place[one]).collect();
    let rule_after = match rule.rule {
        Rule::Forbid { mode, pairs } => {
            let pairs = pairs.into_iter().filter_map(|(a, b)| Some((place[a]?, place[b]?)));
            Rule::Forbid { mode, pairs: pairs.collect() }
        }
        Rule::Via { gpus, nics } => Rule::Via { gpus: devices(gpus), nics: devices(nics) },
        other => other,
    };
    PlacedRule { part: rule.part, scope, rule: rule_after, span: rule.span }
}

/// The place of something that may not have been read from a text; such a place points nowhere.
fn place(span: Option<Span>) -> Span {
    span.unwrap_or(Span::new(SourceId(u32::MAX), 0, 0))
}
