//! The driver: a base, and every other dump laid over it.

use super::Dump;
use super::fault::Fault;
use super::functions::fill;
use super::order::settle;
use super::processors::{adopt, processor_of};
use crate::base::BusId;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::format::Format;
use crate::import::inventory::{Above, Function, FunctionKind, GpuLink, Inventory};
use crate::import::lspci;
use std::collections::{BTreeMap, BTreeSet};

/// One inventory of everything that the dumps tell, at least one dump.
///
/// # Errors
/// No tree in any of them, a dump without bus ids beside another, dumps that share no device, and
/// whatever cannot be true of one machine: names both files and places.
pub fn merge(mut dumps: Vec<Dump>) -> Result<Inventory, Diagnostics> {
    let Some(base) = (0..dumps.len()).rev().max_by_key(|&index| {
        let inventory = &dumps[index].inventory;
        (has_tree(inventory), inventory.functions.len())
    }) else {
        return Err(Diagnostics::new());
    };
    let Dump { name, inventory: mut machine } = dumps.remove(base);
    if !has_tree(&machine) {
        let place = machine.functions.first().and_then(|function| function.span);
        return Err(Fault::NoTree { file: name }.at(&[place]).into());
    }
    // A tree with all its ports, whose ends tell each of itself.
    let one_end = machine.format == Format::LspciTree
        && dumps.iter().any(|dump| dump.inventory.format == Format::LspciDetails);
    for dump in dumps {
        machine.notes.extend(dump.inventory.notes.clone());
        lay_over((&name, &mut machine), &dump).map_err(|fault| Diagnostics::from(*fault))?;
    }
    settle(&mut machine);
    if one_end {
        machine.bound_links();
    }
    Ok(machine)
}

/// Whether any device of the dump hangs on something.
fn has_tree(inventory: &Inventory) -> bool {
    inventory.functions.iter().any(|function| {
        let is_card = matches!(function.kind, FunctionKind::Gpu | FunctionKind::Nic);
        is_card && function.above != Above::Unknown
    })
}

fn lay_over((base_name, base): (&str, &mut Inventory), dump: &Dump) -> Result<(), Box<Diagnostic>> {
    let other = &dump.inventory;
    let places = by_bus(base);
    let there = by_bus(other);
    if there.is_empty() || places.is_empty() {
        let file = if there.is_empty() { dump.name.clone() } else { base_name.to_owned() };
        return Err(Box::new(Fault::NoBusIds { file }.at(&[])));
    }
    let matched: Vec<(usize, usize)> =
        there.iter().filter_map(|(bus, other)| Some((*places.get(bus)?, *other))).collect();
    let cards = |inventory: &Inventory, index: usize| is_card(&inventory.functions[index]);
    if !matched.iter().any(|&(here, far)| cards(base, here) || cards(other, far)) {
        let (first, second) = (base_name.to_owned(), dump.name.clone());
        return Err(Box::new(Fault::NothingShared { first, second }.at(&[])));
    }
    listed((base_name, base), (&dump.name, other))?;
    listed((&dump.name, other), (base_name, base))?;
    same_ways((base_name, base), (&dump.name, other), &matched)?;
    adopt((base_name, base), (&dump.name, other), &matched)?;
    let mut notes = Diagnostics::new();
    for &(here, far) in &matched {
        let Some(bus) = base.functions[here].bus else { continue };
        let (function, told) = (&mut base.functions[here], &other.functions[far]);
        fill(bus, (base_name, function), (&dump.name, told), &mut notes)?;
    }
    let mut moved: BTreeMap<usize, usize> =
        matched.iter().map(|&(here, far)| (far, here)).collect();
    for (index, function) in other.functions.iter().enumerate() {
        let Some(bus) = function.bus.filter(|bus| !places.contains_key(bus)) else { continue };
        if !is_card(function) {
            continue;
        }
        let above = above_in(base, other, index, &moved);
        moved.insert(index, base.functions.len());
        base.functions.push(Function { above, ..function.clone() });
        let message = format!("{bus} is told of by {} only", dump.name);
        notes.push(Diagnostic::note("import-only", message).at(function.span, ""));
    }
    missing((base_name, base), (&dump.name, other), &there, &mut notes);
    links(base, other, &moved);
    base.notes.extend(notes);
    Ok(())
}

fn is_card(function: &Function) -> bool {
    matches!(function.kind, FunctionKind::Gpu | FunctionKind::Nic)
}

fn by_bus(inventory: &Inventory) -> BTreeMap<BusId, usize> {
    let functions = inventory.functions.iter().enumerate();
    functions.filter_map(|(index, function)| Some((function.bus?, index))).collect()
}

