//! Phases of the port family.

use super::{ClusterCatalog, PortFamily};
use crate::base::{Rank, RouteId};
use crate::catalog::{Catalog, Filling, Fit, Paces, Transfer};

impl PortFamily {
    /// The family of machines whose nodes are all of one `template`, on one place of the core: each
    /// rank uses one port, both ways, each port as many ranks as any other, and in each phase a
    /// node's part is a channel. Nothing where there is none. Whether a phase is a channel depends on
    /// `x` and `y` alone, so that few have to be looked at.
    #[must_use]
    pub fn of(template: &Catalog, nodes: u32) -> Option<Self> {
        let count = template.rank_vertices.len().checked_sub(template.ranks as usize)?;
        let mut ports = vec![Vec::new(); count];
        for rank in (0..template.ranks).map(Rank) {
            let port = |end: Rank| end.index().checked_sub(template.ranks as usize);
            let of = |route: &crate::catalog::PlannedRoute| {
                if route.src == rank { port(route.dst) } else { port(route.src) }
            };
            let out = template.routes.iter().filter(|r| r.src == rank && port(r.dst).is_some());
            let back = template.routes.iter().filter(|r| r.dst == rank && port(r.src).is_some());
            let (out, back): (Vec<_>, Vec<_>) = (out.map(of).collect(), back.map(of).collect());
            match (&out[..], &back[..]) {
                ([Some(egress)], [Some(ingress)]) if egress == ingress => ports[*egress].push(rank),
                _ => return None,
            }
        }
        // Ports that nothing uses have no part in it.
        let each = ports.iter().map(Vec::len).max().filter(|each| *each > 0)?;
        if nodes < 2 || ports.iter().any(|own| own.len() != each && !own.is_empty()) {
            return None;
        }
        let family = Self { nodes, ports };
        let fit = Fit::new(template, Paces::Solo);
        (0..each).all(|x| (0..each).all(|y| family.fits(template, &fit, x, y))).then_some(family)
    }

    /// How many ranks each port has.
    #[must_use]
    pub fn ranks_of_port(&self) -> usize {
        self.ports.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn used(&self) -> impl Iterator<Item = (usize, &Vec<Rank>)> {
        self.ports.iter().enumerate().filter(|(_, ranks)| !ranks.is_empty())
    }

    /// How many phases there are.
    #[must_use]
    pub fn phases(&self) -> usize {
        let each = self.ranks_of_port();
        (self.nodes.max(1) as usize - 1) * self.used().count() * each * each
    }

    /// Whether the part of one node in phases of `x` and `y` is a channel.
    fn fits(&self, template: &Catalog, fit: &Fit, x: usize, y: usize) -> bool {
        let mut filling = Filling::new(fit);
        self.used().all(|(port, ranks)| {
            let port = Rank::new(template.ranks as usize + port);
            [(ranks[x], port), (port, ranks[y])].into_iter().all(|(src, dst)| {
                let mut routes = template.routes_of(src, dst).map(RouteId::new);
                routes.next().is_some_and(|id| filling.take(Transfer::from(id)))
            })
        })
    }

    /// The transfers of a phase: each used port sends one and receives one. Phases count from 0;
    /// together they hold each pair of ranks of different nodes exactly once. Empty beyond the last.
    #[must_use]
    pub fn phase(&self, catalog: &ClusterCatalog, phase: usize) -> Vec<(Rank, Rank)> {
        let each = self.ranks_of_port();
        let used: Vec<&Vec<Rank>> = self.used().map(|(_, ranks)| ranks).collect();
        let (nodes, cards) = (self.nodes as usize, used.len());
        if phase >= self.phases() {
            return Vec::new();
        }
        let (y, x) = (phase % each, phase / each % each);
        let (b, a) = (phase / each / each % cards, 1 + phase / each / each / cards);
        let mut transfers = Vec::with_capacity(nodes * cards);
        for node in 0..nodes {
            for card in 0..cards {
                let src = catalog.rank(node, used[card][x]);
                let dst = catalog.rank((node + a) % nodes, used[(card + b) % cards][y]);
                transfers.extend(src.zip(dst));
            }
        }
        transfers
    }
}

impl ClusterCatalog {
    /// The rank of a node (counting those with ranks) that plays as `local` of its template.
    #[must_use]
    pub fn rank(&self, node: usize, local: Rank) -> Option<Rank> {
        let mut node = node as u64;
        for run in &self.runs {
            let count = u64::from(run.nodes);
            if node < count {
                let first = run.ranks.get(local.index())?;
                return Some(Rank(first.0 + (node * u64::from(run.step)) as u32));
            }
            node -= count;
        }
        None
    }
}
