//! What a way takes besides its links, and the rate that is left.

use super::{Resource, ResourceKind};
use crate::base::{BytesPerSecond, LinkId, VertexId};

/// The least capacity over multiplicity among what is taken, rounded down. Zero stands for an
/// unknown one, which is a fault of its own, so that it never leaves this module.
pub(super) fn least(resources: &[Resource], links: &[LinkId], shares: &[LinkId]) -> BytesPerSecond {
    let capacity = |id: &LinkId| resources[id.index()].capacity.unwrap_or_default().0;
    let alone = links.iter().map(|id| {
        // A way through host memory may take a link twice; a plain one never does.
        let times = links.iter().filter(|&other| other == id).count() as u64;
        capacity(id) / times.max(1)
    });
    let shared = shares
        .chunk_by(|a, b| a == b)
        .filter_map(|same| Some(capacity(same.first()?) / same.len() as u64));
    BytesPerSecond(alone.chain(shared).min().unwrap_or_default())
}

/// The joint capacities of each directed link, and the memory of each socket.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    totals: Vec<Vec<LinkId>>,
    memory: Vec<Option<LinkId>>,
}

impl Shares {
    pub(super) fn new(resources: &[Resource], links: usize, devices: usize) -> Self {
        let mut shares = Self { totals: vec![Vec::new(); links], memory: vec![None; devices] };
        for (index, resource) in resources.iter().enumerate() {
            let id = LinkId::new(index);
            match &resource.kind {
                ResourceKind::Link { .. } => {}
                ResourceKind::Total { of, .. } => {
                    for link in of {
                        shares.totals[link.index()].push(id);
                    }
                }
                ResourceKind::Memory { socket } => shares.memory[socket.index()] = Some(id),
            }
        }
        shares
    }

    /// The joint capacities that a directed link counts towards.
    pub(super) fn totals(&self, link: LinkId) -> &[LinkId] {
        self.totals.get(link.index()).map_or(&[], Vec::as_slice)
    }

    /// What a way over `links` takes besides them, ascending; with the memory of `socket` twice
    /// where it goes through that.
    pub(super) fn of(&self, links: &[LinkId], socket: Option<VertexId>) -> Vec<LinkId> {
        let mut taken: Vec<LinkId> =
            links.iter().flat_map(|link| self.totals(*link)).copied().collect();
        if let Some(memory) = socket.and_then(|socket| self.memory[socket.index()]) {
            taken.extend([memory, memory]);
        }
        taken.sort_unstable();
        taken
    }
}
