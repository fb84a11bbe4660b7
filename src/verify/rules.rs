//! Rules beyond links: pairs of transfers kept apart, and limits of transfers at once.

use super::Fault;
use crate::base::{Rank, RouteId};
use crate::catalog::{PieceDocument, PlanDocument};
use crate::topology::{PlaceLimit, Topology};
use std::collections::BTreeSet;

/// The rules of a topology, worked out once.
pub(super) struct Rules {
    apart: BTreeSet<(RouteId, RouteId)>,
    limits: Vec<PlaceLimit>,
}

impl Rules {
    pub(super) fn of(topology: &Topology) -> Self {
        Self { apart: topology.kept_apart().into_iter().collect(), limits: topology.limits() }
    }

    /// How many limits there are.
    pub(super) fn limits(&self) -> usize {
        self.limits.len()
    }

    /// Checks a plan's pieces, as planned and whatever their real durations. `before` tells for each
    /// piece the pieces that it comes after.
    pub(super) fn check(
        &self,
        topology: &Topology,
        plan: &PlanDocument,
        before: &[Vec<bool>],
    ) -> Vec<Fault> {
        let pieces = &plan.pieces;
        let route = |piece: &PieceDocument| {
            let mut of_pair = topology.route_ids(Rank(piece.src), Rank(piece.dst));
            of_pair.nth(piece.route as usize).map(RouteId::new)
        };
        let routes: Vec<Option<RouteId>> = pieces.iter().map(route).collect();
        let mut faults = Vec::new();
        // Whether an earlier piece still runs, as planned, when a later one starts.
        let runs = |other: usize, piece: usize| {
            let at = pieces[piece].start_ns;
            pieces[other].start_ns <= at && at < pieces[other].end_ns
        };
        for (piece, found) in pieces.iter().enumerate() {
            let beside = (0..piece).filter(|other| !before[piece][*other]);
            for other in beside.filter(|other| {
                let other = &pieces[*other];
                (other.src, other.dst) == (found.src, found.dst) && other.route != found.route
            }) {
                faults.push(Fault::PairTwice { piece, other, planned: runs(other, piece) });
            }
        }
        if !self.apart.is_empty() {
            for piece in 0..pieces.len() {
                for other in (0..piece).filter(|other| !before[piece][*other]) {
                    let (Some(a), Some(b)) = (routes[piece], routes[other]) else { continue };
                    if self.apart.contains(&(a.min(b), a.max(b))) {
                        let planned = runs(other, piece);
                        faults.push(Fault::KeptApart { piece, other, planned });
                    }
                }
            }
        }
        for PlaceLimit { routes: limited, most, .. } in &self.limits {
            let counts = |piece: &usize| {
                routes[*piece].is_some_and(|route| limited.binary_search(&route).is_ok())
            };
            let counted: Vec<usize> = (0..pieces.len()).filter(counts).collect();
            for (position, &piece) in counted.iter().enumerate() {
                let beside = || counted[..position].iter().filter(|&&other| !before[piece][other]);
                let found = beside().count() as u64 + 1;
                if found > *most {
                    let planned = beside().filter(|&&other| runs(other, piece)).count() as u64 + 1;
                    let planned = planned > *most;
                    faults.push(Fault::Crowded { piece, found, most: *most, planned });
                }
            }
        }
        faults
    }

    /// Whether all of `routes` may run together.
    pub(super) fn allow(&self, routes: &BTreeSet<RouteId>) -> bool {
        !self.apart.iter().any(|(a, b)| routes.contains(a) && routes.contains(b))
            && self.limits.iter().all(|limit| {
                let running = limit.routes.iter().filter(|id| routes.contains(id)).count();
                running as u64 <= limit.most
            })
    }
}
