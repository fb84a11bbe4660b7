//! The order of ranks.

use super::devices::Target;
use super::paths::Walk;
use super::{Builder, Reported, place};
use crate::base::{DeviceKind, Span};
use crate::dsl::error::{Error, Sought};
use crate::dsl::suggest::nearest;
use crate::dsl::tree::{Path, Ranks, Spanned, StatementKind};
use std::collections::{BTreeMap, BTreeSet};

/// A GPU, and its index in each array that it lies in, seen from the block in hand.
struct Gpu<'t> {
    device: usize,
    /// Whether it has a rank.
    ranked: bool,
    arrays: BTreeMap<&'t str, u64>,
}

impl<'t> Builder<'t> {
    /// The GPUs that are left and take part, in the order of ranks.
    pub(super) fn ranks(&mut self, root: usize) -> Vec<usize> {
        let gpus = self.gpus(root).into_iter();
        gpus.filter(|gpu| gpu.ranked).map(|gpu| gpu.device).collect()
    }

    /// The GPUs of an instance, in the order that its block asks for, else in that of declaration;
    /// those without a rank too, which a block around it may still name.
    fn gpus(&mut self, instance: usize) -> Vec<Gpu<'t>> {
        let mut gpus = Vec::new();
        for name in self.instances[instance].order.clone() {
            let entry = self.instances[instance].entries[name].clone();
            for (index, target) in entry.elements().enumerate() {
                if self.stopped() {
                    return gpus;
                }
                let inside = match target {
                    Target::Device(device) => {
                        let gpu = self.devices[device].kind == DeviceKind::Gpu;
                        let kept = gpu && !self.removed[device];
                        let gpu = Gpu { device, ranked: true, arrays: BTreeMap::new() };
                        kept.then_some(gpu).into_iter().collect()
                    }
                    Target::Part(part) => self.gpus(part),
                };
                gpus.extend(inside.into_iter().map(|mut gpu| {
                    if entry.count.is_some() {
                        gpu.arrays.insert(name, index as u64);
                    }
                    gpu
                }));
            }
        }
        let block = self.scopes[self.instances[instance].scope].block;
        let mut first: Option<Option<Span>> = None;
        for statement in &block.statements {
            let StatementKind::Ranks(ranks) = &statement.kind else { continue };
            if let Some(first) = first {
                self.report(Error::RanksTwice { at: place(statement.span), first });
                continue;
            }
            first = Some(statement.span);
            match ranks {
                Ranks::By(names) => {
                    let _ = self.order_by(&mut gpus, names);
                }
                Ranks::List(paths) => {
                    let _ = self.order_as(instance, &mut gpus, paths);
                }
            }
        }
        gpus
    }

    fn order_by(
        &mut self,
        gpus: &mut [Gpu<'t>],
        names: &[Spanned<String>],
    ) -> Result<(), Reported> {
        let known: BTreeSet<&str> =
            gpus.iter().flat_map(|gpu| gpu.arrays.keys().copied()).collect();
        for name in names {
            if !known.contains(name.value.as_str()) {
                let meant = nearest(&name.value, known.iter().copied()).map(str::to_owned);
                let (at, name, sought) = (place(name.span), name.value.clone(), Sought::Array);
                return Err(self.report(Error::Unknown { at, name, sought, meant }));
            }
        }
        // Stable, so that GPUs with equal indices stay in the order of declaration.
        gpus.sort_by_cached_key(|gpu| {
            let index = |name: &Spanned<String>| gpu.arrays.get(name.value.as_str()).copied();
            names.iter().map(|name| index(name).unwrap_or(0)).collect::<Vec<_>>()
        });
        Ok(())
    }

    fn order_as(
        &mut self,
        instance: usize,
        gpus: &mut [Gpu<'t>],
        paths: &[Path],
    ) -> Result<(), Reported> {
        let mut rank: BTreeMap<usize, usize> = BTreeMap::new();
        for path in paths {
            self.shape(instance, path)?;
            for device in self.devices_of(instance, path, &Walk::new())? {
                let at = place(path.span);
                let name = self.devices[device].path.clone();
                if self.devices[device].kind != DeviceKind::Gpu {
                    return Err(self.report(Error::NotGpu { at, name }));
                }
                let next = rank.len();
                if rank.insert(device, next).is_some() {
                    return Err(self.report(Error::RankTwice { at, name }));
                }
            }
        }
        for gpu in gpus.iter_mut() {
            gpu.ranked = rank.contains_key(&gpu.device);
        }
        gpus.sort_by_key(|gpu| rank.get(&gpu.device).copied().unwrap_or(usize::MAX));
        Ok(())
    }
}
