//! Text to matrices of peer access.

use crate::base::{Mode, SourceId, Span};
use crate::diagnostics::Diagnostics;
use crate::import::fault::Fault;
use crate::import::format::{is_header, is_peer_row};
use crate::import::scan::{Line, gpu_number};
use std::collections::BTreeSet;

/// What one cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerStatus {
    /// `X`: the GPU itself.
    Own,
    /// `OK`
    Access,
    /// The chipset (`CNS`), the GPU (`GNS`), the topology (`TNS`), the driver's registry (`DR`) or
    /// something else (`NS`) does not allow it.
    Refused(&'static str),
    /// `U`
    Unknown,
}

/// One matrix.
#[derive(Debug, Clone)]
pub struct PeerMatrix {
    /// The mode it was asked for, where the command stands above it: `r` is pull, `w` push; nothing
    /// for both or where the dump does not tell.
    pub mode: Option<Mode>,
    /// Names of the GPUs.
    pub gpus: Vec<String>,
    /// Row by row: what the row's GPU may do with the column's memory.
    pub status: Vec<Vec<PeerStatus>>,
    /// The place of each cell.
    pub spans: Vec<Vec<Span>>,
    /// The header.
    pub span: Span,
}

impl PeerStatus {
    /// As nvidia-smi writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "X",
            Self::Access => "OK",
            Self::Refused(why) => why,
            Self::Unknown => "U",
        }
    }
}

impl PeerMatrix {
    /// The words of all pairs, each once.
    pub fn states(&self) -> Vec<&'static str> {
        let all = self.status.iter().flatten().filter(|status| **status != PeerStatus::Own);
        let words: BTreeSet<&str> = all.map(|status| status.word()).collect();
        words.into_iter().collect()
    }
}

/// All matrices of peer access among `lines`.
///
/// # Errors
/// Unknown cells, rows that are missing, too short or too long.
pub fn matrices(lines: &[Line], source: SourceId) -> Result<Vec<PeerMatrix>, Diagnostics> {
    let mut found = Vec::new();
    let mut faults = Diagnostics::new();
    let mut asked = Asked::Both;
    for (index, line) in lines.iter().enumerate() {
        if let Some(now) = command(line) {
            asked = now;
            continue;
        }
        let next = lines[index + 1..].iter().position(|line| !line.words.is_empty());
        let Some(row) = next.map(|skip| index + 1 + skip) else { break };
        if !is_header(line) || !is_peer_row(&lines[row]) {
            continue;
        }
        match asked {
            Asked::Mode(mode) => {
                found.push(matrix(line, &lines[row..], Some(mode), source, &mut faults))
            }
            Asked::Both => found.push(matrix(line, &lines[row..], None, source, &mut faults)),
            // Atomics, NVLink and properties say nothing about copies over PCIe.
            Asked::Other => {}
        }
        asked = Asked::Both;
    }
    if faults.has_errors() { Err(faults) } else { Ok(found) }
}

#[derive(Debug, Clone, Copy)]
enum Asked {
    Both,
    Mode(Mode),
    Other,
}

/// What a line `$ nvidia-smi topo -p2p r` asked for.
fn command(line: &Line) -> Option<Asked> {
    let words: Vec<&str> = line.words.iter().map(|word| word.text.as_str()).collect();
    let at = words.iter().position(|word| matches!(*word, "-p2p" | "--p2p"))?;
    Some(match *words.get(at + 1)? {
        "r" => Asked::Mode(Mode::Pull),
        "w" => Asked::Mode(Mode::Push),
        "rw" | "wr" => Asked::Both,
        _ => Asked::Other,
    })
}

fn matrix(
    header: &Line,
    rows: &[Line],
    mode: Option<Mode>,
    source: SourceId,
    faults: &mut Diagnostics,
) -> PeerMatrix {
    let names = header.words.iter().filter(|word| gpu_number(&word.text).is_some());
    let gpus: Vec<String> = names.map(|word| word.text.clone()).collect();
    let span = header.span(source);
    let mut matrix = PeerMatrix { mode, status: Vec::new(), spans: Vec::new(), span, gpus };
    let rows = rows.iter().filter(|line| !line.words.is_empty()).take(matrix.gpus.len());
    for (at, line) in rows.enumerate() {
        let expected = &matrix.gpus[at];
        if line.word(0) != expected {
            break;
        }
        let cells = &line.words[1..];
        if cells.len() < matrix.gpus.len() {
            let (row, found, expected) = (expected.clone(), cells.len(), matrix.gpus.len());
            faults.push(Fault::ShortRow { row, found, expected }.at(Some(line.span(source))));
        } else if let Some(cell) = cells.get(matrix.gpus.len()) {
            let fault = Fault::LongRow { row: expected.clone(), cell: cell.text.clone() };
            faults.push(fault.at(Some(cell.span(source))));
        }
        let mut status = Vec::new();
        for (column, cell) in matrix.gpus.iter().zip(cells) {
            let known = status_of(&cell.text)
                .filter(|known| (*known == PeerStatus::Own) == (column == expected));
            if let Some(known) = known {
                status.push(known);
                continue;
            }
            let (cell_text, row) = (cell.text.clone(), expected.clone());
            let fault = Fault::UnknownStatus { cell: cell_text, row, column: column.clone() };
            faults.push(fault.at(Some(cell.span(source))));
        }
        matrix.status.push(status);
        matrix.spans.push(cells.iter().map(|cell| cell.span(source)).collect());
    }
    if matrix.status.len() < matrix.gpus.len() {
        let missing = matrix.gpus[matrix.status.len()..].to_vec();
        let fault = Fault::MissingRows { found: matrix.status.len(), missing };
        faults.push(fault.at(Some(header.span(source))));
    }
    matrix
}

fn status_of(word: &str) -> Option<PeerStatus> {
    Some(match word {
        "X" => PeerStatus::Own,
        "OK" => PeerStatus::Access,
        "U" => PeerStatus::Unknown,
        "CNS" => PeerStatus::Refused("CNS"),
        "GNS" => PeerStatus::Refused("GNS"),
        "TNS" => PeerStatus::Refused("TNS"),
        "NS" => PeerStatus::Refused("NS"),
        "DR" => PeerStatus::Refused("DR"),
        _ => return None,
    })
}
