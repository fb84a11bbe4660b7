//! Who moves a pair's bytes, and with what: one candidate of several for each route within a node.
//!
//! The links of a pair are settled before (`local.rs`); what is left to choose is the mode, push or
//! pull, and the initiator, kernel or copy engine. A candidate is what the rules leave: a mode that no
//! `forbid` takes from the pair, at the least of the capacities on the way and of the caps of that
//! class, mode and initiator. What goes through host memory is pushed into it and on from there, so
//! that only the initiator is open.
//!
//! # Which one is taken
//!
//! A plan never lets two transfers run together that an `avoid` keeps apart, but it pays for that: one
//! of them waits, and on the machine, where nothing is exactly on time, they do meet now and then. So
//! what counts first is the *sure rate* of a candidate: what it reaches even beside the worst
//! transfer that it may meet. That is its solo rate, unless an `avoid` keeps it from a transfer of
//! another pair in the same mode: then half of what the two are said to reach together, where that is
//! less; nothing where the rule has no figure, or where a cap of the candidate is unknown.
//!
//! The greatest sure rate is taken, of equal ones the greatest solo rate; then a push before a pull,
//! which needs no answer to travel, and the kernel before a copy engine, which costs stream operations.
//! The other pair counts with every mode that it is allowed, whatever it ends up with, for two
//! reasons. The choice of one pair does not depend on that of another, so that there is no order of
//! pairs in which they would have to choose. And it rests on rules, places and links alone, which
//! every symmetry keeps: pairs that a symmetry takes to each other choose alike, never by their
//! numbers. The price is caution: a mode is judged by a neighbour that perhaps never uses it.

use super::hazards::Spot;
use super::rules::{Rules, caps_in_force};
use super::{Route, Topology};
use crate::base::{Initiator, Mode, RouteClass, VertexId};
use crate::dsl::machine::{PlacedRule, Rule};
use crate::dsl::tree::{Place, Relation};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What carries plans out, as far as routes within nodes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The classes of routes.
    pub classes: &'static [RouteClass],
    /// The modes.
    pub modes: &'static [Mode],
    /// The initiators.
    pub initiators: &'static [Initiator],
}

impl Abilities {
    /// Whether routes of this kind are carried out.
    #[must_use]
    pub fn carry_out(&self, class: RouteClass, mode: Mode, initiator: Initiator) -> bool {
        self.classes.contains(&class)
            && self.modes.contains(&mode)
            && self.initiators.contains(&initiator)
    }
}

/// One way to carry out a route, in the order of preference among equals.
const KINDS: [(Mode, Initiator); 4] = [
    (Mode::Push, Initiator::Kernel),
    (Mode::Push, Initiator::Engine),
    (Mode::Pull, Initiator::Kernel),
    (Mode::Pull, Initiator::Engine),
];

/// What a transfer meets at worst, for each route, pushed and pulled: the least of what `avoid` rules
/// say that one of two reaches; nothing where none speaks of it.
type Hazards = Vec<[Option<u64>; 2]>;

/// Routes that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    All,
    /// Those whose source is in one place.
    Place(Option<Spot>),
    /// Those of one source.
    Source(VertexId),
}

impl Topology {
    /// Gives every route within a node the best of its candidates.
    pub(super) fn choose_candidates(&mut self) {
        // Where no rule tells candidates apart, all routes are what they are made as.
        let tells = |placed: &PlacedRule| match &placed.rule {
            Rule::Forbid { mode, .. } => mode.is_some(),
            Rule::Cap { mode, by, .. } => mode.is_some() || by.is_some(),
            Rule::Avoid { .. } => true,
            _ => false,
        };
        if self.rules.iter().any(tells) {
            self.choose(&|_, _, _| true);
        }
    }

    /// The same machine as an engine carries it out: of every route within a node the best candidate
    /// among those that it is able to. A route of which it is able to none stays as it is. Nothing
    /// where it carries out all routes as they are.
    #[must_use]
    pub fn carried_out_by(&self, abilities: &Abilities) -> Option<Self> {
        let able = |class, mode, initiator| abilities.carry_out(class, mode, initiator);
        if self.routes.iter().all(|route| able(route.class, route.mode, route.initiator)) {
            return None;
        }
        let mut topology = self.clone();
        topology.choose(&able);
        Some(topology)
    }

