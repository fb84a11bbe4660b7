//! What every verb shares: the texts read, the notes gathered, where output goes.

use super::arguments::{ColourChoice, Global};
use super::failure::{Failure, Outcome};
use crate::diagnostics::{
    Diagnostic, Diagnostics, Exit, Severity, Sources, json_document, one_line, render,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// The state of one command.
#[derive(Debug)]
pub(super) struct Context {
    /// Every text read so far.
    pub(super) sources: Sources,
    /// Warnings and notes to show on stderr when the command ends.
    pub(super) notes: Diagnostics,
    /// `--set NAME=N`.
    pub(super) sets: BTreeMap<String, u64>,
    /// Whether stdout carries one JSON document and nothing else.
    pub(super) json: bool,
    /// Whether the document is written.
    answered: Cell<bool>,
    colour_out: bool,
    colour_err: bool,
}

impl Context {
    /// The context that the global options ask for.
    pub(super) fn new(global: &Global, json: bool) -> Self {
        let wanted = |terminal: bool| match global.color {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => terminal && std::env::var_os("NO_COLOR").is_none(),
        };
        Self {
            sources: Sources::new(),
            notes: Diagnostics::new(),
            sets: global.set.iter().cloned().collect(),
            json,
            answered: Cell::new(false),
            colour_out: wanted(std::io::stdout().is_terminal()),
            colour_err: wanted(std::io::stderr().is_terminal()),
        }
    }

    /// Writes text to stdout. A closed pipe ends the command quietly.
    pub(super) fn print(&self, text: &str) -> Outcome {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => Err(Failure::file("<stdout>", "write", &error)),
            Ok(()) => Ok(()),
        }
    }

    /// Writes the one JSON document to stdout; a failure after it writes none.
    pub(super) fn print_json(&self, document: &serde_json::Value) -> Outcome {
        self.answered.set(true);
        self.print(&format!("{document:#}\n"))
    }

    /// A word set off by colour where stdout shows colours.
    pub(super) fn strong(&self, text: &str) -> String {
        if self.colour_out { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Writes text to stderr, beside a result on stdout.
    pub(super) fn print_beside(&self, text: &str) {
        tell(text);
    }

    /// A line of progress on stderr, only where a person watches.
    pub(super) fn progress(&self, text: &str) {
        if std::io::stderr().is_terminal() {
            tell(&format!("{text}\n"));
        }
    }

    /// Writes a file whole or not at all; an existing one only with `force`.
    pub(super) fn write_file(&self, path: &str, bytes: &[u8], force: bool) -> Outcome {
        // What a link names is replaced, not the link.
        let real = std::fs::canonicalize(path);
        let target = real.as_deref().unwrap_or(std::path::Path::new(path));
        if path == "-" {
            return Err(Diagnostic::error("usage", "an output is a file: `-` is not one")
                .help("leave the option out to print, or redirect")
                .exit(Exit::Usage)
                .into());
        }
        // Devices, pipes and folders would be lost by the renaming; links lead to their file.
        if std::fs::metadata(target).is_ok_and(|data| !data.is_file()) {
            return Err(Diagnostic::error("not-a-file", "the output is no ordinary file")
                .in_file(path)
                .help("choose another name; to fill a pipe or device, print and redirect")
                .exit(Exit::File)
                .into());
        }
        if std::fs::symlink_metadata(path).is_ok() && !force {
            return Err(Diagnostic::error("exists", "the output exists already")
                .in_file(path)
                .help("pass --force to replace it, or choose another name")
                .exit(Exit::File)
                .into());
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => std::path::Path::new("."),
        };
        let trouble = |error: &std::io::Error| Failure::file(path, "write", error);
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| trouble(&e))?;
        file.write_all(bytes).map_err(|e| trouble(&e))?;
        set_ordinary_permissions(&file).map_err(|e| trouble(&e))?;
        if force {
            file.persist(target).map_err(|e| trouble(&e.error))?;
        } else {
            file.persist_noclobber(target).map_err(|e| trouble(&e.error))?;
        }
        Ok(())
    }

    /// Says on stderr that an output is in place.
    pub(super) fn wrote(&self, path: &str) {
        tell(&format!("wrote {}\n", one_line(path)));
    }

    /// Shows what is left to show and turns the outcome into an exit code.
    pub(super) fn finish(self, outcome: Outcome) -> ExitCode {
        let mut all = self.notes.clone();
        let exit = match outcome {
            Ok(()) => None,
            Err(failure) => {
                let exit = failure.exit();
                all.extend(failure.0);
                Some(exit)
            }
        };
        tell(&render(&self.sources, &all, self.colour_err));
        if let Some(exit) = exit {
            if self.json
                && !self.answered.get()
                && let Err(failure) = self.print_json(&json_document(&self.sources, &all, exit))
            {
                tell(&render(&self.sources, &failure.0, self.colour_err));
                return ExitCode::from(failure.exit() as u8);
            }
            return ExitCode::from(exit as u8);
        }
        ExitCode::SUCCESS
    }

    /// How many warnings were gathered.
    pub(super) fn warnings(&self) -> usize {
        self.notes.count(Severity::Warning)
    }
}

/// Writes to stderr. Where that cannot be written nobody can be told so; the exit code stays.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A temporary file is private to its owner; an output is as readable as any new file.
#[cfg(unix)]
fn set_ordinary_permissions(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_ordinary_permissions(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}
