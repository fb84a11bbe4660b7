//! All that is told about one input.

use super::{Diagnostic, Exit, Severity};

/// Diagnostics in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(other);
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|d| d.severity == severity).count()
    }

    /// As they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Worst first, then by place, each once.
    #[must_use]
    pub fn sorted(&self) -> Vec<Diagnostic> {
        let mut all = self.0.clone();
        all.sort_by(|a, b| {
            let place = |d: &Diagnostic| d.labels.first().map(|label| label.0);
            (a.severity, place(a), a.code, &a.message).cmp(&(
                b.severity,
                place(b),
                b.code,
                &b.message,
            ))
        });
        all.dedup();
        all
    }

    /// The exit code of the worst: file trouble over input errors over failed checks; none where
    /// there is no error.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        let exits = self.0.iter().filter(|d| d.severity == Severity::Error).map(|d| d.exit);
        exits.max_by_key(|exit| match exit {
            Exit::Failed => 0,
            Exit::Input => 1,
            Exit::Usage => 2,
            Exit::File => 3,
        })
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(iter: T) -> Self {
        Self(iter.into_iter().collect())
    }
}
