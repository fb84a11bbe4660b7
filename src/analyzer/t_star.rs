//! `T*` of a demand where pairs have several routes: a linear program over exactly the routes that
//! plans may use. A pair may use all of its routes at once, each at its solo rate at most.
//!
//! Between nodes a route is a way to a card, one over fabrics and a way from a card. Where every card of
//! the source goes with every card of the destination, and what lies between two cards is a link of the
//! one and a link of the other, what a route takes is a sum of a part by source and card and a part by
//! card and destination. Then only how much each rank sends by each of its cards, and receives by each,
//! matters: loads depend on nothing else, and any two such choices go together, each pair being
//! split by the product of both fractions. Two commodities a rank take the place of one a pair.

use crate::base::{Demand, LinkId, Picos, Rank, UnitOverflow};
use crate::lp::{Commodity, Congestion, LpError, RouteLoad};
use crate::topology::{CardChoice, Route, Topology};
use std::collections::BTreeMap;

/// The most routes of pairs with several that are put into a program one by one.
pub const MAX_FLAT_ROUTES: usize = 20_000;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TStarError {
    /// The linear program failed.
    #[error(transparent)]
    Lp(#[from] LpError),
    /// A time leaves its range.
    #[error(transparent)]
    Overflow(#[from] UnitOverflow),
    /// Too many routes for one program.
    #[error(
        "pairs with several routes have more than {MAX_FLAT_ROUTES} routes, and choices of cards do not separate"
    )]
    TooLarge,
}

/// What proves that no split is faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certificate {
    /// Nothing is carried.
    Nothing,
    /// One resource.
    Link(LinkId),
    /// One pair, which needs as long alone: its solo rate holds it back.
    Pair(Rank, Rank),
    /// Whole weights of resources, and of routes by what holds them back beside their resources.
    Weights {
        /// Of resources, ascending, none of them zero.
        resources: Vec<(LinkId, u64)>,
        /// Of routes (source, destination, index), ascending, none of them zero.
        routes: Vec<(Rank, Rank, u32, u64)>,
    },
}

/// How the bytes of the demand are divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Split {
    /// Bytes by route of each pair with several, by (source, destination).
    Routes(Vec<(Rank, Rank, Vec<u64>)>),
    /// Bytes by card, in the order of [`Topology::egress`] and [`Topology::ingress`], of each rank with
    /// several: a pair takes two cards as the product of both fractions says.
    Cards {
        /// Sent to other nodes.
        egress: Vec<(Rank, Vec<u64>)>,
        /// Received from other nodes.
        ingress: Vec<(Rank, Vec<u64>)>,
    },
}

/// The least time of a demand over all splits.
#[derive(Debug, Clone, PartialEq)]
pub struct TStar {
    /// No split is faster, rounded down.
    pub time: Picos,
    /// Why.
    pub certificate: Certificate,
    /// A split that takes no longer than a millionth more where bytes may be divided.
    pub split: Split,
}

/// The program of a demand, and what its resources and commodities stand for.
#[derive(Debug, Clone)]
pub struct TStarProgram {
    /// The program.
    pub program: Congestion,
    /// By position beyond those of `links`: the route that is held back beside its resources.
    capped: Vec<(Rank, Rank, u32)>,
    /// The resource of each position.
    links: Vec<LinkId>,
    /// The pair with one route that needs longest alone, in picoseconds.
    alone: Option<(Picos, Rank, Rank)>,
    /// Whose commodities they are.
    owners: Owners,
}

#[derive(Debug, Clone)]
enum Owners {
    Pairs(Vec<(Rank, Rank)>),
    /// Each rank, and whether it sends.
    Ends(Vec<(Rank, bool)>),
}

/// The least time of `demand` over all routes that plans may use.
///
/// # Errors
/// [`TStarError`] when a program fails or is too large, or a time leaves its range.
pub fn t_star(topology: &Topology, demand: &Demand) -> Result<TStar, TStarError> {
    TStarProgram::new(topology, demand)?.solve()
}

impl TStarProgram {
    /// The program of a demand.
    ///
    /// # Errors
    /// As [`t_star`].
    pub fn new(topology: &Topology, demand: &Demand) -> Result<Self, TStarError> {
        let choice = CardChoice::of(topology);
        let mut draft = Draft::new(topology);
        let mut flat = 0;
        let ranks = || (0..topology.ranks.len()).map(Rank::new);
        let mut ends = choice.as_ref().map(|_| vec![[0u64; 2]; topology.ranks.len()]);
        let mut pairs = Vec::new();
        for src in ranks() {
            for dst in ranks().filter(|dst| *dst != src) {
                let bytes = demand.get(src, dst).0;
                if bytes == 0 {
                    continue;
                }
                let is_between = topology.node_of(src) != topology.node_of(dst);
                if let Some(ends) = ends.as_mut().filter(|_| is_between) {
                    ends[src.index()][0] += bytes;
                    ends[dst.index()][1] += bytes;
                    continue;
                }
                let routes: Vec<Route> = topology.routes_between(src, dst).collect();
                if let [only] = &routes[..] {
                    draft.fixed(topology, only, bytes)?;
                    continue;
                }
                flat += routes.len();
                if flat > MAX_FLAT_ROUTES {
                    return Err(TStarError::TooLarge);
                }
                let loads = (0..).zip(&routes).map(|(index, one)| draft.load(topology, one, index));
                let routes = loads.collect();
                draft.commodities.push(Commodity { bytes, routes });
                pairs.push((src, dst));
            }
        }
        let mut owners = Owners::Pairs(pairs);
        if let (Some(choice), Some(totals)) = (choice, ends) {
            // The pairs within nodes have one route each then.
            let mut all = Vec::new();
            for rank in ranks() {
                for (sends, bytes) in [true, false].into_iter().zip(totals[rank.index()]) {
                    let parts = choice.parts(topology, rank, sends);
                    let routes: Vec<_> = parts.map(|part| draft.taken(part.into_iter())).collect();
                    if bytes > 0 && !routes.is_empty() {
                        draft.commodities.push(Commodity { bytes, routes });
                        all.push((rank, sends));
                    }
                }
            }
            owners = Owners::Ends(all);
        }
        draft.finish(owners)
    }

