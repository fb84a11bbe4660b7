//! `variopath import`: dumps of a machine to a topology file.

use crate::cli::arguments::parse_generation;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::target;
use crate::cli::verbs::table;
use crate::diagnostics::{Diagnostic, Exit};
use crate::{dsl, import};
use clap::Args;

const AFTER: &str = "\
Reads: nvidia-smi topo -m, and topo -p2p r|w beside it; topology files of NCCL and RCCL
(NCCL_TOPO_DUMP_FILE) and of hwloc (lstopo m.xml). Several files are taken as dumps of one machine:
they are matched by PCI bus id, and what they contradict each other in is named.";

/// Arguments of `import`.
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(in crate::cli) struct ImportArgs {
    /// Dumps of one machine, in any formats; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Take every PCIe link whose speed no file tells as x16 of this generation, marked as assumed
    #[arg(long, value_name = "GEN", value_parser = parse_generation)]
    assume: Option<u32>,
    /// Takes each file as a machine of its own and prints a line about each: who shares switches
    /// and root ports, which link speeds there are, or why the file is refused
    #[arg(long, conflicts_with_all = ["output", "force"])]
    table: bool,
    /// Writes the topology here instead of to standard output
    #[arg(short, long, value_name = "OUT.topo")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
}

/// Reads dumps of one machine and prints the topology file that says the same.
pub(in crate::cli) fn import(context: &mut Context, args: &ImportArgs) -> Outcome {
    if args.table {
        return table::table(context, &args.files, args.assume);
    }
    let mut inputs = Vec::new();
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Diagnostic::error("usage", "standard input can be read once only")
            .help("give `-` once, and the other dumps as files")
            .exit(Exit::Usage)
            .into());
    }
    for file in &args.files {
        let (name, text) = target::read_text(file, target::MACHINE_BYTES)?;
        inputs.push(context.sources.add(name, text));
    }
    let imported = import::read(&context.sources, &inputs, args.assume)?;
    context.notes.extend(imported.notes);
    let text = dsl::format(&imported.file);
    match &args.output {
        Some(path) => {
            context.write_file(path, text.as_bytes(), args.force)?;
            context.wrote(path);
            Ok(())
        }
        None => context.print(&text),
    }
}
