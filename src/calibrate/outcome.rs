//! The driver of a calibration, and what comes of it.

use super::choose::choose;
use super::edit::{self, Change};
use super::fault::Fault;
use super::fit::{Values, key_of, narrowest, predict};
use super::model::{Elements, Key, wire};
use super::observe::{Observation, Observations, Subject, observe};
use super::{Source, WORST_ERROR};
use crate::base::{BytesPerSecond, Digest, Rank, SourceId};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use crate::dsl::tree::File;
use crate::topology::{self, Topology};
use std::collections::BTreeSet;

/// What came of a calibration.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The topology file with the fitted figures.
    pub file: File,
    /// What is different in it, in the order of the text.
    pub changes: Vec<Change>,
    /// Every measurement that was used, with its prediction.
    pub predictions: Vec<Prediction>,
    /// The names of the ranks' GPUs.
    pub gpus: Vec<String>,
    /// What is worth knowing.
    pub notes: Diagnostics,
}

/// A measurement and what the file predicts for it.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// What was measured.
    pub observation: Observation,
    /// What the file says.
    pub predicted: BytesPerSecond,
}

impl Prediction {
    /// (predicted - measured) / measured.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.predicted.0 as f64 / self.observation.measured.0 as f64 - 1.0
    }
}

impl Calibration {
    /// The median of the sizes of the errors.
    #[must_use]
    pub fn median_error(&self) -> f64 {
        let mut errors: Vec<f64> = self.predictions.iter().map(|one| one.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let middle = errors.len() / 2;
        match errors.len() {
            0 => 0.0,
            count if count % 2 == 1 => errors[middle],
            _ => f64::midpoint(errors[middle - 1], errors[middle]),
        }
    }

    /// The measurement whose prediction is furthest off.
    #[must_use]
    pub fn worst(&self) -> Option<&Prediction> {
        self.predictions.iter().max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))
    }

    /// Those that contradict the topology.
    pub fn contradictions(&self) -> impl Iterator<Item = &Prediction> {
        self.predictions.iter().filter(|one| one.error().abs() > WORST_ERROR)
    }

    /// What the contradictions are to be reported as; nothing where there are none.
    #[must_use]
    pub fn refusal(&self) -> Option<Diagnostics> {
        let line = |one: &Prediction| {
            format!(
                "{}: {} measured, {} predicted",
                subject(&one.observation.subject, &self.gpus),
                gigabytes(one.observation.measured),
                gigabytes(one.predicted)
            )
        };
        let lines: Vec<String> = self.contradictions().map(line).collect();
        let of = self.predictions.len();
        (!lines.is_empty()).then(|| Fault::Contradiction { lines, of }.diagnose().into())
    }
}

