//! The channels that a plan's steps run in.

use crate::base::RouteId;
use crate::catalog::{Catalog, Channel, Fit, Locator, Paces, Plan};

/// Why a step has no channel: what runs then does not fit together. A plan from the planner never
/// gives this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the transfers that run from step {step} on are no channel")]
pub struct NameError {
    /// The step.
    pub step: usize,
}

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
            Channel::strict(routes)
        })
        .collect()
}

/// Names the channel of every step: the set that runs then, completed to a maximal channel, as
/// `locator` finds it in the catalog; `online` where a bounded catalog does not have it.
///
/// # Errors
/// [`NameError`] for the first step whose set is no channel; the earlier ones keep their names.
pub fn name_steps(
    catalog: &Catalog,
    plan: &mut Plan,
    locator: &mut Locator<'_>,
) -> Result<(), NameError> {
    let fit = Fit::new(catalog, Paces::Solo);
    let sets = running_sets(plan);
    for (index, (step, set)) in plan.steps.iter_mut().zip(&sets).enumerate() {
        // What does not fit is left out by the completion, so a set that lost a member is none.
        let channel = fit.complete(&set.0);
        if set.0.iter().any(|member| channel.0.binary_search(member).is_err()) {
            return Err(NameError { step: index });
        }
        step.channel = Some(locator.locate(&channel));
    }
    Ok(())
}
