//! Why a bundle is not written or not read.

use std::path::PathBuf;

/// Trouble with a bundle; each names the file. All are exit 4.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The output exists and `force` is not given.
    #[error("the output `{0}` exists already; --force replaces it")]
    Exists(PathBuf),
    /// The output exists and is no bundle; not even `force` replaces it.
    #[error("the output `{0}` exists and is no bundle, so it is not replaced")]
    NotABundle(PathBuf),
    /// The operating system refuses.
    #[error("cannot {doing} `{path}`: {text}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's words.
        text: String,
    },
    /// A file of the bundle is missing.
    #[error("`{0}` is missing")]
    Missing(String),
    /// The folder holds something that does not belong to the bundle.
    #[error("`{0}` does not belong to the bundle")]
    Foreign(String),
    /// A file is not as it was written.
    #[error("`{file}` is damaged: its digest is {found}, the manifest says {expected}")]
    Damaged {
        /// The file.
        file: String,
        /// Digest of what is there, shortened.
        found: String,
        /// Digest in the manifest, shortened.
        expected: String,
    },
    /// A file cannot be understood.
    #[error("`{file}` cannot be read: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// A file is of another format version.
    #[error("`{file}` has the format `{found}`, this version reads `{expected}`")]
    Version {
        /// The file.
        file: String,
        /// As written.
        found: String,
        /// As read by this version.
        expected: &'static str,
    },
    /// Two files say different things.
    #[error("`{file}` disagrees with the manifest about {what}: {found}, not {expected}")]
    Disagrees {
        /// The file.
        file: String,
        /// About what.
        what: &'static str,
        /// What the file says.
        found: String,
        /// What the manifest says.
        expected: String,
    },
}

impl BundleError {
    /// The system's words about `path`, without its error number.
    pub(super) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
        error: &std::io::Error,
    ) -> Self {
        let text = error.to_string();
        let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
        Self::Io { doing, path: path.into(), text }
    }
}
