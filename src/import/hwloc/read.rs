//! The driver: text to objects, places, functions, links.

use super::super::format::Format;
use super::super::inventory::{FunctionKind, Inventory};
use super::super::{pci, xml};
use super::fault::Fault;
use super::functions::functions;
use super::object::span;
use super::places::Places;
use super::{fabric, links};
use crate::base::SourceId;
use crate::diagnostics::{Diagnostic, Diagnostics};
use roxmltree::Node;
use std::collections::BTreeSet;

/// The version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// hwloc 1: no attribute tells it.
    One,
    /// hwloc 2.
    Two,
    /// hwloc 3.
    Three,
}

/// Reads a topology file of hwloc 1, 2 or 3.
///
/// # Errors
/// Text that is no XML or larger than any topology file; another root or version; a file without
/// PCI devices; bridges and devices whose bus id, type or speed is none, or stands twice.
pub fn read(text: &str, source: SourceId) -> Result<Inventory, Diagnostics> {
    let document = xml::parse(text, source)?;
    let root = document.root_element();
    let version = version(root).map_err(|fault| fault.at(span(root, source)))?;
    if !root.children().any(|child| child.has_tag_name("object")) {
        return Err(Fault::NoMachine.at(span(root, source)).into());
    }
    let places = Places::of(&document, source);
    let mut forest = functions(&document, version, &places, source)?;
    if forest.found.is_empty() {
        return Err(Fault::NoPci.at(span(root, source)).into());
    }
    if !forest.found.iter().any(|found| found.function.kind == FunctionKind::Gpu) {
        return Err(Fault::NoGpu(forest.found.len()).at(span(root, source)).into());
    }
    let mut notes = Diagnostics::new();
    links::conclude(&mut forest.found, &mut notes);
    let gpu_links = fabric::gpu_links(&document, &forest, &mut notes);
    let mut inventory = Inventory {
        format: Format::HwlocXml,
        processors: places.processors,
        functions: forest.found.into_iter().map(|found| found.function).collect(),
        gpu_links,
        notes,
    };
    inventory.prune();
    vendors(&mut inventory);
    Ok(inventory)
}

fn version(root: Node) -> Result<Version, Fault> {
    if !root.has_tag_name("topology") {
        return Err(Fault::Root(root.tag_name().name().to_owned()));
    }
    let Some(text) = root.attribute("version") else { return Ok(Version::One) };
    match text.split('.').next() {
        Some("1") => Ok(Version::One),
        Some("2") => Ok(Version::Two),
        Some("3") => Ok(Version::Three),
        _ => Err(Fault::Version(text.to_owned())),
    }
}

/// GPUs of several vendors cannot access each other's memory.
fn vendors(inventory: &mut Inventory) {
    let gpus = || inventory.functions.iter().filter(|f| f.kind == FunctionKind::Gpu);
    let vendors: BTreeSet<u16> = gpus().filter_map(|gpu| gpu.ids).map(|ids| ids.0).collect();
    if vendors.len() < 2 {
        return;
    }
    let names: Vec<String> = vendors.iter().map(|vendor| pci::vendor(*vendor)).collect();
    let message = format!(
        "GPUs of several vendors ({}): they have no peer access to each other",
        names.join(", ")
    );
    let mut warning = Diagnostic::warning("import-vendors", message)
        .help("leave the GPUs of one vendor out with `without`");
    let mut seen = BTreeSet::new();
    for gpu in gpus() {
        if let (Some((vendor, _)), Some(span)) = (gpu.ids, gpu.span)
            && seen.insert(vendor)
        {
            warning = warning.at(span, pci::vendor(vendor));
        }
    }
    inventory.notes.push(warning);
}
