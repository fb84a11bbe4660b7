//! A matrix of `topo -m` beside an inventory: what it adds and where it contradicts.

use super::fault::Fault;
use super::order::{gpu_order, settle};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::inventory::{Above, Inventory};
use crate::import::label::PairLabel;
use crate::import::matrix::Matrix;

/// How two GPUs of an inventory are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// Some bridge is above both.
    Bridge,
    /// One root complex or processor is.
    Root,
    /// Nothing is.
    Apart,
    /// The dump does not tell where one of them hangs.
    Open,
}

/// Fills NUMA nodes from the matrix and holds its labels against the tree. `names` are the files of
/// the matrix and of the inventory. The matrix has no bus ids: its order is that of the inventory's
/// own numbers, else that of bus ids, which is how nvidia-smi counts; that is said.
///
/// # Errors
/// Another number of GPUs, labels that the tree denies.
pub fn agree(
    matrix: &Matrix,
    inventory: &mut Inventory,
    (matrix_name, name): (&str, &str),
) -> Result<(), Diagnostics> {
    let order = gpu_order(inventory);
    if order.len() != matrix.gpus {
        let (first, second) = ((matrix_name.into(), matrix.gpus), (name.into(), order.len()));
        let place = matrix.devices.first().map(|device| device.span);
        return Err(Fault::GpuCount { first, second }.at(&[place]).into());
    }
    let mut notes = Diagnostics::new();
    let message = format!(
        "{matrix_name} has no bus ids: its GPUs are matched with those of {name} by their order"
    );
    notes.push(Diagnostic::note("import-order", message));
    for (device, &gpu) in matrix.devices.iter().zip(&order) {
        let told: Option<u32> = device.numa.as_ref().and_then(|numa| numa.parse().ok());
        let known = inventory.functions[gpu].numa;
        match (known, told) {
            (None, told) => inventory.functions[gpu].numa = told,
            (Some(known), Some(told)) if known != told => {
                let message = format!(
                    "{} is on NUMA node {told} in {matrix_name} and on {known} in {name}: {known} \
                     is taken",
                    device.name
                );
                notes.push(Diagnostic::warning("import-numa", message).at(device.span, ""));
            }
            _ => {}
        }
    }
    settle(inventory);
    let order = gpu_order(inventory);
    let mut faults = Diagnostics::new();
    for a in 0..order.len() {
        for b in a + 1..order.len() {
            let (label, span) = (matrix.labels[a][b], matrix.spans[a][b]);
            let relation = relation(inventory, order[a], order[b]);
            let tree = match (label, relation) {
                (PairLabel::Pix | PairLabel::Pxb, Relation::Apart) => "on different roots",
                (PairLabel::Sys, Relation::Bridge) => "below one bridge",
                _ => continue,
            };
            let first = matrix_name.to_owned();
            let (label, file) = (label.to_string(), name.to_owned());
            let fault = Fault::Label { pair: (a, b), label, first, tree, file };
            let there = inventory.functions[order[b]].span;
            faults.push(fault.at(&[Some(span), there]));
        }
    }
    inventory.notes.extend(notes);
    if faults.has_errors() { Err(faults) } else { Ok(()) }
}

fn relation(inventory: &Inventory, first: usize, second: usize) -> Relation {
    let way = |start: usize| {
        let mut way = Vec::new();
        let mut at = start;
        while let Above::Function(above) = inventory.functions[at].above {
            way.push(above);
            at = above;
        }
        (way, inventory.functions[at].above)
    };
    let ((ways, top), (others, other_top)) = (way(first), way(second));
    let is_bridge = |index: &&usize| {
        inventory.functions[**index].kind == crate::import::inventory::FunctionKind::Bridge
    };
    if ways.iter().filter(is_bridge).any(|above| others.contains(above)) {
        return Relation::Bridge;
    }
    if ways.iter().any(|above| others.contains(above)) {
        return Relation::Root;
    }
    match (top, other_top) {
        (Above::Processor(one), Above::Processor(other)) if one == other => Relation::Root,
        (Above::Unknown, _) if ways.is_empty() => Relation::Open,
        (_, Above::Unknown) if others.is_empty() => Relation::Open,
        _ => Relation::Apart,
    }
}