    fn choose(&mut self, able: &dyn Fn(RouteClass, Mode, Initiator) -> bool) {
        let rules = Rules::new(&self.rules);
        let allowed: Vec<[bool; 2]> =
            self.routes.iter().map(|route| self.allowed(&rules, route)).collect();
        let hazards = self.hazards(&allowed);
        let mut chosen = Vec::with_capacity(self.routes.len());
        for (index, route) in self.routes.iter().enumerate() {
            let uncapped = self.uncapped_rate(route);
            let ends = self.ends(route).map(VertexId::index);
            let best = KINDS
                .into_iter()
                .filter(|&(mode, initiator)| {
                    allowed[index][usize::from(mode == Mode::Pull)]
                        && able(route.class, mode, initiator)
                })
                .enumerate()
                .map(|(rank, (mode, initiator))| {
                    let caps = rules.caps(route.class);
                    let caps = caps_in_force(caps, route.class, (mode, initiator), ends);
                    let least = caps.iter().filter_map(|&(_, rate)| rate).min();
                    let solo = least.map_or(uncapped, |cap| cap.min(uncapped));
                    let unknown = caps.iter().any(|(_, rate)| rate.is_none());
                    let worst = hazards[index][usize::from(mode == Mode::Pull)];
                    let sure = worst.map_or(solo.0, |worst| worst.min(solo.0));
                    let sure = if unknown { 0 } else { sure };
                    (sure, solo, Reverse(rank), mode, initiator)
                })
                .max_by_key(|&(sure, solo, rank, ..)| (sure, solo, rank));
            chosen.push(best.map(|(_, solo, _, mode, initiator)| (mode, initiator, solo)));
        }
        for (route, best) in self.routes.iter_mut().zip(chosen) {
            if let Some((mode, initiator, rate)) = best {
                (route.mode, route.initiator, route.rate) = (mode, initiator, rate);
            }
        }
    }

    /// Whether a pair may push and pull.
    fn allowed(&self, rules: &Rules<'_>, route: &Route) -> [bool; 2] {
        match route.class {
            RouteClass::Bounce | RouteClass::Network | RouteClass::Loopback => [true, false],
            _ => {
                let [src, dst] = self.ends(route).map(VertexId::index);
                rules.forbidden_modes(src, dst).map(|forbidden| !forbidden)
            }
        }
    }

    fn hazards(&self, allowed: &[[bool; 2]]) -> Hazards {
        let mut hazards = vec![[None; 2]; self.routes.len()];
        for PlacedRule { scope, rule, .. } in &self.rules {
            let Rule::Avoid { mode, from, to, value } = rule else { continue };
            let each = value.as_ref().and_then(|value| value.rate).map_or(0, |rate| rate.0 / 2);
            let uplinks = [from, to].iter().any(|(_, place)| *place == Place::Uplink);
            for pull in [false, true] {
                let of = if pull { Mode::Pull } else { Mode::Push };
                if mode.is_some_and(|mode| mode != of) {
                    continue;
                }
                let seen: Vec<usize> = (0..self.routes.len())
                    .filter(|&index| {
                        let route = &self.routes[index];
                        allowed[index][usize::from(pull)]
                            && self.ends(route).iter().all(|end| scope.contains(&end.index()))
                            && (!uplinks || self.leaves_by_its_uplink(route))
                    })
                    .collect();
                for index in self.met(&seen, *from, *to) {
                    let worst = &mut hazards[index][usize::from(pull)];
                    *worst = Some(worst.map_or(each, |known: u64| known.min(each)));
                }
            }
        }
        hazards
    }

    /// Those of `seen` (positions of routes) that an `avoid` keeps from another of them. Others are
    /// counted by their places rather than looked at one by one: a large node has a million routes.
    fn met(&self, seen: &[usize], from: (Relation, Place), to: (Relation, Place)) -> Vec<usize> {
        // A group is what shares the place at its source, its source, or nothing. By group: how many
        // there are in all, and in each place at the destination.
        let mut groups: BTreeMap<Group, (usize, BTreeMap<Option<Spot>, usize>)> = BTreeMap::new();
        let place_of = |vertex, (_, place): (Relation, Place)| self.spot(vertex, place);
        let groups_of = |index: usize| {
            let [src, dst] = self.ends(&self.routes[index]);
            let places = [place_of(src, from), place_of(dst, to)];
            (places, [Group::All, Group::Place(places[0]), Group::Source(src)])
        };
        for &index in seen {
            let ([_, dst], own) = groups_of(index);
            for key in own {
                let (all, by_place) = groups.entry(key).or_default();
                *all += 1;
                *by_place.entry(dst).or_default() += 1;
            }
        }
        // How many of a group are related to a place at the destination as the rule says.
        let count = |key: Group, dst: Option<Spot>| -> usize {
            let Some((all, by_place)) = groups.get(&key) else { return 0 };
            let same = dst.map_or(0, |_| by_place.get(&dst).copied().unwrap_or(0));
            match to.0 {
                Relation::Same => same,
                Relation::Different => all - same,
            }
        };
        let meets = |index: &usize| {
            let ([src, dst], [all, place, source]) = groups_of(*index);
            // Nothing is kept from its own source, which is in the same place as itself.
            match (from.0, src) {
                (Relation::Same, None) => false,
                (Relation::Same, Some(_)) => count(place, dst) > count(source, dst),
                (Relation::Different, Some(_)) => count(all, dst) > count(place, dst),
                (Relation::Different, None) => count(all, dst) > count(source, dst),
            }
        };
        seen.iter().copied().filter(meets).collect()
    }
}
