//! Changes tried, and what they bring.

use super::Change;
use crate::analyzer::{self, Bounder};
use crate::base::{Demand, Digest, NodeId, Rank, Setting, VertexId};
use crate::catalog::Bounds;
use crate::diagnostics::Diagnostics;
use crate::dsl::Machine;
use crate::topology::{self, ResourceKind, Topology};
use rayon::prelude::*;

/// At most this many pairs of ranks are bounded, over all changes: seconds of work.
const MAX_PAIRS_TRIED: usize = 8_000_000;

/// A change that lowers the bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The change.
    pub change: Change,
    /// The bounds of the demand after it.
    pub bounds: Bounds,
    /// What the resource that is critical then is called; nothing without one.
    pub critical: Option<String>,
}

/// What the changes of a machine bring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The setting of the machine as it is.
    pub setting: Setting,
    /// The bounds of the demand on the machine as it is.
    pub bounds: Bounds,
    /// Whether `T_eff` is known; else changes are judged by `T*`, which it is taken to be.
    pub has_t_eff: bool,
    /// What the critical resource is called; nothing without one.
    pub critical: Option<String>,
    /// How many changes were tried.
    pub tried: usize,
    /// How many were not, since there are too many for a machine of this size. Those of the node of the
    /// critical resource are tried first.
    pub left_out: usize,
    /// Those after which `T_eff` is lower, the lowest first, then in the order of trial.
    pub advice: Vec<Advice>,
}

/// Tries the changes of `machine` and bounds `demand` after each, in a setting; without one, in that
/// which the machine asks for. A change after which the machine is none that can be planned on (a way
/// that is no longer unique, say) brings nothing.
///
/// # Errors
/// What is wrong with the machine as it is, or not analyzed of it (exits 1 and 3), and a bound beyond
/// 2^64 - 1 ps (exit 3).
pub fn advise(
    machine: &Machine,
    digest: &Digest,
    demand: &Demand,
    setting: Option<Setting>,
) -> Result<Report, Diagnostics> {
    let build = |machine: &Machine| -> Result<Topology, Diagnostics> {
        let topology = topology::build(machine, digest.clone())?.topology;
        Ok(if setting == Some(Setting::Ideal) { topology.ideal() } else { topology })
    };
    let topology = build(machine)?;
    let bounder = Bounder::new(&topology)?;
    let now = bounder.required(demand)?;
    let nodes: Vec<Option<NodeId>> = topology.vertices.iter().map(|vertex| vertex.node).collect();
    let mut changes = Change::all(machine, &nodes);
    if let Some(node) = critical_node(&topology, &now.bounds) {
        let is_there = |change: &Change| {
            change.devices(machine).iter().any(|device| nodes[*device] == Some(node))
        };
        changes.sort_by_key(|change| !is_there(change));
    }
    let all = changes.len();
    let ranks = topology.ranks.len();
    changes.truncate(MAX_PAIRS_TRIED / (ranks * (ranks - 1)).max(1));
    let tried = changes.len();
    let after = |change: Change| -> Option<(Bounds, Option<String>)> {
        if let Change::Swap { a, b } = change {
            // The same machine: each of the two ranks has what the other one had.
            let (a, b) = (Rank::new(a), Rank::new(b));
            let mut bounds = bounder.required(&demand.exchanged(a, b)).ok()?.bounds;
            let critical = analyzer::critical_name(&topology, &bounds);
            let now = |rank: Rank| rank.exchanged(a, b);
            bounds.alone = bounds.alone.map(|(src, dst)| (now(src), now(dst)));
            return Some((bounds, critical));
        }
        let changed = build(&change.applied(machine)?).ok()?;
        let bounds = Bounder::new(&changed).ok()?.required(demand).ok()?.bounds;
        let critical = analyzer::critical_name(&changed, &bounds);
        Some((bounds, critical))
    };
    let mut advice: Vec<Advice> = changes
        .into_par_iter()
        .filter_map(|change| {
            let (bounds, critical) = after(change)?;
            (bounds.t_eff < now.bounds.t_eff).then_some(Advice { change, bounds, critical })
        })
        .collect();
    advice.sort_by_key(|advice| advice.bounds.t_eff);
    Ok(Report {
        setting: setting.unwrap_or(topology.setting()),
        critical: analyzer::critical_name(&topology, &now.bounds),
        bounds: now.bounds,
        has_t_eff: now.has_t_eff,
        tried,
        left_out: all - tried,
        advice,
    })
}

/// The node that holds the exchange back; nothing where that is the network.
fn critical_node(topology: &Topology, bounds: &Bounds) -> Option<NodeId> {
    if let Some((src, _)) = bounds.alone {
        return topology.node_of(src);
    }
    let node = |vertex: VertexId| topology.vertices[vertex.index()].node;
    let id = bounds.critical_link?;
    let Some(resource) = topology.resources.get(id.index()) else {
        return topology.limits().get(id.index() - topology.resources.len())?.node;
    };
    let of_link = |id: crate::base::LinkId| {
        let (from, to) = topology.resources[id.index()].ends()?;
        node(from).or(node(to))
    };
    match &resource.kind {
        ResourceKind::Link { .. } => of_link(id),
        ResourceKind::Total { of, .. } => of_link(*of.first()?),
        ResourceKind::Memory { socket } => node(*socket),
    }
}
