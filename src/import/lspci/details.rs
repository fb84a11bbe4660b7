//! The details of `lspci -vv`.

use super::fault::Fault;
use super::names::{Name, class, ids, leave_out_virtual, lines, until};
use crate::base::{BusId, SourceId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::format::Format;
use crate::import::inventory::{Above, Function, FunctionKind, Inventory, PciLink};
use crate::import::pci;
use std::collections::BTreeSet;

/// More functions than any machine has.
const MAX_FUNCTIONS: usize = 65_536;

/// Reads the details of `lspci -vv`: functions with their links, but nothing of what they hang on.
///
/// # Errors
/// Text without any function, and functions that stand twice.
pub fn read(text: &str, source: SourceId) -> Result<Inventory, Diagnostics> {
    let mut functions: Vec<Function> = Vec::new();
    let mut notes = Diagnostics::new();
    let mut seen = BTreeSet::new();
    let mut idle: Vec<usize> = Vec::new();
    for (line, place) in lines(text) {
        if line.starts_with(|c: char| c.is_ascii_hexdigit()) {
            let Some((bus, rest)) = header(line) else { continue };
            let span = Span::new(source, place, place + until(line, 12));
            if !seen.insert(bus) {
                return Err(Fault::Repeated(bus.to_string()).at(Some(span)).into());
            }
            if functions.len() == MAX_FUNCTIONS {
                return Err(Fault::TooMany(MAX_FUNCTIONS).at(Some(span)).into());
            }
            // Classes and names have below 200 characters.
            functions.push(function(bus, &rest[..until(rest, 500)], span));
            continue;
        }
        let Some(index) = functions.len().checked_sub(1) else { continue };
        if !line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((key, value)) = line.trim_start().split_once(':') else { continue };
        let indent = line.len() - line.trim_start().len();
        let span = || Span::new(source, place + indent, place + until(line, indent + 60));
        let function = &mut functions[index];
        match key {
            "NUMA node" => function.numa = value.trim().parse().ok(),
            "LnkCap" => function.link.capable = link(value),
            "LnkSta" => {
                function.link.current = link(value);
                let narrow = |part: &str| part.contains("Width") && part.contains("downgraded");
                let lanes = function.missing_lanes(value.split(',').any(narrow));
                notes.extend(lanes.map(|warning| warning.at(span(), "")));
                let slow = |part: &str| part.contains("Speed") && part.contains("downgraded");
                if function.kind == FunctionKind::Gpu && value.split(',').any(slow) {
                    idle.push(index);
                }
            }
            "ACSCtl" => access_control(function, value),
            _ => {}
        }
    }
    if functions.is_empty() {
        return Err(Fault::NoFunction.at(None).into());
    }
    leave_out_virtual(&mut functions, &mut notes);
    if let Some(first) = idle.first() {
        let buses: Vec<String> =
            idle.iter().filter_map(|i| functions[*i].bus).map(|bus| bus.to_string()).collect();
        let message = format!(
            "{}: below full speed when lspci ran, as idle GPUs are that save power: what both ends \
             are able to counts",
            buses.join(", ")
        );
        notes.push(Diagnostic::note("import-idle", message).at(functions[*first].span, ""));
    }
    let format = Format::LspciDetails;
    Ok(Inventory { format, processors: Vec::new(), functions, gpu_links: Vec::new(), notes })
}

/// `0000:01:00.0 VGA compatible controller: ...`: the bus id and what stands behind it.
fn header(line: &str) -> Option<(BusId, &str)> {
    let (id, rest) = line.split_once(' ')?;
    if !(7..=16).contains(&id.len()) || !id.contains('.') {
        return None;
    }
    Some((id.parse().ok()?, rest))
}

fn function(bus: BusId, rest: &str, span: Span) -> Function {
    let (class_name, name) = rest.split_once(": ").unwrap_or((rest, ""));
    // With -nn: `VGA compatible controller [0300]`.
    let (class_name, code) = match class_name.strip_suffix(']').and_then(|t| t.rsplit_once(" [")) {
        Some((name, code)) => (name, u16::from_str_radix(code, 16).ok()),
        None => (class_name, None),
    };
    let class = code.unwrap_or_else(|| class(class_name));
    let (text, ids) = ids(name);
    let name = Name::of(text);
    let ids = ids.or(name.vendor.zip(name.device));
    let kind = name.kind_in(class, ids);
    let is_device = matches!(kind, FunctionKind::Gpu | FunctionKind::Nic | FunctionKind::NvSwitch);
    Function {
        bus: Some(bus),
        ids,
        model: name.model().filter(|_| is_device),
        span: Some(span),
        ..Function::new(kind, Above::Unknown)
    }
}

/// `Port #0, Speed 16GT/s, Width x16, ...`
fn link(value: &str) -> PciLink {
    let mut link = PciLink::default();
    for part in value.split(',').map(str::trim) {
        if let Some(speed) = part.strip_prefix("Speed ") {
            link.generation = pci::generation_in(speed);
        } else if let Some(width) = part.strip_prefix("Width x") {
            let digits = width.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            link.width = digits.parse().ok().filter(|width| (1..=32).contains(width));
        }
    }
    link
}

/// `SrcValid- TransBlk- ReqRedir+ CmpltRedir+ ...`
fn access_control(function: &mut Function, value: &str) {
    let has = |flag: &str| value.split_whitespace().any(|word| word == flag);
    let told = ["ReqRedir+", "ReqRedir-"].iter().any(|flag| has(flag));
    if told {
        function.acs_redirect = Some(has("ReqRedir+") || has("CmpltRedir+"));
    }
}
