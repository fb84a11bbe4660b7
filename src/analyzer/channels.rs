//! All maximal channels, one of each family.
//!
//! The search goes from family to family. A channel gives each route a speed: none, a paced rate or
//! the solo rate, and a channel is at most another where each route is at most as fast. From a
//! maximal channel S, a route r and a speed of r above the one that it has in S, take every least
//! slowing of the other members of S (one may leave altogether) that makes room for r at that speed,
//! and extend what results to a maximal channel in any way. **Every family is reached**: let T be a
//! maximal channel and S a reached one, S different from T. Some r of T is faster in T than in S,
//! since T is not at most S unless they are equal. The slower of the two speeds of each route make a
//! channel with room for r as fast as in T, so some least slowing leaves each route at least as fast
//! as those; and the new channel has in common with T all that S has, and r. What is in common grows
//! with each step until it is all of T. Since a symmetry g maps T to another channel of its family,
//! it does not matter which member of a family the search continues from: replace T by its image.
//!
//! The proof asks of channels no more than that they stay channels when a member leaves or slows
//! down, which holds too where links offer less to more transfers: the load falls, and what is
//! offered does not. **Every least slowing is found** by slowing, again and again and by one pace, a
//! member on a resource that is still too full: as long as a set is at least as fast everywhere as one
//! with room, but has none itself on that resource, the two differ on it, since load and number there
//! follow from the speeds of those that cross it; so some member there can be slowed and the set is
//! still at least as fast.
//!
//! For the same reason one r of each orbit under the symmetries that leave S alone is enough.
//!
//! # Where the search ends early
//!
//! Neighbours of a channel are much like it. A search that went from the first channel outwards and
//! ended at a limit would know one corner of all channels; on the test platform E3s some exchanges
//! would then take 16 % longer over what it keeps. So the next step is drawn from all that are open,
//! by a fixed sequence of random numbers, and the channels that are met first are spread over all.

use super::catalog_of::{FORM_WORK, Limits, QUICK_FORM_WORK};
use super::recogniser::Recogniser;
use crate::base::{Forest, Rank, RouteId};
use crate::catalog::{Catalog, Channel, ChannelOrbit, Families, Fit, Paces, Transfer};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Searches until nothing is new or a limit is reached. `group` is the order of the symmetry group;
/// what an earlier search for other channels of the catalog met needs no telling again.
pub(super) fn maximal_channels(
    catalog: &Catalog,
    paces: Paces,
    recogniser: &mut Recogniser<'_>,
    group: &BigUint,
    limits: &Limits,
) -> Families {
    let fit = Fit::new(catalog, paces);
    let mut search = Search {
        catalog,
        fit: &fit,
        recogniser,
        group,
        limits,
        orbits: Vec::new(),
        channels: BigUint::ZERO,
        complete: true,
        families: FxHashSet::default(),
        open: Vec::new(),
        queue: BinaryHeap::new(),
        drawn: 0,
        work_left: limits.max_work,
        form_times: (catalog.routes.len() / catalog.pairs().count().max(1)) as u64
            * catalog.rank_vertices.len().pow(2).div_ceil(FORM_ENDS.pow(2)) as u64,
    };
    search.visit(fit.complete(&[]));
    while search.complete
        && let Some(Reverse((_, at))) = search.queue.pop()
    {
        let open = &mut search.open[at];
        let Some(wanted) = open.wanted.pop() else { continue };
        let channel = open.channel.clone();
        search.draw(at);
        search.neighbours(&channel, wanted);
    }
    search.orbits.sort_by(|a, b| a.representative.cmp(&b.representative));
    let Search { orbits, channels, complete, .. } = search;
    Families { orbits, channels: channels.to_string(), complete }
}

/// A channel to go on from.
struct Open {
    channel: Channel,
    /// What room has yet to be made for, in a random order.
    wanted: Vec<Transfer>,
}

struct Search<'a, 'b> {
    catalog: &'a Catalog,
    fit: &'a Fit,
    recogniser: &'a mut Recogniser<'b>,
    group: &'a BigUint,
    limits: &'a Limits,
    orbits: Vec<ChannelOrbit>,
    channels: BigUint,
    complete: bool,
    /// The families of which a member was visited.
    families: FxHashSet<u32>,
    /// The channels met, and what they lead to.
    open: Vec<Open>,
    /// Positions of open channels, once for each that is not exhausted, by a random number.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    /// How many random numbers were drawn.
    drawn: u64,
    work_left: u64,
    /// Forms are as many times the work: more ends, and routes that are vertices, make them longer.
    form_times: u64,
}

