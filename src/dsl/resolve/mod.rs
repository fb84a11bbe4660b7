//! `use` and `param` expanded: what a topology file comes to when it stands alone.

mod params;
mod uses;

use super::error::Error;
use super::suggest::nearest;
use super::tree::File;
use crate::base::SourceId;
use crate::diagnostics::{Diagnostics, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Replaces each `use` by what it names and each param by its value. Parts, arrays and walking
/// indices stay. `id` is the text that `file` was read from: paths are relative to its name, and
/// nothing outside its folder is read. `settings` (`--set`) override params of the file itself and
/// of what it uses in place; params of a `use … as` keep their values.
///
/// # Errors
/// Files that cannot be read or that lie outside, cycles, errors in used files, params declared
/// twice, settings of params that do not exist.
pub fn resolve(
    mut file: File,
    sources: &mut Sources,
    id: SourceId,
    settings: &BTreeMap<String, u64>,
) -> Result<File, Diagnostics> {
    let mut errors = Diagnostics::new();
    let main = sources.get(id).map(|source| source.name.clone()).unwrap_or_default();
    let mut expansion = uses::Expansion::new(sources, &main);
    expansion.expand(&mut file.body);
    let known = params::declared(&file.body);
    for name in settings.keys() {
        if !known.contains(name) {
            let meant = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
            let (file, name) = (main.clone(), name.clone());
            let known = known.iter().cloned().collect();
            errors.push(Error::UnknownSetting { file, name, meant, known }.diagnostic());
        }
    }
    params::substitute(&mut file.body, settings, &mut errors);
    expansion.fill(&mut file.body);
    errors.extend(expansion.into_errors());
    if errors.is_empty() { Ok(file) } else { Err(errors) }
}

/// The files that `measured` names in a resolved file, each once, from the folder of the text `id`
/// on. A bundle, which carries everything it needs, does without them.
///
/// # Errors
/// Files that are not there.
pub fn measured_files(
    file: &File,
    sources: &Sources,
    id: SourceId,
) -> Result<BTreeSet<PathBuf>, Diagnostics> {
    let main = sources.get(id).map(|source| source.name.as_str()).unwrap_or_default();
    let folder = Path::new(main).parent().unwrap_or(Path::new(""));
    let mut errors = Diagnostics::new();
    let mut files = BTreeSet::new();
    uses::measured(&file.body, folder, &mut files, &mut errors);
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}
