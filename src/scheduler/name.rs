//! The channels that a plan's steps run in.

use crate::base::{LinkId, RouteId};
use crate::catalog::{Catalog, Channel, ChannelName, Plan};
use std::collections::BTreeMap;

/// For each step the routes of every piece that runs from its start on, ascending: those that start
/// then and those that started earlier and have not ended.
#[must_use]
pub fn running_sets(plan: &Plan) -> Vec<Channel> {
    let mut running: Vec<usize> = Vec::new();
    plan.steps
        .iter()
        .map(|step| {
            running.retain(|&piece| plan.pieces[piece].end > step.start);
            running.extend(step.starts.iter().map(|id| id.index()));
            let mut routes: Vec<RouteId> =
                running.iter().map(|&piece| plan.pieces[piece].route).collect();
            routes.sort_unstable();
            Channel(routes)
        })
        .collect()
}

/// A maximal channel that contains `set`: each further route that still fits is added, in
/// ascending order. A set that does not fit itself stays as it is.
#[must_use]
pub fn completed(catalog: &Catalog, set: &Channel) -> Channel {
    let mut free: BTreeMap<LinkId, u64> = BTreeMap::new();
    for (index, link) in catalog.links.iter().enumerate() {
        free.insert(LinkId::new(index), link.capacity.map_or(0, |capacity| capacity.0));
    }
    let mut members = Vec::new();
    let given = set.0.iter().copied();
    let others = (0..catalog.routes.len()).map(RouteId::new).filter(|route| !set.0.contains(route));
    for (id, required) in given.map(|id| (id, true)).chain(others.map(|id| (id, false))) {
        let Some(route) = catalog.routes.get(id.index()) else { continue };
        let mut needs: BTreeMap<LinkId, u64> = BTreeMap::new();
        for &link in &route.links {
            let need = needs.entry(link).or_default();
            *need = need.saturating_add(route.rate.0);
        }
        let fits = |(link, need): (&LinkId, &u64)| free.get(link).is_some_and(|free| need <= free);
        if required || needs.iter().all(fits) {
            for (link, need) in needs {
                if let Some(free) = free.get_mut(&link) {
                    *free = free.saturating_sub(need);
                }
            }
            members.push(id);
        }
    }
    members.sort_unstable();
    Channel(members)
}

/// Names the channel of every step: its running set, completed to a maximal channel, as `locate`
/// finds it in the catalog. Equal sets are looked up once.
///
/// # Errors
/// The first error of `locate`; the plan keeps the names found so far.
pub fn name_steps_with<E>(
    catalog: &Catalog,
    plan: &mut Plan,
    mut locate: impl FnMut(&Channel) -> Result<ChannelName, E>,
) -> Result<(), E> {
    let mut known: BTreeMap<Channel, ChannelName> = BTreeMap::new();
    let sets = running_sets(plan);
    for (step, set) in plan.steps.iter_mut().zip(&sets) {
        let channel = completed(catalog, set);
        let name = match known.get(&channel) {
            Some(name) => name.clone(),
            None => {
                let name = locate(&channel)?;
                known.insert(channel, name.clone());
                name
            }
        };
        step.channel = Some(name);
    }
    Ok(())
}
