//! How long an exchange takes on a machine by a fluid model, be it planned or carried out in one of the
//! ways that others carry it out.
//!
//! Two settings stand side by side. In the *ideal* one, links lose nothing and nothing costs time, so
//! that a strict plan takes exactly as long as it says and many transfers at once are seldom worse. In
//! the *profile* links lose by the number of transfers, transfers that an `avoid` line keeps apart
//! collapse to what it says, and steps, transfers and links cost the time that the file gives. What no
//! line of the file says costs nothing: penalties come from measurements alone.

mod baselines;
mod exchange;
mod network;
mod outcome;
mod trace;

pub use baselines::{Baseline, BaselineError};
pub use exchange::{Exchange, Transfer};
pub use network::{SimulationError, observed, simulate};
pub use outcome::{Carried, Outcome};
pub use trace::Trace;
