//! The order of functions, and what follows for the places of roots.

use crate::import::inventory::{Above, FunctionKind, Inventory};
use std::collections::BTreeSet;

/// The GPUs (positions of functions) in the order of their numbers, else of their bus ids.
#[must_use]
pub fn gpu_order(inventory: &Inventory) -> Vec<usize> {
    let is_gpu = |index: &usize| inventory.functions[*index].kind == FunctionKind::Gpu;
    let mut gpus: Vec<usize> = (0..inventory.functions.len()).filter(is_gpu).collect();
    gpus.sort_by_key(|&index| {
        let function = &inventory.functions[index];
        (function.number.is_none(), function.number, function.bus.is_none(), function.bus, index)
    });
    gpus
}

/// Puts what functions hang on before them, and gives every root without a NUMA node that of the
/// devices below it where they agree.
pub fn settle(inventory: &mut Inventory) {
    reorder(inventory);
    let count = inventory.functions.len();
    let mut below: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    for index in (0..count).rev() {
        let function = &inventory.functions[index];
        let known: BTreeSet<u32> = function.numa.into_iter().collect();
        let all = if known.is_empty() { std::mem::take(&mut below[index]) } else { known };
        if let Above::Function(above) = function.above {
            below[above].extend(&all);
        } else if function.numa.is_none() && all.len() == 1 {
            inventory.functions[index].numa = all.first().copied();
        }
    }
}

/// Sorts functions so that each stands behind what it hangs on, otherwise in their order.
fn reorder(inventory: &mut Inventory) {
    let count = inventory.functions.len();
    let mut depth: Vec<Option<usize>> = vec![None; count];
    for start in 0..count {
        let mut way = Vec::new();
        let mut at = start;
        // Upwards to something known or a root; a circle would be a fault of a reader, and is cut.
        let mut reached = loop {
            if let Some(depth) = depth[at] {
                break depth + 1;
            }
            if way.contains(&at) || way.len() > count {
                break 0;
            }
            way.push(at);
            match inventory.functions[at].above {
                Above::Function(above) => at = above,
                _ => break 0,
            }
        };
        for index in way.into_iter().rev() {
            depth[index] = Some(reached);
            reached += 1;
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&index| depth[index]);
    let mut place = vec![0; count];
    for (position, &index) in order.iter().enumerate() {
        place[index] = position;
    }
    let mut functions: Vec<_> = order.iter().map(|&i| inventory.functions[i].clone()).collect();
    for (position, function) in functions.iter_mut().enumerate() {
        if let Above::Function(above) = function.above {
            let above = place[above];
            function.above = if above < position { Above::Function(above) } else { Above::Unknown };
        }
    }
    inventory.functions = functions;
    for link in &mut inventory.gpu_links {
        link.from = place[link.from];
        link.to = link.to.map(|to| place[to]);
    }
}
