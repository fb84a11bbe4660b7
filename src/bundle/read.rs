//! A folder to a bundle, or the reason why it is none.

use super::parts::program_count;
use super::{
    BundleError, CATALOG, FORMAT, FileEntry, KERNELS, MANIFEST, Manifest, TOPOLOGY,
    catalog_from_json,
};
use crate::base::Digest;
use crate::catalog::Catalog;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A bundle that agrees with its manifest byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// What the manifest says.
    pub manifest: Manifest,
    /// The topology's text. Whoever parses it compares its digest with the manifest's.
    pub topology_text: String,
    /// The catalog.
    pub catalog: Catalog,
    /// The text of `kernels.cu`.
    pub kernels: String,
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

/// Reads the bundle in the folder `dir`.
///
/// # Errors
/// [`BundleError`] with the file's name when anything is missing, foreign, damaged, of another
/// version, or disagrees with another part.
pub fn read(dir: &Path) -> Result<Bundle, BundleError> {
    let names = entries(dir)?;
    if !names.iter().any(|name| name == MANIFEST) {
        return Err(BundleError::Missing(MANIFEST.to_owned()));
    }
    let manifest_bytes = read_file(dir, MANIFEST)?;
    let manifest = parse_manifest(&manifest_bytes)?;
    let mut contents = BTreeMap::new();
    for entry in &manifest.files {
        if !names.contains(&entry.name) {
            return Err(BundleError::Missing(entry.name.clone()));
        }
        let bytes = read_file(dir, &entry.name)?;
        check_file(entry, &bytes)?;
        contents.insert(entry.name.as_str(), bytes);
    }
    for name in &names {
        if name != MANIFEST && !contents.contains_key(name.as_str()) {
            return Err(BundleError::Foreign(name.clone()));
        }
    }
    let mut take =
        |name: &str| contents.remove(name).ok_or_else(|| BundleError::Missing(name.to_owned()));
    let (topology, catalog, kernels) = (take(TOPOLOGY)?, take(CATALOG)?, take(KERNELS)?);
    if let Some(name) = contents.keys().next() {
        return Err(BundleError::Foreign((*name).to_owned()));
    }
    let catalog_digest = Digest::of(&catalog);
    let catalog = catalog_from_json(&catalog).map_err(|reason| BundleError::Catalog { reason })?;
    check_manifest(&manifest, &manifest_bytes, &catalog, &catalog_digest)?;
    let text = |name: &str, bytes| {
        String::from_utf8(bytes).map_err(|_| BundleError::NotText(name.to_owned()))
    };
    Ok(Bundle {
        topology_text: text(TOPOLOGY, topology)?,
        kernels: text(KERNELS, kernels)?,
        manifest,
        catalog,
    })
}

/// The names in the folder, sorted; anything but a regular file is refused before it is opened.
fn entries(dir: &Path) -> Result<Vec<String>, BundleError> {
    let failed = |error| BundleError::io("read", dir, &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        names.push((entry.file_name().to_string_lossy().into_owned(), kind.is_file()));
    }
    names.sort();
    names
        .into_iter()
        .map(|(name, is_file)| if is_file { Ok(name) } else { Err(BundleError::NotAFile(name)) })
        .collect()
}

fn read_file(dir: &Path, name: &str) -> Result<Vec<u8>, BundleError> {
    let path = dir.join(name);
    fs::read(&path).map_err(|error| BundleError::io("read", path, &error))
}

fn parse_manifest(bytes: &[u8]) -> Result<Manifest, BundleError> {
    let failed = |error: serde_json::Error| BundleError::Manifest(error.to_string());
    // The format decides whether the rest can be understood, so it is looked at alone first.
    let Format { format } = serde_json::from_slice(bytes).map_err(failed)?;
    if format != FORMAT {
        return Err(BundleError::Format(format));
    }
    serde_json::from_slice(bytes).map_err(failed)
}

fn check_file(entry: &FileEntry, bytes: &[u8]) -> Result<(), BundleError> {
    let (found, expected) = (bytes.len() as u64, entry.bytes);
    let file = entry.name.clone();
    if found < expected {
        return Err(BundleError::Truncated { file, found, expected });
    }
    if found > expected {
        return Err(BundleError::TooLong { file, found, expected });
    }
    let (found, expected) = (Digest::of(bytes), entry.digest.clone());
    if found != expected {
        return Err(BundleError::Changed { file, found, expected });
    }
    Ok(())
}

/// What the manifest says beside the files' digests must follow from the files.
fn check_manifest(
    manifest: &Manifest,
    bytes: &[u8],
    catalog: &Catalog,
    catalog_digest: &Digest,
) -> Result<(), BundleError> {
    let fields: [(&'static str, String, String); 7] = [
        ("ranks", manifest.ranks.to_string(), catalog.ranks.to_string()),
        ("topology", manifest.topology.clone(), catalog.topology.clone()),
        ("topology_digest", manifest.topology_digest.to_string(), catalog.digest.to_string()),
        ("catalog_digest", manifest.catalog_digest.to_string(), catalog_digest.to_string()),
        ("programs", manifest.programs.to_string(), program_count(catalog).to_string()),
        ("archs", manifest.archs.join(", "), String::new()),
        ("seal", manifest.seal.to_string(), manifest.expected_seal()?.to_string()),
    ];
    for (field, found, expected) in fields {
        if found != expected {
            return Err(BundleError::ManifestChanged { field, found, expected });
        }
    }
    // What is left is layout: the same manifest is always the same bytes.
    if manifest.to_bytes()? != bytes {
        return Err(BundleError::Manifest("its layout is not the one it was written with".into()));
    }
    Ok(())
}
