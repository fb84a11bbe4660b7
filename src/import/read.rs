//! The driver of an import: text, matrix, layout, tree.

use super::fault::Fault;
use super::format::{Format, Found, find};
use super::inventory::Inventory;
use super::label::PairLabel;
use super::overview::Overview;
use super::scan::lines;
use super::{conclude, emit, hwloc, layout, matrix, matrix_sketch, nccl, notes};
use crate::base::{SourceId, Span};
use crate::diagnostics::{Diagnostics, Sources};
use crate::dsl::tree::File;

/// What an import made of a dump.
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

/// The facts of a `topo -m` matrix and the place that each device got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Names of the GPUs, in the order of `g`.
    pub gpus: Vec<String>,
    /// Names of the network card ports as the legend gives them, else as the column does.
    pub nics: Vec<String>,
    /// The label of each pair, GPUs first, then cards.
    pub labels: Vec<Vec<PairLabel>>,
    /// `CPU Affinity` of each GPU; `None` for a missing column, an empty cell or N/A.
    pub cpus: Vec<Option<String>>,
    /// `NUMA Affinity` of each GPU, likewise.
    pub numa: Vec<Option<String>>,
    /// `GPU NUMA ID` of each GPU, likewise.
    pub gpu_numa: Vec<Option<String>>,
    /// The number of sockets, one added for far cards included.
    pub sockets: usize,
    /// The socket of each device, GPUs first, then cards.
    pub socket_of: Vec<usize>,
    /// The number of switches, upstream ones included.
    pub switches: usize,
}

/// Imports the text of `source`; `assume` is the PCIe generation of `--assume gen4`.
///
/// # Errors
/// Exit 3 for a dump that is recognised but not read by this version; exit 1 for one that is not
/// recognised, a matrix without a header, an unknown label (with line, caret and column), rows that
/// are missing, too short or out of order, an asymmetric matrix, labels that no tree has, and a
/// generation outside 1 to 6.
pub fn read(
    sources: &Sources,
    source: SourceId,
    assume: Option<u32>,
) -> Result<Imported, Diagnostics> {
    if let Some(generation) = assume.filter(|generation| !(1..=6).contains(generation)) {
        return Err(Fault::Generation(generation).at(None).into());
    }
    let (name, text) = sources.get(source).map_or(("", ""), |s| (s.name.as_str(), s.text.as_str()));
    let lines = lines(text);
    let header = match find(text, &lines) {
        Some(Found::Matrix(header)) => header,
        Some(Found::Headerless(line)) => {
            let row = &lines[line];
            let labels = row.words[1..]
                .iter()
                .take_while(|word| PairLabel::from_word(&word.text).is_some())
                .count();
            let fault = Fault::NoHeader { row: row.word(0).to_string(), labels };
            return Err(fault.at(Some(row.span(source))).into());
        }
        Some(Found::Other(Format::NcclXml, _)) => {
            return Ok(concluded(&nccl::read(text, source)?, assume));
        }
        Some(Found::Other(Format::HwlocXml, _)) => {
            return Ok(concluded(&hwloc::read(text, source)?, assume));
        }
        Some(Found::Other(format, line)) => {
            return Err(Fault::NotRead(format).at(place(&lines, line, source)).into());
        }
        None => return Err(Fault::NotRecognised.at(None).in_file(name).into()),
    };
    let matrix = matrix::parse(&lines, header, source)?;
    let layout = layout::layout(&matrix)?;
    let (gpus, nics) = matrix.devices.split_at(matrix.gpus);
    let sketch = matrix_sketch::sketch(&matrix, &layout, assume);
    Ok(Imported {
        file: emit::file(&sketch),
        notes: notes::notes(&matrix, &layout, assume),
        overview: Overview::new(Format::NvidiaSmiTopology, &sketch),
        summary: Some(Summary {
            gpus: gpus.iter().map(|gpu| gpu.name.clone()).collect(),
            nics: nics.iter().map(|n| n.legend.as_ref().unwrap_or(&n.name).clone()).collect(),
            labels: matrix.labels.clone(),
            cpus: gpus.iter().map(|gpu| gpu.cpus.clone()).collect(),
            numa: gpus.iter().map(|gpu| gpu.numa.clone()).collect(),
            gpu_numa: gpus.iter().map(|gpu| gpu.gpu_numa.clone()).collect(),
            sockets: layout.sockets,
            socket_of: layout.socket_of.clone(),
            switches: layout.switches.len() + layout.upstream.len(),
        }),
    })
}

/// What follows from an inventory.
fn concluded(inventory: &Inventory, assume: Option<u32>) -> Imported {
    let conclusion = conclude::conclude(inventory);
    let sketch = conclude::sketch(inventory, &conclusion, assume);
    Imported {
        file: emit::file(&sketch),
        notes: conclude::notes(inventory, &conclusion, assume),
        overview: Overview::new(inventory.format, &sketch),
        summary: None,
    }
}

fn place(lines: &[super::scan::Line], line: usize, source: SourceId) -> Option<Span> {
    lines.get(line).map(|line| line.span(source))
}

impl Format {
    /// Whether [`read`] reads it; the others are refused by name.
    #[must_use]
    pub fn is_read(self) -> bool {
        matches!(self, Self::NvidiaSmiTopology | Self::NcclXml | Self::HwlocXml)
    }
}
