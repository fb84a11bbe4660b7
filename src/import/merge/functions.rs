//! One function as two dumps tell of it.

use super::fault::Fault;
use crate::base::BusId;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::inventory::{Function, FunctionKind, PciLink};

/// A function with the name of the file that tells of it.
pub type Told<'a> = (&'a str, &'a Function);

/// Fills what `base` leaves open from `other`, the same function in another file.
pub fn fill(
    bus: BusId,
    (base_name, base): (&str, &mut Function),
    (other_name, other): Told<'_>,
    notes: &mut Diagnostics,
) -> Result<(), Box<Diagnostic>> {
    let spans = [base.span, other.span];
    if base.kind != other.kind {
        base.kind = match (card(base.kind), card(other.kind)) {
            (None, Some(_)) => other.kind,
            (Some(_), None) | (None, None) => base.kind,
            (Some(first), Some(second)) => {
                let (first, second) = ((base_name.into(), first), (other_name.into(), second));
                return Err(Box::new(Fault::Kind { bus, first, second }.at(&spans)));
            }
        };
    }
    match (base.ids, other.ids) {
        (Some(first), Some(second)) if first != second => {
            let (first, second) = ((base_name.into(), first), (other_name.into(), second));
            return Err(Box::new(Fault::Ids { bus, first, second }.at(&spans)));
        }
        (None, told) => base.ids = told,
        _ => {}
    }
    let capable = slower(base.link.capable, other.link.capable);
    if known(base.link.capable)
        && known(other.link.capable)
        && base.link.capable != other.link.capable
    {
        let (first, second) = (text(base.link.capable), text(other.link.capable));
        let message = format!(
            "{bus} is capable of {first} in {base_name} and of {second} in {other_name}: the slower \
             is taken"
        );
        notes.push(Diagnostic::note("import-speeds", message).at(base.span, "").at(other.span, ""));
    }
    base.link.capable = capable;
    let current = &mut base.link.current;
    current.generation = current.generation.or(other.link.current.generation);
    current.width = current.width.or(other.link.current.width);
    base.model = base.model.take().or_else(|| other.model.clone());
    base.arch = base.arch.take().or_else(|| other.arch.clone());
    base.number = base.number.or(other.number);
    match (base.numa, other.numa) {
        (Some(first), Some(second)) if first != second => {
            let message = format!(
                "{bus} is on NUMA node {first} in {base_name} and on {second} in {other_name}: \
                 {first} is taken"
            );
            notes.push(
                Diagnostic::warning("import-numa", message).at(base.span, "").at(other.span, ""),
            );
        }
        (None, told) => base.numa = told,
        _ => {}
    }
    for port in &other.ports {
        match base.ports.iter_mut().find(|known| known.name == port.name) {
            Some(known) => {
                known.megabits = known.megabits.or(port.megabits);
                known.guid = known.guid.take().or_else(|| port.guid.clone());
            }
            None => base.ports.push(port.clone()),
        }
    }
    base.acs_redirect = match (base.acs_redirect, other.acs_redirect) {
        (Some(first), Some(second)) => Some(first || second),
        (first, second) => first.or(second),
    };
    Ok(())
}

/// The word for what takes part in an exchange, or hangs on the tree as a card.
fn card(kind: FunctionKind) -> Option<&'static str> {
    match kind {
        FunctionKind::Gpu => Some("GPU"),
        FunctionKind::Nic => Some("network card"),
        FunctionKind::Bridge | FunctionKind::HostBridge => Some("bridge"),
        FunctionKind::NvSwitch | FunctionKind::Other => None,
    }
}

fn known(link: PciLink) -> bool {
    link.generation.is_some() && link.width.is_some()
}

/// The smaller of each, where told.
fn slower(first: PciLink, second: PciLink) -> PciLink {
    let less = |a: Option<u32>, b: Option<u32>| [a, b].into_iter().flatten().min();
    PciLink {
        generation: less(first.generation, second.generation),
        width: less(first.width, second.width),
    }
}

fn text(link: PciLink) -> String {
    let part = |letter: &str, number: Option<u32>| match number {
        Some(number) => format!("{letter}{number}"),
        None => format!("{letter}?"),
    };
    format!("{} {}", part("gen", link.generation), part("x", link.width))
}
