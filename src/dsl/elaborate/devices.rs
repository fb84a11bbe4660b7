//! Devices and instances of parts.

use super::{Builder, Reported, place};
use crate::base::{BusId, DeviceKind, Span};
use crate::dsl::error::{Counted, Error, MAX_DEPTH, MAX_DEVICES, MAX_ELEMENTS, Sought};
use crate::dsl::machine::Device;
use crate::dsl::tree::{Atom, Attribute, Spanned, StatementKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// A block that stands in the machine: the file itself, or one element of a part.
pub(super) struct Instance<'t> {
    /// The path of its contents up to and including the point: `h[3].`; empty at the top.
    pub(super) prefix: String,
    pub(super) scope: usize,
    pub(super) entries: BTreeMap<&'t str, Entry>,
    /// Names whose declaration was in error; using them is no further error.
    pub(super) broken: BTreeSet<&'t str>,
    /// Names of the entries in the order of declaration.
    pub(super) order: Vec<&'t str>,
    /// Its devices, those of parts in it included.
    pub(super) devices: Range<usize>,
}

/// What a name stands for in an instance.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The number of elements, for an array.
    pub(super) count: Option<u64>,
    pub(super) elements: Elements,
}

#[derive(Debug, Clone)]
pub(super) enum Elements {
    /// Consecutive devices from this one.
    Devices(usize),
    /// Indices of the instances.
    Parts(Rc<[usize]>),
}

/// A device or an instance of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Device(usize),
    Part(usize),
}

impl Entry {
    /// The element `index`, which is in bounds.
    pub(super) fn element(&self, index: u64) -> Target {
        match &self.elements {
            Elements::Devices(first) => Target::Device(first + index as usize),
            Elements::Parts(instances) => Target::Part(instances[index as usize]),
        }
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = Target> + '_ {
        (0..self.count.unwrap_or(1)).map(|index| self.element(index))
    }
}

impl<'t> Builder<'t> {
    /// Makes the devices of the block `scope`, and of the parts in it, depth first.
    pub(super) fn instantiate(&mut self, scope: usize, prefix: String) -> usize {
        let id = self.instances.len();
        self.instances.push(Instance {
            prefix,
            scope,
            entries: BTreeMap::new(),
            broken: BTreeSet::new(),
            order: Vec::new(),
            devices: self.devices.len()..self.devices.len(),
        });
        let block = self.scopes[scope].block;
        // Every pass goes through the statements of every instance.
        let first = block.statements.first().and_then(|statement| statement.span);
        let _ = self.charge(block.statements.len(), place(first));
        for statement in &block.statements {
            if self.stopped() {
                break;
            }
            let StatementKind::Device { kind, name, count, attributes, .. } = &statement.kind
            else {
                continue;
            };
            let again = self.instances[id].entries.contains_key(name.value.as_str());
            if again && self.is_kind(scope, &kind.value) {
                // Reported as a duplicate when the names were recorded.
                continue;
            }
            match self.entry(id, kind, name, count.as_ref(), attributes) {
                Ok(entry) => {
                    self.instances[id].entries.insert(&name.value, entry);
                    self.instances[id].order.push(&name.value);
                }
                Err(Reported) if again => {}
                Err(Reported) => {
                    self.instances[id].broken.insert(&name.value);
                }
            }
        }
        self.instances[id].devices.end = self.devices.len();
        id
    }

    fn entry(
        &mut self,
        instance: usize,
        kind: &'t Spanned<String>,
        name: &'t Spanned<String>,
        count: Option<&'t Spanned<Atom>>,
        attributes: &'t [Spanned<Attribute>],
    ) -> Result<Entry, Reported> {
        let at = place(name.span);
        let scope = self.instances[instance].scope;
        if !self.is_kind(scope, &kind.value) {
            return Err(self.report(self.unknown(scope, kind, Sought::Kind)));
        }
        let count = self.count(count)?;
        if let Some(device) = DeviceKind::from_word(&kind.value) {
            let first = self.devices.len();
            let elements = count.unwrap_or(1) as usize;
            if first + elements > MAX_DEVICES {
                return Err(self.report(Error::MachineSize { at, of: Counted::Devices }));
            }
            for index in 0..elements {
                let path = self.path_of(instance, &name.value, count.map(|_| index as u64));
                self.devices.push(Device {
                    path,
                    kind: device,
                    arch: None,
                    model: None,
                    memory: None,
                    bus: None,
                    span: name.span,
                });
                self.removed.push(false);
                self.incident.push(Vec::new());
            }
            let targets: Vec<usize> = (first..first + elements).collect();
            self.attribute(scope, &targets, attributes);
            return Ok(Entry { count, elements: Elements::Devices(first) });
        }
        let Some(part) = self.find_part(scope, &kind.value) else {
            return Err(self.report(self.unknown(scope, kind, Sought::Kind)));
        };
        if let Some(attribute) = attributes.first() {
            let (at, attribute) = (place(attribute.span), attribute_word(&attribute.value));
            let kind = format!("part `{}`", kind.value);
            self.report(Error::Misplaced { at, attribute, kind, belongs: "single devices" });
        }
        if self.expanding.contains(&part) {
            let (at, name) = (place(kind.span), kind.value.clone());
            return Err(self.report(Error::PartCycle { at, name }));
        }
        if self.expanding.len() >= MAX_DEPTH {
            return Err(self.report(Error::TooDeep { at }));
        }
        self.expanding.push(part);
        let mut elements = Vec::new();
        for index in 0..count.unwrap_or(1) {
            // Parts without devices count too, or they could multiply without end.
            if self.instances.len() >= MAX_DEVICES {
                self.expanding.pop();
                return Err(self.report(Error::MachineSize { at, of: Counted::Devices }));
            }
            let path = self.path_of(instance, &name.value, count.map(|_| index));
            let errors = self.found;
            elements.push(self.instantiate(part, path + "."));
            if self.found > errors {
                // The other elements would only repeat what is wrong with this one.
                self.expanding.pop();
                return Err(Reported);
            }
        }
        self.expanding.pop();
        Ok(Entry { count, elements: Elements::Parts(elements.into()) })
    }

