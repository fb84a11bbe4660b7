//! Measurements as loads on what their routes take.

use super::Source;
use super::devices::ranks;
use super::fault::{Fault, MAX_OBSERVATIONS};
use crate::base::{BytesPerSecond, LinkId, Mode, Rank, RouteClass};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::measured::{Direction, Sample, Series};
use crate::topology::{Route, Topology};
use std::collections::BTreeMap;

/// A measurement that the topology predicts something for.
#[derive(Debug, Clone)]
pub struct Observation {
    /// What ran.
    pub subject: Subject,
    /// The matrix or list it belongs to: the source, and the series in it.
    pub series: (usize, usize),
    /// Who moved the bytes over the bus, where that is known.
    pub mode: Option<Mode>,
    /// What it reached, all transfers together.
    pub measured: BytesPerSecond,
    /// Resources, each with the bytes that it carries for one byte in all.
    pub(super) loads: BTreeMap<LinkId, f64>,
    /// Rules that cap one of the transfers, each with the largest share that such a transfer has of
    /// the whole.
    pub(super) caps: BTreeMap<usize, f64>,
    /// The classes of the transfers, likewise.
    pub(super) classes: BTreeMap<RouteClass, f64>,
}

/// What ran at once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// One transfer.
    Alone(Rank, Rank),
    /// A transfer and its reverse.
    BothWays(Rank, Rank),
    /// Several transfers.
    Together(Vec<(Rank, Rank)>),
}

/// A transfer, and its share of the bytes of the whole.
type Share = ((Rank, Rank), f64);

/// The measurements that routes of the topology predict.
#[derive(Debug, Default)]
pub(super) struct Observations {
    pub(super) all: Vec<Observation>,
    /// What is worth knowing: what was left out, and why.
    pub(super) notes: Diagnostics,
}

/// Why a measurement is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unused {
    /// Through host memory, where the route is direct.
    NoAccess,
    /// Direct, where the route goes through host memory.
    Access,
    Pull,
    BetweenNodes,
}

/// Turns the samples of all sources into observations.
pub(super) fn observe(topology: &Topology, sources: &[Source]) -> Result<Observations, Fault> {
    let mut observations = Observations::default();
    let mut unused_lines = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let (ranks, note) = ranks(topology, source)?;
        observations.notes.extend(note);
        let mut unused: BTreeMap<Unused, usize> = BTreeMap::new();
        for (number, series) in source.measured.series.iter().enumerate() {
            for sample in &series.samples {
                match observation(topology, series, sample, &ranks) {
                    Ok(found) => {
                        let series = (index, number);
                        observations.all.push(Observation { series, ..found });
                    }
                    Err(why) => *unused.entry(why).or_default() += 1,
                }
            }
        }
        for (why, count) in unused {
            let line = format!("{}: {}", source.name, why.words(count));
            observations.notes.push(Diagnostic::note("calibrate-unused", line.clone()));
            unused_lines.push(line);
        }
        let engine = |series: &Series| series.initiator == Some(crate::base::Initiator::Engine);
        if source.measured.series.iter().any(engine) {
            let message = format!(
                "{}: measured with copy engines; the kernel is taken to reach the same",
                source.name
            );
            observations.notes.push(Diagnostic::note("calibrate-initiator", message));
        }
    }
    if observations.all.is_empty() {
        return Err(Fault::Nothing { unused: unused_lines });
    }
    if observations.all.len() > MAX_OBSERVATIONS {
        return Err(Fault::TooMany(observations.all.len()));
    }
    let alone = |o: &Observation| matches!(o.subject, Subject::Alone(..));
    if !observations.all.iter().any(alone) {
        let message = "no transfer was measured alone: each direction is taken to reach half of the \
                       sum of both";
        observations.notes.push(Diagnostic::note("calibrate-half", message));
    }
    Ok(observations)
}

fn observation(
    topology: &Topology,
    series: &Series,
    sample: &Sample,
    ranks: &[Rank],
) -> Result<Observation, Unused> {
    let pairs: Vec<(Rank, Rank)> =
        sample.transfers.iter().map(|one| (ranks[one.src], ranks[one.dst])).collect();
    let total: u64 = sample.transfers.iter().map(|one| one.rate.0).sum();
    let (subject, shares): (Subject, Vec<Share>) = match series.direction {
        Direction::Unidirectional => {
            let (src, dst) = pairs[0];
            (Subject::Alone(src, dst), vec![((src, dst), 1.0)])
        }
        Direction::Bidirectional => {
            let (src, dst) = pairs[0];
            (Subject::BothWays(src, dst), vec![((src, dst), 0.5), ((dst, src), 0.5)])
        }
        Direction::Together => {
            let share = |rate: BytesPerSecond| rate.0 as f64 / total as f64;
            let shares = sample.transfers.iter().map(|one| share(one.rate));
            let shares = pairs.iter().copied().zip(shares).collect();
            (Subject::Together(pairs), shares)
        }
    };
    let (mut loads, mut caps, mut classes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for ((src, dst), share) in shares {
        let route = topology.route_id(src, dst).ok_or(Unused::BetweenNodes)?;
        let chosen = &topology.routes[route.index()];
        if series.mode == Some(Mode::Pull) && chosen.mode == Mode::Push {
            return Err(Unused::Pull);
        }
        // What bounds a measurement is what holds for its own mode, whatever the route is in.
        let mode = series.mode.unwrap_or(chosen.mode);
        let route = &Route { mode, ..chosen.clone() };
        match (route.class == RouteClass::Bounce, series.peer_access) {
            (true, Some(true)) => return Err(Unused::Access),
            (false, Some(false)) => return Err(Unused::NoAccess),
            _ => {}
        }
        for taken in route.takes() {
            *loads.entry(taken).or_insert(0.0) += share;
        }
        for cap in topology.caps_of(route) {
            let most: &mut f64 = caps.entry(cap).or_insert(0.0);
            *most = most.max(share);
        }
        let most: &mut f64 = classes.entry(route.class).or_insert(0.0);
        *most = most.max(share);
    }
    let measured = BytesPerSecond(total);
    let mode = series.mode;
    Ok(Observation { subject, series: (0, 0), mode, measured, loads, caps, classes })
}

impl Unused {
    fn words(self, count: usize) -> String {
        let (rates, are) = if count == 1 { ("rate", "is") } else { ("rates", "are") };
        let why = match self {
            Self::NoAccess => "without peer access, but the topology gives these pairs access",
            Self::Access => {
                "with peer access, but the topology sends these pairs through host memory"
            }
            Self::Pull => "of reads, but the topology has these pairs push",
            Self::BetweenNodes => "between nodes",
        };
        format!("{count} {rates} {are} not used: {why}")
    }
}
