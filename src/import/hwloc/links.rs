//! What the speeds of both ends tell of a link.

use super::super::inventory::{Above, FunctionKind, LinkReport, PciLink};
use super::super::pci;
use super::functions::{Found, Role};
use crate::diagnostics::{Diagnostic, Diagnostics};
use std::collections::BTreeMap;

/// Why a link got no generation and width although speeds are told, or less than its device can.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Remark {
    /// The speed fits several generations.
    Several(String, String),
    /// The port above runs slower than the GPU is able to, at a speed of an idle link.
    Idle { able: String, runs: String },
    /// The port above runs slower than the GPU is able to, at a speed no idle link has.
    Bounded { able: String, runs: String },
    /// Both ends tell a speed of an idle link.
    Slow(String),
}

/// Links are told by both ends: the lower function's speed and that of the port above it. Inside of
/// a switch there are none.
pub fn conclude(found: &mut [Found], notes: &mut Diagnostics) {
    let mut remarks: BTreeMap<Remark, Vec<usize>> = BTreeMap::new();
    for index in 0..found.len() {
        let Above::Function(above) = found[index].function.above else { continue };
        if !matches!(found[index].role, Role::Device | Role::Upper) {
            continue;
        }
        let port = Some(&found[above]).filter(|port| port.role == Role::Lower);
        let (link, remark) = link(&found[index], port);
        found[index].function.link = link;
        let matters = matches!(found[index].function.kind, FunctionKind::Gpu | FunctionKind::Nic);
        if let Some(remark) = remark.filter(|_| matters) {
            remarks.entry(remark).or_default().push(index);
        }
    }
    for (remark, functions) in remarks {
        notes.push(tell(&remark, &functions, found));
    }
}

fn link(below: &Found, port: Option<&Found>) -> (LinkReport, Option<Remark>) {
    let limit = |found: &Found| {
        found.function.ids.and_then(|(vendor, device)| match found.function.kind {
            FunctionKind::Other => None,
            _ => pci::generation_limit(vendor, device),
        })
    };
    let limit = [limit(below), port.and_then(limit)].into_iter().flatten().min();
    let (own, above) = (below.speed, port.and_then(|port| port.speed));
    let split = |rate: f64| pci::splits(rate, limit);
    let exact = |rate: f64| match split(rate)[..] {
        [only] => only,
        _ => PciLink::default(),
    };
    // Links of the third generation and up carry 128 of 130 bits: their rates are told apart, and
    // no idle link runs at them.
    let is_idle = |rate: f64| !pci::splits(rate, Some(2)).is_empty();
    match (own, above) {
        (None, None) => (LinkReport::default(), None),
        (Some(able), Some(runs)) if below.is_maximum && runs < able * 0.99 => {
            let (able, told) = (gigabytes(able), gigabytes(runs));
            if is_idle(runs) {
                (LinkReport::default(), Some(Remark::Idle { able, runs: told }))
            } else {
                let current = exact(runs);
                let remark = Remark::Bounded { able, runs: told };
                (LinkReport { capable: current, current }, Some(remark))
            }
        }
        (Some(rate), _) | (None, Some(rate)) => {
            // Ends that disagree otherwise: the slower one counts.
            let rate = above.map_or(rate, |above| rate.min(above));
            let current = exact(rate);
            let is_gpu = below.function.kind == FunctionKind::Gpu;
            if is_idle(rate) && is_gpu && !below.is_maximum {
                return (LinkReport::default(), Some(Remark::Slow(gigabytes(rate))));
            }
            let several = split(rate);
            let remark = (several.len() > 1).then(|| {
                let names = several.iter().map(|link| {
                    let (generation, width) = (link.generation, link.width);
                    format!("gen{} x{}", generation.unwrap_or(0), width.unwrap_or(0))
                });
                Remark::Several(gigabytes(rate), names.collect::<Vec<_>>().join(" or "))
            });
            (LinkReport { capable: current, current }, remark)
        }
    }
}

fn gigabytes(rate: f64) -> String {
    let text = format!("{rate:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} GB/s")
}

fn tell(remark: &Remark, functions: &[usize], found: &[Found]) -> Diagnostic {
    let buses: Vec<String> = functions
        .iter()
        .filter_map(|index| found[*index].function.bus)
        .map(|bus| bus.to_string())
        .collect();
    let buses = buses.join(", ");
    let diagnostic = match remark {
        Remark::Several(rate, ways) => Diagnostic::note(
            "import-link",
            format!("{buses}: hwloc tells {rate}, which is {ways}: the link stays unknown"),
        )
        .help("`lspci -vv` tells generation and width"),
        Remark::Idle { able, runs } => Diagnostic::note(
            "import-link",
            format!(
                "{buses}: able to {able}, but the port above runs at {runs}: saving power or \
                 fewer lanes, so the link stays unknown"
            ),
        )
        .help("`lspci -vv` tells generation and width"),
        Remark::Bounded { able, runs } => Diagnostic::warning(
            "import-link",
            format!("{buses}: able to {able}, but the port above runs at {runs}"),
        ),
        Remark::Slow(rate) => Diagnostic::note(
            "import-link",
            format!(
                "{buses}: hwloc tells {rate}, the present speed; a link that saves power is able \
                 to more, so it stays unknown"
            ),
        )
        .help("`lspci -vv` tells generation and width"),
    };
    diagnostic.at(functions.first().and_then(|first| found[*first].function.span), "")
}
