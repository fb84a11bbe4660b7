//! What to type after a check.

use super::wording::word;
use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::target::Kind;
use crate::topology::Survey;

/// What a check found.
pub(super) struct State<'a> {
    /// Whether rates that routes need are unknown.
    pub(super) questions: bool,
    /// Whether plans are refused.
    pub(super) refused: bool,
    /// Whether they are not in the ideal setting.
    pub(super) planned_ideal: bool,
    /// Whether the machine is analyzed.
    pub(super) analyzed: bool,
    /// Whether kernels carry plans out.
    pub(super) kernels: bool,
    pub(super) survey: &'a Survey,
}

/// One to three lines, the most pressing first.
pub(super) fn next(
    context: &Context,
    args: &TargetArgs,
    kind: Kind,
    state: &State<'_>,
) -> Vec<String> {
    let given = if args.target == "-" { "FILE".to_owned() } else { word(&args.target) };
    let sets: String =
        context.sets.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let assume = match args.assume.generation {
        Some(generation) if kind == Kind::Imported => format!(" --assume gen{generation}"),
        _ => String::new(),
    };
    let target = format!("{given}{assume}{sets}");
    // The file that figures are written into, and how it comes about.
    let (file, make) = match kind {
        Kind::Preset => ("mine.topo", Some(format!("variopath presets {given} > mine.topo"))),
        Kind::Bundle => {
            let inside = word(&format!("{}/topology.topo", args.target.trim_end_matches('/')));
            ("mine.topo", Some(format!("variopath fmt {inside} > mine.topo")))
        }
        Kind::Imported => {
            ("mine.topo", Some(format!("variopath import {given}{assume} -o mine.topo")))
        }
        Kind::File | Kind::Stdin => (given.as_str(), None),
    };
    let mut lines = Vec::new();
    if state.questions {
        let imported = kind == Kind::Imported && assume.is_empty();
        let or = if imported { ", or import with --assume gen4" } else { "" };
        lines.extend(make);
        lines.push(format!("answer the questions: write the rates into {file}{or}"));
        lines.push(format!("variopath check {file}{sets}"));
        return lines;
    }
    if state.refused {
        if state.analyzed {
            lines.push(format!("variopath analyze {target}"));
        }
        if state.planned_ideal {
            lines.push(format!("variopath plan {target} --setting ideal"));
        }
    } else {
        lines.push(format!("variopath plan {target}"));
        if state.kernels {
            lines.push(format!("variopath build {target} -o BUNDLE"));
        }
    }
    if !state.survey.assumed.is_empty() {
        let calibrate = format!("variopath calibrate {file}{sets} --measured FILE...");
        lines.push(match make {
            Some(make) => format!("{make}; {calibrate}"),
            None => calibrate,
        });
    }
    if lines.is_empty() {
        lines.push("change what is refused: plan, build and run do not take it".to_owned());
    }
    lines
}
