//! Why a calibration fails, and the words for it.

use crate::base::{BusId, BytesPerSecond};
use crate::diagnostics::{Diagnostic, Exit};
use crate::lp::LpError;
use std::fmt;

/// A reason for which nothing is calibrated.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// A measured device that the topology does not have.
    NoDevice { file: String, device: usize, bus: BusId, known: Vec<BusId> },
    /// A bus id that GPUs of several nodes have.
    Ambiguous { file: String, bus: BusId, gpus: Vec<String> },
    /// Positions do not match up.
    Count { file: String, devices: usize, ranks: usize },
    /// More measurements than are fitted.
    TooMany(usize),
    /// Nothing was measured that the routes of the file can be compared with.
    Nothing { unused: Vec<String> },
    /// Measurements that no figures explain; how many there are in all.
    Contradiction { lines: Vec<String>, of: usize },
    /// The solver failed.
    Solver(LpError),
    /// A figure out of the range of the language.
    Range(BytesPerSecond),
}

/// The most measurements that are fitted: 64 GPUs each to each.
pub(super) const MAX_OBSERVATIONS: usize = 4096;
/// Contradicting pairs that are named; the rest is counted.
const NAMED: usize = 12;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice { file, device, bus, .. } => {
                write!(f, "{file}: device {device} has the bus id {bus}, which no GPU has")
            }
            Self::Ambiguous { file, bus, gpus } => {
                write!(f, "{file}: several GPUs have the bus id {bus}: {}", gpus.join(", "))
            }
            Self::Count { file, devices, ranks } => write!(
                f,
                "{file}: {devices} devices without bus ids were measured, and the topology has \
                 {ranks} ranks"
            ),
            Self::TooMany(count) => {
                write!(f, "{count} measurements, and at most {MAX_OBSERVATIONS} are fitted")
            }
            Self::Nothing { .. } => {
                f.write_str("no measurement is of a route that the topology has")
            }
            Self::Contradiction { lines, of } => write!(
                f,
                "{} of {of} measurements contradict the topology: no rates of its links, caps and \
                 totals explain them within 20 %",
                lines.len()
            ),
            Self::Solver(error) => write!(f, "internal error: {error}"),
            Self::Range(rate) => write!(f, "internal error: a rate of {rate} was fitted"),
        }
    }
}

impl Fault {
    pub(super) fn diagnose(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::NoDevice { known, .. } => Diagnostic::error("calibrate-device", message)
                .help(format!("GPUs of the topology are at {}", joined(known)))
                .help("measure the machine that the file describes, or mend its `bus` attributes"),
            Self::Ambiguous { .. } => Diagnostic::error("calibrate-device", message)
                .help("calibrate the file of a single node, and `use` it in the cluster's"),
            Self::Count { .. } => Diagnostic::error("calibrate-device", message).help(
                "give both bus ids, so that a part of the GPUs can be matched: lines `Device: 0, …` \
                 in the output of p2pBandwidthLatencyTest, `bus` in the topology",
            ),
            Self::TooMany(_) => Diagnostic::unsupported("calibrate-size", message)
                .help("calibrate the file of a single node, with the measurements of one run"),
            Self::Nothing { unused } => {
                let diagnostic = Diagnostic::error("calibrate-nothing", message);
                unused.iter().fold(diagnostic, |diagnostic, line| diagnostic.help(line.clone()))
            }
            Self::Contradiction { lines, .. } => {
                let mut diagnostic =
                    Diagnostic::error("calibrate-contradiction", message).exit(Exit::Failed);
                for line in lines.iter().take(NAMED) {
                    diagnostic = diagnostic.help(line.clone());
                }
                if lines.len() > NAMED {
                    diagnostic = diagnostic.help(format!("and {} more", lines.len() - NAMED));
                }
                diagnostic.help(
                    "measure these pairs again; mend the topology where it misses a link, a switch \
                     or a `peer` rule; or take these samples out of the file of measurements",
                )
            }
            Self::Solver(_) | Self::Range(_) => Diagnostic::error("internal", message)
                .help("this is a fault of variopath; please report it with the input that shows it")
                .exit(Exit::Failed),
        }
    }
}

fn joined(buses: &[BusId]) -> String {
    buses.iter().map(BusId::to_string).collect::<Vec<_>>().join(", ")
}
