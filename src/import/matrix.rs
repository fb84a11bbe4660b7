//! The matrix of `nvidia-smi topo -m`: text to checked cells.

use super::fault::Fault;
use super::format::{is_header, is_peer_row};
use super::label::PairLabel;
use super::scan::{Line, Word, gpu_number, is_nic_name, words};
use crate::base::{SourceId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// A symmetric matrix with `X` on its diagonal and nowhere else.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The devices in the order of the columns, GPUs first.
    pub devices: Vec<MatrixDevice>,
    /// How many of them are GPUs.
    pub gpus: usize,
    /// Row by row.
    pub labels: Vec<Vec<PairLabel>>,
    /// The place of each label.
    pub spans: Vec<Vec<Span>>,
}

/// One device of the matrix.
#[derive(Debug, Clone)]
pub struct MatrixDevice {
    /// `GPU0`, `NIC0`, `mlx5_0`.
    pub name: String,
    /// The name that the legend gives (`NIC0: mlx5_0`).
    pub legend: Option<String>,
    /// Its name in the header.
    pub span: Span,
    /// `CPU Affinity`; `None` where the column is missing, empty or says N/A.
    pub cpus: Option<String>,
    /// `NUMA Affinity`, likewise.
    pub numa: Option<String>,
    /// `GPU NUMA ID`, likewise.
    pub gpu_numa: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Cpus,
    Numa,
    GpuNuma,
}

struct Header {
    devices: Vec<Word>,
    /// Each with the visible column it starts at.
    affinities: Vec<(Affinity, usize)>,
}

/// Reads the matrix whose header is line `at`.
///
/// # Errors
/// Every fault of the header, else of the rows, else of the symmetry.
pub fn parse(lines: &[Line], at: usize, source: SourceId) -> Result<Matrix, Diagnostics> {
    let header = header(&lines[at], source)?;
    let names: Vec<&str> = header.devices.iter().map(|word| word.text.as_str()).collect();
    let mut faults = Diagnostics::new();
    let mut matrix = Matrix {
        devices: header.devices.iter().map(|word| device(word, source)).collect(),
        gpus: names.iter().filter(|name| gpu_number(name).is_some()).count(),
        labels: Vec::new(),
        spans: Vec::new(),
    };
    let mut next = at + 1;
    let mut rows = 0;
    while let Some(line) = lines.get(next).filter(|_| rows < names.len()) {
        next += 1;
        let Some(first) = line.words.first() else { continue };
        if first.text != names[rows] {
            if names.contains(&first.text.as_str()) && line.words.len() > 1 && !is_header(line) {
                let (found, expected) = (first.text.clone(), names[rows].to_string());
                faults.push(Fault::RowOrder { found, expected }.at(Some(first.span(source))));
                return Err(faults);
            }
            break;
        }
        row(line, rows, &names, &header, source, &mut matrix, &mut faults);
        rows += 1;
    }
    if rows < names.len() {
        let missing = names[rows..].iter().map(ToString::to_string).collect();
        let fault = Fault::MissingRows { found: rows, missing };
        faults.push(fault.at(Some(lines[at].span(source))));
    }
    behind(&lines[next.min(lines.len())..], source, &mut matrix, &mut faults);
    if !faults.has_errors() {
        check(&matrix, &mut faults);
    }
    if faults.has_errors() { Err(faults) } else { Ok(matrix) }
}

fn device(word: &Word, source: SourceId) -> MatrixDevice {
    MatrixDevice {
        name: word.text.clone(),
        legend: None,
        span: word.span(source),
        cpus: None,
        numa: None,
        gpu_numa: None,
    }
}

fn header(line: &Line, source: SourceId) -> Result<Header, Diagnostics> {
    let mut header = Header { devices: Vec::new(), affinities: Vec::new() };
    let mut faults = Diagnostics::new();
    let mut seen = BTreeSet::new();
    let mut gpus_ended = false;
    let mut index = 0;
    while let Some(word) = line.words.get(index) {
        let affinity = match (line.word(index), line.word(index + 1), line.word(index + 2)) {
            ("CPU", "Affinity", _) => Some((Affinity::Cpus, 2)),
            ("NUMA", "Affinity", _) => Some((Affinity::Numa, 2)),
            ("GPU", "NUMA", "ID") => Some((Affinity::GpuNuma, 3)),
            _ => None,
        };
        let is_gpu = gpu_number(&word.text).is_some();
        if let Some((affinity, width)) = affinity {
            header.affinities.push((affinity, word.column));
            index += width;
            continue;
        }
        // GPUs stand first, then cards, then affinities; anything else is no column that is known.
        let known = is_gpu && !gpus_ended || is_nic_name(&word.text);
        if !known || !header.affinities.is_empty() {
            faults.push(Fault::UnknownColumn(word.text.clone()).at(Some(word.span(source))));
        } else if seen.insert(word.text.as_str()) {
            header.devices.push(word.clone());
        } else {
            faults.push(Fault::RepeatedColumn(word.text.clone()).at(Some(word.span(source))));
        }
        gpus_ended |= !is_gpu;
        index += 1;
    }
    if faults.has_errors() { Err(faults) } else { Ok(header) }
}

