//! From TARGET to a resolved syntax tree.

use super::arguments::TargetArgs;
use super::context::Context;
use super::failure::Outcome;
use super::input;
use super::mistaken;
use crate::base::SourceId;
use crate::diagnostics::Diagnostic;
use crate::dsl::{self, tree};
use crate::import;
use crate::measured::{self, Measured};
use std::path::Path;

/// A machine's tree with `use` and `param` expanded, and how to speak of it.
#[derive(Debug)]
pub(super) struct Target {
    /// The resolved tree.
    pub(super) file: tree::File,
    /// Where it comes from.
    pub(super) kind: Kind,
}

/// Where a machine comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A machine that comes with the tool.
    Preset,
    /// A topology file.
    File,
    /// A topology on standard input.
    Stdin,
    /// A dump of another tool.
    Imported,
    /// The topology in a bundle.
    Bundle,
}

impl Kind {
    /// The word for the first line of an output.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Preset => "preset",
            Self::File => "file",
            Self::Stdin => "stdin",
            Self::Imported => "imported",
            Self::Bundle => "bundle",
        }
    }
}

/// Loads TARGET and expands what it uses.
pub(super) fn load(context: &mut Context, args: &TargetArgs) -> Outcome<Target> {
    let (file, source, kind) = read(context, args)?;
    if args.assume.generation.is_some() && kind != Kind::Imported {
        let message = "--assume has no effect: it is for dumps that `import` reads";
        context.notes.push(Diagnostic::warning("no-effect", message));
    }
    let file = dsl::resolve(file, &mut context.sources, source, &context.sets)?;
    // A bundle stands alone: what was measured beside its topology file need not be there.
    if kind != Kind::Bundle {
        for path in dsl::measured_files(&file, &context.sources, source)? {
            measurements(context, &path.to_string_lossy())?;
        }
    }
    Ok(Target { file, kind })
}

/// TARGET as it is written: a preset's name, `-`, or (with `/` or a suffix) a path to a file or
/// bundle.
fn read(context: &mut Context, args: &TargetArgs) -> Outcome<(tree::File, SourceId, Kind)> {
    let target = args.target.as_str();
    let path = Path::new(target);
    let is_stdin = target == "-";
    let (name, text, kind) = if !is_stdin && !target.contains('/') && path.extension().is_none() {
        let preset = dsl::preset(target).ok_or_else(|| mistaken::unknown_preset(target))?;
        (format!("preset {target}"), preset.text.to_owned(), Kind::Preset)
    } else if !is_stdin && path.is_dir() {
        let bundle = super::pipeline::read_bundle(target)?;
        let name = format!("{}/topology.topo", target.trim_end_matches('/'));
        (name, bundle.topology_text, Kind::Bundle)
    } else {
        let (name, text) = input::read_text(target, input::MACHINE_BYTES)?;
        mistaken::own_document(&name, &text)?;
        let is_dump = !target.ends_with(".topo") && import::detect(&text).is_some();
        let kind = match (is_dump, is_stdin) {
            (true, _) => Kind::Imported,
            (false, true) => Kind::Stdin,
            (false, false) => Kind::File,
        };
        (name, text, kind)
    };
    let source = context.sources.add(name, text);
    if kind != Kind::Imported {
        return Ok((dsl::parse(&context.sources, source)?, source, kind));
    }
    let imported = import::read(&context.sources, &[source], args.assume.generation)?;
    context.notes.extend(imported.notes);
    let mut file = imported.file;
    file.name.value = topology_name(Some(target));
    Ok((file, source, kind))
}

/// Reads a file of measurements.
pub(super) fn measurements(context: &mut Context, path: &str) -> Outcome<Measured> {
    let (name, text) = input::read_text(path, input::MACHINE_BYTES)?;
    let source = context.sources.add(name, text);
    Ok(measured::read(&context.sources, source)?)
}

/// The name of an imported topology: that of its file.
pub(super) fn topology_name(path: Option<&str>) -> String {
    let stem = path.and_then(|path| Path::new(path).file_stem()).and_then(|stem| stem.to_str());
    let is_plain = |c: char| c.is_alphanumeric() || "-_.+ ".contains(c);
    let name: String = (stem.filter(|stem| *stem != "-").unwrap_or("imported").chars().take(80))
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    match name.trim() {
        "" => "imported".to_owned(),
        name => name.to_owned(),
    }
}
