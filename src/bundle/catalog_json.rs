//! The catalog as the bundle stores it.

use crate::catalog::Catalog;
use serde::{Deserialize, Serialize};

/// The `format` field of `catalog.json`.
pub const CATALOG_FORMAT: &str = "variopath-catalog/1";

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    #[serde(flatten)]
    catalog: &'a Catalog,
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

/// The bytes of `catalog.json`: fields in the order of their declaration, a newline at the end.
///
/// # Errors
/// None in practice: a catalog has only strings, numbers and lists.
pub fn catalog_json(catalog: &Catalog) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(&Written { format: CATALOG_FORMAT, catalog })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The catalog in the bytes of `catalog.json`.
///
/// # Errors
/// What is wrong with them, in words: no JSON, another format, a field missing or mistyped.
pub fn catalog_from_json(bytes: &[u8]) -> Result<Catalog, String> {
    let Format { format } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if format != CATALOG_FORMAT {
        return Err(format!("its format is `{format}`, this version reads `{CATALOG_FORMAT}`"));
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}
