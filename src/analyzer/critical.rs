//! What holds an exchange back, in words.

use crate::base::Rank;
use crate::catalog::Bounds;
use crate::topology::Topology;

/// What the critical link of bounds is called, and the pair whose cap makes it so; nothing where
/// nothing crosses a link.
#[must_use]
pub fn critical_name(topology: &Topology, bounds: &Bounds) -> Option<String> {
    let link = topology.resource_name(bounds.critical_link?);
    let Some((src, dst)) = bounds.alone else { return Some(link) };
    let gpu = |rank: Rank| &topology.vertices[topology.ranks[rank.index()].index()].path;
    Some(format!("{link} (its own rate holds {} -> {} back)", gpu(src), gpu(dst)))
}
