//! From a specification's text to its kind and values.

use super::fault::Fault;
use super::generate;
use super::kinds::{Kind, kinds};
use super::units;
use crate::base::Demand;
use crate::diagnostics::Diagnostics;
use std::collections::BTreeMap;

/// The values of a specification, as written; a key that is not written has its default.
pub(super) struct Values {
    kind: &'static Kind,
    written: BTreeMap<&'static str, String>,
}

/// The demand of `ranks` ranks that `KIND[:VALUE][,key=value]…` stands for. VALUE belongs to the
/// kind's first key, or is itself `key=value`.
///
/// ```
/// let demand = variopath::demand::parse_spec("uniform:4KiB", 2).unwrap();
/// assert_eq!(demand.entries(), [0, 4096, 4096, 0]);
/// ```
///
/// # Errors
/// An unknown kind or key, a value that does not fit its key, or a total above 2^53 bytes.
pub fn parse_spec(spec: &str, ranks: usize) -> Result<Demand, Diagnostics> {
    Values::parse(spec)
        .and_then(|values| generate::generate(&values, ranks))
        .map_err(|fault| fault.diagnose().into())
}

impl Values {
    pub(super) fn parse(spec: &str) -> Result<Self, Fault> {
        let (name, rest) = match spec.find([':', ',']) {
            Some(at) => (spec[..at].trim(), Some(&spec[at..])),
            None => (spec.trim(), None),
        };
        let positional = rest.is_some_and(|rest| rest.starts_with(':'));
        // Both separators are one byte.
        let rest = rest.map(|rest| &rest[1..]);
        let kind = kinds().iter().find(|kind| kind.name == name).ok_or_else(|| {
            let known: Vec<_> = kinds().iter().map(|kind| kind.name).collect();
            Fault::UnknownKind { name: name.to_owned(), near: nearest(name, &known), known }
        })?;
        let mut values = Self { kind, written: BTreeMap::new() };
        for (index, part) in rest.iter().flat_map(|rest| rest.split(',')).enumerate() {
            let part = part.trim();
            match part.split_once('=') {
                Some((key, value)) => values.write(key.trim(), value.trim())?,
                None if index == 0 && positional && !part.is_empty() => {
                    let Some(first) = kind.keys.first() else {
                        return Err(Fault::NoKeys { kind: kind.name, value: part.to_owned() });
                    };
                    values.write(first.name, part)?;
                }
                None => return Err(Fault::NoValue { part: part.to_owned() }),
            }
        }
        Ok(values)
    }

    fn write(&mut self, key: &str, value: &str) -> Result<(), Fault> {
        let Some(known) = self.kind.keys.iter().find(|known| known.name == key) else {
            let known: Vec<_> = self.kind.keys.iter().map(|known| known.name).collect();
            if known.is_empty() {
                return Err(Fault::NoKeys {
                    kind: self.kind.name,
                    value: format!("{key}={value}"),
                });
            }
            return Err(Fault::UnknownKey {
                kind: self.kind.name,
                key: key.to_owned(),
                near: nearest(key, &known),
                known,
            });
        };
        match self.written.insert(known.name, value.to_owned()) {
            Some(_) => Err(Fault::Twice { key: known.name }),
            None => Ok(()),
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// The value as written, and whether it is.
    pub(super) fn text(&self, key: &'static str) -> (&str, bool) {
        match self.written.get(key) {
            Some(text) => (text, true),
            None => {
                let default = self.kind.keys.iter().find(|known| known.name == key);
                (default.map_or("", |known| known.default), false)
            }
        }
    }

    fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Fault> {
        let (text, _) = self.text(key);
        read(text).map_err(|why| Fault::Value { key, value: text.to_owned(), why })
    }

    pub(super) fn size(&self, key: &'static str) -> Result<u64, Fault> {
        self.read(key, units::size)
    }

    pub(super) fn whole(&self, key: &'static str, least: u64, most: u64) -> Result<u64, Fault> {
        self.read(key, |text| units::whole(text, least, most))
    }

    pub(super) fn real(&self, key: &'static str, most: u32) -> Result<f64, Fault> {
        self.read(key, |text| units::real(text, most))
    }

    pub(super) fn seed(&self) -> Result<u64, Fault> {
        self.whole("seed", 0, u64::MAX)
    }

    /// The bytes of an element of the type that `dtype` names.
    pub(super) fn element_bytes(&self) -> Result<u64, Fault> {
        self.read("dtype", |text| match text {
            "fp8" => Ok(1),
            "bf16" | "fp16" => Ok(2),
            "fp32" => Ok(4),
            _ => Err("element types are fp8, bf16, fp16 and fp32".to_owned()),
        })
    }

    /// `min` and `max`, in order.
    pub(super) fn range(&self) -> Result<(u64, u64), Fault> {
        let (min, max) = (self.size("min")?, self.size("max")?);
        if min > max { Err(Fault::Reversed { min, max }) } else { Ok((min, max)) }
    }
}

/// The known name that is few enough changes away to be meant.
fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let allowed = (word.chars().count() / 3).max(1);
    known
        .iter()
        .map(|&name| (changes(word, name), name))
        .filter(|&(distance, name)| {
            distance <= allowed || (word.len() >= 3 && name.starts_with(word))
        })
        .min()
        .map(|(_, name)| name)
}

/// Insertions, deletions and replacements from one word to the other.
fn changes(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
