//! Replays a plan against a topology and a demand.
//!
//! Times are whole nanoseconds, as in plan documents, so that a plan in memory and one from a file
//! pass the same checks. Starts and ends are both rounded up: what is apart in nanoseconds is apart
//! in the plan, and what touches may overlap by less than a nanosecond. Therefore touching pieces
//! are never taken to be apart unless the order says so; the check of the order (`Unguarded`) does
//! not look at times at all.

use super::pairs::{least_taken, pairs, taken_alike};
use super::rules::Rules;
use super::solo::SoloRates;
use super::{Fault, verify_channels};
use crate::base::{Bytes, BytesPerSecond, Demand, LinkId, Nanos, Rank, RouteClass, VertexId};
use crate::catalog::{Catalog, PieceDocument, Plan, PlanDocument};
use crate::topology::{ResourceKind, Route, Topology};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a good plan consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Pieces checked.
    pub pieces: usize,
    /// Steps checked.
    pub steps: usize,
    /// Bytes between ranks, each carried exactly once.
    pub bytes: Bytes,
    /// When the last piece ends, rounded up.
    #[serde(rename = "makespan_ns")]
    pub makespan: Nanos,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pieces, steps, bytes, makespan } = self;
        write!(f, "{pieces} pieces in {steps} steps carry {bytes} bytes in {makespan}")
    }
}

/// What a piece takes of each link while it runs.
type Needs = BTreeMap<LinkId, u128>;

/// Checks a plan in memory: [`verify_document`] of its document.
///
/// # Errors
/// Every fault found.
pub fn verify(topology: &Topology, demand: &Demand, plan: &Plan) -> Result<Summary, Vec<Fault>> {
    let mut faults = Vec::new();
    // The document of a single-route plan does not name the route; here it does.
    for (index, piece) in plan.pieces.iter().enumerate() {
        let ranks = topology.ranks.len();
        let known = piece.src != piece.dst && piece.src.index().max(piece.dst.index()) < ranks;
        // Plans in memory use the own route of each pair.
        if known && topology.route_id(piece.src, piece.dst) != Some(piece.route) {
            faults.push(Fault::Route { piece: index, found: piece.route.0 });
        }
    }
    let checked = verify_document(topology, demand, &PlanDocument::new(&topology.name, plan));
    match checked {
        Ok(summary) if faults.is_empty() => Ok(summary),
        Ok(_) => Err(faults),
        Err(more) => {
            faults.extend(more);
            Err(faults)
        }
    }
}

/// Checks a plan document against the topology and the demand it claims to serve: identity, tiling,
/// routes, rates, durations, link loads at every instant, the order of pieces whatever their real
/// durations, steps, makespan and bounds. Channel names are the matter of
/// [`verify_channels`](super::verify_channels).
///
/// # Errors
/// Every fault found; faults of identity alone, since nothing else means much then.
pub fn verify_document(
    topology: &Topology,
    demand: &Demand,
    plan: &PlanDocument,
) -> Result<Summary, Vec<Fault>> {
    let rules = Rules::of(topology);
    let solo = SoloRates::of(topology);
    let mut check = Check { topology, demand, plan, rules, solo, faults: Vec::new() };
    check.identity();
    if check.faults.is_empty() {
        let needs = check.pieces();
        if check.faults.is_empty() {
            check.tiling();
            check.loads(&needs);
            let before = check.order(&needs);
            check.faults.extend(check.rules.check(topology, plan, &before));
        }
        check.steps();
        check.times();
    }
    if !check.faults.is_empty() {
        return Err(check.faults);
    }
    Ok(Summary {
        pieces: plan.pieces.len(),
        steps: plan.steps.len(),
        bytes: Bytes(plan.pieces.iter().map(|piece| piece.bytes.0).sum()),
        makespan: plan.makespan_ns,
    })
}

/// Everything that a plan document claims: [`verify_document`], then
/// [`verify_channels`](super::verify_channels) against the catalog.
///
/// # Errors
/// Every fault found.
pub fn verify_claim(
    topology: &Topology,
    catalog: &Catalog,
    demand: &Demand,
    plan: &PlanDocument,
) -> Result<Summary, Vec<Fault>> {
    let summary = verify_document(topology, demand, plan)?;
    verify_channels(topology, catalog, plan)?;
    Ok(summary)
}

