//! Sockets and NUMA nodes as two dumps tell of them.

use super::fault::Fault;
use crate::base::BusId;
use crate::diagnostics::Diagnostic;
use crate::import::inventory::{Above, Inventory};

/// The processor that a function hangs on, over all that is between.
pub fn processor_of(inventory: &Inventory, function: usize) -> Option<usize> {
    match inventory.functions[root_of(inventory, function)].above {
        Above::Processor(processor) => Some(processor),
        _ => None,
    }
}

/// The topmost function above `function`, perhaps itself.
fn root_of(inventory: &Inventory, function: usize) -> usize {
    let mut at = function;
    while let Above::Function(above) = inventory.functions[at].above {
        at = above;
    }
    at
}

/// Takes over what `other` tells of processors; `matched` are the functions of both, base first.
///
/// A base without processors gets those of `other`, and each of its roots the one that the devices
/// below it hang on there. A base that knows NUMA nodes only gets the sockets they belong to.
pub fn adopt(
    (base_name, base): (&str, &mut Inventory),
    (other_name, other): (&str, &Inventory),
    matched: &[(usize, usize)],
) -> Result<(), Box<Diagnostic>> {
    if other.processors.is_empty() {
        return Ok(());
    }
    if !base.processors.is_empty() {
        for processor in base.processors.iter_mut().filter(|p| p.socket.is_none()) {
            let same = other.processors.iter().find(|told| {
                told.socket.is_some() && processor.numa.iter().any(|node| told.numa.contains(node))
            });
            if let Some(told) = same {
                processor.socket = told.socket;
                processor.model = processor.model.take().or_else(|| told.model.clone());
                processor.cpus = processor.cpus.take().or_else(|| told.cpus.clone());
            }
        }
        return Ok(());
    }
    base.processors.clone_from(&other.processors);
    // The device that decided about a root, to name it when another disagrees.
    let mut decided: Vec<Option<(usize, BusId)>> = vec![None; base.functions.len()];
    for &(here, there) in matched {
        let Some(processor) = processor_of(other, there) else { continue };
        let Some(bus) = base.functions[here].bus else { continue };
        let root = root_of(base, here);
        match decided[root] {
            None => {
                decided[root] = Some((processor, bus));
                base.functions[root].above = Above::Processor(processor);
            }
            Some((first, one)) if !same_socket(other, first, processor) => {
                let spans = [base.functions[here].span, other.functions[there].span];
                let (first, second) = (base_name.to_owned(), other_name.to_owned());
                let fault = Fault::Roots { first, second, one, other: bus };
                return Err(Box::new(fault.at(&spans)));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn same_socket(inventory: &Inventory, first: usize, second: usize) -> bool {
    let socket = |index: usize| inventory.processors[index].socket;
    first == second || (socket(first).is_some() && socket(first) == socket(second))
}
