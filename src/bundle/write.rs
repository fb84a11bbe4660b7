//! Writing a bundle whole or not at all.

use super::manifest::{FORMAT, MANIFEST, Manifest, Parts, contents, json_bytes};
use super::{BundleError, FileEntry};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes the bundle's folder. Everything is written beside it first and moved into place by one
/// rename, so that a failure leaves what was there before. An existing bundle is replaced only with
/// `force`, anything else never.
///
/// # Errors
/// [`BundleError::Exists`], [`BundleError::NotABundle`], or [`BundleError::Io`] with the file.
pub fn write(folder: &Path, parts: &Parts, force: bool) -> Result<Manifest, BundleError> {
    let occupied = fs::symlink_metadata(folder).is_ok();
    if occupied && !is_bundle(folder) {
        return Err(BundleError::NotABundle(folder.to_owned()));
    }
    if occupied && !force {
        return Err(BundleError::Exists(folder.to_owned()));
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(|error| BundleError::io("create", parent, &error))?;
    let name = folder.file_name().ok_or_else(|| BundleError::NotABundle(folder.to_owned()))?;
    // Removed with all it holds when this function returns early.
    let staging = tempfile::Builder::new()
        .prefix(".variopath-")
        .tempdir_in(parent)
        .map_err(|error| BundleError::io("write into", parent, &error))?;
    let fresh = staging.path().join(name);
    fs::create_dir(&fresh).map_err(|error| BundleError::io("create", &fresh, &error))?;
    let manifest = Manifest::of(parts);
    for (name, bytes) in contents(parts) {
        debug_assert!(manifest.files.get(name).is_some_and(|FileEntry { bytes: n, .. }| *n
            == bytes.len() as u64));
        write_file(&fresh.join(name), &bytes)?;
    }
    write_file(&fresh.join(MANIFEST), &json_bytes(&manifest))?;
    let replaced = staging.path().join("replaced");
    if occupied {
        rename(folder, &replaced)?;
    }
    if let Err(error) = rename(&fresh, folder) {
        if occupied {
            // Put back what was there; if even that fails, the first error is the one to tell.
            let _ = fs::rename(&replaced, folder);
        }
        return Err(error);
    }
    Ok(manifest)
}

/// Whether the folder's manifest is one of ours, of any version.
fn is_bundle(folder: &Path) -> bool {
    let prefix = FORMAT.split('/').next().unwrap_or(FORMAT);
    fs::read(folder.join(MANIFEST)).is_ok_and(|bytes| {
        serde_json::from_slice::<serde_json::Value>(&bytes).is_ok_and(|manifest| {
            manifest["format"].as_str().is_some_and(|format| format.starts_with(prefix))
        })
    })
}

fn rename(from: &Path, to: &Path) -> Result<(), BundleError> {
    fs::rename(from, to).map_err(|error| BundleError::io("move into place", to, &error))
}

fn write_file(path: &PathBuf, bytes: &[u8]) -> Result<(), BundleError> {
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| BundleError::io("write", path, &error))
}
