//! The tree of `lspci -tv`.

use super::fault::Fault;
use super::names::{Name, ids, leave_out_virtual, lines, until};
use crate::base::{BusId, SourceId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::format::Format;
use crate::import::inventory::{Above, Function, FunctionKind, Inventory};
use std::collections::BTreeSet;

/// The code of the warning that the tree is not whole.
pub const CUT: &str = "import-cut";

/// More functions than any machine has.
const MAX_FUNCTIONS: usize = 65_536;

/// A bus: its number, and the bridge or root that leads to it.
#[derive(Debug, Clone, Copy)]
struct Bus {
    domain: u32,
    bus: u8,
    /// The position of the function.
    function: usize,
}

/// The devices of a bus, or the root buses, one below the other.
#[derive(Debug, Clone, Copy)]
struct Branch {
    /// The column of its `+` and `\`.
    column: usize,
    /// `None` for the root buses.
    bus: Option<Bus>,
    /// Where it opens.
    span: Span,
}

struct Reader {
    source: SourceId,
    functions: Vec<Function>,
    /// The device by its name, for devices that are no bridges.
    seen: BTreeSet<BusId>,
    branches: Vec<Branch>,
    has_names: bool,
    is_open: bool,
}

/// Reads the tree of `lspci -tv`.
///
/// # Errors
/// A tree without names, lines that hang on nothing or end inside of the tree, things that are
/// neither buses nor devices, functions that stand twice.
pub fn read(text: &str, source: SourceId) -> Result<Inventory, Diagnostics> {
    let mut reader = Reader {
        source,
        functions: Vec::new(),
        seen: BTreeSet::new(),
        branches: Vec::new(),
        has_names: false,
        is_open: false,
    };
    for (line, start) in lines(text) {
        if let Err((fault, from, to)) = reader.line(line, start) {
            return Err(fault.at(Some(Span::new(source, start + from, start + to))).into());
        }
    }
    if reader.functions.is_empty() {
        return Err(Fault::NoTree.at(None).into());
    }
    if !reader.has_names {
        return Err(Fault::NoNames.at(reader.functions[0].span).into());
    }
    let first = &reader.functions[0];
    if !reader.functions.iter().any(|function| function.kind == FunctionKind::Gpu) {
        return Err(Fault::NoGpu(reader.functions.len()).at(first.span).into());
    }
    Ok(reader.inventory())
}

/// A fault and its place in the line.
type Wrong = (Fault, usize, usize);

impl Reader {
    /// Lines before and behind the tree are left alone.
    fn line(&mut self, line: &str, start: usize) -> Result<(), Wrong> {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.starts_with("-[") || trimmed.starts_with("-+-[") {
            self.branches.clear();
            self.is_open = true;
            return self.items(line, indent, None, start);
        }
        if !self.is_open || trimmed.is_empty() {
            return Ok(());
        }
        let Some(mark) = line.bytes().position(|byte| byte != b' ' && byte != b'|') else {
            return Ok(());
        };
        if !matches!(line.as_bytes()[mark], b'+' | b'\\')
            || line.as_bytes().get(mark + 1) != Some(&b'-')
        {
            // Text behind the tree; a tree does not go on after it.
            self.is_open = false;
            return Ok(());
        }
        while self.branches.last().is_some_and(|branch| branch.column > mark) {
            self.branches.pop();
        }
        let Some(branch) = self.branches.last().copied().filter(|branch| branch.column == mark)
        else {
            return Err((Fault::LostIndentation, indent, until(line, indent + 60)));
        };
        if line.as_bytes()[mark] == b'\\' {
            self.branches.pop();
        }
        self.items(line, mark + 1, branch.bus, start)
    }

    /// Everything from `at`, which is a `-`, to the end of the line: each device hangs on the bus
    /// before it.
    fn items(
        &mut self,
        line: &str,
        mut at: usize,
        mut bus: Option<Bus>,
        start: usize,
    ) -> Result<(), Wrong> {
        let bytes = line.as_bytes();
        loop {
            let dashes = at;
            while bytes.get(at) == Some(&b'-') {
                at += 1;
            }
            match bytes.get(at) {
                // An empty port: `-[05]--`.
                None if at > dashes + 1 && bus.is_some() => return Ok(()),
                None => return Err((Fault::CutLine, dashes.min(line.len()), line.len())),
                Some(b'+') => {
                    let span = Span::new(self.source, start + at, start + until(line, at + 60));
                    self.branches.push(Branch { column: at, bus, span });
                    at += 1;
                }
                Some(b'[') => {
                    let (end, next) = self.bus(line, at, None)?;
                    let function = self.add(
                        FunctionKind::HostBridge,
                        None,
                        Above::Unknown,
                        (start + at, start + end),
                    )?;
                    bus = Some(Bus { function, ..next });
                    at = end;
                }
                Some(_) => {
                    let Some(on) = bus else {
                        let end = word_end(line, at);
                        return Err((Fault::NoBus(line[at..end].to_owned()), at, end));
                    };
                    match self.device(line, at, on, start)? {
                        Some((end, next)) => {
                            bus = Some(next);
                            at = end;
                        }
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    /// `[0000:17]`, `[17]` or `[17-1a]` from `at`: the end and the bus.
    fn bus(&self, line: &str, at: usize, within: Option<u32>) -> Result<(usize, Bus), Wrong> {
        let inside = &line[at + 1..];
        let Some(length) = inside.bytes().take(32).position(|byte| byte == b']') else {
            return Err((Fault::CutLine, at, until(line, at + 60)));
        };
        let end = at + length + 2;
        let text = &inside[..length];
        let wrong = || (Fault::Bus(text.to_owned()), at, end);
        let (domain, range) = match (text.split_once(':'), within) {
            (Some((domain, range)), _) => (number(domain, 8).ok_or_else(wrong)?, range),
            (None, Some(domain)) => (domain, text),
            (None, None) => (0, text),
        };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let byte = |text: &str| number(text, 2).and_then(|bus| u8::try_from(bus).ok());
        match (byte(first), byte(last)) {
            (Some(bus), Some(last)) if bus <= last => Ok((end, Bus { domain, bus, function: 0 })),
            _ => Err(wrong()),
        }
    }

    /// `01.0` and what stands behind it: for a bridge the end and its bus, else a name.
    fn device(
        &mut self,
        line: &str,
        at: usize,
        on: Bus,
        start: usize,
    ) -> Result<Option<(usize, Bus)>, Wrong> {
        let end = word_end(line, at);
        let text = &line[at..end];
        let unexpected = || (Fault::Unexpected(text.to_owned()), at, end);
        let (device, function) = text.split_once('.').ok_or_else(unexpected)?;
        let device = number(device, 2).filter(|device| *device < 32).ok_or_else(unexpected)?;
        let function =
            number(function, 1).filter(|function| *function < 8).ok_or_else(unexpected)?;
        let id = BusId {
            domain: on.domain,
            bus: on.bus,
            device: u8::try_from(device).unwrap_or(0),
            function: u8::try_from(function).unwrap_or(0),
        };
        if !self.seen.insert(id) {
            return Err((Fault::Repeated(id.to_string()), at, end));
        }
        let above = Above::Function(on.function);
        let place = (start + at, start + until(line, end + 80));
        if line[end..].starts_with("-[") {
            let (end, next) = self.bus(line, end + 1, Some(on.domain))?;
            let function = self.add(FunctionKind::Bridge, Some(id), above, place)?;
            return Ok(Some((end, Bus { function, ..next })));
        }
        // Names have below 100 characters.
        let (text, ids) = ids(&line[end..until(line, end + 500)]);
        let name = Name::of(text);
        self.has_names |= !name.text.is_empty();
        let index = self.add(name.kind(id.function), Some(id), above, place)?;
        let added = &mut self.functions[index];
        added.ids = ids.or(name.vendor.zip(name.device));
        added.model = name.model();
        Ok(None)
    }

    fn add(
        &mut self,
        kind: FunctionKind,
        bus: Option<BusId>,
        above: Above,
        (start, end): (usize, usize),
    ) -> Result<usize, Wrong> {
        if self.functions.len() == MAX_FUNCTIONS {
            return Err((Fault::TooMany(MAX_FUNCTIONS), 0, 0));
        }
        self.functions.push(Function {
            bus,
            span: Some(Span::new(self.source, start, end)),
            ..Function::new(kind, above)
        });
        Ok(self.functions.len() - 1)
    }

    fn inventory(self) -> Inventory {
        let mut notes = Diagnostics::new();
        for branch in &self.branches {
            let what = match branch.bus {
                Some(bus) => format!("bus {:04x}:{:02x}", bus.domain, bus.bus),
                None => "the list of root buses".to_owned(),
            };
            notes.push(
                Diagnostic::warning(
                    CUT,
                    format!("the tree is cut: {what} is not complete, what follows is missing"),
                )
                .at(branch.span, "opens here and never ends")
                .help("copy the whole output of `lspci -tv`"),
            );
        }
        let mut functions = self.functions;
        leave_out_virtual(&mut functions, &mut notes);
        let mut inventory = Inventory {
            format: Format::LspciTree,
            processors: Vec::new(),
            functions,
            gpu_links: Vec::new(),
            notes,
        };
        inventory.prune();
        by_name(&mut inventory);
        inventory
    }
}

/// Says which devices were taken for GPUs and network cards.
fn by_name(inventory: &mut Inventory) {
    for (kind, what) in [(FunctionKind::Gpu, "GPU"), (FunctionKind::Nic, "network card port")] {
        let found: Vec<&Function> =
            inventory.functions.iter().filter(|function| function.kind == kind).collect();
        if found.is_empty() {
            continue;
        }
        let mut names: Vec<String> = Vec::new();
        for function in &found {
            let name = function.model.clone().unwrap_or_else(|| match function.ids {
                Some((vendor, device)) => format!("device {vendor:04x}:{device:04x}"),
                None => "no name".to_owned(),
            });
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let plural = if found.len() == 1 { "" } else { "s" };
        let message = format!(
            "lspci -t tells no classes: {} {what}{plural} told by name ({})",
            found.len(),
            names.join(", ")
        );
        let note = Diagnostic::note("import-names", message).at(found[0].span, "");
        inventory.notes.push(note);
    }
}

/// Where the word at `at` ends: at a blank, a `-` or the end of the line.
fn word_end(line: &str, at: usize) -> usize {
    let rest = &line[at..];
    let end = rest.find(|c: char| c.is_whitespace() || c == '-').unwrap_or(rest.len());
    until(line, at + end.min(40))
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let fits = (1..=digits).contains(&text.len());
    let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (fits && hex).then(|| u32::from_str_radix(text, 16).ok()).flatten()
}
