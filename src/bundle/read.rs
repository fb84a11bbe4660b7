//! Reading a bundle that is exactly as it was written.

use super::manifest::{
    CATALOG, CATALOG_FORMAT, CatalogFile, FORMAT, KERNELS, MANIFEST, Manifest, TOPOLOGY,
};
use super::{BundleError, ProgramTable};
use crate::base::Digest;
use crate::catalog::{self, Catalog};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A bundle that fits together.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Its table of contents.
    pub manifest: Manifest,
    /// The resolved topology text.
    pub topology_text: String,
    /// The catalog; it has passed [`catalog::check`].
    pub catalog: Catalog,
    /// The text of `kernels.cu`.
    pub kernels: String,
}

/// No file of a bundle is larger than this many bytes.
const LARGEST: u64 = 1 << 30;

/// Reads a bundle's folder and refuses whatever does not fit, by name.
///
/// # Errors
/// [`BundleError`] for a missing, foreign, damaged or malformed file, another format version, or
/// files that disagree.
pub fn read(folder: &Path) -> Result<Bundle, BundleError> {
    let manifest = read_manifest(folder)?;
    for name in [CATALOG, KERNELS, TOPOLOGY] {
        if !manifest.files.contains_key(name) {
            return Err(malformed(MANIFEST, format!("it does not list `{name}`")));
        }
    }
    no_foreign_files(folder, &manifest)?;
    let mut files = BTreeMap::new();
    for (name, entry) in &manifest.files {
        let bytes = read_file(folder, name)?;
        let found = Digest::of(&bytes);
        if found != entry.sha256 || bytes.len() as u64 != entry.bytes {
            return Err(BundleError::Damaged {
                file: name.clone(),
                found: found.short().to_owned(),
                expected: entry.sha256.short().to_owned(),
            });
        }
        files.insert(name.as_str(), bytes);
    }
    let mut take = |name: &str| files.remove(name).unwrap_or_default();
    let catalog = parse_catalog(&take(CATALOG), &manifest)?;
    let (topology_text, kernels) = (text(TOPOLOGY, take(TOPOLOGY))?, text(KERNELS, take(KERNELS))?);
    Ok(Bundle { topology_text, kernels, catalog, manifest })
}

fn read_manifest(folder: &Path) -> Result<Manifest, BundleError> {
    let bytes = read_file(folder, MANIFEST)?;
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| malformed(MANIFEST, error.to_string()))?;
    // The version comes first: another one may have other fields.
    version(MANIFEST, &value, FORMAT)?;
    serde_json::from_value(value).map_err(|error| malformed(MANIFEST, error.to_string()))
}

fn version(
    file: &str,
    value: &serde_json::Value,
    expected: &'static str,
) -> Result<(), BundleError> {
    match value["format"].as_str() {
        Some(found) if found == expected => Ok(()),
        Some(found) => {
            Err(BundleError::Version { file: file.to_owned(), found: found.to_owned(), expected })
        }
        None => Err(malformed(file, "it has no `format`".to_owned())),
    }
}

fn no_foreign_files(folder: &Path, manifest: &Manifest) -> Result<(), BundleError> {
    let trouble = |error: std::io::Error| BundleError::io("list", folder, &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(trouble)? {
        names.push(entry.map_err(trouble)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    match names.into_iter().find(|name| name != MANIFEST && !manifest.files.contains_key(name)) {
        None => Ok(()),
        Some(name) => Err(BundleError::Foreign(name)),
    }
}

/// Reads an ordinary file of the folder; links and folders do not count as the file.
fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>, BundleError> {
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(BundleError::Foreign(name.to_owned()));
    }
    let path = folder.join(name);
    let metadata = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(BundleError::Missing(name.to_owned()));
        }
        Err(error) => return Err(BundleError::io("read", &path, &error)),
        Ok(metadata) => metadata,
    };
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(BundleError::Foreign(name.to_owned()));
    }
    fs::read(&path).map_err(|error| BundleError::io("read", &path, &error))
}

fn parse_catalog(bytes: &[u8], manifest: &Manifest) -> Result<Catalog, BundleError> {
    let malformed = |reason: String| malformed(CATALOG, reason);
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
    version(CATALOG, &value, CATALOG_FORMAT)?;
    let file: CatalogFile =
        serde_json::from_value(value).map_err(|error| malformed(error.to_string()))?;
    let catalog = file.catalog;
    catalog::check(&catalog).map_err(|fault| malformed(fault.to_string()))?;
    let programs = ProgramTable::of(&catalog).programs.len().to_string();
    for (what, found, expected) in [
        ("the number of ranks", catalog.ranks.to_string(), manifest.ranks.to_string()),
        ("the topology's digest", catalog.digest.to_string(), manifest.digest.to_string()),
        ("the topology's name", catalog.topology.clone(), manifest.topology.clone()),
        ("the number of programs", programs, manifest.programs.to_string()),
    ] {
        if found != expected {
            return Err(BundleError::Disagrees { file: CATALOG.to_owned(), what, found, expected });
        }
    }
    Ok(catalog)
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, BundleError> {
    String::from_utf8(bytes).map_err(|_| malformed(name, "it is not UTF-8".to_owned()))
}

fn malformed(file: &str, reason: String) -> BundleError {
    BundleError::Malformed { file: file.to_owned(), reason }
}
