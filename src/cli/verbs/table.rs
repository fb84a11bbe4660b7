//! `variopath import --table`: many dumps, a line each.

use crate::cli::context::Context;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::input;
use crate::cli::verbs::wording::count;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit, Sources, one_line};
use crate::import::{self, Format, Overview};
use serde_json::{Value, json};
use std::path::Path;

const HEADER: [&str; 9] = [
    "file",
    "format",
    "GPUs",
    "NICs",
    "sockets",
    "switches",
    "one switch",
    "one root port",
    "links",
];

/// What came of one file.
struct Row {
    path: String,
    format: Option<Format>,
    result: Result<Overview, Refusal>,
}

/// Why a file is refused.
struct Refusal {
    line: Option<usize>,
    code: &'static str,
    reason: String,
    help: Vec<String>,
}

/// Imports each file alone and prints what came of it, files in folders by name. Only a file that is
/// named and cannot be opened ends the command; a refusal is a line like any other.
pub(super) fn table(context: &mut Context, paths: &[String], assume: Option<u32>) -> Outcome {
    let mut rows = Vec::new();
    for path in files(paths)? {
        let is_named = paths.contains(&path);
        rows.push(import(path, is_named, assume)?);
    }
    if context.json {
        let files: Vec<Value> = rows.iter().map(json).collect();
        let refused = rows.iter().filter(|row| row.result.is_err()).count();
        return context.print_json(&json!({
            "format": "variopath-imports/1",
            "imported": rows.len() - refused,
            "refused": refused,
            "files": files,
        }));
    }
    context.print(&text(&rows))
}

/// The files that `paths` name; a folder stands for the files in it and below it.
fn files(paths: &[String]) -> Outcome<Vec<String>> {
    let usage = |message: String| {
        Diagnostic::error("usage", message)
            .help("give dumps, or folders of dumps: `variopath import --table dumps/`")
            .exit(Exit::Usage)
    };
    if paths.is_empty() {
        return Err(usage("--table needs a file or a folder".to_owned()).into());
    }
    let mut found = Vec::new();
    for path in paths {
        if path == "-" || !Path::new(path).is_dir() {
            found.push(path.clone());
            continue;
        }
        let before = found.len();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let trouble = |error: std::io::Error| Failure::file(&folder, "read", &error);
            for entry in std::fs::read_dir(&folder).map_err(trouble)? {
                let entry = entry.map_err(trouble)?;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let inside = format!("{}/{name}", folder.trim_end_matches('/'));
                // Links are not followed: they may lead in a circle.
                match entry.file_type().map_err(trouble)? {
                    kind if kind.is_dir() => folders.push(inside),
                    kind if kind.is_file() => found.push(inside),
                    _ => {}
                }
            }
        }
        if found.len() == before {
            return Err(usage(format!("there are no files in {path}")).into());
        }
        found[before..].sort();
    }
    Ok(found)
}

fn import(path: String, is_named: bool, assume: Option<u32>) -> Outcome<Row> {
    let (name, text) = match input::read_text(&path, input::MACHINE_BYTES) {
        Ok(read) => read,
        Err(failure) if failure.exit() == Exit::Input || !is_named => {
            let result = Err(refusal(&Sources::new(), &failure.0));
            return Ok(Row { path, format: None, result });
        }
        Err(failure) => return Err(failure),
    };
    // A dump may be long: it is kept for its own line only.
    let mut sources = Sources::new();
    let format = import::detect(&text);
    let id = sources.add(name, text);
    let result = match import::read(&sources, &[id], assume) {
        Ok(imported) => Ok(imported.overview),
        Err(faults) => Err(refusal(&sources, &faults)),
    };
    Ok(Row { path, format, result })
}

fn text(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![HEADER.map(str::to_owned).to_vec()];
    for Row { path, format, result } in rows {
        let (name, format) = (short(path), format.map_or("-", Format::word));
        lines.push(match result {
            Ok(overview) => row(name, format, overview),
            Err(Refusal { line: Some(line), reason, .. }) => {
                vec![name, format.to_owned(), format!("refused, line {line}: {reason}")]
            }
            Err(Refusal { reason, .. }) => {
                vec![name, format.to_owned(), format!("refused: {reason}")]
            }
        });
    }
    // A refusal runs over the columns behind it.
    let width = |column: usize| {
        let cells = lines.iter().filter(|line| line.len() > column + 1).map(|line| &line[column]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut text = String::new();
    for cells in &lines {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            line += &format!("{cell:width$}  ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    let refused = rows.iter().filter(|row| row.result.is_err()).count();
    text += &format!("{} imported, {refused} refused\n", count(rows.len() - refused, "file"));
    text
}

fn json(Row { path, format, result }: &Row) -> Value {
    let format = format.map(Format::word);
    match result {
        Ok(overview) => json!({
            "file": path,
            "format": format,
            "gpus": overview.gpus,
            "nics": overview.nics,
            "sockets": overview.sockets,
            "switches": overview.switches,
            "same_switch": overview.same_switch,
            "same_root_port": overview.same_root_port,
            "on_socket": overview.on_socket,
            "links": overview.links.iter().map(|(value, count)| json!({
                "value": value, "count": count,
            })).collect::<Vec<_>>(),
        }),
        Err(Refusal { line, code, reason, help }) => json!({
            "file": path,
            "format": format,
            "refused": {"code": code, "line": line, "reason": reason, "help": help},
        }),
    }
}

fn short(path: &str) -> String {
    one_line(path.rsplit('/').next().unwrap_or(path))
}

fn row(name: String, format: &str, overview: &Overview) -> Vec<String> {
    let links: Vec<String> =
        overview.links.iter().map(|(value, count)| format!("{count} {value}")).collect();
    let mut row = vec![name, format.to_owned()];
    let counts = [overview.gpus, overview.nics, overview.sockets, overview.switches];
    row.extend(counts.map(|count| count.to_string()));
    row.extend([groups(&overview.same_switch), groups(&overview.same_root_port)]);
    row.push(if links.is_empty() { "-".to_owned() } else { links.join(", ") });
    row
}

/// `{0,1} {2,3}`
fn groups(groups: &[Vec<usize>]) -> String {
    let texts: Vec<String> = groups
        .iter()
        .map(|group| {
            let members: Vec<String> = group.iter().map(usize::to_string).collect();
            format!("{{{}}}", members.join(","))
        })
        .collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join(" ") }
}

/// The worst of the reasons, with its line.
fn refusal(sources: &Sources, faults: &Diagnostics) -> Refusal {
    let sorted = faults.sorted();
    let Some(worst) = sorted.first() else {
        return Refusal { line: None, code: "refused", reason: String::new(), help: Vec::new() };
    };
    let place = worst.labels.first().and_then(|(span, _)| sources.line_column(*span));
    Refusal {
        line: place.map(|(line, _)| line),
        code: worst.code,
        reason: worst.message.clone(),
        help: worst.help.clone(),
    }
}
