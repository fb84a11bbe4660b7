//! What is given in place of a machine or its file by mistake.

use super::failure::Outcome;
use super::input::{MACHINE_BYTES, read_text};
use crate::diagnostics::{Diagnostic, Exit};
use crate::dsl;
use std::path::Path;

/// The documents that this tool writes, and where each belongs.
const DOCUMENTS: [(&str, &str); 5] = [
    ("variopath-measured/", "`variopath calibrate FILE.topo --measured` takes it"),
    ("variopath-plan/", "`variopath verify TARGET --plan` takes it"),
    ("variopath-demand/", "`--demand` takes it"),
    ("variopath-bundle/", "name the bundle's folder"),
    ("variopath-", "name the machine that it was made for"),
];

/// Refuses what this tool itself wrote for another purpose, where a machine is expected.
pub(super) fn own_document(name: &str, text: &str) -> Outcome {
    if !text.starts_with('{') {
        return Ok(());
    }
    let start: String = text.chars().take(200).collect();
    let Some((_, behind)) = start.split_once("\"format\"") else { return Ok(()) };
    let format = behind.split('"').nth(1).unwrap_or_default();
    let Some((_, way)) = DOCUMENTS.iter().find(|(known, _)| format.starts_with(known)) else {
        return Ok(());
    };
    Err(Diagnostic::error("not-a-machine", format!("a document `{format}` describes no machine"))
        .in_file(name)
        .help(*way)
        .into())
}

/// The error for a TARGET that is neither a preset nor looks like a path.
pub(super) fn unknown_preset(name: &str) -> Diagnostic {
    let names: Vec<&str> = dsl::presets().iter().map(|preset| preset.name).collect();
    let diagnostic = Diagnostic::error("unknown-preset", format!("there is no preset `{name}`"));
    let meant: Vec<&str> =
        names.iter().copied().filter(|known| !name.is_empty() && known.starts_with(name)).collect();
    let meant = match dsl::suggest::nearest(name, names.iter().copied()) {
        Some(one) if meant.is_empty() => vec![one],
        _ => meant,
    };
    let diagnostic = match meant.as_slice() {
        [] => diagnostic.help(format!("presets: {}", names.join(", "))),
        meant => diagnostic.help(format!("did you mean `{}`?", meant.join("` or `"))),
    };
    let file = format!("{name}.topo");
    if Path::new(name).exists() {
        diagnostic.help(format!("for the file or bundle of that name write `./{name}`"))
    } else if Path::new(&file).exists() {
        diagnostic.help(format!("for the file write `{file}`"))
    } else {
        diagnostic.help("a path has a `/` or a suffix, such as `machine.topo`")
    }
}

/// Reads the file of a verb that changes files: a preset has to become one first.
pub(super) fn read_topology(path: &str) -> Outcome<(String, String)> {
    if dsl::preset(path).is_some() && !Path::new(path).exists() {
        return Err(Diagnostic::error("not-a-file", "a preset's name stands for no file here")
            .in_file(path)
            .help(format!("make a file of it: `variopath presets {path} > mine.topo`"))
            .exit(Exit::File)
            .into());
    }
    let (name, text) = read_text(path, MACHINE_BYTES)?;
    own_document(&name, &text)?;
    Ok((name, text))
}
