//! The proof of a cluster's catalog.

use super::ClusterCatalog;
use crate::base::Rank;
use crate::catalog::{CatalogFault, JointOf, PortFamily, check};
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// Recomputes what can be told from the catalog alone: every template's own proof, that nodes hold
/// each rank once, that ports lead to places, the order of the group from those of its parts, and
/// the port family. That nodes are images of their templates is seen when the catalog is made.
///
/// # Errors
/// The first fault found.
pub fn check_cluster(catalog: &ClusterCatalog) -> Result<(), CatalogFault> {
    let fault = |what| Err(CatalogFault::Tables(what));
    for template in &catalog.templates {
        check(&template.catalog)?;
    }
    let places = catalog.core.places.len() as u32;
    let mut ranks = BTreeSet::new();
    let mut nodes = vec![0u64; catalog.templates.len()];
    for run in &catalog.runs {
        let Some(template) = catalog.templates.get(run.template as usize) else {
            return fault("templates of nodes");
        };
        let ends = template.catalog.rank_vertices.len();
        let own = template.catalog.ranks as usize;
        if run.nodes == 0 || run.ranks.len() != own || run.places.len() != ends - own {
            return fault("nodes");
        }
        if run.places.iter().any(|place| *place >= places) {
            return fault("places of ports");
        }
        nodes[run.template as usize] += u64::from(run.nodes);
        for node in 0..run.nodes {
            for first in &run.ranks {
                let rank = u64::from(first.0) + u64::from(node) * u64::from(run.step);
                if rank >= u64::from(catalog.ranks) || !ranks.insert(rank) {
                    return fault("ranks of nodes");
                }
            }
        }
    }
    if ranks.len() != catalog.ranks as usize {
        return fault("ranks of nodes");
    }
    for (index, count) in nodes.iter().enumerate() {
        let of = |group: &&super::NodeGroup| group.template == Some(index as u32);
        let grouped: u64 = catalog.groups.iter().filter(of).map(|g| u64::from(g.nodes)).sum();
        if grouped != *count {
            return fault("groups of nodes");
        }
    }
    let core = &catalog.core;
    if core.links.iter().any(|link| link.from.max(link.to) >= places)
        || core.joint.iter().any(|joint| match &joint.of {
            JointOf::Links(of) => of.iter().any(|id| id.index() >= core.links.len()),
            JointOf::Memory(_) => true,
        })
    {
        return fault("core");
    }
    moves(catalog)?;
    order(catalog)?;
    if let Some(family) = &catalog.family {
        let template = catalog.templates.first().map(|template| &template.catalog);
        let all: u32 = catalog.runs.iter().map(|run| run.nodes).sum();
        let found = template.and_then(|template| PortFamily::of(template, all));
        if catalog.templates.len() != 1 || found.as_ref() != Some(family) {
            return fault("port family");
        }
    }
    Ok(())
}

/// Moves are permutations of places that keep links between them, and of equal groups.
fn moves(catalog: &ClusterCatalog) -> Result<(), CatalogFault> {
    let is_permutation = |of: &[u32], count: usize| {
        let images: BTreeSet<u32> = of.iter().copied().collect();
        of.len() == count && images.into_iter().eq(0..count as u32)
    };
    let core = &catalog.core;
    for (index, found) in catalog.moves.iter().enumerate() {
        let kept = is_permutation(&found.places, core.places.len())
            && is_permutation(&found.groups, catalog.groups.len())
            && core.links.iter().all(|link| {
                let place = |at: u32| found.places[at as usize];
                core.links.iter().any(|other| {
                    (other.from, other.to) == (place(link.from), place(link.to))
                        && other.capacity == link.capacity
                })
            })
            && catalog
                .groups
                .iter()
                .zip(&found.groups)
                .all(|(group, image)| catalog.groups[*image as usize] == *group);
        if !kept {
            return Err(CatalogFault::Generator(index));
        }
    }
    Ok(())
}

/// The order is a multiple of what exchanges and turns of nodes alone generate, by the number of ways
/// to move the core; without moves it is just that.
fn order(catalog: &ClusterCatalog) -> Result<(), CatalogFault> {
    let mut least = BigUint::from(1u32);
    for group in &catalog.groups {
        let Ok(own) = group.order.parse::<BigUint>() else {
            return Err(CatalogFault::Tables("orders"));
        };
        for nodes in 1..=group.nodes {
            least *= &own;
            least *= BigUint::from(nodes);
        }
    }
    let claimed: BigUint = catalog.order.parse().map_err(|_| CatalogFault::Tables("orders"))?;
    let whole = if catalog.moves.is_empty() {
        claimed == least
    } else {
        claimed > least && &claimed % &least == BigUint::ZERO
    };
    if whole {
        return Ok(());
    }
    let (claimed, found) = (claimed.to_string(), least.to_string());
    Err(CatalogFault::Count { what: "group order", claimed, found })
}

impl ClusterCatalog {
    /// The ranks of each node with ranks, in the order of its template's.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, Vec<Rank>)> + '_ {
        self.runs.iter().flat_map(|run| {
            (0..run.nodes).map(move |node| {
                let rank = |first: &Rank| Rank(first.0 + node * run.step);
                (run.template, run.ranks.iter().map(rank).collect())
            })
        })
    }
}
