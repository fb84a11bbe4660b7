//! The driver: text to objects, places, functions, links.

use super::super::format::Format;
use super::super::inventory::{FunctionKind, Inventory};
use super::super::xml;
use super::fault::Fault;
use super::functions::functions;
use super::object::span;
use super::places::Places;
use super::{fabric, links};
use crate::base::SourceId;
use crate::diagnostics::Diagnostics;
use roxmltree::Node;

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
    let gpu_links = fabric::gpu_links(&document, &forest);
    let mut inventory = Inventory {
        format: Format::HwlocXml,
        processors: places.processors,
        functions: forest.found.into_iter().map(|found| found.function).collect(),
        gpu_links,
        notes,
    };
    inventory.prune();
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