/// `g[0] to g[1]`, `g[0] and g[1] both ways`.
#[must_use]
pub fn subject(subject: &Subject, gpus: &[String]) -> String {
    let name = |rank: &Rank| gpus[rank.index()].as_str();
    let pair = |(src, dst): &(Rank, Rank)| format!("{} to {}", name(src), name(dst));
    match subject {
        Subject::Alone(src, dst) => pair(&(*src, *dst)),
        Subject::BothWays(src, dst) => format!("{} and {} both ways", name(src), name(dst)),
        Subject::Together(pairs) => {
            format!("{} together", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

fn gigabytes(rate: BytesPerSecond) -> String {
    format!("{:.2} GB/s", rate.gigabytes())
}

/// Fits `file`, whose text is `main` and which comes to `machine`, to the measurements.
///
/// # Errors
/// Exit 1 for devices that do not match, measurements of which none is of use, and machines without
/// routes. Contradictions are no error yet: [`Calibration::refusal`].
pub fn calibrate(
    file: &File,
    main: SourceId,
    machine: &Machine,
    sources: &[Source],
) -> Result<Calibration, Diagnostics> {
    let topology = with_any_rates(machine)?;
    let fault = |fault: Fault| Diagnostics::from(fault.diagnose());
    let Observations { all, mut notes } = observe(&topology, sources).map_err(fault)?;
    let elements = Elements::new(machine, &topology, &all, main);
    let mut free = choose(&elements, &all).map_err(fault)?;
    notes.extend(at_the_wire(&elements, &free));
    round(&mut free).map_err(fault)?;
    let names = sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>().join(", ");
    let plans = edit::plans(&elements, &free, &all, &names);
    let (file, changes) = edit::apply(file, main, machine, &elements, &plans);
    Ok(Calibration {
        file,
        changes,
        predictions: predicted(&elements, &free, all),
        gpus: topology
            .ranks
            .iter()
            .map(|gpu| topology.vertices[gpu.index()].path.clone())
            .collect(),
        notes,
    })
}

/// What `machine` predicts as it stands; unknown rates bound nothing.
///
/// # Errors
/// As [`calibrate`].
pub fn predictions(
    main: SourceId,
    machine: &Machine,
    sources: &[Source],
) -> Result<Vec<Prediction>, Diagnostics> {
    let topology = with_any_rates(machine)?;
    let observations = observe(&topology, sources).map_err(|fault| fault.diagnose())?;
    let elements = Elements::new(machine, &topology, &observations.all, main);
    Ok(predicted(&elements, &Values::new(), observations.all))
}

fn predicted(
    elements: &Elements,
    free: &Values,
    observations: Vec<Observation>,
) -> Vec<Prediction> {
    let prediction = |observation: Observation| Prediction {
        predicted: BytesPerSecond(predict(elements, free, &observation) as u64),
        observation,
    };
    observations.into_iter().map(prediction).collect()
}

/// The topology, whatever its rates are: routes do not depend on them.
fn with_any_rates(machine: &Machine) -> Result<Topology, Diagnostics> {
    let mut machine = machine.clone();
    let any = Some(BytesPerSecond(1_000_000_000));
    let values = machine.links.iter_mut().map(|link| &mut link.value);
    let values = values.chain(machine.totals.iter_mut().map(|total| &mut total.value));
    for value in values {
        value.rate = value.rate.or(any);
    }
    Ok(topology::build(&machine, Digest::of(b""))?.topology)
}

/// A note for each width and generation of whose links more was measured than their wires carry.
fn at_the_wire(elements: &Elements, free: &Values) -> Vec<Diagnostic> {
    let full = |(key, value): (&Key, &f64)| {
        let pcie = narrowest(elements, *key)?;
        (*value >= wire(pcie).0 as f64 * 0.999).then_some(pcie)
    };
    let full: BTreeSet<(u32, u32)> = free.iter().filter_map(full).collect();
    let note = |pcie: (u32, u32)| {
        let (generation, width) = pcie;
        let most = gigabytes(wire(pcie));
        let message = format!(
            "the lanes of pcie gen{generation} x{width} carry at most {most}, whatever is measured"
        );
        Diagnostic::note("calibrate-wire", message)
    };
    full.into_iter().map(note).collect()
}

/// Figures as the file will say them: from 10 GB/s on in steps of 10 MB/s, below of 1 MB/s.
fn round(free: &mut Values) -> Result<(), Fault> {
    for value in free.values_mut() {
        let step = if *value >= 1e10 { 1e7 } else { 1e6 };
        let rounded = (*value / step).round() * step;
        if !(1e6..=1e13).contains(&rounded) {
            return Err(Fault::Range(BytesPerSecond(rounded as u64)));
        }
        *value = rounded;
    }
    Ok(())
}

/// Whether a free key, or the file's figure, bounds one of the observations within a part in a
/// hundred.
pub(super) fn binds(
    elements: &Elements,
    free: &Values,
    observations: &[Observation],
    element: &super::model::Element,
) -> bool {
    let value = match key_of(element, free) {
        Some(key) => free[&key],
        None => element.value.map_or(f64::INFINITY, |value| value.0 as f64),
    };
    observations.iter().any(|observation| {
        let load = elements.of(observation).find(|(one, _)| std::ptr::eq(*one, element));
        load.is_some_and(|(_, load)| {
            let measured = observation.measured.0 as f64;
            let bound = value / load;
            bound <= predict(elements, free, observation) * 1.001
                && (bound / measured - 1.0).abs() <= 0.01
        })
    })
}
