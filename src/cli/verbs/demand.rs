//! `variopath demand`: a matrix from a SPEC.

use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::demand::{self, Format};
use crate::diagnostics::{Diagnostic, Exit};
use clap::Args;
use std::fmt::Write as _;

/// Arguments of `demand`.
#[derive(Args, Debug)]
pub(in crate::cli) struct DemandVerbArgs {
    /// KIND[:VALUE][,key=value]…, such as zipf:0.8,seed=3
    #[arg(value_name = "SPEC", required_unless_present = "list")]
    spec: Option<String>,
    /// The number of ranks
    #[arg(long, value_name = "N", required_unless_present = "list",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: Option<u16>,
    /// Writes .csv, .json or .npy by suffix instead of CSV to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
    /// Lists the kinds with their keys and defaults
    #[arg(long, conflicts_with_all = ["spec", "ranks", "output"])]
    list: bool,
}

/// Prints the kinds, or the matrix that a SPEC describes.
pub(in crate::cli) fn demand(context: &mut Context, args: &DemandVerbArgs) -> Outcome {
    let (Some(spec), Some(ranks)) = (&args.spec, args.ranks) else {
        return context.print(&list());
    };
    let matrix = demand::parse_spec(spec, usize::from(ranks))?;
    let Some(path) = &args.output else {
        let text = demand::write(&matrix, Format::Csv);
        return context.print(&String::from_utf8_lossy(&text));
    };
    let Some(format) = Format::of_name(path) else {
        return Err(Diagnostic::error("usage", "the output's suffix tells the format")
            .in_file(path)
            .help("name it .csv, .json or .npy")
            .exit(Exit::Usage)
            .into());
    };
    context.write_file(path, &demand::write(&matrix, format), args.force)?;
    context.wrote(path);
    Ok(())
}

/// Every kind with its keys: name, default, meaning.
fn list() -> String {
    let mut out = String::new();
    for kind in demand::kinds() {
        let _ = writeln!(out, "{:<13} {}", kind.name, kind.summary);
        for key in kind.keys {
            let _ = writeln!(out, "  {:<12}{:<9} {}", key.name, key.default, key.meaning);
        }
    }
    out.push_str(
        "\nKIND[:VALUE][,key=value]…; VALUE is the first key. Sizes are bytes an ordered pair.\n",
    );
    out
}