impl Search<'_, '_> {
    /// Counts work; tells whether there is some left, else the search stays incomplete.
    fn work(&mut self, units: u64) -> bool {
        self.complete &= units <= self.work_left;
        self.work_left = self.work_left.saturating_sub(units);
        self.complete
    }

    /// Visits the channels that `channel` leads to when `wanted` is made room for. Once a limit is
    /// reached nothing more is kept.
    fn neighbours(&mut self, channel: &Channel, wanted: Transfer) {
        if !self.complete {
            return;
        }
        let (slowings, tried) = least_slowings(self.fit, channel, wanted, self.work_left);
        // Each is extended to a channel, which takes as long as a few sets tried.
        if !self.work(tried) || !self.work(EXTENSION_WORK * slowings.len() as u64) {
            return;
        }
        for mut set in slowings {
            set.push(wanted);
            self.visit(self.fit.complete(&set));
        }
    }

    fn visit(&mut self, channel: Channel) {
        let family = match self.recogniser.known(&channel) {
            Some(family) => family,
            None => {
                if !self.work(QUICK_FORM_WORK * self.form_times) {
                    return;
                }
                let (family, canonical) = self.recogniser.tell(&channel);
                if canonical && !self.work(FORM_WORK * self.form_times) {
                    return;
                }
                family
            }
        };
        if !self.families.insert(family) {
            return;
        }
        if self.orbits.len() >= self.limits.max_orbits {
            self.complete = false;
            return;
        }
        let stabiliser = self.recogniser.stabiliser(family, &channel);
        let size = self.group / &stabiliser.order;
        self.channels += &size;
        self.orbits.push(ChannelOrbit { representative: channel.clone(), size: size.to_string() });
        let wanted = self.wanted(&channel, &stabiliser.generators);
        self.open.push(Open { channel, wanted });
        self.draw(self.open.len() - 1);
    }

    /// One route of each orbit under the symmetries that leave `channel` alone, at each pace above the
    /// one that it has there.
    fn wanted(&mut self, channel: &Channel, stabiliser: &[Vec<u32>]) -> Vec<Transfer> {
        let orbits = route_orbits(self.catalog, stabiliser);
        let roots = (0..orbits.len()).filter(|&index| orbits[index] == index).map(RouteId::new);
        let mut wanted: Vec<(u64, Transfer)> = Vec::new();
        for route in roots {
            let own = channel.0.iter().find(|member| member.route == route);
            for pace in 0..own.map_or(self.fit.paces(route), |own| own.pace) {
                wanted.push((self.random(), Transfer { route, pace }));
            }
        }
        wanted.sort_unstable();
        wanted.into_iter().map(|(_, transfer)| transfer).collect()
    }

    /// Puts an open channel back where it is not exhausted.
    fn draw(&mut self, at: usize) {
        if !self.open[at].wanted.is_empty() {
            let random = self.random();
            self.queue.push(Reverse((random, at)));
        }
    }

    /// The next number of a fixed sequence (SplitMix64, Steele, Lea and Flood 2014).
    fn random(&mut self) -> u64 {
        self.drawn += 1;
        let mut number = self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }
}

