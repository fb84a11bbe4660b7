//! The driver of an import: dumps, one inventory or matrix, what follows from it, tree.

use super::dumps::Dumps;
use super::fault::Fault;
use super::format::Format;
use super::layout::Parent;
use super::overview::Overview;
use super::peers::{self, PeerMatrix};
use super::sketch::Sketch;
use super::summary::Summary;
use super::{conclude, emit, layout, matrix_sketch, merge, notes, sysfs};
use crate::base::SourceId;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, Sources};
use crate::dsl::tree::{File, Place};
use std::path::Path;

/// What an import made of the dumps of one machine.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The machine in the topology language.
    pub file: File,
    /// What was assumed and what is open: notes and warnings, no errors.
    pub notes: Diagnostics,
    /// The machine at a glance.
    pub overview: Overview,
    /// What a matrix of `topo -m` says, before anything was concluded from it.
    pub summary: Option<Summary>,
}

/// Imports the texts `inputs`, dumps of one machine in any formats; `assume` is the PCIe generation
/// of `--assume gen4`.
///
/// # Errors
/// Exit 3 for a dump that is recognised but not read by this version, or not alone; exit 1 for one
/// that is not recognised, for whatever is wrong in it (with line and caret), for dumps that
/// contradict each other, and for a generation outside 1 to 6.
pub fn read(
    sources: &Sources,
    inputs: &[SourceId],
    assume: Option<u32>,
) -> Result<Imported, Diagnostics> {
    import(Dumps::read(sources, inputs), assume)
}

/// Imports the machine that the program runs on, and beside it dumps of it; `root` is `/sys`.
///
/// # Errors
/// As [`read`]; exit 4 where the kernel tells no PCI devices, exit 1 where none of them is a GPU.
pub fn read_machine(
    root: &Path,
    sources: &Sources,
    inputs: &[SourceId],
    assume: Option<u32>,
) -> Result<Imported, Diagnostics> {
    let dumps = sysfs::read(root).and_then(|inventory| {
        let mut dumps = Dumps::read(sources, inputs)?;
        dumps.inventories.push(merge::Dump { name: Format::ThisMachine.to_string(), inventory });
        Ok(dumps)
    });
    import(dumps, assume)
}

fn import(dumps: Result<Dumps, Diagnostics>, assume: Option<u32>) -> Result<Imported, Diagnostics> {
    if let Some(generation) = assume.filter(|generation| !(1..=6).contains(generation)) {
        return Err(Fault::Generation(generation).at(None).into());
    }
    let Dumps { matrix, inventories, peers } = dumps?;
    let names: Vec<&str> = inventories.iter().map(|dump| dump.name.as_str()).collect();
    let names = names.join(" and ");
    let (sketch, notes, format, summary) = match (inventories.is_empty(), matrix) {
        (false, matrix) => {
            let mut formats: Vec<Format> =
                inventories.iter().map(|dump| dump.inventory.format).collect();
            formats.extend(matrix.is_some().then_some(Format::NvidiaSmiTopology));
            let mut inventory = merge::merge(inventories)?;
            if let Some((name, matrix)) = &matrix {
                merge::agree(matrix, &mut inventory, (name, &names))?;
            }
            let conclusion = conclude::conclude(&inventory);
            let sketch = conclude::sketch(&inventory, &conclusion, assume, &origin(&formats));
            let notes = conclude::notes(&inventory, &conclusion, assume);
            (sketch, notes, inventory.format, None)
        }
        (true, Some((_, matrix))) => {
            let layout = layout::layout(&matrix)?;
            let sketch = matrix_sketch::sketch(&matrix, &layout, assume);
            let summary = Some(Summary::new(&matrix, &layout));
            let notes = notes::notes(&matrix, &layout, assume);
            (sketch, notes, Format::NvidiaSmiTopology, summary)
        }
        (true, None) => {
            let Some(first) = peers.first() else { return Err(Diagnostics::new()) };
            let (gpus, states) = (first.gpus.len(), first.states());
            return Err(merge::Fault::PeersAlone { gpus, states }.at(&[Some(first.span)]).into());
        }
    };
    imported(&sketch, notes, format, summary, &peers)
}

/// `a topology file of NCCL, the tree of lspci -t and the output of lspci -vvv`
fn origin(formats: &[Format]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in formats.iter().map(Format::to_string) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn imported(
    sketch: &Sketch,
    mut notes: Diagnostics,
    format: Format,
    summary: Option<Summary>,
    peers: &[PeerMatrix],
) -> Result<Imported, Diagnostics> {
    let mut file = emit::file(sketch);
    // The language has no word for it, and whoever reads the file later should know.
    let redirects = |note: &&Diagnostic| {
        note.code == conclude::ACCESS_CONTROL && note.severity == Severity::Warning
    };
    file.leading.extend(notes.iter().filter(redirects).map(|note| note.message.clone()));
    let mut rules = peers::rules(peers, &places(sketch), &mut notes)?;
    if let Some(first) = rules.first_mut() {
        first.blank_before = true;
    }
    file.body.statements.extend(rules);
    Ok(Imported { file, notes, overview: Overview::new(format, sketch), summary })
}

/// Which switch tree and which socket each GPU lies in, as numbers that equal GPUs share.
fn places(sketch: &Sketch) -> [(Place, Vec<usize>); 2] {
    // A GPU without a switch is a tree of its own.
    let alone = sketch.upstream.elements.len() + sketch.switches.elements.len();
    let (mut switches, mut sockets) = (Vec::new(), Vec::new());
    for (gpu, element) in sketch.gpus.elements.iter().enumerate() {
        let mut tree = alone + gpu;
        for place in sketch.ways_up(element.parent) {
            match place {
                Parent::Socket(socket) => sockets.push(socket),
                Parent::Upstream(index) => tree = index,
                Parent::Switch(index) => tree = sketch.upstream.elements.len() + index,
            }
        }
        switches.push(tree);
    }
    [(Place::Switch, switches), (Place::Socket, sockets)]
}
