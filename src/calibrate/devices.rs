//! Which rank each measured device is.

use super::Source;
use super::fault::Fault;
use crate::base::Rank;
use crate::diagnostics::Diagnostic;
use crate::topology::Topology;

/// The rank of each device of `source`, and a note where only positions tell.
pub(super) fn ranks(
    topology: &Topology,
    source: &Source,
) -> Result<(Vec<Rank>, Option<Diagnostic>), Fault> {
    let devices = &source.measured.devices;
    let file = source.name.clone();
    let bus = |rank: usize| topology.vertices[topology.ranks[rank].index()].bus.as_deref();
    let path = |rank: usize| topology.vertices[topology.ranks[rank].index()].path.clone();
    let all = 0..topology.ranks.len();
    let known = all.clone().all(|rank| bus(rank).is_some());
    if known && devices.iter().all(|device| device.bus.is_some()) {
        let mut ranks = Vec::new();
        for (index, device) in devices.iter().enumerate() {
            let wanted = device.bus.as_deref().unwrap_or_default();
            let same = |rank: &usize| bus(*rank).is_some_and(|bus| key(bus) == key(wanted));
            let found: Vec<usize> = all.clone().filter(same).collect();
            match found[..] {
                [rank] => ranks.push(Rank::new(rank)),
                [] => {
                    let known = all.clone().filter_map(bus).map(str::to_owned).collect();
                    let bus = wanted.to_owned();
                    return Err(Fault::NoDevice { file, device: index, bus, known });
                }
                _ => {
                    let gpus = found.into_iter().map(path).collect();
                    return Err(Fault::Ambiguous { file, bus: wanted.to_owned(), gpus });
                }
            }
        }
        return Ok((ranks, None));
    }
    if devices.len() != topology.ranks.len() {
        let (devices, ranks) = (devices.len(), topology.ranks.len());
        return Err(Fault::Count { file, devices, ranks });
    }
    let why = if known {
        "not every measured device has a bus id"
    } else {
        "not every GPU of the topology has a bus id"
    };
    let note = Diagnostic::note(
        "calibrate-position",
        format!("{file}: {why}; measured device N is taken as rank N"),
    );
    let note = if known {
        note
    } else {
        note.help("add `bus` to the GPUs, so that they are matched by bus id")
    };
    Ok((all.map(Rank::new).collect(), Some(note)))
}

/// A bus id without regard to case and to leading zeros of its domain.
fn key(bus: &str) -> String {
    bus.trim_start_matches('0').to_ascii_lowercase()
}
