//! What bounds an exchange in which every rank sends the same to every other.

use super::Topology;
use crate::base::{Bytes, LinkId, Picos, Rank, VertexId};

/// What each rank sends to each other: 1 MiB.
const EACH: u64 = 1 << 20;

/// The resource that limits a uniform exchange, whatever the schedule. Where a pair has several
/// routes, its bytes are taken to be split evenly among them (to the byte, the first ones taking
/// what is left over), as a planner without better knowledge would; a cleverer split may do better,
/// so that the figure is a bound only for machines with one route a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniformLimit {
    /// What each rank sends to each other: 1 MiB.
    pub bytes: Bytes,
    /// The ordered pairs of ranks; at least 2.
    pub pairs: u64,
    /// The time that the critical resource needs, its bytes over its capacity, rounded down.
    pub time: Picos,
    /// The resource that needs the longest; of equal ones the lowest.
    pub critical: LinkId,
    /// What [`Topology::resource_name`] calls it.
    pub name: String,
    /// By resource: the bytes that it carries, counted as often as a route takes it.
    pub load: Vec<u128>,
    /// By resource: the ordered pairs of which a route takes it.
    pub crossing: Vec<u64>,
    /// The slowest pair alone and its time, rounded down, where that is more than the critical
    /// resource needs: a cap holds it back.
    pub alone: Option<(Rank, Rank, Picos)>,
}

impl UniformLimit {
    /// What the exchange takes at least: the critical resource's time, or that of the slowest pair.
    #[must_use]
    pub fn at_least(&self) -> Picos {
        self.alone.map_or(self.time, |(.., time)| time.max(self.time))
    }

