//! The driver: the list of devices, their paths, processors, functions.

use super::fault::Fault;
use super::{files, functions, processors};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::format::Format;
use crate::import::inventory::{Above, FunctionKind, Inventory};
use std::path::{Path, PathBuf};

/// More PCI functions than any machine has.
const MAX_FUNCTIONS: usize = 65_536;

/// Reads this machine; `root` is `/sys`, or a folder that looks like it.
///
/// # Errors
/// A folder without PCI devices (exit 4), and a machine without a GPU.
pub fn read(root: &Path) -> Result<Inventory, Diagnostics> {
    let folder = root.join("bus/pci/devices");
    let names = files::names(&folder);
    if names.is_empty() {
        return Err(Fault::NoPci(folder.display().to_string()).told().into());
    }
    if names.len() > MAX_FUNCTIONS {
        return Err(Fault::TooMany(MAX_FUNCTIONS).told().into());
    }
    // Links into `devices`, where the path is the place.
    let paths: Vec<PathBuf> =
        names.iter().filter_map(|name| folder.join(name).canonicalize().ok()).collect();
    let lost = names.len() - paths.len();
    let processors = processors::processors(root);
    let functions = functions::functions(root, &paths, &processors);
    let gpus = functions.iter().filter(|function| function.kind == FunctionKind::Gpu).count();
    if gpus == 0 {
        return Err(Fault::NoGpu(names.len()).told().into());
    }
    let mut inventory = Inventory {
        format: Format::ThisMachine,
        processors,
        functions,
        gpu_links: Vec::new(),
        notes: Diagnostics::new(),
    };
    inventory.prune();
    inventory.bound_links();
    notes(&mut inventory);
    if lost > 0 {
        let lead = if lost == 1 { "leads" } else { "lead" };
        let message =
            format!("{lost} of {} PCI devices {lead} nowhere below /sys: left out", names.len());
        inventory.notes.push(Diagnostic::warning("import-machine", message));
    }
    Ok(inventory)
}

fn notes(inventory: &mut Inventory) {
    let functions = &inventory.functions;
    let is_hidden = |function: &&crate::import::inventory::Function| {
        function.kind == FunctionKind::Bridge && function.acs_redirect.is_none()
    };
    let hidden = functions.iter().filter(is_hidden).count();
    let mut notes = Vec::new();
    if hidden > 0 {
        let ports = if hidden == 1 { "1 port".to_owned() } else { format!("{hidden} ports") };
        let message = format!(
            "whether {ports} redirect requests between GPUs (ACS) only root can read: unknown"
        );
        notes.push(Diagnostic::note("import-acs", message).help("run it as root"));
    }
    let loose = functions
        .iter()
        .filter(|f| f.kind == FunctionKind::HostBridge && f.above == Above::Unknown)
        .count();
    if loose > 0 {
        let buses = if loose == 1 { "a root bus" } else { "root buses" };
        notes.push(Diagnostic::note(
            "import-numa",
            format!("the kernel does not tell the NUMA node of {buses} with GPUs or network cards"),
        ));
    }
    notes.extend(functions.iter().filter_map(|function| function.missing_lanes(false)));
    inventory.notes.extend(notes);
}
