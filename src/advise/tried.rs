//! Changes tried, and what they bring.

use super::Change;
use crate::analyzer;
use crate::base::{Demand, Digest, Setting};
use crate::catalog::Bounds;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::dsl::Machine;
use crate::topology;
use rayon::prelude::*;

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
    /// What the critical resource is called; nothing without one.
    pub critical: Option<String>,
    /// How many changes were tried.
    pub tried: usize,
    /// Those after which `T_eff` is lower, the lowest first, then in the order of trial.
    pub advice: Vec<Advice>,
}

/// Tries every change of `machine` and bounds `demand` after each, in a setting; without one, in that
/// which the machine asks for. A change after which the machine
/// is none that can be planned on (a way that is no longer unique, say) brings nothing.
///
/// # Errors
/// What is wrong with the machine as it is, or not planned with (exits 1 and 3), and a bound beyond
/// 2^64 - 1 ps (exit 3).
pub fn advise(
    machine: &Machine,
    digest: &Digest,
    demand: &Demand,
    setting: Option<Setting>,
) -> Result<Report, Diagnostics> {
    let (now, critical, found) = bounded(machine, digest, demand, setting)?;
    let changes = Change::all(machine);
    let tried = changes.len();
    let mut advice: Vec<Advice> = changes
        .into_par_iter()
        .filter_map(|change| {
            let changed = change.applied(machine);
            let (bounds, critical, _) = bounded(&changed, digest, demand, setting).ok()?;
            (bounds.t_eff < now.t_eff).then_some(Advice { change, bounds, critical })
        })
        .collect();
    advice.sort_by_key(|advice| advice.bounds.t_eff);
    Ok(Report { setting: setting.unwrap_or(found), bounds: now, critical, tried, advice })
}

/// The bounds of a demand on a machine, the name of what is critical, and the machine's own setting.
fn bounded(
    machine: &Machine,
    digest: &Digest,
    demand: &Demand,
    setting: Option<Setting>,
) -> Result<(Bounds, Option<String>, Setting), Diagnostics> {
    let mut topology = topology::build(machine, digest.clone())?.topology;
    if setting == Some(Setting::Ideal) {
        topology = topology.ideal();
    }
    let catalog = analyzer::outline(&topology)?;
    let bounds = analyzer::raised_bounds(&topology, &catalog, demand)
        .map_err(|error| Diagnostic::error("no-bound", error.to_string()).exit(Exit::Failed))?
        .bounds;
    let critical = analyzer::critical_name(&topology, &bounds);
    Ok((bounds, critical, topology.setting()))
}