/// For each route the least route of its orbit under the permutations of vertices.
pub(super) fn route_orbits(catalog: &Catalog, generators: &[Vec<u32>]) -> Vec<usize> {
    let mut end_at = vec![usize::MAX; catalog.vertices.len()];
    for (end, &vertex) in catalog.rank_vertices.iter().enumerate() {
        end_at[vertex as usize] = end;
    }
    let ends = catalog.rank_vertices.len();
    let mut routes_of = vec![0..0; ends * ends];
    for pair in catalog.pairs() {
        let route = &catalog.routes[pair.start];
        routes_of[route.src.index() * ends + route.dst.index()] = pair;
    }
    let mut forest = Forest::new(catalog.routes.len());
    for generator in generators {
        let image =
            |end: Rank| end_at[generator[catalog.rank_vertices[end.index()] as usize] as usize];
        for (index, route) in catalog.routes.iter().enumerate() {
            let mut others = routes_of[image(route.src) * ends + image(route.dst)].clone();
            // Of several routes, the one over the images of the devices on the way.
            let passes = |id: RouteId, at: usize| {
                let link = catalog.routes[id.index()].links.get(at)?;
                Some(catalog.links[link.index()].to)
            };
            let other = match others.len() {
                1 => others.start,
                _ => others
                    .find(|&other| {
                        (0..=route.links.len()).all(|at| {
                            let own = passes(RouteId::new(index), at);
                            let moved = own.map(|vertex| generator[vertex as usize]);
                            moved == passes(RouteId::new(other), at)
                        })
                    })
                    .unwrap_or(index),
            };
            forest.join(index, other);
        }
    }
    forest.roots().collect()
}

/// The other members of `channel` after every least slowing that makes room for `wanted`, and how
/// many slowings were tried for that: where it is more than `most`, some are missing.
fn least_slowings(
    fit: &Fit,
    channel: &Channel,
    wanted: Transfer,
    most: u64,
) -> (Vec<Vec<Transfer>>, u64) {
    // Whoever never runs beside the route has to go in any case.
    let apart = fit.apart(wanted.route);
    let others = channel.0.iter().copied().filter(|member| {
        member.route != wanted.route && apart.binary_search(&member.route).is_err()
    });
    let mut slowing = Slowing {
        fit,
        wanted: wanted.route,
        needs: fit.needs(wanted),
        seen: FxHashSet::default(),
        found: Vec::new(),
        tried: 0,
        most,
    };
    slowing.branch(others.collect());
    let Slowing { mut found, tried, .. } = slowing;
    found.sort_unstable();
    // Others than the least lead nowhere new; sorting them out takes longer where there are many.
    if found.len() <= FEW {
        let all = found.clone();
        found.retain(|set| !all.iter().any(|other| other != set && at_most(set, other)));
    }
    (found, tried)
}

/// The work of extending a set to a maximal channel, in sets tried.
const EXTENSION_WORK: u64 = 4;
/// A form of up to so many ends is as much work as one is taken to be; beyond, it grows by their square,
/// which is about how many routes there are.
const FORM_ENDS: usize = 12;
/// Up to so many slowings are compared with each other.
const FEW: usize = 256;

/// Whether each member of `set` is in `other`, at least as fast.
fn at_most(set: &[Transfer], other: &[Transfer]) -> bool {
    set.iter().all(|member| {
        let found = other.binary_search_by_key(&member.route, |other| other.route);
        found.is_ok_and(|at| other[at].pace <= member.pace)
    })
}

struct Slowing<'a> {
    fit: &'a Fit,
    /// The route that needs room, and what it needs.
    wanted: RouteId,
    needs: &'a [(usize, u64)],
    seen: FxHashSet<Vec<Transfer>>,
    found: Vec<Vec<Transfer>>,
    tried: u64,
    most: u64,
}

impl Slowing<'_> {
    /// Slows, by one pace, each member on the first resource that is still too full.
    fn branch(&mut self, set: Vec<Transfer>) {
        self.tried += 1;
        if self.tried > self.most {
            return;
        }
        let taken = |member: &Transfer, at: usize| {
            let needs = self.fit.needs(*member);
            needs.binary_search_by_key(&at, |need| need.0).ok().map(|found| needs[found].1)
        };
        let open = self.needs.iter().find(|&&(at, need)| {
            let load: u64 = set.iter().filter_map(|member| taken(member, at)).sum();
            let routes = set.iter().map(|member| member.route).chain([self.wanted]);
            load + need > self.fit.offered(at, routes)
        });
        let Some(&(at, _)) = open else {
            self.found.push(set);
            return;
        };
        let members: Vec<usize> =
            (0..set.len()).filter(|&index| taken(&set[index], at).is_some()).collect();
        for index in members {
            let mut slower = set.clone();
            slower[index].pace += 1;
            if slower[index].pace == self.fit.paces(slower[index].route) {
                slower.remove(index);
            }
            if self.seen.insert(slower.clone()) {
                self.branch(slower);
            }
        }
    }
}
