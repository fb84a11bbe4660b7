//! Why a bundle cannot be written or is refused. Every one of them is exit code 4.

use crate::base::Digest;
use std::fmt;
use std::path::PathBuf;

/// What is wrong with a bundle, or with the place where one should stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleError {
    /// The operating system refused.
    Io {
        /// What was tried: `read`, `write`, ...
        doing: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Something stands at the output and nobody asked to replace it.
    Exists(PathBuf),
    /// What stands at the output is no bundle, so it is not replaced even when asked.
    NotABundle(PathBuf),
    /// A file that every bundle has, or that the manifest lists, is not there.
    Missing(String),
    /// Something in the folder is not in the manifest.
    Foreign(String),
    /// An entry is a link, a folder or a device.
    NotAFile(String),
    /// A file is shorter than the manifest says.
    Truncated {
        /// Which file.
        file: String,
        /// Bytes there.
        found: u64,
        /// Bytes that the manifest states.
        expected: u64,
    },
    /// A file is longer than the manifest says.
    TooLong {
        /// Which file.
        file: String,
        /// Bytes there.
        found: u64,
        /// Bytes that the manifest states.
        expected: u64,
    },
    /// A file has the right size and other bytes.
    Changed {
        /// Which file.
        file: String,
        /// The digest of what is there.
        found: Digest,
        /// The digest that the manifest states.
        expected: Digest,
    },
    /// The manifest says it is of a format that this version does not read.
    Format(String),
    /// The manifest cannot be understood.
    Manifest(String),
    /// The manifest differs from the one that its own files lead to.
    ManifestChanged {
        /// The first field that differs.
        field: &'static str,
        /// What the manifest says.
        found: String,
        /// What the files say.
        expected: String,
    },
    /// The catalog cannot be understood.
    Catalog {
        /// What is wrong with it.
        reason: String,
    },
    /// A file that holds text is not UTF-8.
    NotText(String),
}

impl BundleError {
    pub(super) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
        error: &std::io::Error,
    ) -> Self {
        // The operating system's words without its number, which helps nobody.
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or(&text).to_owned();
        Self::Io { doing, path: path.into(), reason }
    }
}

impl std::error::Error for BundleError {}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, reason } => {
                write!(f, "cannot {doing} {}: {reason}", path.display())
            }
            Self::Exists(path) => {
                write!(f, "{} exists; --force replaces a bundle", path.display())
            }
            Self::NotABundle(path) => {
                write!(f, "{} is not a bundle and is left alone", path.display())
            }
            Self::Missing(file) => write!(f, "{file} is missing"),
            Self::Foreign(file) => write!(f, "{file} does not belong to the bundle"),
            Self::NotAFile(file) => write!(f, "{file} is not a regular file"),
            Self::Truncated { file, found, expected } => {
                write!(f, "{file} is truncated: {found} of {expected} bytes")
            }
            Self::TooLong { file, found, expected } => {
                write!(f, "{file} is too long: {found} bytes in place of {expected}")
            }
            Self::Changed { file, found, expected } => write!(
                f,
                "{file} was changed: its digest is {} in place of {}",
                found.short(),
                expected.short()
            ),
            Self::Format(found) => write!(
                f,
                "manifest.json has the format `{found}`; this version reads `{}`",
                super::FORMAT
            ),
            Self::Manifest(reason) => write!(f, "manifest.json cannot be read: {reason}"),
            Self::ManifestChanged { field, found, expected } => write!(
                f,
                "manifest.json was changed: `{field}` is {found}, the files say {expected}"
            ),
            Self::Catalog { reason } => write!(f, "catalog.json cannot be read: {reason}"),
            Self::NotText(file) => write!(f, "{file} is not UTF-8 text"),
        }
    }
}