struct Check<'a> {
    topology: &'a Topology,
    demand: &'a Demand,
    plan: &'a PlanDocument,
    rules: Rules,
    solo: SoloRates,
    faults: Vec<Fault>,
}

impl Check<'_> {
    fn identity(&mut self) {
        let (plan, ranks) = (self.plan, self.topology.ranks.len());
        if plan.digest != self.topology.digest {
            let expected = self.topology.digest.clone();
            self.faults.push(Fault::Digest { found: plan.digest.clone(), expected });
        }
        if plan.ranks as usize != ranks || self.demand.ranks() != ranks {
            let (demand, topology) = (self.demand.ranks(), ranks);
            self.faults.push(Fault::Ranks { plan: plan.ranks, demand, topology });
        }
        if plan.bytes != self.demand.total() {
            self.faults.push(Fault::Total { found: plan.bytes, expected: self.demand.total() });
        }
        for (found, known) in [
            (&plan.strategy, "strict"),
            (&plan.setting, "ideal"),
            (&plan.bounds.bound_kind, "strict"),
        ] {
            if found != known {
                self.faults.push(Fault::Strategy { found: found.clone() });
            }
        }
    }

    /// Each piece by itself; what each takes of which link.
    fn pieces(&mut self) -> Vec<Needs> {
        let mut all = Vec::with_capacity(self.plan.pieces.len());
        let mut last = Nanos(0);
        for (index, piece) in self.plan.pieces.iter().enumerate() {
            if piece.id as usize != index {
                let (what, found) = ("piece", piece.id);
                self.faults.push(Fault::Position { what, position: index, found });
            }
            if piece.start_ns < last {
                self.faults.push(Fault::Unordered { what: "piece", position: index });
            }
            last = piece.start_ns;
            if piece.bytes.0 == 0 {
                self.faults.push(Fault::Empty { piece: index });
            }
            all.push(self.way(index, piece).unwrap_or_default());
        }
        all
    }

    fn way(&mut self, index: usize, piece: &PieceDocument) -> Option<Needs> {
        let PieceDocument { src, dst, bytes_per_second: rate, .. } = *piece;
        let ranks = self.plan.ranks;
        if src == dst || src.max(dst) >= ranks {
            self.faults.push(Fault::Pair { piece: index, src, dst });
            return None;
        }
        let pair: Vec<&Route> = self.routes_of(Rank(src), Rank(dst)).collect();
        if !pair.is_empty() && piece.route as usize >= pair.len() {
            self.faults.push(Fault::Route { piece: index, found: piece.route });
            return None;
        }
        let walked = pair.get(piece.route as usize).and_then(|route| self.walk(route));
        let Some((links, solo)) = walked else {
            self.faults.push(Fault::BrokenRoute { src: src as usize, dst: dst as usize });
            return None;
        };
        if rate != solo {
            self.faults.push(Fault::Rate { piece: index, found: rate, expected: solo });
        }
        let length = piece.end_ns.0.checked_sub(piece.start_ns.0);
        // Rounding a start and an end up makes their difference up to one nanosecond too small.
        let work = u128::from(piece.bytes.0) * 1_000_000_000;
        if length.is_none_or(|length| work > u128::from(rate.0) * (u128::from(length) + 1)) {
            let least = work.checked_div(u128::from(rate.0)).unwrap_or(u128::MAX);
            let found = length.unwrap_or(0);
            self.faults.push(Fault::TooShort { piece: index, found, least });
        }
        let mut needs = Needs::new();
        for link in links {
            *needs.entry(link).or_default() += u128::from(rate.0);
        }
        Some(needs)
    }

    /// The routes of a pair, in the order in which pieces count them.
    fn routes_of(&self, src: Rank, dst: Rank) -> impl Iterator<Item = &Route> {
        self.topology.routes.iter().filter(move |route| (route.src, route.dst) == (src, dst))
    }

    /// What a route takes, its links walked from vertex to vertex, and its rate, which no capacity on
    /// the way may fall short of.
    fn walk(&self, route: &Route) -> Option<(Vec<LinkId>, BytesPerSecond)> {
        let topology = self.topology;
        // Over network cards each half may go through host memory.
        let looped = route.class == RouteClass::Loopback;
        let bounce = route.class == RouteClass::Bounce || looped;
        let mut at = topology.ranks[route.src.index()];
        let mut seen = BTreeSet::new();
        let mut memory = BTreeSet::new();
        for link in &route.links {
            let resource = topology.resources.get(link.index())?;
            let (from, to) = resource.ends()?;
            // Only a way through host memory may come back to a device.
            if from != at || !seen.insert(at) && !bounce {
                return None;
            }
            at = to;
            memory.extend(self.memory(to));
        }
        if at != topology.ranks[route.dst.index()] || route.links.is_empty() {
            return None;
        }
        // Joint capacities count once for each of their links on the way; host memory is written
        // and read, at one of the sockets on the way.
        let mut shares = Vec::new();
        for (id, resource) in topology.resources.iter().enumerate() {
            let ResourceKind::Total { of, .. } = &resource.kind else { continue };
            let taken = route.links.iter().filter(|link| of.contains(link)).count();
            shares.extend(std::iter::repeat_n(LinkId::new(id), taken));
        }
        let in_memory: Vec<LinkId> =
            route.shares.iter().copied().filter(|id| memory.contains(id)).collect();
        let written_and_read = bounce && matches!(in_memory[..], [one, two] if one == two)
            || looped && matches!(in_memory[..], [a, b, c, d] if a == b && c == d)
            || in_memory.is_empty();
        shares.extend(in_memory);
        shares.sort_unstable();
        if !written_and_read || shares != route.shares {
            return None;
        }
        let mut taken: Vec<LinkId> = route.links.clone();
        taken.extend(shares);
        let mut times: BTreeMap<LinkId, u64> = BTreeMap::new();
        for &id in &taken {
            *times.entry(id).or_default() += 1;
        }
        let least = times.iter().map(|(&id, times)| self.capacity(id).0 / times).min()?;
        let alone = route.rate.min(BytesPerSecond(least));
        Some((taken, self.solo.fitted(self.topology, &times, alone)))
    }

    /// The memory of a socket, where it has a figure.
    fn memory(&self, vertex: VertexId) -> Option<LinkId> {
        let mut resources = self.topology.resources.iter();
        let of = |kind: &ResourceKind| *kind == ResourceKind::Memory { socket: vertex };
        resources.position(|resource| of(&resource.kind)).map(LinkId::new)
    }

    /// Every pair's bytes are carried, each once.
    fn tiling(&mut self) {
        let ranks = self.demand.ranks();
        let mut by_pair: BTreeMap<_, Vec<(u64, u64, usize)>> = BTreeMap::new();
        for (index, piece) in self.plan.pieces.iter().enumerate() {
            let pair = (piece.src as usize, piece.dst as usize);
            by_pair.entry(pair).or_default().push((piece.offset.0, piece.bytes.0, index));
        }
        for src in 0..ranks {
            for dst in (0..ranks).filter(|dst| *dst != src) {
                let demand = self.demand.get(Rank::new(src), Rank::new(dst)).0;
                let mut tiles = by_pair.remove(&(src, dst)).unwrap_or_default();
                tiles.sort_unstable();
                let mut covered = 0u64;
                for (offset, bytes, piece) in tiles {
                    if offset > covered {
                        self.faults.push(Fault::Gap { src, dst, from: covered, to: offset });
                    } else if offset < covered {
                        self.faults.push(Fault::Overlap { src, dst, piece });
                    }
                    let end = u128::from(offset) + u128::from(bytes);
                    if end > u128::from(demand) {
                        self.faults.push(Fault::Beyond { piece, end, demand });
                    }
                    covered = covered.max(u64::try_from(end).unwrap_or(u64::MAX));
                }
                if covered < demand {
                    self.faults.push(Fault::Gap { src, dst, from: covered, to: demand });
                }
            }
        }
    }

    /// No link carries more than its capacity at any planned instant.
    fn loads(&mut self, needs: &[Needs]) {
        // Link by link, what changes when: ends before starts of the same instant.
        let mut events: BTreeMap<LinkId, Vec<(Nanos, bool, u128)>> = BTreeMap::new();
        for (piece, needs) in self.plan.pieces.iter().zip(needs) {
            if piece.end_ns <= piece.start_ns {
                // Shorter than the clock; the check of the order covers it.
                continue;
            }
            for (&link, &need) in needs {
                let events = events.entry(link).or_default();
                events.push((piece.start_ns, true, need));
                events.push((piece.end_ns, false, need));
            }
        }
        for (link, mut events) in events {
            let capacity = self.capacity(link);
            events.sort_unstable();
            let mut load = 0u128;
            for (at, starts, need) in events {
                load = if starts { load + need } else { load - need };
                if load > u128::from(capacity.0) {
                    self.faults.push(Fault::Overload { link, at, load, capacity });
                    break;
                }
            }
        }
    }

    /// The order is sound: only backwards in time, without needless waits, and whatever the real
    /// durations, pieces that it lets run together fit on every link. Returns, for each piece, the
    /// pieces that it comes after.
    fn order(&mut self, needs: &[Needs]) -> Vec<Vec<bool>> {
        let pieces = &self.plan.pieces;
        let mut reached: Vec<Vec<bool>> = Vec::with_capacity(pieces.len());
        for (index, piece) in pieces.iter().enumerate() {
            let mut before = vec![false; pieces.len()];
            let mut indirect = vec![false; pieces.len()];
            let mut last = None;
            for &after in &piece.after {
                if after as usize >= index {
                    self.faults.push(Fault::Forward { piece: index, after });
                    continue;
                }
                if last.is_some_and(|last| after <= last) {
                    self.faults.push(Fault::Redundant { piece: index, after });
                }
                last = Some(after);
                if pieces[after as usize].end_ns > piece.start_ns {
                    self.faults.push(Fault::Late { piece: index, after });
                }
                before[after as usize] = true;
                for (mark, far) in indirect.iter_mut().zip(&reached[after as usize]) {
                    *mark |= far;
                }
            }
            for &after in piece.after.iter().filter(|after| (**after as usize) < index) {
                if indirect[after as usize] {
                    self.faults.push(Fault::Redundant { piece: index, after });
                }
            }
            for (mark, far) in before.iter_mut().zip(&indirect) {
                *mark |= far;
            }
            self.together(index, needs, &before);
            reached.push(before);
        }
        reached
    }

    /// Any set of pieces that the order lets run together consists of its last piece and earlier
    /// ones that this one does not come after; so all of those together must fit.
    fn together(&mut self, index: usize, needs: &[Needs], before: &[bool]) {
        let start = self.plan.pieces[index].start_ns;
        let mut missing = None;
        for (&link, &own) in &needs[index] {
            let mut load = own;
            for earlier in (0..index).filter(|earlier| !before[*earlier]) {
                let Some(need) = needs[earlier].get(&link) else { continue };
                load += need;
                if self.plan.pieces[earlier].end_ns < start {
                    missing = missing.or(Some(earlier));
                }
            }
            let capacity = self.capacity(link);
            if load > u128::from(capacity.0) {
                self.faults.push(Fault::Unguarded { link, piece: index, load, capacity });
            }
        }
        if let Some(after) = missing {
            self.faults.push(Fault::Missing { piece: index, after });
        }
    }

    fn steps(&mut self) {
        let pieces = &self.plan.pieces;
        let mut times = vec![0; pieces.len()];
        let mut last = Nanos(0);
        for (index, step) in self.plan.steps.iter().enumerate() {
            if step.step as usize != index {
                let (what, found) = ("step", step.step);
                self.faults.push(Fault::Position { what, position: index, found });
            }
            if step.start_ns < last {
                self.faults.push(Fault::Unordered { what: "step", position: index });
            }
            last = step.start_ns;
            for &piece in &step.starts {
                match pieces.get(piece as usize) {
                    Some(found) if found.start_ns == step.start_ns => times[piece as usize] += 1,
                    _ => self.faults.push(Fault::Start { step: index, piece }),
                }
            }
        }
        for (piece, times) in times.into_iter().enumerate().filter(|(_, times)| *times != 1) {
            self.faults.push(Fault::Started { piece, times });
        }
    }

    fn times(&mut self) {
        let plan = self.plan;
        let expected = plan.pieces.iter().map(|piece| piece.end_ns).max().unwrap_or(Nanos(0));
        if plan.makespan_ns != expected {
            self.faults.push(Fault::Makespan { found: plan.makespan_ns, expected });
        }
        let expected = self.t_star();
        let bounds = &plan.bounds;
        if bounds.t_star_ns != expected {
            self.faults.push(Fault::Bound { found: bounds.t_star_ns, expected });
        }
        let bound = bounds.t_eff_ns.max(bounds.bound_ns).max(expected);
        if plan.makespan_ns < bound {
            self.faults.push(Fault::BeatsBound { makespan: plan.makespan_ns, bound });
        } else if bounds.bound_ns < expected {
            let (makespan, bound) = (bounds.bound_ns, expected);
            self.faults.push(Fault::BeatsBound { makespan, bound });
        }
        self.strict_bound();
        let links = self.topology.resources.len() + self.rules.limits();
        if let Some(found) = bounds.critical_link.filter(|link| *link as usize >= links) {
            self.faults.push(Fault::CriticalLink { found });
        }
    }

    /// Holds the strict bound against the links where it is plain arithmetic: `k` equal transfers
    /// fit side by side, so the link needs the larger of the sum of times over `k` and the longest.
    /// Where transfers of different rates cross a link, only `T*` and the makespan bound it here.
    fn strict_bound(&mut self) {
        let bounds = &self.plan.bounds;
        if bounds.bound_ns != bounds.t_eff_ns {
            let (found, expected) = (bounds.bound_ns, bounds.t_eff_ns);
            self.faults.push(Fault::StrictBound { found, expected });
        }
        let mut crossing: BTreeMap<LinkId, Vec<(u128, u128)>> = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for ((src, dst), routes) in pairs(self.topology) {
            let bytes = u128::from(self.demand.get(src, dst).0);
            let mut own = BTreeSet::new();
            let rate = u128::from(self.solo.of_route(self.topology, routes[0]).0);
            let taken = taken_alike(self.topology, &self.solo, &routes);
            for link in taken.into_iter().filter(|_| bytes > 0) {
                crossing.entry(link).or_default().push((bytes, rate));
                if !own.insert(link) {
                    twice.insert(link);
                }
            }
        }
        crossing.retain(|link, _| !twice.contains(link));
        for (link, transfers) in crossing {
            let (_, rate) = transfers[0];
            let side_by_side = u128::from(self.capacity(link).0).checked_div(rate).unwrap_or(0);
            if side_by_side == 0 || transfers.iter().any(|transfer| transfer.1 != rate) {
                continue;
            }
            let sum: u128 = transfers.iter().map(|transfer| transfer.0).sum();
            let longest = transfers.iter().map(|transfer| transfer.0).max().unwrap_or(0);
            let time =
                (sum * 1_000_000_000 / (side_by_side * rate)).max(longest * 1_000_000_000 / rate);
            let expected = Nanos(u64::try_from(time).unwrap_or(u64::MAX));
            let found = bounds.t_eff_ns;
            // The planner counts in picoseconds and rounds each transfer's time up.
            let critical = bounds.critical_link == Some(link.0);
            if found.0 < expected.0 || critical && found.0 > expected.0.saturating_add(1) {
                self.faults.push(Fault::StrictBound { found, expected });
                return;
            }
        }
    }

    /// The largest bytes over capacity, and over the solo rate of a pair, from the demand and the
    /// walked routes.
    fn t_star(&self) -> Nanos {
        let mut carried: BTreeMap<LinkId, u128> = BTreeMap::new();
        let mut alone = 0;
        for ((src, dst), routes) in pairs(self.topology) {
            let bytes = u128::from(self.demand.get(src, dst).0);
            if let [route] = routes[..] {
                let rate = u128::from(self.solo.of_route(self.topology, route).0);
                alone = (bytes * 1_000_000_000).checked_div(rate).unwrap_or(0).max(alone);
            }
            for (link, times) in least_taken(&routes) {
                *carried.entry(link).or_default() += bytes * times;
            }
        }
        let times = carried.into_iter().map(|(link, bytes)| {
            let capacity = u128::from(self.capacity(link).0);
            (bytes * 1_000_000_000).checked_div(capacity).unwrap_or(0)
        });
        Nanos(u64::try_from(times.max().unwrap_or(0).max(alone)).unwrap_or(u64::MAX))
    }

    fn capacity(&self, link: LinkId) -> BytesPerSecond {
        let resource = self.topology.resources.get(link.index());
        resource.and_then(|resource| resource.capacity).unwrap_or(BytesPerSecond(0))
    }
}
