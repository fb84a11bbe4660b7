//! Tree to machine: arrays, parts, joins and changes carried out.
//!
//! The work goes in passes over the whole tree, each in the order of the text: the blocks with the
//! names that they declare ([`scopes`]), devices ([`devices`]), links ([`joins`]), `set` and
//! `without` ([`changes`]), rules ([`rules`]), ranks ([`ranks`]). So a name may be used above its declaration, and
//! `set` acts last wherever it stands.

mod changes;
mod devices;
mod joins;
mod paths;
mod ranks;
mod rules;
mod scopes;
mod values;

pub use values::pcie_rate;

use super::error::{Error, MAX_ERRORS};
use super::machine::{Device, Link, LinkValue, Machine, PlacedRule, Rule};
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
    builder.rules(root);
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
    /// Values of the reverse directions that `set` gave, by duplex link.
    backwards: BTreeMap<usize, LinkValue>,
    removed: Vec<bool>,
    placed: Vec<PlacedRule>,
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
        let mut links = Vec::with_capacity(self.links.len());
        for (index, link) in self.links.into_iter().enumerate() {
            let (Some(from), Some(to)) = (place[link.from], place[link.to]) else { continue };
            match self.backwards.get(&index) {
                // Directions that differ become two links, the written one first.
                Some(back) if *back != link.value => {
                    let (value, span) = (back.clone(), link.span);
                    links.push(Link { from, to, duplex: false, ..link });
                    links.push(Link { from: to, to: from, duplex: false, value, span });
                }
                _ => links.push(Link { from, to, ..link }),
            }
        }
        let ranks = ranks.into_iter().filter_map(|gpu| place[gpu]).collect();
        let rules = self.placed.into_iter().map(|rule| moved(rule, &place)).collect();
        Machine { name, devices, links, ranks, totals: Vec::new(), rules }
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
