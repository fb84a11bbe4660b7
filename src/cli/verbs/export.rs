//! `variopath export`: a machine in the format of another tool.

use crate::cli::arguments::TargetArgs;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::Diagnostic;
use crate::export::{dot, nccl_xml};
use clap::{Args, ValueEnum};

/// Arguments of `export`.
#[derive(Args, Debug)]
pub(in crate::cli) struct ExportArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormat,
    /// Which node of a cluster, counted from 0; for nccl-xml
    #[arg(long, value_name = "N")]
    node: Option<usize>,
    /// Writes here instead of to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
}

/// The formats.
#[derive(ValueEnum, Debug, Clone, Copy)]
enum ExportFormat {
    /// A topology file for NCCL_TOPO_FILE
    NcclXml,
    /// A drawing for Graphviz (`dot -Tsvg`)
    Dot,
}

/// Writes the machine, and says what the format has no words for.
pub(in crate::cli) fn export(context: &mut Context, args: &ExportArgs) -> Outcome {
    let (_, machine) = pipeline::machine(context, &args.target)?;
    let exported = match args.format {
        ExportFormat::NcclXml => nccl_xml(&machine, args.node)?,
        ExportFormat::Dot => {
            if args.node.is_some() {
                let message = "--node has no effect: a drawing shows all nodes";
                context.notes.push(Diagnostic::warning("no-effect", message));
            }
            dot(&machine)
        }
    };
    context.notes.extend(exported.notes);
    match &args.output {
        Some(path) => {
            context.write_file(path, exported.text.as_bytes(), args.force)?;
            context.wrote(path);
            Ok(())
        }
        None => context.print(&exported.text),
    }
}
