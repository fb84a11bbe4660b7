//! Text to matrices: titles, headers, rows, devices, access between peers.

use super::fault::Fault;
use crate::base::{BytesPerSecond, Mode, SourceId, Span};
use crate::diagnostics::Diagnostics;
use crate::import::scan::{Line, Word, gpu_number};
use crate::measured::{Device, Direction, MAX_DEVICES, MAX_RATE};
use std::collections::BTreeMap;

/// What the text says, before anything is concluded.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Devices by number, each with its place.
    pub(super) devices: BTreeMap<usize, (Device, Span)>,
    /// Whether a device (first) reaches the memory of another.
    pub(super) access: BTreeMap<(usize, usize), bool>,
    /// The matrices of rates.
    pub(super) matrices: Vec<Matrix>,
}

/// A matrix of rates.
#[derive(Debug)]
pub(super) struct Matrix {
    /// What its title says; `None` without one.
    pub(super) title: Option<Bandwidth>,
    /// The number of columns.
    pub(super) size: usize,
    /// The place of the title, else of the header.
    pub(super) span: Span,
    /// The line of that place, from 1.
    pub(super) line: usize,
    /// What was measured, off the diagonal; the place of each. The other cells are unknown.
    pub(super) cells: BTreeMap<(usize, usize), (BytesPerSecond, Span)>,
}

/// What a title says of its matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bandwidth {
    pub(super) direction: Direction,
    /// Whether the tool turned peer access on.
    pub(super) peer: bool,
    /// `(P2P Writes)` or `(P2P Reads)`.
    pub(super) mode: Option<Mode>,
}

#[derive(Debug, Clone, Copy)]
enum Title {
    Connectivity,
    Latency,
    Bandwidth(Bandwidth),
}

/// Cells that stand for no measurement.
const NOTHING: [&str; 11] = ["—", "–", "-", "--", "N/A", "NA", "X", "x", "nan", "-nan", "inf"];

/// Whether a line names the columns of a matrix of rates, in the style of p2pBandwidthLatencyTest
/// (`D\D 0 1 …`) or of hand-made ones (`Dst→ GPU0 GPU1 …`).
pub(in crate::import) fn is_header(line: &Line) -> bool {
    let corner = line.word(0);
    let names = corner.contains('\\')
        || corner.contains('→')
        || corner.contains("->")
        || corner.eq_ignore_ascii_case("dst")
        || corner.eq_ignore_ascii_case("src");
    names && line.words.len() > 1 && line.words[1..].iter().all(|word| label(word).is_some())
}

/// The device that a header or row names: `3`, `GPU3`, `GPU3:`.
fn label(word: &Word) -> Option<usize> {
    let text = word.text.trim_end_matches(':');
    let number = gpu_number(text).or_else(|| {
        let digits = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    })?;
    Some(number as usize)
}

/// Reads every line; those that say nothing of measurements are passed over.
pub(super) fn parse(lines: &[Line], source: SourceId) -> (Output, Diagnostics) {
    let mut parser =
        Parser { source, lines, output: Output::default(), faults: Diagnostics::new() };
    let mut title = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if line.word(0) == "Device:" {
            parser.device(line);
        } else if let Some((from, to, can)) = access(line) {
            parser.output.access.insert((from, to), can);
        } else if let Some(found) = parser.title(line) {
            title = Some((found, at - 1));
        } else if is_header(line) {
            match title {
                Some((Title::Latency, _)) => {}
                Some((Title::Connectivity, _)) => {
                    at = parser.connectivity(at);
                    title = None;
                }
                Some((Title::Bandwidth(bandwidth), above)) => {
                    at = parser.matrix(at, Some(bandwidth), above);
                    title = None;
                }
                None => at = parser.matrix(at, None, at - 1),
            }
        }
    }
    (parser.output, parser.faults)
}

/// `Device=0 CAN Access Peer Device=1`
fn access(line: &Line) -> Option<(usize, usize, bool)> {
    let number = |word: &str| word.strip_prefix("Device=")?.parse::<usize>().ok();
    let can = match line.word(1) {
        "CAN" => true,
        "CANNOT" => false,
        _ => return None,
    };
    Some((number(line.word(0))?, number(line.word(4))?, can))
}

struct Parser<'a> {
    source: SourceId,
    lines: &'a [Line],
    output: Output,
    faults: Diagnostics,
}

