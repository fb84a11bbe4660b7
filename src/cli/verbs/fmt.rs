//! `variopath fmt`: the canonical form of a topology file.

use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::mistaken;
use crate::diagnostics::{Diagnostic, Exit};
use crate::dsl;
use clap::Args;

/// Arguments of `fmt`.
#[derive(Args, Debug)]
pub(in crate::cli) struct FmtArgs {
    /// The topology file; `-` is standard input
    #[arg(value_name = "FILE.topo")]
    file: String,
    /// Prints nothing and exits 3 when the file is not in canonical form
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Replaces the file instead of printing
    #[arg(long)]
    write: bool,
    /// Prints the file as it stands alone: each `use` replaced by what it names, each `param` by its
    /// value
    #[arg(long, conflicts_with_all = ["check", "write"])]
    resolved: bool,
}

/// Prints, checks or rewrites one file. Comments stay; nothing is expanded, unless asked for.
pub(in crate::cli) fn fmt(context: &mut Context, args: &FmtArgs) -> Outcome {
    let (name, text) = mistaken::read_topology(&args.file)?;
    let source = context.sources.add(name.clone(), text.clone());
    let file = dsl::parse(&context.sources, source)?;
    if args.resolved {
        let file = dsl::resolve(file, &mut context.sources, source, &context.sets)?;
        return context.print(&dsl::format(&file));
    }
    let formatted = dsl::format(&file);
    if args.check {
        if formatted != text {
            return Err(Diagnostic::error("not-formatted", "the file is not in canonical form")
                .in_file(name)
                .help(format!("run `variopath fmt --write {}`", args.file))
                .exit(Exit::Failed)
                .into());
        }
        return Ok(());
    }
    if args.write {
        if args.file == "-" {
            return Err(Diagnostic::error("usage", "--write needs a file, not standard input")
                .exit(Exit::Usage)
                .into());
        }
        if formatted != text {
            context.write_file(&args.file, formatted.as_bytes(), true)?;
            context.wrote(&args.file);
        }
        return Ok(());
    }
    context.print(&formatted)
}
