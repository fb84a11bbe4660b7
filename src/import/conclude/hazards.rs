//! What keeps copies between GPUs from the PCIe tree that is described, said aloud.

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::inventory::{Above, Function, FunctionKind, Inventory};
use crate::import::pci;
use crate::import::wording::{plural, shortened};
use std::collections::BTreeSet;

/// The code of what is said of access control.
pub const ACCESS_CONTROL: &str = "import-acs";

/// Warnings about access control, GPUs of several vendors, and GPU links that no file tells of.
pub fn hazards(inventory: &Inventory, notes: &mut Diagnostics) {
    access_control(inventory, notes);
    vendors(inventory, notes);
    untold_links(inventory, notes);
}

fn gpus(inventory: &Inventory) -> impl Iterator<Item = &Function> {
    inventory.functions.iter().filter(|function| function.kind == FunctionKind::Gpu)
}

/// The bus ids of the first few.
fn buses<'a>(functions: impl Iterator<Item = &'a Function>) -> String {
    let all: Vec<String> =
        functions.filter_map(|function| function.bus).map(|bus| bus.to_string()).collect();
    shortened(&all)
}

/// A port of a switch that redirects sends what GPUs of one switch write to each other up to the
/// root port and back. At a root port nothing is redirected: what reaches it goes up anyway.
fn access_control(inventory: &Inventory, notes: &mut Diagnostics) {
    let functions = &inventory.functions;
    let mut has_gpu: Vec<bool> = functions.iter().map(|f| f.kind == FunctionKind::Gpu).collect();
    for index in (0..functions.len()).rev() {
        if let (true, Above::Function(above)) = (has_gpu[index], functions[index].above) {
            has_gpu[above] = true;
        }
    }
    let faces_down = inventory.faces_down();
    let is_of_switch = |function: &Function| match function.above {
        Above::Function(above) => functions[above].kind == FunctionKind::Bridge,
        _ => false,
    };
    let found: Vec<&Function> = (functions.iter().enumerate())
        .filter(|(index, function)| {
            function.acs_redirect == Some(true)
                && faces_down[*index]
                && has_gpu[*index]
                && is_of_switch(function)
        })
        .map(|(_, function)| function)
        .collect();
    let Some(first) = found.first() else { return };
    let message = format!(
        "access control (ACS) redirects at {} with GPUs below ({}): what these GPUs send to others \
         of the switch goes up to the root port and back",
        plural(found.len(), "switch port", "switch ports"),
        buses(found.iter().copied()),
    );
    let port = first.bus.map_or_else(|| "BUS".to_owned(), |bus| bus.to_string());
    let warning = Diagnostic::warning(ACCESS_CONTROL, message).help(format!(
        "turn it off in the BIOS, or until the next start by `setpci -s {port} ECAP_ACS+6.w=0` for \
         each port, as root"
    ));
    notes.push(warning.at(first.span, ""));
}

/// GPUs of several vendors cannot access each other's memory.
fn vendors(inventory: &Inventory, notes: &mut Diagnostics) {
    let vendors: BTreeSet<u16> =
        gpus(inventory).filter_map(|gpu| gpu.ids).map(|ids| ids.0).collect();
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
    for gpu in gpus(inventory) {
        if let Some((vendor, _)) = gpu.ids.filter(|ids| seen.insert(ids.0)) {
            warning = warning.at(gpu.span, pci::vendor(vendor));
        }
    }
    notes.push(warning);
}

/// Some kinds of GPUs come on boards with NVLink only, which most dumps do not tell.
fn untold_links(inventory: &Inventory, notes: &mut Diagnostics) {
    if !inventory.gpu_links.is_empty() {
        return;
    }
    let linked: Vec<&Function> = gpus(inventory).filter(|gpu| pci::has_gpu_links(gpu)).collect();
    let Some(first) = linked.first().filter(|_| linked.len() > 1) else { return };
    let kind = match (&first.model, first.ids) {
        (Some(model), _) => model.clone(),
        (None, Some((vendor, device))) => format!("{} {device:04x}", pci::vendor(vendor)),
        (None, None) => String::new(),
    };
    let message = format!(
        "{} of a kind that is sold with NVLink ({kind}), of which nothing is told here: then the \
         PCIe tree is not their way to each other",
        plural(linked.len(), "GPU is", "GPUs are"),
    );
    notes.push(Diagnostic::warning("import-nvlink", message).at(first.span, ""));
}
