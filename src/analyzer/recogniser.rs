//! Which family a channel belongs to.

use crate::catalog::symmetry::{Form, Labeller};
use crate::catalog::{Catalog, Channel, canonical_channel, quick_form};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// Numbers the families of channels as they are met. Most channels that a search meets belong to a
/// family that is known, and most of those are drawn under the same names as a member met before:
/// a quick form tells. The canonical form, which takes many times as long, is made for the others.
#[derive(Debug)]
pub(super) struct Recogniser<'a> {
    catalog: &'a Catalog,
    base: &'a Labeller,
    /// The family of each channel met.
    members: FxHashMap<Channel, u32>,
    /// The family of each form met, quick or canonical: equal ones are of one family.
    forms: FxHashMap<Form, u32>,
    /// For each family the first member met, and what leaves it alone.
    first: Vec<(Channel, Stabiliser)>,
}

/// The symmetries that leave a channel as it is.
#[derive(Debug, Clone)]
pub(super) struct Stabiliser {
    pub(super) order: BigUint,
    pub(super) generators: Vec<Vec<u32>>,
}

impl<'a> Recogniser<'a> {
    /// None is known yet. `base` is the structure of the catalog.
    pub(super) fn new(catalog: &'a Catalog, base: &'a Labeller) -> Self {
        let (members, forms) = (FxHashMap::default(), FxHashMap::default());
        Self { catalog, base, members, forms, first: Vec::new() }
    }

    /// The family of a channel that was met before.
    pub(super) fn known(&self, channel: &Channel) -> Option<u32> {
        self.members.get(channel).copied()
    }

    /// The family of a channel, and whether it took a canonical form to tell.
    pub(super) fn tell(&mut self, channel: &Channel) -> (u32, bool) {
        let quick = quick_form(self.base, self.catalog, &channel.0);
        let found = self.forms.get(&quick).copied();
        let family = found.unwrap_or_else(|| {
            let canonical = canonical_channel(self.base, self.catalog, &channel.0);
            let next = self.first.len() as u32;
            let family = *self.forms.entry(canonical.form).or_insert(next);
            if family == next {
                let (order, generators) = (canonical.order, canonical.generators);
                self.first.push((channel.clone(), Stabiliser { order, generators }));
            }
            self.forms.insert(quick, family);
            family
        });
        self.members.insert(channel.clone(), family);
        (family, found.is_none())
    }

    /// The symmetries that leave a channel of this family alone.
    pub(super) fn stabiliser(&self, family: u32, channel: &Channel) -> Stabiliser {
        let (first, stabiliser) = &self.first[family as usize];
        if first == channel {
            return stabiliser.clone();
        }
        let canonical = canonical_channel(self.base, self.catalog, &channel.0);
        Stabiliser { order: canonical.order, generators: canonical.generators }
    }
}
