//! Pairs without peer access.

use super::PeerSurvey;
use crate::base::{Rank, RouteClass};
use crate::topology::Topology;

/// Counts the pairs whose bytes go through host memory.
pub(super) fn peers(topology: &Topology) -> PeerSurvey {
    let ranks = topology.ranks.len();
    let mut found = PeerSurvey { pairs: ranks * ranks.saturating_sub(1), ..PeerSurvey::default() };
    for route in topology.routes.iter().filter(|route| route.class == RouteClass::Bounce) {
        let [src, dst] = [route.src, route.dst]
            .map(|rank| &topology.vertices[topology.ranks[rank.index()].index()]);
        let same = |a: Option<_>, b: Option<_>| a.is_some() && a == b;
        if same(src.switch, dst.switch) {
            found.within_switch += 1;
        } else if same(src.socket, dst.socket) {
            found.within_socket += 1;
        } else {
            found.across += 1;
        }
    }
    for (rank, gpu) in topology.ranks.iter().enumerate() {
        let rank = Rank::new(rank);
        if topology
            .egress(rank)
            .iter()
            .chain(topology.ingress(rank))
            .any(|half| half.through_memory)
        {
            found.gpus_without_gpudirect.push(topology.vertices[gpu.index()].path.clone());
        }
    }
    found
}

impl PeerSurvey {
    /// The ordered pairs within nodes that have no peer access.
    #[must_use]
    pub fn without(&self) -> usize {
        self.within_switch + self.within_socket + self.across
    }

    /// Where those are: `24 across sockets, 8 within a socket`.
    pub(in crate::topology) fn places(&self) -> String {
        let counts = [
            (self.across, "across sockets"),
            (self.within_socket, "within a socket"),
            (self.within_switch, "within a switch"),
        ];
        let some: Vec<_> = counts.into_iter().filter(|(count, _)| *count > 0).collect();
        match some[..] {
            [(_, place)] => format!("all {place}"),
            _ => {
                some.iter().map(|(n, place)| format!("{n} {place}")).collect::<Vec<_>>().join(", ")
            }
        }
    }
}