    /// The bytes that each rank sends, over the time: what it reaches at most on average, in bytes
    /// per second.
    #[must_use]
    pub fn rate_of_rank(&self, ranks: usize) -> u64 {
        let sent = u128::from(self.bytes.0) * ranks.saturating_sub(1) as u128;
        let rate = sent * 1_000_000_000_000 / u128::from(self.at_least().0.max(1));
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

/// Loads every resource with a uniform exchange. Nothing for a single rank.
#[must_use]
pub fn uniform(topology: &Topology) -> Option<UniformLimit> {
    Load::new(topology).limit(topology)
}

/// What a uniform exchange puts on every resource; rates do not matter.
#[derive(Debug, Clone)]
pub(super) struct Load {
    /// By resource: bytes, counted as often as a route takes it.
    pub(super) bytes: Vec<u128>,
    /// By resource: the ordered pairs of which a route takes it.
    pub(super) crossing: Vec<u64>,
    /// By resource: the ranks that send over it.
    pub(super) sources: Vec<usize>,
    /// By resource: the ranks that send over it to others of their node.
    pub(super) near_sources: Vec<usize>,
    /// Whether a pair has several routes, so that its bytes are split.
    pub(super) splits: bool,
}

impl Load {
    pub(super) fn new(topology: &Topology) -> Self {
        let mut tally = Tally::new(topology);
        let ranks = topology.ranks.len();
        let nodes: Vec<_> = (0..ranks).map(|rank| topology.node_of(Rank::new(rank))).collect();
        for source in 0..ranks {
            (tally.source, tally.near) = (source, true);
            let src = Rank::new(source);
            for routes in topology.routes_of(src).chunk_by(|a, b| a.dst == b.dst) {
                let count = routes.len() as u64;
                tally.load.splits |= count > 1;
                tally.begin();
                for (index, route) in routes.iter().enumerate() {
                    let bytes = EACH / count + u64::from((index as u64) < EACH % count);
                    tally.count(&route.links, bytes);
                    tally.count(&route.shares, bytes);
                }
            }
            tally.near = false;
            for d in (0..ranks).filter(|&d| nodes[d] != nodes[source]) {
                let cards = topology.pairs_of_cards(src, Rank::new(d));
                let count = cards.len().max(1) as u64;
                tally.load.splits |= count > 1;
                tally.begin();
                for (index, (egress, ingress)) in cards.into_iter().enumerate() {
                    let bytes = EACH / count + u64::from((index as u64) < EACH % count);
                    for half in [egress, ingress] {
                        tally.count(&half.links, bytes);
                        tally.count(&half.shares, bytes);
                    }
                    tally.count_between(egress.nic, ingress.nic, bytes);
                }
            }
        }
        tally.load
    }

    /// The resource that needs the longest.
    pub(super) fn limit(self, topology: &Topology) -> Option<UniformLimit> {
        // (bytes, capacity) of the critical one, compared without rounding.
        let mut worst: Option<(u128, u128, usize)> = None;
        for (index, resource) in topology.resources.iter().enumerate() {
            let Some(capacity) = resource.capacity.filter(|capacity| capacity.0 > 0) else {
                continue;
            };
            let (bytes, capacity) = (self.bytes[index], u128::from(capacity.0));
            if bytes > 0 && worst.is_none_or(|(most, over, _)| bytes * over > most * capacity) {
                worst = Some((bytes, capacity, index));
            }
        }
        let (bytes, capacity, index) = worst?;
        let ranks = topology.ranks.len() as u64;
        let time = rounded_down(bytes, capacity);
        let critical = LinkId::new(index);
        Some(UniformLimit {
            bytes: Bytes(EACH),
            pairs: ranks * (ranks - 1),
            time,
            critical,
            name: topology.resource_name(critical),
            load: self.bytes,
            crossing: self.crossing,
            alone: slowest(topology).filter(|&(.., alone)| alone > time),
        })
    }
}

fn rounded_down(bytes: u128, rate: u128) -> Picos {
    Picos(u64::try_from(bytes * 1_000_000_000_000 / rate.max(1)).unwrap_or(u64::MAX))
}

/// The pair of ranks that takes the longest alone; of equal ones the first. Only caps make a pair
/// slower than the links that it takes, so that routes between nodes matter only where they have
/// some.
fn slowest(topology: &Topology) -> Option<(Rank, Rank, Picos)> {
    let pairs = topology.routes.chunk_by(|a, b| (a.src, a.dst) == (b.src, b.dst));
    let local = pairs.map(|routes| {
        let rates = routes.iter().map(|route| route.rate.0);
        (rates.fold(0, u64::saturating_add), routes[0].src, routes[0].dst)
    });
    let capped = !topology.between.caps.is_empty();
    // A pair may use all of its routes at once.
    let together = |(src, dst)| {
        let rates = topology.routes_between(src, dst).map(|route| route.rate.0);
        (rates.fold(0, u64::saturating_add), src, dst)
    };
    let network = capped.then(|| apart(topology).map(together)).into_iter().flatten();
    let (rate, src, dst) = local.chain(network).min()?;
    Some((src, dst, rounded_down(EACH.into(), rate.into())))
}

/// The ordered pairs of ranks of different nodes.
fn apart(topology: &Topology) -> impl Iterator<Item = (Rank, Rank)> + '_ {
    let ranks = topology.ranks.len();
    let nodes: Vec<_> = (0..ranks).map(|rank| topology.node_of(Rank::new(rank))).collect();
    (0..ranks).flat_map(move |s| {
        let others: Vec<usize> = (0..ranks).filter(|&d| nodes[d] != nodes[s]).collect();
        others.into_iter().map(move |d| (Rank::new(s), Rank::new(d)))
    })
}

/// A load that grows pair by pair.
struct Tally<'a> {
    topology: &'a Topology,
    load: Load,
    /// The last pair that was counted on a resource.
    last: Vec<u64>,
    pair: u64,
    /// The last source that was counted on a resource.
    last_source: Vec<usize>,
    source: usize,
    /// Whether pairs are of one node.
    near: bool,
}

impl<'a> Tally<'a> {
    fn new(topology: &'a Topology) -> Self {
        let count = topology.resources.len();
        let load = Load {
            bytes: vec![0; count],
            crossing: vec![0; count],
            sources: vec![0; count],
            near_sources: vec![0; count],
            splits: false,
        };
        Self {
            topology,
            load,
            last: vec![0; count],
            pair: 0,
            last_source: vec![usize::MAX; count],
            source: 0,
            near: true,
        }
    }

    /// What follows belongs to another pair.
    fn begin(&mut self) {
        self.pair += 1;
    }

    fn count(&mut self, taken: &[LinkId], bytes: u64) {
        taken.iter().for_each(|id| self.count_one(*id, bytes));
    }

    fn count_one(&mut self, id: LinkId, bytes: u64) {
        let at = id.index();
        self.load.bytes[at] += u128::from(bytes);
        self.load.crossing[at] += u64::from(self.last[at] != self.pair);
        let is_new = self.last_source[at] != self.source;
        self.load.sources[at] += usize::from(is_new);
        self.load.near_sources[at] += usize::from(is_new && self.near);
        self.last[at] = self.pair;
        self.last_source[at] = self.source;
    }

    fn count_between(&mut self, from: VertexId, to: VertexId, bytes: u64) {
        let topology = self.topology;
        let between = &topology.between;
        for link in between.ways.backwards(topology, from, to) {
            self.count_one(link, bytes);
            for total in between.shares.totals(link) {
                self.count_one(*total, bytes);
            }
        }
    }
}
