//! Demands to files.

use super::npy;
use crate::base::Demand;
use std::fmt::Write as _;

/// The name of the JSON format.
pub(super) const JSON_FORMAT: &str = "variopath-demand/1";

/// The formats of demand files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Rows of comma-separated numbers.
    Csv,
    /// `{"format":"variopath-demand/1","ranks":N,"bytes":[[…],…]}`
    Json,
    /// A NumPy array of unsigned 64-bit integers.
    Npy,
}

impl Format {
    /// The format that a file's suffix names, in either case.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next()?;
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

/// The bytes of a file with this demand; the same demand gives the same bytes.
#[must_use]
pub fn write(demand: &Demand, format: Format) -> Vec<u8> {
    match format {
        Format::Csv => rows(demand).map(|row| row + "\n").collect::<String>().into_bytes(),
        Format::Json => {
            let rows: Vec<String> = rows(demand).map(|row| format!("  [{row}]")).collect();
            let mut out = String::new();
            let _ = write!(
                out,
                "{{\"format\": \"{JSON_FORMAT}\", \"ranks\": {}, \"bytes\": [\n{}\n]}}\n",
                demand.ranks(),
                rows.join(",\n")
            );
            out.into_bytes()
        }
        Format::Npy => npy::write(demand),
    }
}

fn rows(demand: &Demand) -> impl Iterator<Item = String> {
    demand.entries().chunks(demand.ranks().max(1)).map(|row| {
        let cells: Vec<String> = row.iter().map(u64::to_string).collect();
        cells.join(",")
    })
}
