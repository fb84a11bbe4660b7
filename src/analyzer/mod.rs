//! From a topology to its catalog: symmetry, channels up to symmetry, exact optima.

mod catalog_of;
mod channels;
mod critical;
mod exact;
mod exact_price;
mod rates;
mod recogniser;
mod unsupported;

pub use catalog_of::{FORM_WORK, Limits, QUICK_FORM_WORK, analyze, outline};
pub use critical::critical_name;
pub use exact::{Exact, ExactError, exact_optimum};
pub use unsupported::{MAX_RANKS, UNSUPPORTED_RULE, refused_rules, unplanned, unsupported};
