//! `variopath presets`: the machines that the binary knows.

use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::mistaken::unknown_preset;
use crate::diagnostics::Diagnostic;
use crate::dsl;
use clap::Args;

/// Arguments of `presets`.
#[derive(Args, Debug)]
pub(in crate::cli) struct PresetsArgs {
    /// Prints the text of this one
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Lists all presets, or prints one as a file to start from.
pub(in crate::cli) fn presets(context: &mut Context, args: &PresetsArgs) -> Outcome {
    let Some(name) = &args.name else {
        let width = dsl::presets().iter().map(|preset| preset.name.len()).max().unwrap_or(0);
        let lines: Vec<String> = dsl::presets()
            .iter()
            .map(|preset| format!("{:width$}  {}\n", preset.name, preset.summary))
            .collect();
        return context.print(&lines.concat());
    };
    match dsl::preset(name) {
        Some(preset) => {
            if !context.sets.is_empty() {
                let message = "--set has no effect on the text of a preset: give it to the command \
                               that reads the file";
                context.notes.push(Diagnostic::warning("no-effect", message));
            }
            context.print(preset.text)
        }
        None => Err(unknown_preset(name).into()),
    }
}
