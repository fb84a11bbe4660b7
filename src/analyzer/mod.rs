//! From a topology to its catalog: symmetry, channels up to symmetry, exact optima.

mod catalog_of;
mod channels;
mod cluster;
mod critical;
mod exact;
mod exact_price;
mod raised;
mod rates;
mod recogniser;
mod t_star;
mod unsupported;

pub use catalog_of::{
    FORM_WORK, Limits, MAX_OUTLINE_ROUTES, QUICK_FORM_WORK, analyze, fits_outline, outline,
};
pub use cluster::analyze_cluster;
pub use critical::critical_name;
pub use exact::{Exact, ExactError, exact_optimum};
pub use raised::{Bounder, RaisedBounds};
pub use t_star::{Certificate, MAX_FLAT_ROUTES, Split, TStar, TStarError, TStarProgram, t_star};
pub use unsupported::{
    MAX_RANKS, UNSUPPORTED_RULE, is_cluster, refused_rules, unplanned, unsupported,
};
