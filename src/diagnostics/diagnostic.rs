//! A single diagnostic.

use crate::base::Span;

/// How bad it is; the worst sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing can be made of the input.
    Error,
    /// Something was made of it that may not be meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// `error`, `warning`, `note`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// The exit code that an error asks for (2, usage, belongs to the command line alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exit {
    /// 1: an error in the input.
    Input = 1,
    /// 2: the command line is wrong.
    Usage = 2,
    /// 3: no valid schedule, a feature not supported, or a check that failed.
    Failed = 3,
    /// 4: trouble with a file or device.
    File = 4,
}

/// Something to tell about the input: what, where, why and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name for the kind, in kebab case: `unknown-name`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// Where it is, with what to say at the caret; the first one is the main place. Empty where no
    /// text is to blame.
    pub labels: Vec<(Span, String)>,
    /// The path of the file to blame where there is no text to point into.
    pub file: Option<String>,
    /// Ways out, one line each.
    pub help: Vec<String>,
    /// The exit code when this is an error.
    pub exit: Exit,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: shortened(message.into()),
            labels: Vec::new(),
            file: None,
            help: Vec::new(),
            exit: Exit::Input,
        }
    }

    /// An error in the input (exit 1).
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Something that the input may say but this version does not carry out (exit 3).
    #[must_use]
    pub fn unsupported(code: &'static str, message: impl Into<String>) -> Self {
        Self::error(code, message).exit(Exit::Failed)
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note.
    #[must_use]
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Adds a place, where there is one, with the text at its caret (may be empty).
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Span>>, label: impl Into<String>) -> Self {
        self.labels.extend(span.into().map(|span| (span, shortened(label.into()))));
        self
    }

    /// Names the file to blame.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(shortened(help.into()));
        self
    }

    /// Adds ways out, if any.
    #[must_use]
    pub fn helps(mut self, helps: impl IntoIterator<Item = String>) -> Self {
        self.help.extend(helps.into_iter().map(shortened));
        self
    }

    /// Sets the exit code.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

/// What is quoted from the input may be of any length; nobody reads more than this.
fn shortened(mut text: String) -> String {
    const LONGEST: usize = 1000;
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
        text.push('…');
    }
    text
}
