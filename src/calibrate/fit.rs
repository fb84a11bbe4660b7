//! The values of a set of free keys.

use super::fault::Fault;
use super::model::{Element, Elements, Key, wire};
use super::observe::Observation;
use crate::lp::{Minimum, fit_minima};
use std::collections::BTreeMap;

/// Rates below are no link of a machine.
const LEAST: f64 = 1e6;
/// As the language: 10 TB/s.
const MOST: f64 = 1e13;

/// The free keys and their values, in bytes a second.
pub(super) type Values = BTreeMap<Key, f64>;

/// What an observation is bounded by.
struct Bounds {
    /// The least of what stays, over its load.
    constant: f64,
    /// Free keys with their loads.
    free: BTreeMap<Key, f64>,
}

fn bounds(elements: &Elements, free: &Values, observation: &Observation) -> Bounds {
    let mut bounds = Bounds { constant: f64::INFINITY, free: BTreeMap::new() };
    for (element, load) in elements.of(observation) {
        match (key_of(element, free), element.value) {
            (Some(key), _) => bounds.take(key, load),
            (None, Some(value)) => bounds.constant = bounds.constant.min(value.0 as f64 / load),
            (None, None) => {}
        }
    }
    for (&class, &share) in &observation.classes {
        if free.contains_key(&Key::NewCap(class)) {
            bounds.take(Key::NewCap(class), share);
        }
    }
    for key in free.keys() {
        if let Key::NewTotal(statement) = key {
            let load = both_ways(elements, observation, *statement);
            if load > 0.0 {
                bounds.take(*key, load);
            }
        }
    }
    bounds
}

impl Bounds {
    fn take(&mut self, key: Key, load: f64) {
        let most = self.free.entry(key).or_insert(load);
        *most = most.max(load);
    }
}

/// The free key that gives an element its value: the finest.
pub(super) fn key_of(element: &Element, free: &Values) -> Option<Key> {
    element.keys.iter().rev().find(|key| free.contains_key(key)).copied()
}

/// The load on the busiest link of a statement, both directions together.
pub(super) fn both_ways(
    elements: &Elements,
    observation: &Observation,
    statement: crate::base::Span,
) -> f64 {
    let Some(links) = elements.duplex.get(&statement) else { return 0.0 };
    let load = |ids: &Vec<_>| ids.iter().filter_map(|id| observation.loads.get(id)).sum::<f64>();
    links.values().map(load).fold(0.0, f64::max)
}

/// What an observation is predicted to reach.
pub(super) fn predict(elements: &Elements, free: &Values, observation: &Observation) -> f64 {
    let bounds = bounds(elements, free, observation);
    let of = bounds.free.iter().map(|(key, load)| free[key] / load);
    of.fold(bounds.constant, f64::min)
}

/// The loads of the free keys, and of elements that stay, for each observation: what a value must be
/// at least so that an observation is possible.
pub(super) fn least(
    elements: &Elements,
    free: &Values,
    observations: &[Observation],
) -> BTreeMap<Key, f64> {
    let mut least: BTreeMap<Key, f64> = BTreeMap::new();
    for observation in observations {
        for (key, load) in bounds(elements, free, observation).free {
            let needed = observation.measured.0 as f64 * load;
            let most = least.entry(key).or_insert(needed);
            *most = most.max(needed);
        }
    }
    least
}

/// Rounds of a fit after which it is good enough whatever it is.
const ROUNDS: usize = 20;

/// Fits the free keys of `free`: from what the observations need at least, and from where they are; a
/// `quick` fit takes one round from the first alone.
pub(super) fn fit(
    elements: &Elements,
    free: &mut Values,
    observations: &[Observation],
    quick: bool,
) -> Result<f64, Fault> {
    let keys: Vec<Key> = free.keys().copied().collect();
    let place: BTreeMap<Key, usize> = keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();
    // Observations that are bounded alike have one prediction.
    let mut minima: BTreeMap<(u64, Vec<(usize, u64)>), Minimum> = BTreeMap::new();
    for observation in observations {
        let bounds = bounds(elements, free, observation);
        let terms: Vec<(usize, f64)> =
            bounds.free.iter().map(|(key, load)| (place[key], *load)).collect();
        let id = terms.iter().map(|(at, load)| (*at, load.to_bits())).collect();
        let minimum = minima.entry((bounds.constant.to_bits(), id)).or_insert_with(|| Minimum {
            constant: bounds.constant,
            terms,
            observed: Vec::new(),
        });
        minimum.observed.push(observation.measured.0 as f64);
    }
    let minima: Vec<Minimum> = minima.into_values().collect();
    let needed = least(elements, free, observations);
    let range = |key: &Key| {
        let most = most(elements, *key);
        // Of what several GPUs share, one transfer alone shows the least, which is no more to fit.
        let known = if is_open(elements, free, *key) { needed.get(key) } else { None };
        (known.copied().unwrap_or(LEAST).min(most), most)
    };
    let ranges: Vec<(f64, f64)> = keys.iter().map(range).collect();
    let loosest: Vec<f64> = keys.iter().map(|key| *needed.get(key).unwrap_or(&free[key])).collect();
    let present: Vec<f64> = free.values().copied().collect();
    let rounds = if quick { 1 } else { ROUNDS };
    let fit = |start| fit_minima(&minima, &ranges, start, rounds).map_err(Fault::Solver);
    let mut best = fit(&loosest)?;
    if !quick {
        let again = fit(&present)?;
        if again.residual < best.residual {
            best = again;
        }
    }
    for (key, value) in keys.iter().zip(best.values) {
        free.insert(*key, value);
    }
    Ok(best.residual)
}

/// Whether a key gives values only to unknown links that several GPUs share: they may carry more than
/// any transfer alone.
pub(super) fn is_open(elements: &Elements, free: &Values, key: Key) -> bool {
    let mut of = elements.all().filter(|element| key_of(element, free) == Some(key)).peekable();
    of.peek().is_some() && of.all(|element| !element.decided && element.value.is_none())
}

/// The generation and width whose wire bounds a key, where one does.
pub(super) fn narrowest(elements: &Elements, key: Key) -> Option<(u32, u32)> {
    let of = elements.all().filter(|element| element.keys.contains(&key));
    of.filter_map(|element| element.pcie).min_by_key(|pcie| wire(*pcie))
}

/// The most that a key can be: the wire of the links that it gives a value.
fn most(elements: &Elements, key: Key) -> f64 {
    narrowest(elements, key).map_or(MOST, |pcie| wire(pcie).0 as f64)
}
