//! Which figures are fitted: as few as explain the measurements.

use super::fault::Fault;
use super::fit::{self, Values, both_ways, key_of, predict};
use super::model::{Elements, Key};
use super::observe::{Observation, Subject};
use crate::base::RouteClass;
use crate::calibrate::WORST_ERROR;
use std::collections::{BTreeMap, BTreeSet};

/// Mean relative errors below are the noise of a benchmark: nothing is fitted to explain them.
const NOISE: f64 = 0.01;
/// What was measured over a link may exceed the file's figure by so much before the figure is wrong.
const SLACK: f64 = 1.02;

/// Scores that differ by less are the same: two or more of them are hardly worth a mention, and what
/// is less may be rounding.
const SAME: f64 = 0.5;
/// How many links, and how many directions, are tried one by one: those predicted worst.
const TRIED_ALONE: usize = 8;
/// How many of the most promising figures are fitted to the end before one is chosen.
const FITTED_IN_FULL: usize = 6;

/// The free keys with their fitted values.
pub(super) fn choose(elements: &Elements, observations: &[Observation]) -> Result<Values, Fault> {
    let mut free = necessary(elements, observations);
    let mut score = evaluate(elements, &mut free, observations, false)?;
    loop {
        let mut trials = Vec::new();
        for key in candidates(elements, &free, observations) {
            let mut trial = free.clone();
            trial.insert(key, start(elements, &free, observations, key));
            let value = evaluate(elements, &mut trial, observations, true)?;
            trials.push((value, preference(elements, key), trial));
        }
        trials.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        trials.truncate(FITTED_IN_FULL);
        for (value, _, trial) in &mut trials {
            *value = evaluate(elements, trial, observations, false)?;
        }
        // Of those that explain as well as the best, what is preferred.
        let least = trials.iter().map(|trial| trial.0).fold(f64::INFINITY, f64::min);
        let best = trials.into_iter().filter(|trial| trial.0 < least + SAME);
        match best.min_by_key(|trial| trial.1) {
            Some((value, _, trial)) if value < score - SAME => (score, free) = (value, trial),
            _ => break,
        }
    }
    without_idle(elements, observations, free, score)
}

/// What explains equally well is preferred in this order. What one transfer reaches across sockets or
/// through host memory says little of links that many share, hence a cap before a link there.
fn preference(elements: &Elements, key: Key) -> (bool, u8) {
    let rank = match key {
        Key::NewCap(RouteClass::Cross | RouteClass::Bounce) => 0,
        Key::Figure(_) => 1,
        Key::Written(_) => 2,
        Key::NewCap(_) => 3,
        Key::NewTotal(_) => 4,
        Key::Link(_) => 5,
        Key::Direction { .. } => 6,
    };
    (!elements.is_decided(key), rank)
}

/// Unknown figures, and those below what passed.
fn necessary(elements: &Elements, observations: &[Observation]) -> Values {
    let mut free = Values::new();
    for element in elements.all().filter(|element| element.value.is_none()) {
        free.extend(element.keys.first().map(|key| (*key, 0.0)));
    }
    for observation in observations {
        let measured = observation.measured.0 as f64;
        for (element, load) in elements.of(observation) {
            let Some(value) = element.value else { continue };
            if measured * load > value.0 as f64 * SLACK && key_of(element, &free).is_none() {
                free.extend(element.keys.first().map(|key| (*key, value.0 as f64)));
            }
        }
    }
    free
}

/// The Bayesian information criterion with Laplace errors: less is better. A figure more must be
/// worth its while.
fn evaluate(
    elements: &Elements,
    free: &mut Values,
    observations: &[Observation],
    quick: bool,
) -> Result<f64, Fault> {
    let residual = fit::fit(elements, free, observations, quick)?;
    let count = observations.len() as f64;
    let mean = (residual / count).max(NOISE);
    Ok(2.0 * count * mean.ln() + free.len() as f64 * count.ln())
}

/// Whatever bears on an observation, as soon as one is not explained: a figure that is too low for
/// some pairs may be so because of others, which it explains. A link that several GPUs share is
/// lowered, or its directions bound together, only where the error is large: what one transfer alone
/// reaches is little proof of what it carries in all.
fn candidates(elements: &Elements, free: &Values, observations: &[Observation]) -> BTreeSet<Key> {
    let alone = |o: &Observation| matches!(o.subject, Subject::Alone(..));
    let both = !observations.iter().all(alone);
    let (mut keys, mut bold) = (BTreeSet::new(), BTreeSet::new());
    let mut errors: BTreeMap<Key, (f64, f64)> = BTreeMap::new();
    let mut worst: f64 = 0.0;
    for observation in observations {
        let measured = observation.measured.0 as f64;
        let error = (predict(elements, free, observation) / measured - 1.0).abs();
        worst = worst.max(error);
        let keys = if error > WORST_ERROR { &mut bold } else { &mut keys };
        for key in elements.of(observation).flat_map(|(element, _)| &element.keys) {
            keys.insert(*key);
            let (sum, count) = errors.entry(*key).or_default();
            (*sum, *count) = (*sum + error, *count + 1.0);
        }
        if observation.caps.is_empty() {
            keys.extend(observation.classes.keys().map(|class| Key::NewCap(*class)));
        }
        let shared = |span: &&_| both && both_ways(elements, observation, **span) > 0.0;
        keys.extend(elements.duplex.keys().filter(shared).map(|span| Key::NewTotal(*span)));
    }
    if worst <= NOISE {
        return BTreeSet::new();
    }
    keys.retain(|key| elements.is_decided(*key));
    keys.extend(bold);
    keys.retain(|key| !free.contains_key(key));
    let is_link = |key: &Key| matches!(key, Key::Link(_));
    let is_direction = |key: &Key| matches!(key, Key::Direction { .. });
    for apart in [&is_link as &dyn Fn(&Key) -> bool, &is_direction] {
        let mean = |key: &Key| errors[key].0 / errors[key].1;
        let mut worst_first: Vec<Key> = keys.iter().filter(|key| apart(key)).copied().collect();
        worst_first.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        for key in worst_first.iter().skip(TRIED_ALONE) {
            keys.remove(key);
        }
    }
    keys
}

/// Where the fit of a key starts: what passed at most.
fn start(elements: &Elements, free: &Values, observations: &[Observation], key: Key) -> f64 {
    let mut with = free.clone();
    with.insert(key, f64::INFINITY);
    fit::least(elements, &with, observations).get(&key).copied().unwrap_or(1e9)
}

/// Takes back what later choices made superfluous. Unknown figures stay free.
fn without_idle(
    elements: &Elements,
    observations: &[Observation],
    mut free: Values,
    mut score: f64,
) -> Result<Values, Fault> {
    let keys: Vec<Key> = free.keys().copied().collect();
    for key in keys {
        let needed = |element: &super::model::Element| {
            element.value.is_none() && element.keys.contains(&key)
        };
        if elements.all().any(needed) {
            continue;
        }
        let mut trial = free.clone();
        trial.remove(&key);
        let value = evaluate(elements, &mut trial, observations, false)?;
        if value <= score + SAME {
            (free, score) = (trial, value);
        }
    }
    Ok(free)
}
