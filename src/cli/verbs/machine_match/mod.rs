//! Whether a description fits the machine that the program runs on.

mod by_bus;
mod by_shape;

use super::wording::count;
use crate::base::{BytesPerSecond, DeviceKind};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit, Sources, json_entry};
use crate::dsl::{self, Machine};
use crate::import;
use crate::topology::{self, Entry, Survey};
use serde_json::{Value, json};
use std::path::Path;

/// What this machine says beside what is compared that matters to a description of it.
const WORTH_TELLING: [&str; 2] = ["import-acs", "import-width"];

/// How a description and this machine compare.
#[derive(Debug)]
pub(super) struct Match {
    /// GPUs and network cards found by bus id; nothing where the description has none.
    by_bus: Option<(usize, usize)>,
    /// The GPUs that the description has, of the node that was compared.
    gpus: usize,
    /// Errors, each of which the two contradict each other in.
    pub(super) differences: Diagnostics,
}

impl Match {
    /// The outcome in a line.
    pub(super) fn line(&self) -> String {
        let how = match self.by_bus {
            Some((gpus, nics)) => {
                format!("{} and {} matched by bus id", count(gpus, "GPU"), count(nics, "NIC"))
            }
            None => {
                format!("{} compared by counts and speeds: no bus ids", count(self.gpus, "GPU"))
            }
        };
        match self.differences.iter().count() {
            0 => format!("this machine agrees; {how}"),
            n => format!("this machine contradicts it in {}; {how}", count(n, "point")),
        }
    }

    pub(super) fn json(&self, sources: &Sources) -> Value {
        let differences: Vec<Value> =
            self.differences.iter().map(|difference| json_entry(sources, difference)).collect();
        json!({"by_bus": self.by_bus.is_some(), "differences": differences})
    }
}

/// Compares `machine` with what the kernel tells below `root`. Of several nodes the one that fits
/// best is taken.
pub(super) fn with_this(
    context: &mut Context,
    root: &Path,
    machine: &Machine,
    survey: &Survey,
) -> Outcome<Match> {
    let imported = import::read_machine(root, &context.sources, &[], None)?;
    let worth_telling = |note: &Diagnostic| WORTH_TELLING.contains(&note.code);
    context.notes.extend(imported.notes.into_iter().filter(worth_telling));
    let here = topology::survey(&dsl::elaborate(&imported.file)?);
    let here: Vec<Placed<'_>> = placed(&here.tree, None);
    let nodes = survey.node_kinds.iter().flat_map(|kind| &kind.nodes);
    let tried = nodes.map(|&node| {
        let file = placed(&survey.tree, Some(node));
        (compare(machine, &file, &here), node)
    });
    let best = tried.min_by_key(|((found, _), _)| found.differences.iter().count());
    let Some(((found, notes), node)) = best else {
        return Err(Diagnostic::error("no-gpu", "the machine has no GPU").into());
    };
    context.notes.extend(notes);
    if survey.nodes > 1 {
        let kind = survey.node_kinds.iter().find(|kind| kind.nodes.contains(&node));
        let name = kind.and_then(|kind| {
            kind.nodes.iter().position(|&own| own == node).map(|at| kind.names[at].as_str())
        });
        let message = format!("compared with {}, which fits best", name.unwrap_or("a node"));
        context.notes.push(Diagnostic::note("machine-node", message));
    }
    Ok(found)
}

/// A GPU or network card with its place.
struct Placed<'a> {
    entry: &'a Entry,
    /// The nearest switch above, if any.
    switch: Option<&'a str>,
    /// The socket above, if any.
    socket: Option<&'a str>,
}

fn placed(tree: &[Entry], node: Option<usize>) -> Vec<Placed<'_>> {
    let mut above: Vec<&Entry> = Vec::new();
    let mut found = Vec::new();
    for entry in tree {
        above.truncate(entry.depth);
        if matches!(entry.kind, DeviceKind::Gpu | DeviceKind::Nic)
            && (node.is_none() || entry.node == node)
        {
            let nearest = |kind| above.iter().rev().find(|one| one.kind == kind);
            found.push(Placed {
                entry,
                switch: nearest(DeviceKind::Switch).map(|one| one.path.as_str()),
                socket: nearest(DeviceKind::Socket).map(|one| one.path.as_str()),
            });
        }
        above.push(entry);
    }
    found
}

fn is_gpu(placed: &&Placed<'_>) -> bool {
    placed.entry.kind == DeviceKind::Gpu
}

fn rate(placed: &Placed<'_>) -> Option<BytesPerSecond> {
    placed.entry.uplink.as_ref().filter(|up| up.assumed.is_none())?.bytes_per_second
}

/// Whether two rates belong to different generations or widths, which differ twofold; what is
/// measured is some percent below the figure of its kind.
fn differ(a: BytesPerSecond, b: BytesPerSecond) -> bool {
    let (less, more) = (u128::from(a.0.min(b.0)), u128::from(a.0.max(b.0)));
    more * 2 > less * 3
}

fn difference(machine: &Machine, path: Option<&str>, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::error("machine-differs", message).exit(Exit::Failed);
    let device = path.and_then(|path| machine.devices.iter().find(|device| device.path == path));
    diagnostic.at(device.and_then(|device| device.span), "")
}

/// The comparison, with notes about what is not compared.
fn compare(machine: &Machine, file: &[Placed<'_>], here: &[Placed<'_>]) -> (Match, Diagnostics) {
    if file.iter().filter(is_gpu).any(|gpu| gpu.entry.bus.is_some()) {
        by_bus::compare(machine, file, here)
    } else {
        by_shape::compare(machine, file, here)
    }
}
