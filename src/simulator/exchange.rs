//! What is sent in which order, before anything is said of time.

use crate::base::{Bytes, BytesPerSecond, Rank};
use crate::catalog::PlanDocument;
use crate::topology::{Route, Topology};

/// A run of bytes over one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The way, with its ends, its mode and the rate that it reaches alone.
    pub route: Route,
    /// How much.
    pub bytes: Bytes,
    /// How fast it goes at most, where something holds it below the rate of its route.
    pub most: Option<BytesPerSecond>,
    /// The transfers that end before it starts: lower positions.
    pub after: Vec<u32>,
}

/// All transfers of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// Each behind those that it comes after.
    pub transfers: Vec<Transfer>,
}

impl Exchange {
    /// The transfers of a plan. Nothing for a plan that names a route which the machine lacks, or a
    /// piece that comes after a later one.
    #[must_use]
    pub fn of_plan(topology: &Topology, plan: &PlanDocument) -> Option<Self> {
        let transfer = |piece: &crate::catalog::PieceDocument| {
            let (src, dst) = (Rank(piece.src), Rank(piece.dst));
            let is_known = src.index().max(dst.index()) < topology.ranks.len() && src != dst;
            let mut routes = is_known.then(|| topology.routes_between(src, dst))?;
            Some(Transfer {
                route: routes.nth(piece.route as usize)?,
                bytes: piece.bytes,
                most: Some(piece.bytes_per_second),
                after: piece.after.clone(),
            })
        };
        let transfers = plan.pieces.iter().map(transfer).collect::<Option<Vec<_>>>()?;
        let mut numbered = (0u32..).zip(&transfers);
        let is_ordered = numbered.all(|(at, transfer)| transfer.after.iter().all(|of| *of < at));
        is_ordered.then_some(Self { transfers })
    }

    /// Adds a transfer over the first route of a pair; nothing where there is none. Tells its position.
    pub(super) fn send(
        &mut self,
        topology: &Topology,
        (src, dst): (Rank, Rank),
        bytes: Bytes,
        after: Vec<u32>,
    ) -> Option<u32> {
        let route = topology.routes_between(src, dst).next()?;
        self.transfers.push(Transfer { route, bytes, most: None, after });
        Some(self.transfers.len() as u32 - 1)
    }
}
