//! Max-min fair shares in integers: how fast flows are that run at once, and when each of them ends.
//!
//! The model is the fluid one. A flow takes of resources in proportion to its rate; at every instant
//! the rates are max-min fair, which means that no flow could be faster without one that is no faster
//! getting slower. What a resource has may depend on how many flows share it; flows that hamper each
//! other have together no more than a given rate. Rates are whole bytes a second, rounded down, times
//! whole picoseconds, rounded up, so that the same question has the same answer everywhere.

mod run;
mod shares;

pub use run::{MANY, Queue, Stuck, Task, Timeline, run};
pub use shares::{Curve, Flow, Hampering, Offer, Shares};
