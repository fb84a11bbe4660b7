//! What makes two topologies the same.

use super::print::format;
use super::tree::{Attribute, Block, File, Origin, Rule, SetChange, StatementKind, Value};
use crate::base::Digest;

/// The digest of a resolved file. Comments, empty lines, layout and the origins of figures do not
/// count; names, figures, rules and their order do.
#[must_use]
pub fn digest(file: &File) -> Digest {
    let mut file = file.clone();
    file.leading.clear();
    file.trailing = None;
    bare(&mut file.body);
    Digest::of(format(&file).as_bytes())
}

fn bare(block: &mut Block) {
    block.dangling.clear();
    for statement in &mut block.statements {
        statement.blank_before = false;
        statement.leading.clear();
        statement.trailing = None;
        match &mut statement.kind {
            StatementKind::Link { value, .. } => forget(value),
            StatementKind::Part { body, .. } => bare(body),
            StatementKind::Device { attributes, join, .. } => {
                attributes.iter_mut().for_each(|one| forget_memory(&mut one.value));
                if let Some(join) = join {
                    forget(&mut join.value);
                }
            }
            StatementKind::Join { tail, .. } => forget(&mut tail.value),
            StatementKind::Total { value, .. } => forget(value),
            StatementKind::Set { change, .. } => match change {
                SetChange::Attributes(all) => {
                    all.iter_mut().for_each(|one| forget_memory(&mut one.value));
                }
                SetChange::OnlyLink(value) => forget(value),
                SetChange::Join(tail) => forget(&mut tail.value),
            },
            StatementKind::Rule(rule) => match &mut rule.value {
                Rule::Cap { value, .. } | Rule::Avoid { value: Some(value), .. } => forget(value),
                Rule::Cost { origin, .. } => *origin = None,
                _ => {}
            },
            StatementKind::Use { .. }
            | StatementKind::Param { .. }
            | StatementKind::Without(_)
            | StatementKind::Ranks(_) => {}
        }
    }
}

fn forget(value: &mut Value) {
    value.origin = None;
}

fn forget_memory(attribute: &mut Attribute) {
    if let Attribute::Memory(_, origin) = attribute {
        let none: Option<Origin> = None;
        *origin = none;
    }
}
