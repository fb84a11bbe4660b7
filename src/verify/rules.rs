//! Rules beyond links: pairs of transfers kept apart, and limits of transfers at once.

use super::Fault;
use crate::base::{Nanos, Rank, RouteId};
use crate::catalog::PlanDocument;
use crate::topology::Topology;
use std::collections::BTreeSet;

/// Checks a plan's pieces, as planned and whatever their real durations, against the rules of the
/// topology. `before` tells for each piece the pieces that it comes after.
pub(super) fn check(topology: &Topology, plan: &PlanDocument, before: &[Vec<bool>]) -> Vec<Fault> {
    let pieces = &plan.pieces;
    let routes: Vec<Option<RouteId>> =
        pieces.iter().map(|p| topology.route_id(Rank(p.src), Rank(p.dst))).collect();
    let apart: BTreeSet<(RouteId, RouteId)> = topology.kept_apart().into_iter().collect();
    let mut faults = Vec::new();
    let touches = |from: Nanos, to: Nanos, at: Nanos| from <= at && at < to;
    if !apart.is_empty() {
        for piece in 0..pieces.len() {
            for other in 0..piece {
                let (Some(a), Some(b)) = (routes[piece], routes[other]) else { continue };
                if !apart.contains(&(a.min(b), a.max(b))) {
                    continue;
                }
                let planned =
                    touches(pieces[other].start_ns, pieces[other].end_ns, pieces[piece].start_ns);
                if !before[piece][other] {
                    faults.push(Fault::KeptApart { piece, other, planned });
                }
            }
        }
    }
    for limit in topology.limits() {
        let counts = |piece: &usize| {
            routes[*piece].is_some_and(|route| limit.routes.binary_search(&route).is_ok())
        };
        let counted: Vec<usize> = (0..pieces.len()).filter(counts).collect();
        for (position, &piece) in counted.iter().enumerate() {
            let earlier = || counted[..position].iter().filter(|&&other| !before[piece][other]);
            let at = pieces[piece].start_ns;
            let found = earlier().count() as u64 + 1;
            let planned = earlier()
                .filter(|&&other| touches(pieces[other].start_ns, pieces[other].end_ns, at))
                .count() as u64
                + 1;
            if found > limit.most {
                let planned = planned > limit.most;
                faults.push(Fault::Crowded { piece, found, most: limit.most, planned });
            }
        }
    }
    faults
}

/// Whether the rules let all of `routes` run together.
pub(super) fn allow(topology: &Topology, routes: &BTreeSet<RouteId>) -> bool {
    let apart = topology.kept_apart();
    let limits = topology.limits();
    !apart.iter().any(|(a, b)| routes.contains(a) && routes.contains(b))
        && limits.iter().all(|limit| {
            let running = limit.routes.iter().filter(|id| routes.contains(id)).count();
            running as u64 <= limit.most
        })
}
