//! `variopath import`: a dump of a machine to a topology file.

use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::target;
use crate::diagnostics::Diagnostic;
use crate::{dsl, import};
use clap::Args;

/// Arguments of `import`.
#[derive(Args, Debug)]
pub(in crate::cli) struct ImportArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Writes the topology here instead of to standard output
    #[arg(short, long, value_name = "OUT.topo")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
}

/// Reads a dump and prints the topology file that says the same.
pub(in crate::cli) fn import(context: &mut Context, args: &ImportArgs) -> Outcome {
    let (name, text) = target::read_text(&args.target.target)?;
    if import::detect(&text).is_none() {
        return Err(Diagnostic::error("unknown-format", "no format that `import` reads")
            .in_file(name)
            .help("`import` reads the output of `nvidia-smi topo -m`")
            .into());
    }
    let source = context.sources.add(name, text);
    let imported = import::read(&context.sources, source, args.target.assume)?;
    context.notes.extend(imported.notes);
    let text = dsl::format(&imported.file);
    match &args.output {
        Some(path) => context.write_file(path, text.as_bytes(), args.force),
        None => context.print(&text),
    }
}
