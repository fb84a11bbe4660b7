//! `variopath calibrate`: the figures of a topology file, fitted to measurements.

use super::calibration;
use super::import::MatrixKind;
use crate::base::SourceId;
use crate::calibrate::{self, Calibration, Source};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::input;
use crate::cli::mistaken;
use crate::cli::pipeline::internal;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::dsl::{self, Machine, tree};
use crate::import::{self, Format};
use crate::measured;
use clap::Args;

const AFTER: &str = "\
A prediction is what the file says: a transfer alone reaches the least of the rates on its way and
of the caps of its class, a transfer and its reverse no more than the totals over both directions.
Figures that explain the measurements stay; unknown ones, and as few others as are needed, are
fitted, and say `from` which file they come. Measurements further off than 20 % from whatever could
be fitted contradict the file: nothing is written, and they are named.";

/// Arguments of `calibrate`.
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(in crate::cli) struct CalibrateArgs {
    /// The topology file; `-` is standard input
    #[arg(value_name = "FILE.topo")]
    file: String,
    /// Files of measurements, or the output of p2pBandwidthLatencyTest
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    measured: Vec<String>,
    /// What a matrix of rates without a title counts, in GB/s: each direction alone, or the sum of
    /// both at once
    #[arg(long, value_enum, value_name = "WHAT")]
    matrix: Option<MatrixKind>,
    /// Writes the topology here, and what was predicted to standard output; else the topology goes to
    /// standard output
    #[arg(short, long, value_name = "OUT.topo")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
    /// Prints one JSON document, `variopath-calibration/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Fits, checks that the file says what was fitted, prints what it predicts, and writes it.
pub(in crate::cli) fn calibrate(context: &mut Context, args: &CalibrateArgs) -> Outcome {
    let (name, text) = mistaken::read_topology(&args.file)?;
    let (file, main, machine) = machine(context, &name, text)?;
    let mut sources = Vec::new();
    for path in &args.measured {
        sources.push(measurements(context, path, args.matrix)?);
    }
    context.progress("fitting");
    let calibration = calibrate::calibrate(&file, main, &machine, &sources)?;
    context.notes.extend(calibration.notes.clone());
    let report = calibration::text(&calibration, &sources);
    if let Some(refusal) = calibration.refusal() {
        if !context.json {
            context.print(&report)?;
        }
        return Err(refusal.into());
    }
    let text = dsl::format(&calibration.file);
    check(context, &name, &text, &calibration, &sources)?;
    if let Some(path) = &args.output {
        context.write_file(path, text.as_bytes(), args.force)?;
        context.wrote(path);
    }
    match (context.json, &args.output) {
        (true, output) => {
            let text = output.is_none().then_some(text.as_str());
            context.print_json(&calibration::json(&machine.name, &calibration, &sources, text))
        }
        (false, Some(_)) => context.print(&report),
        (false, None) => {
            context.print_beside(&report);
            context.print(&text)
        }
    }
}

/// The file as it is written, its text, and the machine that it comes to.
fn machine(
    context: &mut Context,
    name: &str,
    text: String,
) -> Outcome<(tree::File, SourceId, Machine)> {
    let source = context.sources.add(name, text);
    let file = dsl::parse(&context.sources, source)?;
    let resolved = dsl::resolve(file.clone(), &mut context.sources, source, &context.sets)?;
    Ok((file, source, dsl::elaborate(&resolved)?))
}

/// Measurements, whichever way they are written.
fn measurements(context: &mut Context, path: &str, matrix: Option<MatrixKind>) -> Outcome<Source> {
    let (shown, text) = input::read_text(path, input::MACHINE_BYTES)?;
    let name = shown.rsplit(['/', '\\']).next().unwrap_or(&shown).to_owned();
    let format = import::detect(&text);
    let source = context.sources.add(shown.clone(), text);
    let measured = match format {
        None if import::is_topology(
            context.sources.get(source).map_or("", |source| &source.text),
        ) =>
        {
            return Err(no_measurements(shown).into());
        }
        None => measured::read(&context.sources, source)?,
        Some(Format::PeerBandwidth) => {
            let bare = matrix.map(MatrixKind::direction);
            let found = import::measurements(&context.sources, source, bare)?;
            // The calibration says these of every source alike.
            let told = |note: &Diagnostic| {
                !["measured-initiator", "measured-position"].contains(&note.code)
            };
            let notes: Diagnostics = found.notes.into_iter().filter(told).collect();
            context.notes.extend(notes);
            found.measured
        }
        Some(_) => {
            import::read(&context.sources, &[source], None)?;
            return Err(no_measurements(shown).into());
        }
    };
    Ok(Source { name, measured })
}

fn no_measurements(file: String) -> Diagnostic {
    let message = "this describes a machine and holds no measurements";
    Diagnostic::error("calibrate-measured", message)
        .in_file(file)
        .help("give the output of p2pBandwidthLatencyTest, or what `import` made of it")
}

/// The new file, read again, predicts what the fit says.
fn check(
    context: &mut Context,
    name: &str,
    text: &str,
    calibration: &Calibration,
    sources: &[Source],
) -> Outcome {
    let told = |d: Diagnostics| {
        let first = d.iter().find(|d| d.severity == Severity::Error).map(|d| d.message.clone());
        internal(&format!("the calibrated file fails: {}", first.unwrap_or_default()))
    };
    let (_, main, machine) = machine(context, name, text.to_owned())?;
    let again = calibrate::predictions(main, &machine, sources).map_err(told)?;
    for (one, other) in calibration.predictions.iter().zip(&again) {
        if one.predicted.0.abs_diff(other.predicted.0) > 2 {
            let subject = calibrate::subject(&one.observation.subject, &calibration.gpus);
            let (one, other) = (one.predicted, other.predicted);
            let message = format!("{subject}: {one} was fitted, and the new file says {other}");
            return Err(internal(&message).into());
        }
    }
    Ok(())
}
