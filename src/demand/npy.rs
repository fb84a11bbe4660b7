//! NumPy's array files, as far as integer matrices need them.

use super::fault::{CellFault, Fault};
use crate::base::{Demand, MAX_TOTAL_BYTES};

const MAGIC: &[u8] = b"\x93NUMPY";

fn fault(what: impl Into<String>) -> Fault {
    Fault::Npy { what: what.into() }
}

/// The rows of a two-dimensional array of integers.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Vec<u64>>, Fault> {
    let cut = || fault("the file ends inside its header");
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| fault("not a .npy file: no magic"))?;
    let (&[major, _], rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let (length, rest) = match major {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err(fault(format!("version {major} of .npy is not supported, only 1 and 2"))),
    };
    if rest.len() < length {
        return Err(cut());
    }
    let (header, data) = rest.split_at(length);
    let header = std::str::from_utf8(header).map_err(|_| fault("the header is not text"))?;
    let (rows, columns) = shape(header)?;
    let width = width(header)?;
    let cells = rows.checked_mul(columns).and_then(|cells| cells.checked_mul(width.bytes));
    if cells != Some(data.len()) {
        return Err(fault(format!(
            "the header says {rows} x {columns} numbers of {} bytes, and {} bytes follow",
            width.bytes,
            data.len()
        )));
    }
    if columns == 0 || rows == 0 {
        return Err(Fault::Empty);
    }
    let mut matrix = Vec::new();
    for (row, line) in data.chunks(columns * width.bytes).enumerate() {
        let mut numbers = Vec::with_capacity(columns);
        for (column, cell) in line.chunks(width.bytes).enumerate() {
            let number = width.number(cell).map_err(|what| Fault::Cell { row, column, what })?;
            numbers.push(number);
        }
        matrix.push(numbers);
    }
    Ok(matrix)
}

/// What stands behind a key of the header's dictionary.
fn entry<'a>(header: &'a str, key: &str) -> Result<&'a str, Fault> {
    [format!("'{key}':"), format!("\"{key}\":")]
        .iter()
        .find_map(|quoted| header.split_once(quoted.as_str()))
        .map(|(_, rest)| rest.trim_start())
        .ok_or_else(|| fault(format!("the header has no `{key}`")))
}

fn shape(header: &str) -> Result<(usize, usize), Fault> {
    if !entry(header, "fortran_order")?.starts_with("False") {
        return Err(fault("the array is in Fortran order; save it in C order"));
    }
    let text = entry(header, "shape")?;
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(|| fault("the header's `shape` is no tuple"))?
        .0;
    let sizes: Option<Vec<usize>> =
        inner.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[rows, columns]) => Ok((rows, columns)),
        _ => Err(fault(format!(
            "the array has the shape ({inner}), and a demand has two dimensions"
        ))),
    }
}

struct Width {
    bytes: usize,
    signed: bool,
}

fn width(header: &str) -> Result<Width, Fault> {
    let text = entry(header, "descr")?;
    let refused = |name: &str| {
        fault(format!(
            "the element type {name} is not supported: bytes are little-endian integers of 1, 2, 4 or 8 bytes"
        ))
    };
    let name = match text.chars().next() {
        Some(quote @ ('\'' | '"')) => text[1..].split(quote).next().unwrap_or(""),
        _ => return Err(refused("of a record")),
    };
    let (order, kind) = name.split_at_checked(1).ok_or_else(|| refused("``"))?;
    let bytes = match kind {
        "u1" | "i1" => 1,
        "u2" | "i2" => 2,
        "u4" | "i4" => 4,
        "u8" | "i8" => 8,
        _ => return Err(refused(&format!("`{name}`"))),
    };
    match order {
        "<" => {}
        "|" if bytes == 1 => {}
        _ => return Err(refused(&format!("`{name}`"))),
    }
    Ok(Width { bytes, signed: kind.starts_with('i') })
}

impl Width {
    fn number(&self, cell: &[u8]) -> Result<u64, CellFault> {
        let negative = self.signed && cell.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide[..cell.len()].copy_from_slice(cell);
        if negative {
            return Err(CellFault::Negative(i64::from_le_bytes(wide).to_string()));
        }
        let number = u64::from_le_bytes(wide);
        if number > MAX_TOTAL_BYTES {
            return Err(CellFault::TooLarge(number.to_string()));
        }
        Ok(number)
    }
}

/// The file of a demand: version 1.0, unsigned 64-bit, C order, data at a multiple of 64 bytes.
pub(super) fn write(demand: &Demand) -> Vec<u8> {
    let ranks = demand.ranks();
    let mut header =
        format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({ranks}, {ranks}), }}");
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    // Two numbers of at most 20 digits: the header stays far below 2^16 bytes.
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    for entry in demand.entries() {
        out.extend(entry.to_le_bytes());
    }
    out
}
