//! Typed access to the attributes of an `<object>`.

use super::fault::Fault;
use crate::base::{BusId, SourceId, Span};
use roxmltree::Node;

/// A PCI function's class, vendor and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PciType {
    pub class: u16,
    pub vendor: u16,
    pub device: u16,
}

/// Whether the element is an object of one of these types.
pub fn is(node: Node, types: &[&str]) -> bool {
    node.has_tag_name("object") && node.attribute("type").is_some_and(|t| types.contains(&t))
}

/// The place of the opening tag's start, short enough to be shown.
pub fn span(node: Node, source: SourceId) -> Span {
    let range = node.range();
    let text = node.document().input_text();
    let tag = text.get(range.clone()).and_then(|tag| tag.find('>'));
    Span::new(source, range.start, range.start + tag.map_or(1, |end| end + 1))
}

/// The place of an attribute's value.
fn value(node: Node, name: &str, source: SourceId) -> Span {
    match node.attribute_node(name) {
        Some(attribute) => {
            let range = attribute.range_value();
            Span::new(source, range.start, range.end)
        }
        None => span(node, source),
    }
}

/// `os_index`.
pub fn os_index(node: Node) -> Option<u32> {
    node.attribute("os_index")?.parse().ok()
}

/// `pci_busid`.
pub fn bus(node: Node, source: SourceId) -> Result<BusId, (Fault, Span)> {
    match node.attribute("pci_busid") {
        None => Err((Fault::NoBusId, span(node, source))),
        Some(text) => text
            .parse()
            .map_err(|_| (Fault::BusId(text.to_owned()), value(node, "pci_busid", source))),
    }
}

/// `pci_type`: `0302 [10de:15f8] [10de:118f] a1`.
pub fn pci_type(node: Node, source: SourceId) -> Result<PciType, (Fault, Span)> {
    let text = node.attribute("pci_type").unwrap_or_default();
    let wrong = || (Fault::PciType(text.to_owned()), value(node, "pci_type", source));
    let hex = |text: &str| u16::from_str_radix(text, 16).ok().filter(|_| text.len() == 4);
    let (class, rest) = text.split_once(" [").ok_or_else(wrong)?;
    let (ids, _) = rest.split_once(']').ok_or_else(wrong)?;
    let (vendor, device) = ids.split_once(':').ok_or_else(wrong)?;
    match (hex(class), hex(vendor), hex(device)) {
        (Some(class), Some(vendor), Some(device)) => Ok(PciType { class, vendor, device }),
        _ => Err(wrong()),
    }
}

/// `pci_link_speed` in GB/s; `None` where missing or 0.
pub fn link_speed(node: Node, source: SourceId) -> Result<Option<f64>, (Fault, Span)> {
    let Some(text) = node.attribute("pci_link_speed") else { return Ok(None) };
    match text.parse::<f64>() {
        Ok(speed) if (0.0..=10_000.0).contains(&speed) => Ok(Some(speed).filter(|s| *s > 0.0)),
        _ => Err((Fault::LinkSpeed(text.to_owned()), value(node, "pci_link_speed", source))),
    }
}

/// The value of `<info name=... value=.../>`, blanks trimmed, `None` where missing or empty.
pub fn info<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children()
        .filter(|child| child.has_tag_name("info") && child.attribute("name") == Some(name))
        .find_map(|child| child.attribute("value"))
        .map(str::trim)
        .filter(|value| !value.is_empty())
}
