//! Matrices of NVLink and xGMI bandwidths.

use super::super::inventory::{FunctionKind, GpuLink};
use super::functions::Forest;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// More members than any machine has GPUs, switches and packages.
const MAX_MEMBERS: usize = 4096;

/// The pairs of GPUs that NVLink or xGMI joins, each direction once.
pub fn gpu_links(document: &Document, forest: &Forest) -> Vec<GpuLink> {
    let mut by_index = BTreeMap::new();
    for node in document.descendants() {
        let function = forest.of_object.get(&node.id().get_usize());
        if let (Some(index), Some(function)) = (node.attribute("gp_index"), function) {
            by_index.insert(index, *function);
        }
    }
    let mut links = Vec::new();
    for matrix in document.root_element().children() {
        if matches!(matrix.attribute("name"), Some("NVLinkBandwidth" | "XGMIBandwidth")) {
            pairs(matrix, &by_index, forest, &mut links);
        }
    }
    links
}

fn pairs(
    matrix: Node,
    by_index: &BTreeMap<&str, usize>,
    forest: &Forest,
    links: &mut Vec<GpuLink>,
) {
    let words = |tag: &str| -> Vec<String> {
        let parts = matrix.children().filter(|child| child.has_tag_name(tag));
        let texts = parts.filter_map(|part| part.text()).flat_map(str::split_ascii_whitespace);
        texts.map(str::to_owned).collect()
    };
    // `OSDev:802` where the members are of several types, `802` otherwise.
    let members: Vec<Option<usize>> = words("indexes")
        .iter()
        .map(|word| by_index.get(word.rsplit(':').next().unwrap_or_default()).copied())
        .collect();
    let values = words("u64values");
    if members.is_empty()
        || members.len() > MAX_MEMBERS
        || values.len() != members.len() * members.len()
    {
        return;
    }
    let kind = |function: usize| forest.found[function].function.kind;
    for (row, from) in members.iter().enumerate() {
        let Some(from) = from.filter(|from| kind(*from) == FunctionKind::Gpu) else { continue };
        for (column, to) in members.iter().enumerate() {
            let is_joined = values[row * members.len() + column] != "0";
            let to =
                to.filter(|to| matches!(kind(*to), FunctionKind::Gpu | FunctionKind::NvSwitch));
            if let (true, true, Some(to)) = (row != column, is_joined, to) {
                links.push(GpuLink { from, to: Some(to), count: 0 });
            }
        }
    }
}
