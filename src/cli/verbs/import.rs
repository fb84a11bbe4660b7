//! `variopath import`: a machine, or dumps of it, to a topology file.

use crate::base::SourceId;
use crate::cli::arguments::parse_generation;
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::input;
use crate::cli::mistaken;
use crate::cli::target;
use crate::cli::verbs::table;
use crate::diagnostics::{Diagnostic, Exit};
use crate::dsl;
use crate::import::{self, Format};
use crate::measured::{self, Direction};
use clap::{Args, ValueEnum};
use std::path::Path;

const AFTER: &str = "\
What is read, and the command that writes it:
  the matrix of pairs     nvidia-smi topo -m > topo.txt
  peer access, beside it  nvidia-smi topo -p2p r > read.txt; nvidia-smi topo -p2p w > write.txt
  NCCL and RCCL           NCCL_TOPO_DUMP_FILE=nccl.xml in the environment of any run
  hwloc 1 to 3            lstopo --whole-io hwloc.xml
  the tree of lspci       lspci -tv > tree.txt (names, no speeds)
  its details, beside it  sudo lspci -vv > details.txt (speeds, NUMA nodes, access control)
  this machine            no FILE: what the kernel tells below /sys; as root access control, too

Several files are taken as dumps of one machine: they are matched by PCI bus id, each fills what the
others leave open, and what they contradict each other in is named. What no file tells is written as
`unknown`: edit the `link` lines, or give --assume gen4.

The output of p2pBandwidthLatencyTest, alone, becomes a file of measurements (variopath-measured/1),
which `calibrate` fits a topology file to.";

/// Arguments of `import`.
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(in crate::cli) struct ImportArgs {
    /// Dumps of one machine, in any formats; `-` is standard input; without any, this machine
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Take every PCIe link whose speed no file tells as x16 of this generation, marked as assumed
    #[arg(long, value_name = "GEN", value_parser = parse_generation)]
    assume: Option<u32>,
    /// What a matrix of rates without a title counts, in GB/s: each direction alone, or the sum of
    /// both at once
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["assume", "table"])]
    matrix: Option<MatrixKind>,
    /// Reads this machine from a folder that looks like /sys, beside any FILE
    #[arg(long, value_name = "DIR")]
    sysfs: Option<String>,
    /// Takes each file as a machine of its own and prints a line about each: who shares switches
    /// and root ports, which link speeds there are, or why the file is refused; a folder stands for
    /// the files in it
    #[arg(long, conflicts_with_all = ["output", "force", "sysfs"])]
    table: bool,
    /// With --table: prints one JSON document, `variopath-imports/1`
    #[arg(long, requires = "table")]
    pub(in crate::cli) json: bool,
    /// Writes the result here instead of to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Replaces an existing output
    #[arg(long)]
    force: bool,
}

/// What a matrix of rates counts.
#[derive(ValueEnum, Debug, Clone, Copy)]
pub(in crate::cli) enum MatrixKind {
    /// One transfer alone
    Unidirectional,
    /// A transfer and its reverse together
    Bidirectional,
}

impl MatrixKind {
    /// As files of measurements call it.
    pub(in crate::cli) fn direction(self) -> Direction {
        match self {
            Self::Unidirectional => Direction::Unidirectional,
            Self::Bidirectional => Direction::Bidirectional,
        }
    }
}

/// Reads a machine or dumps of one and prints the topology file that says the same.
pub(in crate::cli) fn import(context: &mut Context, args: &ImportArgs) -> Outcome {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(Diagnostic::error("usage", "standard input can be read once only")
            .help("give `-` once, and the other dumps as files")
            .exit(Exit::Usage)
            .into());
    }
    if args.table {
        return table::table(context, &args.files, args.assume);
    }
    let mut inputs = Vec::new();
    for file in &args.files {
        if Path::new(file).is_dir() {
            return Err(Diagnostic::error("file", "cannot read: it is a folder")
                .in_file(file)
                .help("name files; `--table` tells about each dump in a folder")
                .exit(Exit::File)
                .into());
        }
        let (name, text) = input::read_text(file, input::MACHINE_BYTES)?;
        mistaken::own_document(&name, &text)?;
        inputs.push(context.sources.add(name, text));
    }
    let detected = |id: &SourceId| import::detect(context.sources.get(*id).map_or("", |s| &s.text));
    let is_measured = |id: &SourceId| detected(id) == Some(Format::PeerBandwidth);
    if let [source] = inputs[..]
        && args.sysfs.is_none()
        && is_measured(&source)
    {
        return measurements(context, args, source);
    }
    if args.matrix.is_some() && !inputs.iter().any(is_measured) {
        let message = "--matrix has no effect: it is for matrices of rates";
        context.notes.push(Diagnostic::warning("no-effect", message));
    }
    let imported = if args.files.is_empty() || args.sysfs.is_some() {
        let root = Path::new(args.sysfs.as_deref().unwrap_or("/sys"));
        import::read_machine(root, &context.sources, &inputs, args.assume)?
    } else {
        import::read(&context.sources, &inputs, args.assume)?
    };
    context.notes.extend(imported.notes);
    let mut file = imported.file;
    file.name.value =
        target::topology_name(args.output.as_deref().or(args.files.first().map(String::as_str)));
    write(context, args, &dsl::format(&file))
}

/// Turns the output of a measuring tool into a file of measurements.
fn measurements(context: &mut Context, args: &ImportArgs, source: SourceId) -> Outcome {
    if args.assume.is_some() {
        let message = "--assume has no effect: these are measurements";
        context.notes.push(Diagnostic::warning("no-effect", message));
    }
    let bare = args.matrix.map(MatrixKind::direction);
    let found = import::measurements(&context.sources, source, bare)?;
    context.notes.extend(found.notes);
    write(context, args, &measured::write(&found.measured))
}

fn write(context: &Context, args: &ImportArgs, text: &str) -> Outcome {
    match &args.output {
        Some(path) => {
            context.write_file(path, text.as_bytes(), args.force)?;
            context.wrote(path);
            Ok(())
        }
        None => context.print(text),
    }
}
