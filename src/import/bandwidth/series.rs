//! Matrices to measurements, and what is left open.

use super::fault::Fault;
use super::parse::{Bandwidth, Matrix, Output, parse};
use crate::base::{Initiator, SourceId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics, Sources};
use crate::import::scan::lines;
use crate::measured::{Device, Direction, Evidence, Measured, Sample, Series, Transfer};

/// The tool whose output this is.
const TOOL: &str = "p2pBandwidthLatencyTest";

/// What was measured, and what is worth knowing about it.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// The measurements.
    pub measured: Measured,
    /// Notes and warnings, no errors.
    pub notes: Diagnostics,
}

/// Reads the output of p2pBandwidthLatencyTest, or a matrix like its own. `bare` is what a matrix
/// without a title counts, in GB/s.
///
/// # Errors
/// Exit 1 for cells that are no rates, for matrices that do not fit together, for one without a title
/// where `bare` is missing, and where no pair was measured.
pub fn measurements(
    sources: &Sources,
    source: SourceId,
    bare: Option<Direction>,
) -> Result<Measurements, Diagnostics> {
    let (name, text) = sources.get(source).map_or(("", ""), |s| (s.name.as_str(), s.text.as_str()));
    let (output, mut faults) = parse(&lines(text), source);
    check(&output, source, bare, &mut faults);
    if faults.has_errors() {
        return Err(faults);
    }
    let file = name.rsplit(['/', '\\']).next().filter(|name| !name.starts_with('<'));
    let size = output.matrices.iter().map(|matrix| matrix.size).max().unwrap_or(0);
    let mut notes = Diagnostics::new();
    let known = |number: usize| output.devices.get(&number).map(|(device, _)| device.clone());
    let devices: Vec<Device> = (0..size).map(|number| known(number).unwrap_or_default()).collect();
    tell(&output, &devices, bare, &mut notes);
    // Only the first title of a run says whether peers write or read.
    let mode = output.matrices.iter().find_map(|matrix| matrix.title?.mode);
    let mut series = Vec::new();
    for matrix in &output.matrices {
        let evidence = Evidence {
            file: file.map(str::to_owned),
            tool: matrix.title.map(|_| TOOL.to_owned()),
            line: Some(matrix.line as u64),
        };
        let direction = matrix.title.map(|title| title.direction).or(bare);
        let Some(direction) = direction else { continue };
        let access = |pair: &(usize, usize)| match matrix.title {
            None => None,
            Some(Bandwidth { peer: false, .. }) => Some(false),
            Some(_) => Some(output.access.get(pair).copied().unwrap_or(true)),
        };
        for peer_access in [None, Some(true), Some(false)] {
            let of = |((src, dst), (rate, _)): (&(usize, usize), &(_, Span))| Sample {
                transfers: vec![Transfer { src: *src, dst: *dst, rate: *rate }],
            };
            let cells = matrix.cells.iter().filter(|(pair, _)| access(pair) == peer_access);
            let samples: Vec<Sample> = cells.map(of).collect();
            if samples.is_empty() {
                continue;
            }
            series.push(Series {
                direction,
                mode: mode.filter(|_| peer_access == Some(true)),
                initiator: matrix.title.map(|_| Initiator::Engine),
                peer_access,
                evidence: evidence.clone(),
                samples,
            });
        }
    }
    Ok(Measurements { measured: Measured { devices, series }, notes })
}

fn check(output: &Output, source: SourceId, bare: Option<Direction>, faults: &mut Diagnostics) {
    let Some(first) = output.matrices.first() else {
        if faults.is_empty() {
            faults.push(Fault::NoMatrix.of_text(source));
        }
        return;
    };
    if output.matrices.iter().all(|matrix| matrix.size < 2) {
        faults.push(Fault::NoPair.at(first.span));
    }
    for (index, matrix) in output.matrices.iter().enumerate() {
        if matrix.title.is_none() && bare.is_none() {
            faults.push(Fault::Bare.at(matrix.span));
        }
        if matrix.size != first.size {
            let fault = Fault::Size { found: matrix.size, first: first.size };
            faults.push(fault.at(matrix.span));
        }
        let key = |matrix: &Matrix| matrix.title.map(|title| (title.direction, title.peer));
        if output.matrices[..index].iter().any(|other| key(other) == key(matrix)) {
            faults.push(Fault::Repeated.at(matrix.span));
        }
    }
    if let Some((&last, (_, span))) = output.devices.last_key_value()
        && last + 1 != first.size
    {
        faults.push(Fault::Size { found: last + 1, first: first.size }.at(*span));
    }
}

fn tell(output: &Output, devices: &[Device], bare: Option<Direction>, notes: &mut Diagnostics) {
    let first = output.matrices.first().map(|matrix| matrix.span);
    let mut say = |diagnostic: Diagnostic, span: Option<Span>| {
        notes.push(diagnostic.at(span, ""));
    };
    if devices.iter().any(|device| device.bus.is_none()) {
        let message = "no bus ids: the devices are known by their position alone";
        let help = "copy the lines `Device: 0, …` too, so that they can be matched to a machine";
        say(Diagnostic::note("measured-position", message).help(help), first);
    }
    let titled = |matrix: &&Matrix| matrix.title.is_some();
    if output.matrices.iter().any(|matrix| titled(&matrix)) {
        let message =
            format!("{TOOL} is taken to have used copy engines, as it does without --sm_copy");
        say(Diagnostic::note("measured-initiator", message), None);
    }
    if bare.is_some() && output.matrices.iter().all(|matrix| matrix.title.is_some()) {
        let message = "--matrix has no effect: every matrix has a title";
        say(Diagnostic::warning("no-effect", message), None);
    }
    let enabled =
        |matrix: &&Matrix| matrix.title.is_some_and(|title| title.peer) && matrix.size > 1;
    if output.access.is_empty()
        && let Some(matrix) = output.matrices.iter().find(enabled)
    {
        let message = "no connectivity matrix: P2P=Enabled is taken to reach every pair";
        say(Diagnostic::note("measured-access", message), Some(matrix.span));
    }
    for matrix in &output.matrices {
        let unknown = matrix.size * (matrix.size - 1) - matrix.cells.len();
        if unknown > 0 {
            let cells = if unknown == 1 { "1 cell".to_owned() } else { format!("{unknown} cells") };
            let message = format!("{cells} of this matrix hold no rate: left unknown");
            say(Diagnostic::warning("measured-unknown", message), Some(matrix.span));
        }
    }
}
