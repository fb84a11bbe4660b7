//! What can be wrong with a plan.

use crate::base::{Bytes, BytesPerSecond, Digest, LinkId, Nanos};
use std::fmt;

/// One thing that is wrong. Pieces and steps are named by their position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The plan was made for another topology.
    Digest {
        /// The plan's.
        found: Digest,
        /// The topology's.
        expected: Digest,
    },
    /// The plan, the demand and the topology differ in their number of ranks.
    Ranks {
        /// Of the plan.
        plan: u32,
        /// Of the demand.
        demand: usize,
        /// Of the topology.
        topology: usize,
    },
    /// A strategy or setting whose rules are not known here.
    Strategy {
        /// What the plan says.
        found: String,
    },
    /// The plan's total is not the demand's.
    Total {
        /// The plan's.
        found: Bytes,
        /// The demand's.
        expected: Bytes,
    },
    /// A piece or step does not stand at its position.
    Position {
        /// `piece` or `step`.
        what: &'static str,
        /// Its position.
        position: usize,
        /// The number it bears.
        found: u32,
    },
    /// Pieces or steps are not in order of their start.
    Unordered {
        /// `piece` or `step`.
        what: &'static str,
        /// The first one that starts before its predecessor.
        position: usize,
    },
    /// A piece of a pair that does not exist.
    Pair {
        /// The piece.
        piece: usize,
        /// From.
        src: u32,
        /// To.
        dst: u32,
    },
    /// A piece without bytes.
    Empty {
        /// The piece.
        piece: usize,
    },
    /// Bytes of a pair that no piece carries.
    Gap {
        /// From.
        src: usize,
        /// To.
        dst: usize,
        /// The first of them.
        from: u64,
        /// Behind the last.
        to: u64,
    },
    /// Bytes of a pair that two pieces carry.
    Overlap {
        /// From.
        src: usize,
        /// To.
        dst: usize,
        /// The later piece.
        piece: usize,
    },
    /// A piece reaches beyond the pair's bytes.
    Beyond {
        /// The piece.
        piece: usize,
        /// Where it ends.
        end: u128,
        /// How many bytes the pair has.
        demand: u64,
    },
    /// A route index that the pair does not have.
    Route {
        /// The piece.
        piece: usize,
        /// The index.
        found: u32,
    },
    /// The links of a route do not lead from its source to its destination.
    BrokenRoute {
        /// From.
        src: usize,
        /// To.
        dst: usize,
    },
    /// A piece does not run at the solo rate of its route.
    Rate {
        /// The piece.
        piece: usize,
        /// Its rate.
        found: BytesPerSecond,
        /// The least capacity on its way.
        expected: BytesPerSecond,
    },
    /// A piece ends earlier than its bytes take at its rate.
    TooShort {
        /// The piece.
        piece: usize,
        /// Its planned length.
        found: u64,
        /// The least length, in nanoseconds.
        least: u128,
    },
    /// A link carries more than its capacity.
    Overload {
        /// The link.
        link: LinkId,
        /// The instant.
        at: Nanos,
        /// The rates' total.
        load: u128,
        /// What the link offers.
        capacity: BytesPerSecond,
    },
    /// Nothing keeps these pieces apart when durations differ from the plan, and together they
    /// exceed a link.
    Unguarded {
        /// The link.
        link: LinkId,
        /// The last of the pieces.
        piece: usize,
        /// The rates' total.
        load: u128,
        /// What the link offers.
        capacity: BytesPerSecond,
    },
    /// Two pieces that a rule keeps apart run together, in the plan or when durations differ from
    /// it.
    KeptApart {
        /// The later piece.
        piece: usize,
        /// The earlier one.
        other: usize,
        /// Whether they overlap in the plan.
        planned: bool,
    },
    /// Two pieces of one pair over different routes run together, in the plan or when durations differ
    /// from it.
    PairTwice {
        /// The later piece.
        piece: usize,
        /// The earlier one.
        other: usize,
        /// Whether they overlap in the plan.
        planned: bool,
    },
    /// More pieces run in a place than a rule allows, in the plan or when durations differ from it.
    Crowded {
        /// The last of the pieces.
        piece: usize,
        /// How many run.
        found: u64,
        /// How many may.
        most: u64,
        /// Whether the plan has them run together.
        planned: bool,
    },
    /// A piece waits for itself, a later one, or one that does not exist.
    Forward {
        /// The piece.
        piece: usize,
        /// What it waits for.
        after: u32,
    },
    /// A piece waits for one that ends after its planned start.
    Late {
        /// The piece.
        piece: usize,
        /// What it waits for.
        after: u32,
    },
    /// A piece names the same predecessor twice, out of order, or one that another one implies.
    Redundant {
        /// The piece.
        piece: usize,
        /// What it waits for.
        after: u32,
    },
    /// A piece does not wait for one that shares a link with it and ends before its start.
    Missing {
        /// The piece.
        piece: usize,
        /// What it should wait for, directly or not.
        after: usize,
    },
    /// A step starts a piece that starts at another time or does not exist.
    Start {
        /// The step.
        step: usize,
        /// The piece.
        piece: u32,
    },
    /// A piece that no step or more than one starts.
    Started {
        /// The piece.
        piece: usize,
        /// How many start it.
        times: usize,
    },
    /// The makespan is not the last end.
    Makespan {
        /// What the plan says.
        found: Nanos,
        /// The last end.
        expected: Nanos,
    },
    /// The plan states another `T*`.
    Bound {
        /// What the plan says.
        found: Nanos,
        /// Bytes over capacity, rounded down.
        expected: Nanos,
    },
    /// The plan states another strict bound than its links lead to.
    StrictBound {
        /// What the plan says.
        found: Nanos,
        /// The time of the link that leads to it, rounded down.
        expected: Nanos,
    },
    /// The bounds contradict each other, or the makespan is below one of them.
    BeatsBound {
        /// The makespan.
        makespan: Nanos,
        /// The bound.
        bound: Nanos,
    },
    /// The critical link does not exist.
    CriticalLink {
        /// What the plan says.
        found: u32,
    },
    /// A step names a channel that is not a channel of the catalog under the element.
    Channel {
        /// The step.
        step: usize,
    },
    /// A piece runs at a step whose channel does not contain it.
    NotInChannel {
        /// The step.
        step: usize,
        /// The piece.
        piece: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digest { found, expected } => {
                write!(f, "the plan is for topology {}, not {}", found.short(), expected.short())
            }
            Self::Ranks { plan, demand, topology } => {
                write!(f, "the plan has {plan} ranks, the demand {demand}, the topology {topology}")
            }
            Self::Strategy { found } => {
                write!(f, "\"{found}\" plans cannot be checked, only strict and ideal ones")
            }
            Self::Total { found, expected } => {
                write!(f, "the plan says {found} bytes, the demand has {expected}")
            }
            Self::Position { what, position, found } => {
                write!(f, "{what} {position} bears the number {found}")
            }
            Self::Unordered { what, position } => {
                write!(f, "{what} {position} starts before its predecessor")
            }
            Self::Pair { piece, src, dst } => {
                write!(f, "piece {piece}: there is no pair {src} -> {dst}")
            }
            Self::Empty { piece } => write!(f, "piece {piece} has no bytes"),
            Self::Gap { src, dst, from, to } => {
                write!(f, "pair {src} -> {dst}: no piece carries bytes {from}..{to}")
            }
            Self::Overlap { src, dst, piece } => {
                write!(f, "pair {src} -> {dst}: piece {piece} repeats bytes of another one")
            }
            Self::Beyond { piece, end, demand } => {
                write!(f, "piece {piece} ends at byte {end} of a pair that has {demand}")
            }
            Self::Route { piece, found } => {
                write!(f, "piece {piece}: its pair has no route {found}")
            }
            Self::BrokenRoute { src, dst } => {
                write!(f, "the route {src} -> {dst} does not lead there")
            }
            Self::Rate { piece, found, expected } => {
                write!(f, "piece {piece} runs at {found}; its route carries {expected}")
            }
            Self::TooShort { piece, found, least } => write!(
                f,
                "piece {piece} is planned for {found} ns; its bytes take at least {least} ns"
            ),
            Self::Overload { link, at, load, capacity } => write!(
                f,
                "link {link} carries {load} bytes a second at {} ns; its capacity is {capacity}",
                at.0
            ),
            Self::Unguarded { link, piece, load, capacity } => write!(
                f,
                "link {link} may carry {load} bytes a second once piece {piece} runs, since no \
                 order keeps the pieces apart; its capacity is {capacity}"
            ),
            Self::KeptApart { piece, other, planned } => {
                let how = if *planned { "runs" } else { "may run" };
                write!(f, "piece {piece} {how} beside piece {other}, which an `avoid` forbids")
            }
            Self::PairTwice { piece, other, planned } => {
                let how = if *planned { "runs" } else { "may run" };
                write!(
                    f,
                    "piece {piece} {how} beside piece {other}, over another route of its pair"
                )
            }
            Self::Crowded { piece, found, most, planned } => {
                let how = if *planned { "run" } else { "may run" };
                write!(
                    f,
                    "{found} pieces {how} where a `limit` allows {most} once piece {piece} runs"
                )
            }
            Self::Forward { piece, after } => {
                write!(f, "piece {piece} waits for piece {after}, which is no earlier piece")
            }
            Self::Late { piece, after } => {
                write!(f, "piece {piece} waits for piece {after}, which ends after its start")
            }
            Self::Redundant { piece, after } => {
                write!(f, "piece {piece} waits for piece {after} needlessly")
            }
            Self::Missing { piece, after } => write!(
                f,
                "piece {piece} does not wait for piece {after}, which shares a link with it"
            ),
            Self::Start { step, piece } => {
                write!(f, "step {step} starts piece {piece}, which does not start then")
            }
            Self::Started { piece, times } => {
                write!(f, "{times} steps start piece {piece}, not 1")
            }
            Self::Makespan { found, expected } => {
                write!(
                    f,
                    "the makespan says {} ns; the last piece ends at {} ns",
                    found.0, expected.0
                )
            }
            Self::StrictBound { found, expected } => write!(
                f,
                "the plan's strict bound is {} ns, a link leads to {} ns",
                found.0, expected.0
            ),
            Self::Bound { found, expected } => {
                write!(f, "T* says {} ns; bytes over capacity give {} ns", found.0, expected.0)
            }
            Self::BeatsBound { makespan, bound } => {
                write!(f, "the makespan of {} ns is below the bound of {} ns", makespan.0, bound.0)
            }
            Self::CriticalLink { found } => write!(f, "there is no critical link {found}"),
            Self::Channel { step } => {
                write!(f, "step {step} names a channel that the catalog does not have")
            }
            Self::NotInChannel { step, piece } => {
                write!(f, "piece {piece} runs at step {step}, whose channel does not contain it")
            }
        }
    }
}
