//! The plan checker. It shares no code with the planner: it walks the topology's own links, and
//! takes nothing from a plan but its claims.

mod channels;
mod check;
mod fault;
mod pairs;
mod rules;
mod solo;

pub use crate::catalog::PlanDocument as ClaimedPlan;
pub use channels::verify_channels;
pub use check::{Summary, verify, verify_claim, verify_document};
pub use fault::Fault;
