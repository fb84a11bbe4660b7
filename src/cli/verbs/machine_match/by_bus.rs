//! Devices matched by bus id.

use super::{Match, Placed, differ, difference, is_gpu, rate};
use crate::base::BusId;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::Machine;
use std::collections::BTreeMap;

/// What the devices with bus ids contradict each other in; a warning about GPUs left out.
pub(super) fn compare(
    machine: &Machine,
    file: &[Placed<'_>],
    here: &[Placed<'_>],
) -> (Match, Diagnostics) {
    let there: BTreeMap<BusId, &Placed<'_>> =
        here.iter().filter_map(|placed| Some((placed.entry.bus?, placed))).collect();
    let (mut differences, mut notes) = (Diagnostics::new(), Diagnostics::new());
    let mut pairs: Vec<(&Placed<'_>, &Placed<'_>)> = Vec::new();
    for placed in file {
        let (path, Some(bus)) = (placed.entry.path.as_str(), placed.entry.bus) else { continue };
        let mut differs = |message| differences.push(difference(machine, Some(path), message));
        let Some(other) = there.get(&bus) else {
            let what = if is_gpu(&placed) { "GPU" } else { "network card" };
            differs(format!("this machine has no {what} {bus}, which {path} is"));
            continue;
        };
        if other.entry.kind != placed.entry.kind {
            differs(format!(
                "{path} is a {} here: {bus}",
                if is_gpu(other) { "GPU" } else { "network card" }
            ));
            continue;
        }
        pairs.push((placed, other));
        if let (Some(told), Some(found)) = (rate(placed), rate(other))
            && differ(told, found)
        {
            differs(format!("{path} ({bus}) is on {told} in the file and on {found} here"));
        }
    }
    let gpus: Vec<_> = pairs.iter().filter(|(placed, _)| is_gpu(placed)).collect();
    type Place = for<'a, 'b> fn(&'a Placed<'b>) -> Option<&'b str>;
    let places: [(&str, Place); 2] =
        [("switch", |placed| placed.switch), ("socket", |placed| placed.socket)];
    for (word, place) in places {
        let together = |a: &Placed<'_>, b: &Placed<'_>| place(a).is_some() && place(a) == place(b);
        let mut apart = (0..gpus.len())
            .flat_map(|i| (i + 1..gpus.len()).map(move |j| (i, j)))
            .filter(|&(i, j)| together(gpus[i].0, gpus[j].0) != together(gpus[i].1, gpus[j].1));
        if let Some((i, j)) = apart.next() {
            let more = match apart.count() {
                0 => String::new(),
                n => format!(", and so are {n} more pairs"),
            };
            let [file, here] = [together(gpus[i].0, gpus[j].0), together(gpus[i].1, gpus[j].1)]
                .map(|same| if same { "on one" } else { "not on one" });
            let (a, b) = (&gpus[i].0.entry.path, &gpus[j].0.entry.path);
            let message =
                format!("{a} and {b} are {file} {word} in the file and {here} here{more}");
            differences.push(difference(machine, Some(a), message));
        }
    }
    let extra: Vec<String> = here
        .iter()
        .filter(is_gpu)
        .filter_map(|placed| placed.entry.bus)
        .filter(|bus| !file.iter().any(|placed| placed.entry.bus == Some(*bus)))
        .map(|bus| bus.to_string())
        .collect();
    if !extra.is_empty() {
        let message =
            format!("GPUs of this machine that the file leaves out: {}", extra.join(", "));
        notes.push(Diagnostic::warning("machine-more", message));
    }
    let nics = pairs.len() - gpus.len();
    let found = Match {
        by_bus: Some((gpus.len(), nics)),
        gpus: file.iter().filter(is_gpu).count(),
        differences,
    };
    (found, notes)
}