/// Everything above a function that has a bus id, nearest first.
fn ancestors(inventory: &Inventory, function: usize) -> Vec<BusId> {
    let mut found = Vec::new();
    let mut at = function;
    while let Above::Function(above) = inventory.functions[at].above {
        found.extend(inventory.functions[above].bus);
        at = above;
    }
    found
}

/// What lists every device of a machine knows all its GPUs.
fn listed(
    (list_name, list): (&str, &Inventory),
    (name, inventory): (&str, &Inventory),
) -> Result<(), Box<Diagnostic>> {
    // A filtered or cut tree says so in its notes.
    let is_whole = match list.format {
        Format::LspciTree => !list.notes.iter().any(|note| note.code == lspci::CUT),
        format => format == Format::ThisMachine,
    };
    let known = by_bus(list);
    let stranger = inventory.functions.iter().find(|function| {
        function.kind == FunctionKind::Gpu
            && function.bus.is_some_and(|bus| !known.contains_key(&bus))
    });
    match stranger.and_then(|function| Some((function.bus?, function.span))) {
        Some((bus, span)) if is_whole => {
            let (list, file) = (list_name.to_owned(), name.to_owned());
            Err(Box::new(Fault::NotListed { bus, list, file }.at(&[span])))
        }
        _ => Ok(()),
    }
}

/// Dumps leave out bridges, but a bridge that both know is above a device in both or in neither.
fn same_ways(
    (base_name, base): (&str, &Inventory),
    (other_name, other): (&str, &Inventory),
    matched: &[(usize, usize)],
) -> Result<(), Box<Diagnostic>> {
    let both: BTreeSet<BusId> =
        matched.iter().filter_map(|&(here, _)| base.functions[here].bus).collect();
    for &(here, far) in matched {
        let Some(bus) = base.functions[here].bus else { continue };
        let placed = |inventory: &Inventory, index: usize| {
            inventory.functions[index].above != Above::Unknown
        };
        if !placed(base, here) || !placed(other, far) {
            continue;
        }
        let (ways, others) = (ancestors(base, here), ancestors(other, far));
        let stray = |ways: &[BusId], others: &[BusId]| {
            ways.iter().any(|bus| both.contains(bus) && !others.contains(bus))
        };
        if stray(&ways, &others) || stray(&others, &ways) {
            let spans = [base.functions[here].span, other.functions[far].span];
            let first = (base_name.into(), ways.first().copied());
            let second = (other_name.into(), others.first().copied());
            return Err(Box::new(Fault::Above { bus, first, second }.at(&spans)));
        }
    }
    Ok(())
}

/// What a function of `other` hangs on in the base.
fn above_in(
    base: &Inventory,
    other: &Inventory,
    function: usize,
    moved: &BTreeMap<usize, usize>,
) -> Above {
    let mut at = function;
    while let Above::Function(above) = other.functions[at].above {
        if let Some(&place) = moved.get(&above) {
            return Above::Function(place);
        }
        at = above;
    }
    let Some(processor) = processor_of(other, function) else { return Above::Unknown };
    let told = &other.processors[processor];
    let same = base.processors.iter().position(|known| {
        (known.socket.is_some() && known.socket == told.socket)
            || known.numa.iter().any(|node| told.numa.contains(node))
    });
    same.map_or(Above::Unknown, Above::Processor)
}

/// Says which GPUs of the base the other dump does not have.
fn missing(
    (base_name, base): (&str, &Inventory),
    (other_name, other): (&str, &Inventory),
    there: &BTreeMap<BusId, usize>,
    notes: &mut Diagnostics,
) {
    let lost: Vec<String> = base
        .functions
        .iter()
        .filter(|function| function.kind == FunctionKind::Gpu)
        .filter_map(|function| function.bus.filter(|bus| !there.contains_key(bus)))
        .map(|bus| bus.to_string())
        .collect();
    let tells_gpus = other.functions.iter().any(|function| function.kind == FunctionKind::Gpu);
    if tells_gpus && !lost.is_empty() {
        let message =
            format!("GPUs of {base_name} that {other_name} does not have: {}", lost.join(", "));
        notes.push(Diagnostic::warning("import-missing", message));
    }
}

fn links(base: &mut Inventory, other: &Inventory, moved: &BTreeMap<usize, usize>) {
    for link in &other.gpu_links {
        let Some(&from) = moved.get(&link.from) else { continue };
        let to = link.to.and_then(|to| moved.get(&to).copied());
        match base.gpu_links.iter_mut().find(|known| (known.from, known.to) == (from, to)) {
            Some(known) => known.count = known.count.max(link.count),
            None => base.gpu_links.push(GpuLink { from, to, count: link.count }),
        }
    }
}
