//! `variopath import --table`: many dumps, a line each.

use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::target;
use crate::diagnostics::{Diagnostics, Exit, Sources};
use crate::import::{self, Overview};

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

/// Imports each file alone and prints what came of it. Only a file that cannot be read at all ends
/// the command; a refusal is a line like any other.
pub(super) fn table(context: &mut Context, files: &[String], assume: Option<u32>) -> Outcome {
    let mut rows: Vec<Vec<String>> = vec![HEADER.map(str::to_owned).to_vec()];
    for file in files {
        let (name, text) = match target::read_text(file, target::MACHINE_BYTES) {
            Ok(read) => read,
            Err(failure) if failure.exit() == Exit::Input => {
                let short = short(file);
                rows.push(vec![short, "-".to_owned(), refusal(&Sources::new(), &failure.0)]);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        // A dump may be long: it is kept for its own line only.
        let mut sources = Sources::new();
        let id = sources.add(name.as_str(), text);
        let format = sources.get(id).and_then(|source| import::detect(&source.text));
        let format = format.map_or("-", import::Format::word);
        let short = short(&name);
        rows.push(match import::read(&sources, &[id], assume) {
            Ok(imported) => row(short, format, &imported.overview),
            Err(faults) => vec![short, format.to_owned(), refusal(&sources, &faults)],
        });
    }
    // A refusal runs over the columns behind it.
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() > column + 1).map(|row| &row[column]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line += &format!("{cell:width$}  ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    context.print(&text)
}

fn short(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
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
fn refusal(sources: &Sources, faults: &Diagnostics) -> String {
    let sorted = faults.sorted();
    let Some(worst) = sorted.first() else { return "refused".to_owned() };
    let place = worst.labels.first().and_then(|(span, _)| sources.line_column(*span));
    match place {
        Some((line, _)) => format!("refused, line {line}: {}", worst.message),
        None => format!("refused: {}", worst.message),
    }
}
