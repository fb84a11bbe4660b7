//! What a bundle is made of.

use super::{BundleError, FORMAT, FileEntry, Manifest, ProgramTable, Setting, catalog_json};
use crate::base::Digest;
use crate::catalog::Catalog;

/// The name of the manifest.
pub const MANIFEST: &str = "manifest.json";
/// The name of the topology's resolved text.
pub const TOPOLOGY: &str = "topology.topo";
/// The name of the catalog.
pub const CATALOG: &str = "catalog.json";
/// The name of the kernels' text.
pub const KERNELS: &str = "kernels.cu";

/// The contents of a bundle before it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The topology's text with `use` and `param` expanded.
    pub topology_text: String,
    /// The catalog.
    pub catalog: Catalog,
    /// The text of `kernels.cu`.
    pub kernels: String,
    /// The programs compiled into the kernels: those of the catalog.
    pub programs: ProgramTable,
}

impl Parts {
    /// Name and bytes of every file but the manifest, by name.
    ///
    /// # Errors
    /// [`BundleError::Catalog`] when the catalog has no JSON form.
    pub fn files(&self) -> Result<[(&'static str, Vec<u8>); 3], BundleError> {
        let catalog = catalog_json(&self.catalog)
            .map_err(|error| BundleError::Catalog { reason: error.to_string() })?;
        Ok([
            (CATALOG, catalog),
            (KERNELS, self.kernels.clone().into_bytes()),
            (TOPOLOGY, self.topology_text.clone().into_bytes()),
        ])
    }

    /// The manifest of files that [`Parts::files`] made; a function of their bytes and the tool's
    /// version only.
    ///
    /// # Errors
    /// [`BundleError::Manifest`] when it has no JSON form, which does not happen in practice.
    pub fn manifest(&self, files: &[(&'static str, Vec<u8>); 3]) -> Result<Manifest, BundleError> {
        let entries = files.iter().map(|(name, bytes)| FileEntry {
            name: (*name).to_owned(),
            bytes: bytes.len() as u64,
            digest: Digest::of(bytes),
        });
        let mut manifest = Manifest {
            format: FORMAT.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            topology: self.catalog.topology.clone(),
            topology_digest: self.catalog.digest.clone(),
            catalog_digest: Digest::of(&files[0].1),
            ranks: self.catalog.ranks,
            archs: Vec::new(),
            setting: Setting::Ideal,
            programs: u32::try_from(self.programs.programs.len()).unwrap_or(u32::MAX),
            files: entries.collect(),
            seal: Digest::of(&[]),
        };
        manifest.seal = manifest.expected_seal()?;
        Ok(manifest)
    }
}

/// The size of the program table of a catalog.
pub(super) fn program_count(catalog: &Catalog) -> u32 {
    u32::try_from(ProgramTable::of(catalog).programs.len()).unwrap_or(u32::MAX)
}
