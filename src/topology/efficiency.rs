//! What links offer when transfers share them, and the setting in which they lose nothing.
//!
//! A rule `efficiency LINK : N P%, …` speaks of the links whose value comes from `link LINK`, of each
//! direction by itself: while `n` transfers cross it, it offers P per cent of its capacity, where P
//! belongs to the greatest N that is at most `n`, and all of it below the first. A transfer counts
//! once however often it takes the link. With a mode only transfers of that mode count. Of rules with
//! one mode the one of the innermost part holds, and in one block the last; those of several modes
//! hold side by side, and the link offers the least of what they say. Since percentages never rise, no
//! transfer ever gains by another one beside it.

use super::{Resource, Topology};
use crate::base::{BytesPerSecond, Mode, Nanos, Setting};
use crate::dsl::Machine;
use crate::dsl::machine::{PlacedRule, Rule};

/// What a directed link offers by the number of transfers that cross it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Efficiency {
    /// Only transfers of this mode count; all without.
    pub mode: Option<Mode>,
    /// From so many transfers on the link offers so much: numbers ascend from at least 1, and what is
    /// offered never rises and is at most the capacity.
    pub steps: Vec<(u64, BytesPerSecond)>,
}

impl Efficiency {
    /// What is offered to a number of transfers that count, of this capacity.
    #[must_use]
    pub fn offers(&self, capacity: BytesPerSecond, transfers: u64) -> BytesPerSecond {
        let reached = self.steps.iter().take_while(|(from, _)| *from <= transfers);
        reached.last().map_or(capacity, |&(_, rate)| rate)
    }
}

impl Resource {
    /// What it offers to a number of transfers of one mode; nothing where its capacity is unknown.
    #[must_use]
    pub fn offers(&self, mode: Mode, transfers: u64) -> Option<BytesPerSecond> {
        let capacity = self.capacity?;
        let counting = self.efficiency.iter().filter(|of| of.mode.is_none_or(|of| of == mode));
        let least = counting.map(|of| of.offers(capacity, transfers)).min();
        Some(least.unwrap_or(capacity))
    }
}

impl Topology {
    /// The setting that the machine itself asks for: its profile where a rule gives a link one.
    #[must_use]
    pub fn setting(&self) -> Setting {
        let has_profile = self.resources.iter().any(|resource| !resource.efficiency.is_empty());
        if has_profile { Setting::Profile } else { Setting::Ideal }
    }

    /// The machine in the ideal setting: without efficiency, costs and latencies. The name and the
    /// digest stay those of the whole machine.
    #[must_use]
    pub fn ideal(mut self) -> Self {
        for resource in &mut self.resources {
            resource.efficiency.clear();
            resource.latency = Nanos(0);
        }
        let is_profile = |placed: &PlacedRule| {
            matches!(placed.rule, Rule::Efficiency { .. } | Rule::Cost { .. })
        };
        self.rules.retain(|placed| !is_profile(placed));
        self
    }
}

/// What each link (by position in the machine) offers when transfers share it, by mode.
pub(super) fn of_links(machine: &Machine) -> Vec<Vec<Efficiency>> {
    let mut found: Vec<Vec<Efficiency>> = vec![Vec::new(); machine.links.len()];
    for placed in super::rules::strongest_first(&machine.rules) {
        let Rule::Efficiency { links, mode, steps } = &placed.rule else { continue };
        for &link in links {
            let Some(capacity) = machine.links[link].value.rate else { continue };
            if found[link].iter().any(|stronger| stronger.mode == *mode) {
                continue;
            }
            let kept = |percent: u64| {
                let rate = u128::from(capacity.0) * u128::from(percent.min(100)) / 100;
                BytesPerSecond(u64::try_from(rate).unwrap_or(u64::MAX))
            };
            let steps = steps.iter().map(|&(from, percent)| (from, kept(percent))).collect();
            found[link].push(Efficiency { mode: *mode, steps });
        }
    }
    found.iter_mut().for_each(|all| all.sort_by_key(|of| of.mode));
    found
}
