//! A bundle to a folder, whole or not at all.

use super::{BundleError, MANIFEST, Manifest, Parts, read};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Writes `parts` as the folder `dir`. The files are made in a hidden folder beside it, brought to
/// disk, and renamed into place, so that `dir` never holds a part of a bundle. With `force` an
/// existing bundle is replaced; it is put back when that fails.
///
/// # Errors
/// [`BundleError::Exists`] without `force`; [`BundleError::NotABundle`] when something else than an
/// intact or damaged bundle stands there; [`BundleError::Io`] when the place cannot be written. In
/// each case what was there is as before.
pub fn write(dir: &Path, parts: &Parts, force: bool) -> Result<Manifest, BundleError> {
    let files = parts.files()?;
    let manifest = parts.manifest(&files)?;
    let replaces = check_target(dir, force)?;
    let parent = match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Dropping the temporary folder removes it, so every early return leaves nothing behind.
    let staging = tempfile::Builder::new()
        .prefix(".variopath-")
        .tempdir_in(parent)
        .map_err(|error| BundleError::io("write in", parent, &error))?;
    let new = staging.path().join("new");
    fs::create_dir(&new).map_err(|error| BundleError::io("create", &new, &error))?;
    let manifest_bytes = manifest.to_bytes()?;
    for (name, bytes) in &files {
        write_file(&new.join(name), bytes)?;
    }
    write_file(&new.join(MANIFEST), &manifest_bytes)?;
    sync_folder(&new)?;
    // What was written is read back before it takes anybody's place.
    read(&new)?;
    swap(&new, dir, replaces.then(|| staging.path().join("old")))?;
    sync_folder(parent)?;
    Ok(manifest)
}

/// Whether something stands at `dir` that may be replaced.
fn check_target(dir: &Path, force: bool) -> Result<bool, BundleError> {
    let kind = match fs::symlink_metadata(dir) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(BundleError::io("look at", dir, &error)),
    };
    if !force {
        return Err(BundleError::Exists(dir.to_owned()));
    }
    let alien = || BundleError::NotABundle(dir.to_owned());
    if !kind.is_dir() {
        return Err(alien());
    }
    match read(dir) {
        Ok(_) => Ok(true),
        // Damage and old versions are what --force is for; files that no bundle holds are not.
        Err(
            BundleError::Truncated { .. }
            | BundleError::TooLong { .. }
            | BundleError::Changed { .. }
            | BundleError::Format(_)
            | BundleError::ManifestChanged { .. }
            | BundleError::Catalog { .. },
        ) if only_known_files(dir) => Ok(true),
        Err(BundleError::Missing(file)) if file != MANIFEST && only_known_files(dir) => Ok(true),
        Err(BundleError::Manifest(_)) if only_known_files(dir) => Ok(true),
        Err(_) => Err(alien()),
    }
}

/// Whether everything in the folder is a file with a name that bundles use.
fn only_known_files(dir: &Path) -> bool {
    let known = [MANIFEST, super::CATALOG, super::KERNELS, super::TOPOLOGY];
    fs::read_dir(dir).is_ok_and(|mut entries| {
        entries.all(|entry| {
            entry.is_ok_and(|entry| {
                entry.file_type().is_ok_and(|kind| kind.is_file())
                    && known.iter().any(|name| entry.file_name() == *name)
            })
        })
    })
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    let failed = |error| BundleError::io("write", path, &error);
    let mut file = File::create_new(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn sync_folder(path: &Path) -> Result<(), BundleError> {
    let folder = File::open(path).map_err(|error| BundleError::io("open", path, &error))?;
    folder.sync_all().map_err(|error| BundleError::io("sync", path, &error))
}

/// Renames `new` to `dir`; what stands there moves to `old` first and comes back on failure.
fn swap(new: &Path, dir: &Path, old: Option<PathBuf>) -> Result<(), BundleError> {
    let failed = |error: std::io::Error| BundleError::io("write", dir, &error);
    let Some(old) = old else {
        return fs::rename(new, dir).map_err(|error| match error.kind() {
            // Another process was faster.
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => {
                BundleError::Exists(dir.to_owned())
            }
            _ => failed(error),
        });
    };
    fs::rename(dir, &old).map_err(failed)?;
    fs::rename(new, dir).map_err(|error| {
        // The first failure is the one to tell; should this rename fail too, nothing is left to try.
        let _ = fs::rename(&old, dir);
        failed(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_that_came_in_between_is_left_alone() {
        let place = tempfile::tempdir().expect("a folder");
        let (new, dir) = (place.path().join("new"), place.path().join("there"));
        for folder in [&new, &dir] {
            fs::create_dir(folder).expect("made");
            fs::write(folder.join(MANIFEST), folder.to_string_lossy().as_bytes()).expect("written");
        }
        let outcome = swap(&new, &dir, None);
        assert!(matches!(outcome, Err(BundleError::Exists(_))), "{outcome:?}");
        let kept = fs::read(dir.join(MANIFEST)).expect("there");
        assert_eq!(kept, dir.to_string_lossy().as_bytes());
    }
}
