//! The channels that a plan's steps name, checked against the catalog.

use super::Fault;
use super::rules::Rules;
use super::solo::SoloRates;
use crate::base::{LinkId, Rank, RouteId};
use crate::catalog::{Catalog, ChannelDocument, OrbitDocument, PlanDocument};
use crate::topology::Topology;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that each channel named by a step is one of the catalog's families under the element it
/// names, fits on every link of `topology`, and contains every piece running then. A step whose
/// channel is `online` or that names none makes no claim.
///
/// # Errors
/// Every fault found.
pub fn verify_channels(
    topology: &Topology,
    catalog: &Catalog,
    plan: &PlanDocument,
) -> Result<(), Vec<Fault>> {
    let (rules, solo) = (Rules::of(topology), SoloRates::of(topology));
    let mut faults = Vec::new();
    for (index, step) in plan.steps.iter().enumerate() {
        // A step of one node names one channel; leaving it out would leave out its check.
        if step.channels.len() != 1 {
            faults.push(Fault::Channel { step: index });
        }
        for channel in &step.channels {
            if matches!(&channel.orbit, OrbitDocument::Word(word) if word == "online") {
                // Only a bounded catalog leaves channels without a name.
                if catalog.strict.complete {
                    faults.push(Fault::Channel { step: index });
                }
                continue;
            }
            let Some(pairs) = members(topology, catalog, (&rules, &solo), channel) else {
                faults.push(Fault::Channel { step: index });
                continue;
            };
            for (piece, found) in plan.pieces.iter().enumerate() {
                // A piece that starts later within the same nanosecond belongs to a later step.
                let later =
                    plan.steps[index + 1..].iter().take_while(|s| s.start_ns == step.start_ns);
                let started_later = later.into_iter().any(|s| s.starts.contains(&found.id));
                let runs = found.start_ns <= step.start_ns && step.start_ns < found.end_ns;
                if runs && !started_later && !pairs.contains(&(found.src, found.dst)) {
                    faults.push(Fault::NotInChannel { step: index, piece });
                }
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The pairs of a named channel; `None` where it is none.
fn members(
    topology: &Topology,
    catalog: &Catalog,
    (rules, solo): (&Rules, &SoloRates),
    channel: &ChannelDocument,
) -> Option<BTreeSet<(u32, u32)>> {
    let OrbitDocument::Number(orbit) = channel.orbit else { return None };
    let representative = &catalog.strict.orbits.get(orbit as usize)?.representative;
    let ranks = topology.ranks.len();
    let images: BTreeSet<u32> = channel.element.iter().copied().collect();
    let permutes = channel.element.len() == ranks
        && images.len() == ranks
        && images.last().is_none_or(|last| (*last as usize) < ranks);
    if !permutes || channel.node != 0 {
        return None;
    }
    let mut pairs = BTreeSet::new();
    let mut loads: BTreeMap<LinkId, u128> = BTreeMap::new();
    for route in representative.routes() {
        let route = catalog.routes.get(route.index())?;
        let image = |rank: Rank| channel.element.get(rank.index()).copied();
        let pair = (image(route.src)?, image(route.dst)?);
        // The element moves ranks, which does not say over which cards a further route goes.
        let mut of_pair = topology.routes.iter().filter(|r| (r.src.0, r.dst.0) == pair);
        let (walked, None) = (of_pair.next()?, of_pair.next()) else { return None };
        // A symmetry maps a route onto one of the same rate.
        let rate = solo.of_route(topology, walked);
        if rate != route.rate || !pairs.insert(pair) {
            return None;
        }
        for link in walked.takes() {
            *loads.entry(link).or_default() += u128::from(rate.0);
        }
    }
    let fits = loads.iter().all(|(link, load)| {
        let capacity = topology.resources.get(link.index()).and_then(|r| r.capacity);
        capacity.is_some_and(|capacity| *load <= u128::from(capacity.0))
    });
    let routes: BTreeSet<RouteId> =
        pairs.iter().filter_map(|&(src, dst)| topology.route_id(Rank(src), Rank(dst))).collect();
    (fits && rules.allow(&routes)).then_some(pairs)
}
