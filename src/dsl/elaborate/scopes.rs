//! The blocks of a file and the names that each declares.

use super::{Builder, place};
use crate::base::{DeviceKind, Span};
use crate::dsl::error::{Error, Sought};
use crate::dsl::machine::LinkValue;
use crate::dsl::suggest::nearest;
use crate::dsl::tree::{Block, Spanned, Statement, StatementKind, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A block: the file itself or the body of a part. Every instance of a part shares its scope.
pub(super) struct Scope<'t> {
    /// The block around it, whose links and parts can be used here.
    pub(super) parent: Option<usize>,
    pub(super) block: &'t Block,
    pub(super) links: BTreeMap<&'t str, Named<'t>>,
    pub(super) parts: BTreeMap<&'t str, usize>,
    /// Names of its parts, those further down too.
    part_names: BTreeSet<&'t str>,
    /// Everything declared here, with its place.
    names: BTreeMap<&'t str, Option<Span>>,
}

/// A `link` and what it comes to.
#[derive(Clone)]
pub(super) struct Named<'t> {
    pub(super) value: &'t Value,
    pub(super) known: Known,
}

/// How far the value of a link is worked out.
#[derive(Clone)]
pub(super) enum Known {
    NotYet,
    Underway,
    /// `None` after an error.
    Done(Option<LinkValue>),
}

impl<'t> Builder<'t> {
    /// Records the names of `block` and of the parts in it; gives its index.
    pub(super) fn scopes(&mut self, block: &'t Block, parent: Option<usize>) -> usize {
        let id = self.scopes.len();
        self.scopes.push(Scope {
            parent,
            block,
            links: BTreeMap::new(),
            parts: BTreeMap::new(),
            part_names: block.statements.iter().filter_map(part_name).collect(),
            names: BTreeMap::new(),
        });
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Link { name, value } if self.declare(id, name) => {
                    let named = Named { value, known: Known::NotYet };
                    self.scopes[id].links.insert(&name.value, named);
                }
                StatementKind::Part { name, body } => {
                    let part = self.scopes(body, Some(id));
                    if self.declare(id, name) {
                        self.scopes[id].parts.insert(&name.value, part);
                    }
                }
                StatementKind::Device { kind, name, .. } if self.is_kind(id, &kind.value) => {
                    self.declare(id, name);
                }
                _ => {}
            }
        }
        let links: Vec<&'t str> = self.scopes[id].links.keys().copied().collect();
        for name in links {
            // Errors in links that nobody uses are errors too.
            let _ = self.named_value(id, name);
        }
        id
    }

    /// Whether a device or an instance may be declared with this word.
    pub(super) fn is_kind(&self, scope: usize, word: &str) -> bool {
        DeviceKind::from_word(word).is_some()
            || self.outwards(scope).any(|id| self.scopes[id].part_names.contains(word))
    }

    /// Whether the name is new in its block.
    fn declare(&mut self, scope: usize, name: &'t Spanned<String>) -> bool {
        if let Some(first) = self.scopes[scope].names.get(name.value.as_str()) {
            let first = *first;
            let (at, name) = (place(name.span), name.value.clone());
            self.report(Error::Duplicate { at, name, first });
            return false;
        }
        self.scopes[scope].names.insert(&name.value, name.span);
        true
    }

    /// The scopes from `scope` outwards.
    fn outwards(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |id| self.scopes[*id].parent)
    }

    /// The part that `name` means in `scope`.
    pub(super) fn find_part(&self, scope: usize, name: &str) -> Option<usize> {
        self.outwards(scope).find_map(|id| self.scopes[id].parts.get(name).copied())
    }

    /// The scope that declares link `name`, seen from `scope`.
    pub(super) fn find_link(&self, scope: usize, name: &str) -> Option<(usize, &'t str)> {
        self.outwards(scope)
            .find_map(|id| self.scopes[id].links.get_key_value(name).map(|(name, _)| (id, *name)))
    }

    /// An error for a name that nothing bears, with the nearest of what there is.
    pub(super) fn unknown(&self, scope: usize, name: &Spanned<String>, sought: Sought) -> Error {
        let mut known: Vec<&str> = Vec::new();
        if sought == Sought::Kind {
            known.extend(crate::dsl::words::KINDS);
        }
        for id in self.outwards(scope) {
            match sought {
                Sought::Kind => known.extend(self.scopes[id].parts.keys()),
                Sought::Link => known.extend(self.scopes[id].links.keys()),
                _ => {}
            }
        }
        let meant = nearest(&name.value, known).map(str::to_owned);
        Error::Unknown { at: place(name.span), name: name.value.clone(), sought, meant }
    }
}

fn part_name(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::Part { name, .. } => Some(&name.value),
        _ => None,
    }
}
