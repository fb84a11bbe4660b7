//! Demands from files.

use super::cell;
use super::fault::{CellFault, Fault};
use super::npy;
use super::write::{Format, JSON_FORMAT};
use crate::base::Demand;
use crate::diagnostics::Diagnostics;
use serde_json::Value;

/// The demand in a file's `bytes`, for `ranks` ranks. The format goes by the suffix of `name`:
/// .csv (row i, column j is what rank i sends to rank j, in bytes; `#` begins a comment line),
/// .json (`{"format":"variopath-demand/1","ranks":N,"bytes":[[…],…]}` or the bare rows) or .npy
/// (little-endian integers in C order).
///
/// # Errors
/// Each names the file and the place: a wrong shape, an entry that is no whole number of bytes, a
/// total above 2^53, or a file that is not of its format.
pub fn read_file(name: &str, bytes: &[u8], ranks: usize) -> Result<Demand, Diagnostics> {
    read(name, bytes, ranks).map_err(|fault| fault.in_file(name))
}

fn read(name: &str, bytes: &[u8], ranks: usize) -> Result<Demand, Fault> {
    // Beside the numbers there may be comments, and the rows of a demand for another machine.
    const BESIDES: usize = 1 << 20;
    const WIDEST_ENTRY: usize = 40;
    if bytes.len() > ranks.saturating_mul(ranks).saturating_mul(WIDEST_ENTRY) + BESIDES {
        return Err(Fault::TooLong { bytes: bytes.len(), ranks });
    }
    match Format::of_name(name).ok_or(Fault::Suffix)? {
        Format::Csv => {
            let (lines, rows) = csv_rows(bytes)?;
            square(rows, ranks, |row| format!("line {}", lines[row]))
        }
        Format::Json => {
            let (stated, rows) = json_rows(bytes)?;
            if let Some(found) = stated.filter(|&found| found != rows.len() as u64) {
                let what = format!("`ranks` says {found}, and `bytes` has {} rows", rows.len());
                return Err(Fault::JsonShape { what });
            }
            square(rows, ranks, |row| format!("row {row}"))
        }
        Format::Npy => square(npy::read(bytes)?, ranks, |row| format!("row {row}")),
    }
}

fn square(
    rows: Vec<Vec<u64>>,
    ranks: usize,
    place: impl Fn(usize) -> String,
) -> Result<Demand, Fault> {
    if rows.is_empty() {
        return Err(Fault::Empty);
    }
    let count = rows.len();
    if let Some(row) = rows.iter().position(|row| row.len() != count) {
        let found = match rows[row].len() {
            1 => "1 number".to_owned(),
            n => format!("{n} numbers"),
        };
        return Err(Fault::Ragged { place: place(row), found, rows: count });
    }
    if count != ranks {
        return Err(Fault::Ranks { found: count, ranks });
    }
    Ok(Demand::new(ranks, rows.concat())?)
}

/// The line number of each row, and the rows.
fn csv_rows(bytes: &[u8]) -> Result<(Vec<u64>, Vec<Vec<u64>>), Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(bytes);
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    let mut counter = LineCounter { bytes, at: 0, line: 1 };
    for record in reader.byte_records() {
        let record = record.map_err(|error| Fault::CsvSyntax {
            line: error.position().map_or(0, csv::Position::line),
            what: error.to_string(),
        })?;
        let start = record.position().map_or(0, csv::Position::byte);
        let line = counter.row_line(usize::try_from(start).unwrap_or(bytes.len()));
        // A line of blanks alone is no row.
        if record.len() == 1 && record[0].trim_ascii().is_empty() {
            continue;
        }
        let mut row = Vec::with_capacity(record.len());
        for (index, text) in record.iter().enumerate() {
            let number = cell::read(&String::from_utf8_lossy(text))
                .map_err(|what| Fault::CsvCell { line, field: index + 1, what })?;
            row.push(number);
        }
        lines.push(line);
        rows.push(row);
    }
    Ok((lines, rows))
}

/// Counts lines up to rows; the reader's own positions stand before the comments and empty lines
/// that it skips.
struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl LineCounter<'_> {
    /// The line, from 1, of the row that is read from `start` on.
    fn row_line(&mut self, start: usize) -> u64 {
        let mut comment = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    comment = false;
                }
                _ if self.at < start || comment || byte == b'\r' => {}
                b'#' => comment = true,
                _ => break,
            }
            self.at += 1;
        }
        self.line
    }
}

/// The number of ranks where it is stated, and the rows.
fn json_rows(bytes: &[u8]) -> Result<(Option<u64>, Vec<Vec<u64>>), Fault> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or("").to_owned();
        Fault::JsonSyntax { line: error.line(), column: error.column(), what }
    })?;
    let shape = |what: String| Fault::JsonShape { what };
    let (stated, rows) = match &document {
        Value::Array(rows) => (None, rows),
        Value::Object(fields) => {
            match fields.get("format").and_then(Value::as_str) {
                Some(JSON_FORMAT) => {}
                Some(other) => {
                    return Err(shape(format!("`format` is \"{other}\", not \"{JSON_FORMAT}\"")));
                }
                None => return Err(shape(format!("`format` is missing: \"{JSON_FORMAT}\""))),
            }
            if let Some(key) =
                fields.keys().find(|key| !["format", "ranks", "bytes"].contains(&key.as_str()))
            {
                return Err(shape(format!("unknown field `{key}`")));
            }
            let stated = fields
                .get("ranks")
                .map(|ranks| {
                    ranks.as_u64().ok_or_else(|| shape("`ranks` is not a whole number".to_owned()))
                })
                .transpose()?;
            let rows = fields
                .get("bytes")
                .and_then(Value::as_array)
                .ok_or_else(|| shape("`bytes` is not an array of rows".to_owned()))?;
            (stated, rows)
        }
        _ => return Err(shape("a demand is an array of rows, or an object with one".to_owned())),
    };
    let mut matrix = Vec::new();
    for (row, cells) in rows.iter().enumerate() {
        let cells = cells.as_array().ok_or_else(|| shape(format!("row {row} is not an array")))?;
        let mut numbers = Vec::with_capacity(cells.len());
        for (column, value) in cells.iter().enumerate() {
            let number = match value {
                Value::Number(number) => cell::read(&number.to_string()),
                other => Err(CellFault::NotANumber(other.to_string().chars().take(40).collect())),
            };
            numbers.push(number.map_err(|what| Fault::Cell { row, column, what })?);
        }
        matrix.push(numbers);
    }
    Ok((stated, matrix))
}
