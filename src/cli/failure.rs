//! Why a command ends early.

use crate::diagnostics::{Diagnostic, Diagnostics, Exit};

/// Diagnostics that end a command; the worst decides the exit code.
#[derive(Debug)]
pub(super) struct Failure(pub(super) Diagnostics);

impl Failure {
    /// The exit code.
    pub(super) fn exit(&self) -> Exit {
        self.0.exit().unwrap_or(Exit::Failed)
    }

    /// Trouble with a file: exit 4.
    pub(super) fn file(path: &str, doing: &str, error: &std::io::Error) -> Self {
        // The operating system's words without its number, which helps nobody.
        let text = error.to_string();
        let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
        Diagnostic::error("file", format!("cannot {doing}: {text}"))
            .in_file(path)
            .exit(Exit::File)
            .into()
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(diagnostic.into())
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self(diagnostics)
    }
}

/// The result of a verb and of its parts.
pub(super) type Outcome<T = ()> = Result<T, Failure>;
