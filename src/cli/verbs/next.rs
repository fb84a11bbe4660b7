//! What to type after a check.

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
    pub(super) survey: &'a Survey,
}

/// One to three lines, the most pressing first.
pub(super) fn next(
    context: &Context,
    args: &TargetArgs,
    kind: Kind,
    state: &State<'_>,
) -> Vec<String> {
    let target = spelled(context, args);
    let is_file = kind == Kind::File && target.ends_with(".topo");
    let file = if is_file { target.as_str() } else { "mine.topo" };
    let mut lines = Vec::new();
    let make_file = match kind {
        Kind::Preset => Some(format!("variopath presets {} > {file}", args.target)),
        Kind::Imported => Some(format!("variopath import {target} -o {file}")),
        Kind::File | Kind::Stdin | Kind::Bundle => None,
    };
    if state.questions {
        if kind == Kind::Imported {
            let assume = if args.assume.is_none() { " --assume gen4" } else { "" };
            lines.push(format!("variopath import {target}{assume} -o {file}"));
        }
        lines.push(format!("answer the questions: write the rates into {file}"));
        lines.push(format!("variopath check {file}"));
        return lines;
    }
    if !state.refused {
        lines.push(format!("variopath plan {target}"));
        lines.push(format!("variopath build {target} -o BUNDLE"));
    }
    if !state.survey.assumed.is_empty() {
        let calibrate = format!("variopath calibrate {file} --measured FILE...");
        lines.push(match make_file {
            Some(make) => format!("{make}; {calibrate}"),
            None => calibrate,
        });
    }
    if lines.is_empty() {
        lines.push("change what is refused: plan, build and run do not take it".to_owned());
    }
    lines
}

/// The target with the options that it was read with.
fn spelled(context: &Context, args: &TargetArgs) -> String {
    let mut text = if args.target == "-" { "FILE".to_owned() } else { args.target.clone() };
    if let Some(generation) = args.assume {
        text.push_str(&format!(" --assume gen{generation}"));
    }
    for (name, value) in &context.sets {
        text.push_str(&format!(" --set {name}={value}"));
    }
    text
}
