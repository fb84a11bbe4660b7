//! All maximal strict channels, one of each family.
//!
//! The search goes from family to family. From a maximal channel S and a route r outside it, take
//! every least set R of members of S whose removal makes room for r, and extend (S without R) with r
//! to a maximal channel in any way. **Every family is reached**: let T be a maximal channel and S a
//! reached one, S different from T. Some r of T is not in S, since T is maximal. The members of S
//! that are in T fit together with r, so some least R avoids them all, and the new channel shares
//! with T all that S shares, and r. The shared part grows with each step until it is all of T. Since
//! a symmetry g maps T to another channel of its family, it does not matter which member of a family
//! the search continues from: replace T by its image. For the same reason one r of each orbit under
//! the symmetries that leave S alone is enough.

use crate::base::RouteId;
use crate::catalog::symmetry::Structure;
use crate::catalog::{Catalog, Channel, ChannelOrbit, Fit, canonical_channel};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// What the search found.
pub(super) struct Found {
    /// Sorted by representative.
    pub(super) orbits: Vec<ChannelOrbit>,
    /// The number of channels in all orbits.
    pub(super) channels: BigUint,
    /// Whether these are all.
    pub(super) complete: bool,
}

/// Searches until nothing is new or `max_orbits` families are found. `group` is the order of the
/// symmetry group.
pub(super) fn maximal_channels(
    catalog: &Catalog,
    base: &Structure,
    group: &BigUint,
    max_orbits: usize,
) -> Found {
    let fit = Fit::new(catalog);
    let mut found = Found { orbits: Vec::new(), channels: BigUint::ZERO, complete: true };
    let mut forms = FxHashSet::default();
    // Channels whose family is known: most neighbours are met many times.
    let mut met: FxHashSet<Channel> = FxHashSet::default();
    let mut queue = VecDeque::new();
    let mut visit = |channel: Channel, found: &mut Found, queue: &mut VecDeque<_>| {
        if !met.insert(channel.clone()) {
            return;
        }
        let canonical = canonical_channel(base, catalog, channel.0.iter().copied());
        if !forms.insert(canonical.form) {
            return;
        }
        if found.orbits.len() >= max_orbits {
            found.complete = false;
            return;
        }
        let size = group / &canonical.order;
        found.channels += &size;
        found.orbits.push(ChannelOrbit { representative: channel.clone(), size: size.to_string() });
        queue.push_back((channel, canonical.generators));
    };
    visit(fit.complete(&[]), &mut found, &mut queue);
    while let Some((channel, stabiliser)) = queue.pop_front() {
        if !found.complete {
            break;
        }
        let orbits = route_orbits(catalog, &stabiliser);
        for (index, &root) in orbits.iter().enumerate() {
            let route = RouteId::new(index);
            if index != root || channel.0.binary_search(&route).is_ok() {
                continue;
            }
            for removal in least_removals(&fit, &channel, route) {
                let mut set: Vec<RouteId> =
                    channel.0.iter().copied().filter(|id| !removal.contains(id)).collect();
                set.push(route);
                visit(fit.complete(&set), &mut found, &mut queue);
            }
        }
    }
    found.orbits.sort_by(|a, b| a.representative.cmp(&b.representative));
    found
}

/// For each route the least route of its orbit under the permutations of vertices.
pub(super) fn route_orbits(catalog: &Catalog, generators: &[Vec<u32>]) -> Vec<usize> {
    let mut rank_of = vec![u32::MAX; catalog.vertices.len()];
    for (rank, &vertex) in (0u32..).zip(&catalog.rank_vertices) {
        rank_of[vertex as usize] = rank;
    }
    let mut forest: Vec<usize> = (0..catalog.routes.len()).collect();
    let find = |forest: &[usize], mut at: usize| {
        while forest[at] != at {
            at = forest[at];
        }
        at
    };
    for generator in generators {
        let image = |rank: crate::base::Rank| {
            let vertex = generator[catalog.rank_vertices[rank.index()] as usize];
            crate::base::Rank(rank_of[vertex as usize])
        };
        for (index, route) in catalog.routes.iter().enumerate() {
            let other = catalog.route_id(image(route.src), image(route.dst)).index();
            let (a, b) = (find(&forest, index), find(&forest, other));
            forest[a.max(b)] = a.min(b);
        }
    }
    (0..forest.len()).map(|index| find(&forest, index)).collect()
}

/// Every least set of members whose removal makes room for `route`.
fn least_removals(fit: &Fit, channel: &Channel, route: RouteId) -> Vec<Vec<RouteId>> {
    let mut found = Vec::new();
    // Whoever never runs beside the route has to go in any case.
    let apart = fit.apart(route);
    let mut removed: Vec<RouteId> =
        channel.0.iter().copied().filter(|id| apart.binary_search(id).is_ok()).collect();
    // The members on each resource that is too full, and how much of what they take has to go.
    let mut needs: Vec<Need> = Vec::new();
    for &(at, wanted) in fit.needs(route) {
        let taken = |&id: &RouteId| {
            let needs = fit.needs(id);
            let found = needs.binary_search_by_key(&at, |need| need.0).ok()?;
            Some((id, needs[found].1))
        };
        let members: Vec<(RouteId, u64)> = channel.0.iter().filter_map(taken).collect();
        let load: u64 = members.iter().map(|member| member.1).sum();
        let excess = (load + wanted).saturating_sub(fit.capacity()[at]);
        if excess > 0 {
            needs.push(Need { excess, members });
        }
    }
    removals(&needs, &mut removed, &mut found);
    found.sort();
    found.dedup();
    let all = found.clone();
    found.retain(|set| {
        !all.iter().any(|other| other.len() < set.len() && other.iter().all(|id| set.contains(id)))
    });
    found
}

/// What has to go from a resource.
struct Need {
    excess: u64,
    /// The members on it and what each takes.
    members: Vec<(RouteId, u64)>,
}

/// Branches over the members of the first resource that is still too full.
fn removals(needs: &[Need], removed: &mut Vec<RouteId>, found: &mut Vec<Vec<RouteId>>) {
    let freed = |need: &Need, removed: &[RouteId]| -> u64 {
        need.members.iter().filter(|(id, _)| removed.contains(id)).map(|(_, taken)| taken).sum()
    };
    let Some(open) = needs.iter().find(|need| freed(need, removed) < need.excess) else {
        let mut set = removed.clone();
        set.sort_unstable();
        found.push(set);
        return;
    };
    for &(id, _) in &open.members {
        if !removed.contains(&id) {
            removed.push(id);
            removals(needs, removed, found);
            removed.pop();
        }
    }
}
