//! Which single change of a machine would lower the bound of a demand most.
//!
//! Every change of a few kinds is tried: the machine is changed, its routes are found anew, and the
//! demand is bounded on it. What a change would cost, or whether the chassis allows it, is for its
//! owner to say.

mod change;
mod tried;

pub use change::Change;
pub use tried::{Advice, Report, advise};
