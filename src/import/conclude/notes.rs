//! What was concluded without being told, said aloud.

use super::hazards::hazards;
use super::types::{Card, Conclusion, Grounds, Switch};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::inventory::{FunctionKind, Inventory};
use crate::import::layout::Parent;
use crate::import::sketch::SOCKET_LINK_REASON;
use crate::import::wording::{plural, shortened};
use std::collections::BTreeSet;

/// Everything worth knowing about how `conclusion` was drawn, after what the reader noticed.
pub fn notes(inventory: &Inventory, conclusion: &Conclusion, assume: Option<u32>) -> Diagnostics {
    let mut notes = inventory.notes.clone();
    sockets(inventory, conclusion, &mut notes);
    gpu_links(inventory, &mut notes);
    hazards(inventory, &mut notes);
    slow_switches(inventory, conclusion, &mut notes);
    cards(conclusion, &mut notes);
    rates(conclusion, assume, &mut notes);
    notes
}

fn names<'a, T>(array: &'a str, all: &'a [T]) -> impl Iterator<Item = (String, &'a T)> {
    all.iter().enumerate().map(move |(index, one)| (format!("{array}[{index}]"), one))
}

fn sockets(inventory: &Inventory, conclusion: &Conclusion, notes: &mut Diagnostics) {
    let count = conclusion.sockets.len();
    let by_numa = conclusion.sockets.iter().filter(|socket| socket.grounds == Grounds::NumaNode);
    if count > 1 && by_numa.count() > 1 {
        let message = format!(
            "NUMA nodes are told, not sockets: {count} sockets assumed, one a node; the nodes of one \
             package (NPS, SNC) look the same"
        );
        let place = inventory.processors.first().and_then(|processor| processor.span);
        let diagnostic = Diagnostic::warning("import-sockets", message)
            .help("where two nodes are one package, hang their switches and devices on one socket");
        notes.push(diagnostic.at(place, ""));
    }
    if count > 2 {
        let message = format!("{count} sockets are assumed to be joined each to each");
        notes.push(Diagnostic::warning("import-mesh", message));
    }
    for (name, socket) in names("s", &conclusion.sockets) {
        let message = match socket.grounds {
            Grounds::Told | Grounds::NumaNode => continue,
            Grounds::Numa(numa) => format!("{name} is assumed for the devices of NUMA node {numa}"),
            Grounds::Nothing => {
                format!("nothing tells the socket of what is left: {name} is assumed for it")
            }
        };
        notes.push(Diagnostic::warning("import-sockets", message));
    }
}

fn gpu_links(inventory: &Inventory, notes: &mut Diagnostics) {
    let ends = inventory.gpu_links.iter().flat_map(|link| [Some(link.from), link.to]).flatten();
    let gpus: BTreeSet<usize> =
        ends.filter(|end| inventory.functions[*end].kind == FunctionKind::Gpu).collect();
    let Some(span) = inventory.gpu_links.first().map(|link| inventory.functions[link.from].span)
    else {
        return;
    };
    let message = format!(
        "{} here {} links of their own (NVLink, xGMI); their routes are not carried out and not \
         described, only the PCIe tree is",
        plural(gpus.len(), "GPU", "GPUs"),
        if gpus.len() == 1 { "has" } else { "have" },
    );
    notes.push(Diagnostic::warning("import-nvlink", message).at(span, ""));
}

fn slow_switches(inventory: &Inventory, conclusion: &Conclusion, notes: &mut Diagnostics) {
    let slow: Vec<(String, &Switch)> = names("up", &conclusion.upstream)
        .chain(names("sw", &conclusion.switches))
        .filter(|(_, switch)| switch.worth.doubtful)
        .collect();
    let Some((_, first)) = slow.first() else { return };
    let names: Vec<String> = slow.iter().map(|(name, _)| name.clone()).collect();
    let message = format!(
        "{} reported two generations or more below all that hangs there, which is hardly true: kept \
         and marked as assumed ({})",
        plural(names.len(), "switch uplink is", "switch uplinks are"),
        shortened(&names),
    );
    let diagnostic = Diagnostic::warning("import-slow-switch", message)
        .help("measure, or correct the `link` line");
    notes.push(diagnostic.at(inventory.functions[first.function].span, ""));
}

fn cards(conclusion: &Conclusion, notes: &mut Diagnostics) {
    if !conclusion.left_out.is_empty() {
        let names = shortened(&conclusion.left_out);
        let message = format!("network devices without a PCI function are left out: {names}");
        notes.push(Diagnostic::note("import-virtual", message));
    }
    if !conclusion.fused.is_empty() {
        let names = shortened(&conclusion.fused);
        let message = format!("{names}: fused cards; where each of them is stays hidden");
        notes.push(Diagnostic::warning("import-fused", message));
    }
    let hidden: Vec<String> = names("n", &conclusion.nics)
        .filter(|(_, card)| card.ports.iter().any(|port| port.guid.is_some()))
        .filter(|(_, card)| is_open(card) && matches!(card.parent, Parent::Socket(_)))
        .map(|(name, _)| name)
        .collect();
    if !hidden.is_empty() {
        let message = format!(
            "the PCI functions of {} are hidden: put on the socket with an unknown rate",
            shortened(&hidden)
        );
        notes.push(Diagnostic::warning("import-hidden", message));
    }
}

fn is_open(card: &Card) -> bool {
    card.worth.link.generation.is_none() || card.worth.link.width.is_none()
}

fn rates(conclusion: &Conclusion, assume: Option<u32>, notes: &mut Diagnostics) {
    let switches = conclusion.upstream.iter().chain(&conclusion.switches);
    let worths: Vec<_> = (conclusion.gpus.iter().map(|card| card.worth))
        .chain(conclusion.nics.iter().map(|card| card.worth))
        .chain(switches.map(|switch| switch.worth))
        .collect();
    let open = worths
        .iter()
        .filter(|worth| worth.link.generation.is_none() || worth.link.width.is_none())
        .count();
    let some = format!("{open} of {}", plural(worths.len(), "PCIe link", "PCIe links"));
    match assume {
        Some(generation) => {
            if open > 0 {
                let message = format!(
                    "no speed is told for {some}: gen{generation} assumed, x16 unless the \
                     width is told"
                );
                notes.push(Diagnostic::note("import-assumed", message));
            }
            if conclusion.sockets.len() > 1 {
                let message =
                    format!("links between sockets are assumed at 39 GB/s, {SOCKET_LINK_REASON}");
                notes.push(Diagnostic::note("import-assumed", message));
            }
        }
        None if open > 0 => notes.push(
            Diagnostic::note("import-rates", format!("no speed is told for {some}: unknown"))
                .help("edit the `link` lines, or import with `--assume gen4`"),
        ),
        None => {}
    }
    if assume.is_none() && conclusion.sockets.len() > 1 {
        let message = "nothing tells what joins the sockets: `smp` is unknown";
        let diagnostic = Diagnostic::note("import-rates", message)
            .help("edit `link smp`, or import with `--assume gen4`");
        notes.push(diagnostic);
    }
}
