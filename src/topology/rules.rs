//! Which rule holds for a pair, where several parts of a machine speak of it.

use crate::base::{BytesPerSecond, Initiator, Mode, RouteClass};
use crate::dsl::machine::{PlacedRule, Rule};
use crate::dsl::tree::Place;
use std::collections::BTreeMap;

/// The rules that shape routes, ready to be asked. Devices are positions in the machine.
pub(super) struct Rules<'a> {
    /// The innermost first, of equal ones the last written.
    by_rank: Vec<&'a PlacedRule>,
    /// The modes in which a pair has no peer access, of pairs that a `forbid` names.
    forbidden: BTreeMap<(usize, usize), [bool; 2]>,
}

/// The cards of a GPU's transfers to other nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cards<'a> {
    /// Those with the fewest links to the destination.
    Nearest,
    /// Every card of the node.
    Any,
    /// These (positions).
    Listed(&'a [usize]),
}

impl<'a> Rules<'a> {
    pub(super) fn new(rules: &'a [PlacedRule]) -> Self {
        let by_rank = strongest_first(rules);
        let mut forbidden: BTreeMap<(usize, usize), [bool; 2]> = BTreeMap::new();
        for placed in rules {
            let Rule::Forbid { mode, pairs } = &placed.rule else { continue };
            for &pair in pairs {
                let [push, pull] = forbidden.entry(pair).or_default();
                *push |= *mode != Some(Mode::Pull);
                *pull |= *mode != Some(Mode::Push);
            }
        }
        Self { by_rank, forbidden }
    }

    /// The rules that hold between two devices, the strongest first.
    fn between(&self, a: usize, b: usize) -> impl Iterator<Item = &'a Rule> {
        let holds =
            move |placed: &&&PlacedRule| placed.scope.contains(&a) && placed.scope.contains(&b);
        self.by_rank.iter().filter(holds).map(|placed| &placed.rule)
    }

    /// Whether a pair of GPUs has no peer access by push, and by pull, wherever the two are.
    pub(super) fn forbidden_modes(&self, src: usize, dst: usize) -> [bool; 2] {
        self.forbidden.get(&(src, dst)).copied().unwrap_or_default()
    }

    /// How far the peer access of a pair of GPUs reaches; nothing for nowhere.
    pub(super) fn peer(&self, src: usize, dst: usize) -> Option<Place> {
        self.between(src, dst)
            .find_map(|rule| match rule {
                Rule::Peer { nic: false, within } => Some(*within),
                _ => None,
            })
            .unwrap_or(Some(Place::Node))
    }

    /// Whether the slots of a pair's bounced transfers lie at the source's socket.
    pub(super) fn bounces_at_source(&self, src: usize, dst: usize) -> bool {
        self.between(src, dst)
            .find_map(|rule| match rule {
                Rule::Bounce { at_source, .. } => Some(*at_source),
                _ => None,
            })
            .unwrap_or(false)
    }

    /// The caps of a class, the strongest first.
    pub(super) fn caps(&self, class: RouteClass) -> impl Iterator<Item = &'a PlacedRule> {
        let of = move |placed: &&&PlacedRule| matches!(placed.rule, Rule::Cap { class: of, .. } if of == class);
        self.by_rank.iter().filter(of).copied()
    }

    /// How far GPUDirect between a GPU and a card reaches; nothing for nowhere.
    pub(super) fn nic_peer(&self, gpu: usize, nic: usize) -> Option<Place> {
        self.between(gpu, nic)
            .find_map(|rule| match rule {
                Rule::Peer { nic: true, within } => Some(*within),
                _ => None,
            })
            .unwrap_or(Some(Place::Node))
    }

    /// Whether any pair may have routes over cards back into its node.
    pub(super) fn has_loopback(&self) -> bool {
        self.by_rank.iter().any(|placed| matches!(placed.rule, Rule::Loopback))
    }

    /// Whether a pair of GPUs has routes over cards back into its node.
    pub(super) fn loops_back(&self, src: usize, dst: usize) -> bool {
        self.between(src, dst).any(|rule| matches!(rule, Rule::Loopback))
    }

    /// The cards of a GPU.
    pub(super) fn cards(&self, gpu: usize) -> Cards<'a> {
        self.between(gpu, gpu)
            .find_map(|rule| match rule {
                Rule::ViaNearest => Some(Cards::Nearest),
                Rule::ViaAny => Some(Cards::Any),
                Rule::Via { gpus, nics } if gpus.contains(&gpu) => Some(Cards::Listed(nics)),
                _ => None,
            })
            .unwrap_or(Cards::Nearest)
    }
}

/// The caps of a pair's transfers over a route of `class` in a mode and by an initiator. `rules` come
/// the strongest first. Caps of one mode and one initiator override each other, others hold together.
pub(super) fn caps_in_force<'a>(
    rules: impl Iterator<Item = &'a PlacedRule>,
    class: RouteClass,
    (mode, initiator): (Mode, Initiator),
    ends: [usize; 2],
) -> Vec<(&'a PlacedRule, Option<BytesPerSecond>)> {
    let (mut seen, mut caps) = (Vec::new(), Vec::new());
    for placed in rules {
        let PlacedRule { scope, rule, .. } = placed;
        let Rule::Cap { class: of, mode: modes, by, value } = rule else { continue };
        if *of == class
            && ends.iter().all(|end| scope.contains(end))
            && modes.is_none_or(|of| of == mode)
            && by.is_none_or(|of| of == initiator)
            && !seen.contains(&(*modes, *by))
        {
            seen.push((*modes, *by));
            caps.push((placed, value.rate));
        }
    }
    caps
}

/// The least of the caps in force on a push by the kernel; nothing without one.
pub(super) fn cap<'a>(
    rules: impl Iterator<Item = &'a PlacedRule>,
    class: RouteClass,
    ends: [usize; 2],
) -> Option<BytesPerSecond> {
    let kind = (Mode::Push, Initiator::Kernel);
    caps_in_force(rules, class, kind, ends).iter().filter_map(|&(_, rate)| rate).min()
}

/// All rules, the innermost first, of equal ones the last written.
pub(super) fn strongest_first(rules: &[PlacedRule]) -> Vec<&PlacedRule> {
    let mut by_rank: Vec<&PlacedRule> = rules.iter().rev().collect();
    by_rank.sort_by_key(|placed| placed.scope.len());
    by_rank
}