    fn count(&mut self, count: Option<&Spanned<Atom>>) -> Result<Option<u64>, Reported> {
        let Some(count) = count else { return Ok(None) };
        let at = place(count.span);
        match &count.value {
            Atom::Integer(size) if (1..=MAX_ELEMENTS).contains(size) => Ok(Some(*size)),
            Atom::Integer(size) => Err(self.report(Error::ArraySize { at, size: *size })),
            // Params were replaced by their values when the file was resolved.
            Atom::Name(name) => {
                let (name, sought) = (name.clone(), Sought::Param);
                Err(self.report(Error::Unknown { at, name, sought, meant: None }))
            }
        }
    }

    fn path_of(&self, instance: usize, name: &str, index: Option<u64>) -> String {
        let prefix = &self.instances[instance].prefix;
        match index {
            Some(index) => format!("{prefix}{name}[{index}]"),
            None => format!("{prefix}{name}"),
        }
    }

    /// Gives attributes to devices; a list of bus ids is dealt out one by one.
    pub(super) fn attribute(
        &mut self,
        scope: usize,
        targets: &[usize],
        attributes: &'t [Spanned<Attribute>],
    ) {
        let mut given = BTreeSet::new();
        for attribute in attributes {
            let word = attribute_word(&attribute.value);
            let at = place(attribute.span);
            if !given.insert(word) {
                self.report(Error::AttributeTwice { at, attribute: word });
                continue;
            }
            let _ = self.one_attribute(scope, targets, &attribute.value, at);
        }
    }

    fn one_attribute(
        &mut self,
        scope: usize,
        targets: &[usize],
        attribute: &'t Attribute,
        at: Span,
    ) -> Result<(), Reported> {
        let word = attribute_word(attribute);
        let belongs = match attribute {
            Attribute::Arch(_) => Some((DeviceKind::Gpu, "a gpu")),
            Attribute::Memory(..) => Some((DeviceKind::Socket, "a socket")),
            Attribute::Model(_) | Attribute::Bus(_) => None,
        };
        if let Some((kind, belongs)) = belongs {
            let other = targets.iter().map(|one| self.devices[*one].kind).find(|one| *one != kind);
            if let Some(other) = other {
                let kind = other.word().to_owned();
                return Err(self.report(Error::Misplaced { at, attribute: word, kind, belongs }));
            }
        }
        match attribute {
            Attribute::Arch(arch) => {
                if !is_arch(arch) {
                    return Err(self.report(Error::BadArch { at, arch: arch.clone() }));
                }
                for one in targets {
                    self.devices[*one].arch = Some(arch.clone());
                }
            }
            Attribute::Model(model) => {
                for one in targets {
                    self.devices[*one].model = Some(model.clone());
                }
            }
            Attribute::Memory(rate, origin) => {
                let value = self.bare_rate(scope, rate, origin.as_ref(), Some(at))?;
                for one in targets {
                    self.devices[*one].memory = Some(value.clone());
                }
            }
            Attribute::Bus(ids) => {
                if ids.len() != targets.len() {
                    let (ids, elements) = (ids.len(), targets.len());
                    return Err(self.report(Error::BusCount { at, ids, elements }));
                }
                for (one, id) in targets.iter().zip(ids) {
                    let Some(bus) = BusId::from_full(id) else {
                        return Err(self.report(Error::BadBus { at, id: id.clone() }));
                    };
                    self.devices[*one].bus = Some(bus);
                }
            }
        }
        Ok(())
    }
}

fn attribute_word(attribute: &Attribute) -> &'static str {
    match attribute {
        Attribute::Arch(_) => "arch",
        Attribute::Model(_) => "model",
        Attribute::Memory(..) => "memory",
        Attribute::Bus(_) => "bus",
    }
}

/// `sm_` with two or three digits, and perhaps the letter of a feature set.
fn is_arch(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("sm_") else { return false };
    let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
    (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}