    /// Solves it.
    ///
    /// # Errors
    /// As [`t_star`].
    pub fn solve(&self) -> Result<TStar, TStarError> {
        let found = self.program.solve()?;
        let time = Picos::of_fraction(found.lower.over, found.lower.under)?;
        let weighed = (0..).zip(&found.weights).filter(|(_, weight)| **weight > 0);
        let weighed: Vec<(usize, u64)> = weighed.map(|(at, weight)| (at, *weight)).collect();
        let certificate = match (&weighed[..], self.alone) {
            (_, Some((alone, src, dst))) if alone > time => Certificate::Pair(src, dst),
            _ if time.0 == 0 => Certificate::Nothing,
            ([(at, _)], _) if *at < self.links.len() => Certificate::Link(self.links[*at]),
            _ => {
                let split = weighed.partition_point(|(at, _)| *at < self.links.len());
                let (resources, routes) = weighed.split_at(split);
                let route = |&(at, weight): &(usize, u64)| {
                    let (src, dst, index) = self.capped[at - self.links.len()];
                    (src, dst, index, weight)
                };
                Certificate::Weights {
                    resources: resources.iter().map(|&(at, w)| (self.links[at], w)).collect(),
                    routes: routes.iter().map(route).collect(),
                }
            }
        };
        let split = match &self.owners {
            Owners::Pairs(pairs) => {
                let each = pairs.iter().zip(found.split);
                Split::Routes(each.map(|(&(src, dst), bytes)| (src, dst, bytes)).collect())
            }
            Owners::Ends(ends) => {
                let (mut egress, mut ingress) = (Vec::new(), Vec::new());
                for (&(rank, sends), bytes) in ends.iter().zip(found.split) {
                    let side = if sends { &mut egress } else { &mut ingress };
                    side.push((rank, bytes));
                }
                Split::Cards { egress, ingress }
            }
        };
        let time = self.alone.map_or(time, |(alone, ..)| alone.max(time));
        Ok(TStar { time, certificate, split })
    }
}

/// A program while it is put together. Routes that are held back come last among its resources.
struct Draft {
    places: BTreeMap<LinkId, u32>,
    links: Vec<LinkId>,
    capacities: Vec<u64>,
    loads: Vec<(u32, u64, u64)>,
    capped: Vec<((Rank, Rank, u32), u64)>,
    commodities: Vec<Commodity>,
    alone: Option<(Picos, Rank, Rank)>,
}

impl Draft {
    fn new(topology: &Topology) -> Self {
        let mut draft = Self {
            places: BTreeMap::new(),
            links: Vec::new(),
            capacities: Vec::new(),
            loads: Vec::new(),
            capped: Vec::new(),
            commodities: Vec::new(),
            alone: None,
        };
        for (index, resource) in topology.resources.iter().enumerate() {
            if let Some(capacity) = resource.capacity.filter(|capacity| capacity.0 > 0) {
                let id = LinkId::new(index);
                draft.places.insert(id, draft.links.len() as u32);
                draft.links.push(id);
                draft.capacities.push(capacity.0);
            }
        }
        draft
    }

    /// What ways take; resources without a capacity are on none.
    fn taken(&self, takes: impl Iterator<Item = LinkId>) -> RouteLoad {
        let mut times: BTreeMap<u32, u64> = BTreeMap::new();
        for id in takes {
            if let Some(&place) = self.places.get(&id) {
                *times.entry(place).or_default() += 1;
            }
        }
        times.into_iter().collect()
    }

    /// A pair with one route.
    fn fixed(
        &mut self,
        topology: &Topology,
        route: &Route,
        bytes: u64,
    ) -> Result<(), UnitOverflow> {
        for (at, times) in self.taken(route.takes()) {
            self.loads.push((at, bytes, times));
        }
        if topology.uncapped_rate(route) != route.rate {
            let alone = Picos::of_fraction(u128::from(bytes), u128::from(route.rate.0))?;
            if self.alone.is_none_or(|(longest, ..)| alone > longest) {
                self.alone = Some((alone, route.src, route.dst));
            }
        }
        Ok(())
    }

    /// One of several routes: where a cap holds it back it has a resource of its own.
    fn load(&mut self, topology: &Topology, route: &Route, index: u32) -> RouteLoad {
        let mut load = self.taken(route.takes());
        if topology.uncapped_rate(route) != route.rate {
            load.push(((self.links.len() + self.capped.len()) as u32, 1));
            self.capped.push(((route.src, route.dst, index), route.rate.0));
        }
        load
    }

    fn finish(self, owners: Owners) -> Result<TStarProgram, TStarError> {
        let mut capacities = self.capacities;
        capacities.extend(self.capped.iter().map(|(_, rate)| *rate));
        let mut program = Congestion::new(capacities);
        for (at, bytes, times) in self.loads {
            program.add_load(at, bytes, times)?;
        }
        self.commodities.into_iter().for_each(|commodity| program.add(commodity));
        let capped = self.capped.into_iter().map(|(route, _)| route).collect();
        Ok(TStarProgram { program, capped, links: self.links, alone: self.alone, owners })
    }
}
