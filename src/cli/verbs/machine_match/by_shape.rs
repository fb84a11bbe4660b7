//! Machines compared by counts and speeds.

use super::super::wording::count;
use super::{Match, Placed, differ, difference, is_gpu, rate};
use crate::base::BytesPerSecond;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use std::collections::BTreeMap;

/// What the shapes contradict each other in; a warning about network cards.
pub(super) fn compare(
    machine: &Machine,
    file: &[Placed<'_>],
    here: &[Placed<'_>],
) -> (Match, Diagnostics) {
    let (mut differences, mut notes) = (Diagnostics::new(), Diagnostics::new());
    let mut differs = |message| differences.push(difference(machine, None, message));
    let numbers = |all: &[Placed<'_>]| {
        let gpus = all.iter().filter(is_gpu).count();
        (gpus, all.len() - gpus)
    };
    let ((gpus, nics), (gpus_here, nics_here)) = (numbers(file), numbers(here));
    if gpus != gpus_here {
        differs(format!("the file has {}, this machine {gpus_here}", count(gpus, "GPU")));
    } else {
        let sizes = |all: &[Placed<'_>], place: fn(&Placed<'_>) -> Option<String>| {
            let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
            for gpu in all.iter().filter(is_gpu) {
                *sizes.entry(place(gpu).unwrap_or_else(|| gpu.entry.path.clone())).or_default() +=
                    1;
            }
            let mut sizes: Vec<usize> = sizes.into_values().collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            sizes
        };
        type Place = fn(&Placed<'_>) -> Option<String>;
        let places: [(&str, Place); 2] = [
            ("switch", |placed| placed.switch.map(str::to_owned)),
            ("socket", |placed| placed.socket.map(str::to_owned)),
        ];
        for (word, place) in places {
            let (told, found) = (sizes(file, place), sizes(here, place));
            if told != found {
                differs(format!(
                    "GPUs a {word}: {} in the file, {} here",
                    joined(&told),
                    joined(&found)
                ));
            }
        }
        let rates = |all: &[Placed<'_>]| -> Option<Vec<BytesPerSecond>> {
            let mut rates: Vec<BytesPerSecond> =
                all.iter().filter(is_gpu).map(rate).collect::<Option<_>>()?;
            rates.sort_unstable();
            Some(rates)
        };
        if let (Some(told), Some(found)) = (rates(file), rates(here)) {
            let mut pairs = told.iter().zip(&found).filter(|(a, b)| differ(**a, **b));
            if let Some((told, found)) = pairs.next() {
                let more = match pairs.count() {
                    0 => String::new(),
                    n => format!(", and {n} more differ"),
                };
                differs(format!("a GPU is on {told} in the file and on {found} here{more}"));
            }
        }
    }
    if nics != nics_here {
        let message = format!("the file has {}, this machine {nics_here}", count(nics, "NIC"));
        notes.push(Diagnostic::warning("machine-more", message));
    }
    (Match { by_bus: None, gpus, differences }, notes)
}

fn joined(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ")
}
