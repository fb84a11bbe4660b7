//! What `manifest.json` says.

use super::BundleError;
use crate::base::Digest;
use serde::{Deserialize, Serialize};

/// The `format` field of `manifest.json`; the number is raised when a reader of the old one would
/// misunderstand the new one.
pub const FORMAT: &str = "variopath-bundle/1";

/// The contents of a bundle. Fields are written in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The version of the tool that wrote it. A reader compares formats, not this.
    pub tool_version: String,
    /// The topology's name.
    pub topology: String,
    /// The topology's digest, which ignores comments and layout.
    pub topology_digest: Digest,
    /// The digest of the bytes of `catalog.json`.
    pub catalog_digest: Digest,
    /// The number of ranks.
    pub ranks: u32,
    /// The architectures with compiled kernels, ascending, such as `sm_89`; empty when the bundle
    /// holds source only.
    pub archs: Vec<String>,
    /// What rates the plans count with.
    pub setting: Setting,
    /// The number of programs in the program table, the program of all pairs included.
    pub programs: u32,
    /// Every other file of the folder, by name.
    pub files: Vec<FileEntry>,
    /// The digest of the manifest itself, taken while this field holds the digest of nothing.
    pub seal: Digest,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name in the folder, without separators.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
}

/// What rates the plans of a bundle count with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// The capacities as the topology states them.
    Ideal,
}

impl Manifest {
    /// The digest of everything but the seal.
    ///
    /// # Errors
    /// As [`Manifest::to_bytes`].
    pub fn expected_seal(&self) -> Result<Digest, BundleError> {
        let open = Self { seal: Digest::of(&[]), ..self.clone() };
        Ok(Digest::of(&open.to_bytes()?))
    }

    /// The bytes of `manifest.json`: indented, fields in order, a newline at the end.
    ///
    /// # Errors
    /// [`BundleError::Manifest`] when it has no JSON form, which does not happen in practice.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| BundleError::Manifest(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
