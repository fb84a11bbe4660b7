//! What a bundle consists of, and the manifest that vouches for it.

use super::ProgramTable;
use crate::base::Digest;
use crate::catalog::Catalog;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The manifest's format.
pub const FORMAT: &str = "variopath-bundle/1";
/// The catalog file's format.
pub(super) const CATALOG_FORMAT: &str = "variopath-catalog/1";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const TOPOLOGY: &str = "topology.topo";
pub(super) const CATALOG: &str = "catalog.json";
pub(super) const KERNELS: &str = "kernels.cu";

/// What goes into a bundle.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The resolved topology text.
    pub topology_text: String,
    /// The catalog of that topology.
    pub catalog: Catalog,
    /// The text of `kernels.cu`.
    pub kernels: String,
    /// The programs compiled into it.
    pub programs: ProgramTable,
}

/// The bundle's table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// The version of the tool that wrote the bundle.
    pub tool: String,
    /// The topology's name.
    pub topology: String,
    /// The topology's digest, without comments, origins and layout.
    pub digest: Digest,
    /// The number of ranks.
    pub ranks: u32,
    /// Architectures with a binary in the bundle.
    pub archs: Vec<String>,
    /// The setting that plans are made for.
    pub setting: String,
    /// The number of channel programs in the kernels.
    pub programs: u32,
    /// Every other file, by name.
    pub files: BTreeMap<String, FileEntry>,
}

/// One file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Digest,
}

/// The catalog as a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CatalogFile {
    pub(super) format: String,
    #[serde(flatten)]
    pub(super) catalog: Catalog,
}

impl Manifest {
    /// The manifest of these parts. The same parts give the same manifest.
    #[must_use]
    pub fn of(parts: &Parts) -> Self {
        let files = contents(parts)
            .into_iter()
            .map(|(name, bytes)| {
                let entry =
                    FileEntry { bytes: bytes.len() as u64, sha256: Digest::of(&bytes) };
                (name.to_owned(), entry)
            })
            .collect();
        Self {
            format: FORMAT.to_owned(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            topology: parts.catalog.topology.clone(),
            digest: parts.catalog.digest.clone(),
            ranks: parts.catalog.ranks,
            archs: Vec::new(),
            setting: "ideal".to_owned(),
            programs: u32::try_from(parts.programs.programs.len()).unwrap_or(u32::MAX),
            files,
        }
    }
}

/// The bytes of every file but the manifest.
pub(super) fn contents(parts: &Parts) -> [(&'static str, Vec<u8>); 3] {
    let catalog =
        CatalogFile { format: CATALOG_FORMAT.to_owned(), catalog: parts.catalog.clone() };
    [
        (CATALOG, json_bytes(&catalog)),
        (KERNELS, parts.kernels.clone().into_bytes()),
        (TOPOLOGY, parts.topology_text.clone().into_bytes()),
    ]
}

/// JSON as a text file: one line an entry of the first level would be unreadable for large catalogs
/// and unstable for none, so the compact form is broken after each top-level field.
pub(super) fn json_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let value = serde_json::to_value(value).expect("these types always serialise");
    let serde_json::Value::Object(fields) = value else {
        unreachable!("documents are objects");
    };
    let lines: Vec<String> = fields
        .iter()
        .map(|(name, field)| match field {
            // A long table gets a line an entry, so that a difference shows where it is.
            serde_json::Value::Array(entries) if entries.len() > 1 => {
                let entries: Vec<String> =
                    entries.iter().map(|entry| format!("    {entry}")).collect();
                format!("  \"{name}\": [\n{}\n  ]", entries.join(",\n"))
            }
            _ => format!("  \"{name}\": {field}"),
        })
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n")).into_bytes()
}
