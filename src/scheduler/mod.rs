//! From a demand and a catalog to a plan: integers only, no graph, no input or output.
//!
//! `tables` prepares what the routes of a machine exclude, `list` decides what starts when,
//! `order` turns the instants into pieces with their predecessors, `name` finds the channels.

mod bits;
mod list;
mod name;
mod order;
mod planner;
mod tables;

pub use name::{NameError, name_steps, running_sets};
pub use planner::{PlanError, Planner};