impl Parser<'_> {
    fn title(&mut self, line: &Line) -> Option<Title> {
        let has = |text: &str| line.words.iter().any(|word| word.text == text);
        if !has("Matrix") {
            return None;
        }
        if has("Connectivity") {
            return Some(Title::Connectivity);
        }
        if has("Latency") {
            return Some(Title::Latency);
        }
        let direction = match line.word(0) {
            "Unidirectional" => Direction::Unidirectional,
            "Bidirectional" => Direction::Bidirectional,
            _ => return None,
        };
        let peer = match line.word(1) {
            "P2P=Enabled" => true,
            "P2P=Disabled" => false,
            _ => return None,
        };
        if !has("(GB/s)") {
            self.faults.push(Fault::Unit.at(line.span(self.source)));
        }
        let mode = if has("Writes)") {
            Some(Mode::Push)
        } else if has("Reads)") {
            Some(Mode::Pull)
        } else {
            None
        };
        Some(Title::Bandwidth(Bandwidth { direction, peer, mode }))
    }

    /// `Device: 0, NVIDIA H100 PCIe, pciBusID: c2, pciDeviceID: 0, pciDomainID:0`, in hexadecimal.
    fn device(&mut self, line: &Line) {
        let text: String = line.visible.iter().map(|(_, c)| *c).collect();
        let span = line.span(self.source);
        let Some((number, device)) = device(text.trim()) else {
            self.faults.push(Fault::Device.at(span));
            return;
        };
        let twice = self.output.devices.values().any(|(other, _)| other.bus == device.bus);
        if let Some(bus) = device.bus.filter(|_| twice) {
            self.faults.push(Fault::BusTwice { bus }.at(span));
        }
        if self.output.devices.insert(number, (device, span)).is_some() {
            self.faults.push(Fault::Repeated.at(span));
        }
    }

    /// The columns of the header at line `at`: their number.
    fn columns(&mut self, at: usize) -> Option<usize> {
        let words = &self.lines[at].words[1..];
        let wrong = (0..).zip(words).find(|(expected, word)| label(word) != Some(*expected));
        if let Some((expected, word)) = wrong {
            let fault = Fault::Columns { found: word.text.clone(), expected };
            self.faults.push(fault.at(word.span(self.source)));
            return None;
        }
        (words.len() <= MAX_DEVICES).then_some(words.len())
    }

    /// The rows below, each with its number, and the line behind them. Empty lines do not matter; a
    /// matrix that was cut off has fewer rows.
    fn rows(&self, from: usize, size: usize) -> (Vec<(usize, usize)>, usize) {
        let (mut rows, mut at) = (Vec::new(), from);
        for (index, line) in self.lines.iter().enumerate().skip(from) {
            let Some(first) = line.words.first() else { continue };
            if rows.len() == size || label(first) != Some(rows.len()) {
                break;
            }
            rows.push((rows.len(), index));
            at = index + 1;
        }
        (rows, at)
    }

    fn connectivity(&mut self, from: usize) -> usize {
        let Some(size) = self.columns(from - 1) else { return from };
        let (rows, behind) = self.rows(from, size);
        for (row, line) in rows {
            let line = &self.lines[line];
            for (column, word) in line.words.iter().skip(1).take(size).enumerate() {
                if row != column && (word.text == "1" || word.text == "0") {
                    self.output.access.insert((row, column), word.text == "1");
                }
            }
        }
        behind
    }

    fn matrix(&mut self, from: usize, title: Option<Bandwidth>, above: usize) -> usize {
        let Some(size) = self.columns(from - 1) else { return from };
        let span = self.lines[above].span(self.source);
        let (rows, behind) = self.rows(from, size);
        let mut cells = BTreeMap::new();
        for (row, line) in rows {
            let line = &self.lines[line];
            if let Some(word) = line.words.get(size + 1) {
                let fault = Fault::LongRow { row, cell: word.text.clone() };
                self.faults.push(fault.at(word.span(self.source)));
                continue;
            }
            for (column, word) in line.words.iter().skip(1).enumerate() {
                if row == column || NOTHING.contains(&word.text.as_str()) {
                    continue;
                }
                let span = word.span(self.source);
                match rate(&word.text) {
                    Ok(rate) => drop(cells.insert((row, column), (rate, span))),
                    Err(why) => {
                        let cell = word.text.chars().take(40).collect();
                        self.faults.push(Fault::Cell { cell, why }.at(span));
                    }
                }
            }
        }
        self.output.matrices.push(Matrix { title, size, span, line: above + 1, cells });
        behind
    }
}

fn device(text: &str) -> Option<(usize, Device)> {
    let rest = text.strip_prefix("Device:")?;
    let (number, rest) = rest.split_once(',')?;
    let (name, rest) = rest.rsplit_once(", pciBusID:")?;
    let (bus, rest) = rest.split_once(", pciDeviceID:")?;
    let (device, domain) = rest.split_once(", pciDomainID:")?;
    let hex = |text: &str| u32::from_str_radix(text.trim(), 16).ok();
    let (domain, bus, device) = (hex(domain)?, hex(bus)?, hex(device)?);
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let bus = format!("{domain:x}:{bus:x}:{device:x}.0").parse().ok()?;
    Some((number.trim().parse().ok()?, Device { name, bus: Some(bus) }))
}

/// A decimal number of GB/s, exactly.
fn rate(text: &str) -> Result<BytesPerSecond, &'static str> {
    if text.starts_with('-') {
        return Err("it is negative");
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) {
        return Err("it is no decimal number");
    }
    // Digits behind the ninth count less than a byte a second.
    let nanos = format!("{part:0<9}");
    let bytes = format!("{whole}{}", &nanos[..9]).parse::<u64>().ok();
    match bytes.filter(|&bytes| bytes <= 2 * MAX_RATE.0) {
        Some(0) => Err("nothing passes at 0 GB/s"),
        Some(bytes) => Ok(BytesPerSecond(bytes)),
        None => Err("it is more than 10 TB/s each way"),
    }
}