fn row(
    line: &Line,
    at: usize,
    names: &[&str],
    header: &Header,
    source: SourceId,
    matrix: &mut Matrix,
    faults: &mut Diagnostics,
) {
    let cells = &line.words[1..line.words.len().min(names.len() + 1)];
    let mut labels = Vec::new();
    for (cell, column) in cells.iter().zip(names) {
        let Some(label) = PairLabel::from_word(&cell.text) else {
            let fault = Fault::UnknownLabel {
                cell: cell.text.clone(),
                row: names[at].to_string(),
                column: (*column).to_string(),
            };
            faults.push(fault.at(Some(cell.span(source))));
            continue;
        };
        labels.push(label);
    }
    if cells.len() < names.len() {
        let fault = Fault::ShortRow {
            row: names[at].to_string(),
            found: cells.len(),
            expected: names.len(),
        };
        faults.push(fault.at(Some(line.span(source))));
    } else if let Some(last) = cells.last() {
        affinities(line, last.column_end, header, source, &mut matrix.devices[at], faults);
    }
    matrix.labels.push(labels);
    matrix.spans.push(cells.iter().map(|cell| cell.span(source)).collect());
}

/// The cells behind the labels. Between tabs they may be empty; in columns aligned by spaces an
/// empty cell only shows by the place of the others.
fn affinities(
    line: &Line,
    from: usize,
    header: &Header,
    source: SourceId,
    device: &mut MatrixDevice,
    faults: &mut Diagnostics,
) {
    let tail = &line.visible[from..];
    let found = words(tail, from);
    let columns = &header.affinities;
    if found.is_empty() {
        return;
    }
    let mut cells: Vec<Option<Word>> = Vec::new();
    if tail.iter().any(|(_, character)| *character == '\t') {
        let mut start = 0;
        for part in tail.split(|(_, character)| *character == '\t') {
            let mut inside = words(part, from + start);
            start += part.len() + 1;
            cells.push(if inside.is_empty() { None } else { Some(inside.remove(0)) });
            cells.extend(inside.into_iter().map(Some));
        }
        // What stands before the first tab belongs to the labels.
        if cells.first().is_some_and(Option::is_none) {
            cells.remove(0);
        }
        while cells.len() > columns.len() && cells.last().is_some_and(Option::is_none) {
            cells.pop();
        }
        // Two tabs stand before GPU NUMA ID.
        if cells.len() == columns.len() + 1 && cells.len() > 1 && cells[cells.len() - 2].is_none() {
            cells.remove(cells.len() - 2);
        }
    } else if found.len() >= columns.len() {
        cells = found.into_iter().map(Some).collect();
    } else {
        cells.resize(columns.len(), None);
        for word in found {
            let near = columns.iter().enumerate().min_by_key(|(_, c)| c.1.abs_diff(word.column));
            if let Some((index, _)) = near {
                cells[index] = Some(word);
            }
        }
    }
    if let Some(cell) = cells.iter().skip(columns.len()).flatten().next() {
        let fault = Fault::LongRow { row: device.name.clone(), cell: cell.text.clone() };
        faults.push(fault.at(Some(cell.span(source))));
        return;
    }
    for ((affinity, _), cell) in columns.iter().zip(cells) {
        let text = cell.map(|word| word.text).filter(|text| text != "N/A");
        match affinity {
            Affinity::Cpus => device.cpus = text,
            Affinity::Numa => device.numa = text,
            Affinity::GpuNuma => device.gpu_numa = text,
        }
    }
}

/// The legend of the cards, and other matrices.
fn behind(lines: &[Line], source: SourceId, matrix: &mut Matrix, faults: &mut Diagnostics) {
    for (index, line) in lines.iter().enumerate() {
        if let [name, full] = line.words.as_slice()
            && let Some(name) = name.text.strip_suffix(':')
            && let Some(device) =
                matrix.devices[matrix.gpus..].iter_mut().find(|device| device.name == name)
        {
            device.legend = Some(full.text.clone());
        }
        if is_header(line)
            && let Some(row) = lines[index + 1..].iter().find(|line| !line.words.is_empty())
            && !is_peer_row(row)
            && row.word(0) == line.word(0)
        {
            faults.push(Fault::SecondMatrix.at(Some(line.span(source))));
        }
    }
}

fn check(matrix: &Matrix, faults: &mut Diagnostics) {
    let name = |index: usize| matrix.devices[index].name.clone();
    let tell = |fault: Fault, span: Span| -> Diagnostic { fault.at(Some(span)) };
    for row in 0..matrix.devices.len() {
        for column in 0..matrix.devices.len() {
            let (label, back) = (matrix.labels[row][column], matrix.labels[column][row]);
            let span = matrix.spans[row][column];
            if (label == PairLabel::Own) != (row == column) {
                let fault = Fault::Diagonal { row: name(row), column: name(column), label };
                faults.push(tell(fault, span));
            } else if row < column && label != back && back != PairLabel::Own {
                let fault = Fault::Asymmetric { row: name(row), column: name(column), label, back };
                let there = format!("{} to {}", name(row), name(column));
                let mut diagnostic = tell(fault, span);
                diagnostic.labels = vec![
                    (span, there),
                    (matrix.spans[column][row], format!("{} to {}", name(column), name(row))),
                ];
                faults.push(diagnostic);
            }
        }
    }
}
