//! Params replaced by their values.

use crate::base::{SourceId, Span};
use crate::diagnostics::Diagnostics;
use crate::dsl::error::{Error, MAX_ERRORS};
use crate::dsl::tree::{
    Atom, Block, Index, Item, JoinTail, Path, Ranks, Rule, SetChange, Spanned, Statement,
    StatementKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// The names of params that stand in the block itself, not in its parts.
pub(super) fn declared(block: &Block) -> BTreeSet<String> {
    let names = block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Param { name, .. } => Some(name.value.clone()),
        _ => None,
    });
    names.collect()
}

/// Takes the params out of `block` and writes their values in place of their names, there and in
/// its parts; a part's own params hide those around it.
pub(super) fn substitute(
    block: &mut Block,
    settings: &BTreeMap<String, u64>,
    errors: &mut Diagnostics,
) {
    let mut stack = Params::default();
    stack.block(block, settings, errors);
}

#[derive(Default)]
struct Params {
    /// The values of each name, the innermost last.
    values: BTreeMap<String, Vec<u64>>,
}

impl Params {
    fn block(
        &mut self,
        block: &mut Block,
        settings: &BTreeMap<String, u64>,
        errors: &mut Diagnostics,
    ) {
        let mut here: BTreeMap<String, Option<Span>> = BTreeMap::new();
        for statement in &block.statements {
            let StatementKind::Param { name, value } = &statement.kind else { continue };
            if let Some(first) = here.get(&name.value) {
                let at = name.span.unwrap_or(Span::new(SourceId(u32::MAX), 0, 0));
                let error = Error::Duplicate { at, name: name.value.clone(), first: *first };
                if errors.iter().len() < MAX_ERRORS {
                    errors.push(error.diagnostic());
                }
                continue;
            }
            here.insert(name.value.clone(), name.span);
            let value = settings.get(&name.value).copied().unwrap_or(value.value);
            self.values.entry(name.value.clone()).or_default().push(value);
        }
        let all = std::mem::take(&mut block.statements);
        let mut comments: Vec<String> = Vec::new();
        for mut statement in all {
            if matches!(statement.kind, StatementKind::Param { .. }) {
                // What was said above a param is kept above the next statement.
                comments.append(&mut statement.leading);
                continue;
            }
            if !comments.is_empty() {
                comments.append(&mut statement.leading);
                statement.leading = std::mem::take(&mut comments);
            }
            self.statement(&mut statement, errors);
            block.statements.push(statement);
        }
        comments.append(&mut block.dangling);
        block.dangling = comments;
        for name in here.keys() {
            if let Some(values) = self.values.get_mut(name) {
                values.pop();
            }
        }
    }

    fn statement(&mut self, statement: &mut Statement, errors: &mut Diagnostics) {
        match &mut statement.kind {
            StatementKind::Part { body, .. } => {
                self.block(body, &BTreeMap::new(), errors);
            }
            StatementKind::Device { count, join, .. } => {
                if let Some(count) = count {
                    self.atom(&mut count.value);
                }
                if let Some(join) = join {
                    self.tail(join);
                }
            }
            StatementKind::Join { left, tail } => {
                self.path(left);
                self.tail(tail);
            }
            StatementKind::Set { path, change } => {
                self.path(path);
                if let SetChange::Join(tail) = change {
                    self.tail(tail);
                }
            }
            StatementKind::Without(paths) | StatementKind::Ranks(Ranks::List(paths)) => {
                paths.iter_mut().for_each(|path| self.path(path));
            }
            StatementKind::Total { of, .. } => {
                for traffic in of {
                    self.path(&mut traffic.path);
                    if let Some((_, to)) = &mut traffic.to {
                        self.path(to);
                    }
                }
            }
            StatementKind::Rule(rule) => match &mut rule.value {
                Rule::Forbid { from, to, .. } => {
                    self.path(from);
                    self.path(to);
                }
                Rule::Via { of, through } => {
                    self.path(of);
                    through.iter_mut().for_each(|path| self.path(path));
                }
                _ => {}
            },
            StatementKind::Use { .. }
            | StatementKind::Param { .. }
            | StatementKind::Link { .. }
            | StatementKind::Ranks(Ranks::By(_)) => {}
        }
    }

    fn tail(&self, tail: &mut JoinTail) {
        self.path(&mut tail.right);
    }

    fn path(&self, path: &mut Path) {
        for step in &mut path.steps {
            let Some(Spanned { value: Index::Items(items), .. }) = &mut step.index else {
                continue;
            };
            for item in items {
                match &mut item.value {
                    Item::One(one) => self.atom(one),
                    Item::Range(from, to) => {
                        self.atom(from);
                        self.atom(to);
                    }
                    Item::Quotient(one, divisor) => {
                        self.atom(one);
                        if let Atom::Integer(value) = one {
                            item.value = Item::One(Atom::Integer(*value / (*divisor).max(1)));
                        }
                    }
                }
            }
        }
    }

    fn atom(&self, atom: &mut Atom) {
        let Atom::Name(name) = atom else { return };
        let value = self.values.get(name.as_str()).and_then(|values| values.last());
        if let Some(value) = value {
            *atom = Atom::Integer(*value);
        }
    }
}
