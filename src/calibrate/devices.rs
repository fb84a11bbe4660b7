//! Which rank each measured device is.

use super::Source;
use super::fault::Fault;
use crate::base::{BusId, Rank};
use crate::diagnostics::Diagnostic;
use crate::topology::{Topology, Vertex};
use std::collections::BTreeMap;

/// The rank of each device of `source`, and a note where only positions tell.
pub(super) fn ranks(
    topology: &Topology,
    source: &Source,
) -> Result<(Vec<Rank>, Option<Diagnostic>), Fault> {
    let devices = &source.measured.devices;
    let gpus = || topology.ranks.iter().map(|gpu| &topology.vertices[gpu.index()]);
    let measured: Option<Vec<BusId>> = devices.iter().map(|device| device.bus).collect();
    let known: Option<Vec<(BusId, &Vertex)>> = gpus().map(|gpu| Some((gpu.bus?, gpu))).collect();
    let why = match (&known, &measured) {
        (Some(known), Some(measured)) => {
            return Ok((by_bus(known, measured, &source.name)?, None));
        }
        (Some(_), None) => "not every measured device has a bus id",
        (None, _) => "not every GPU of the topology has a bus id",
    };
    if devices.len() != topology.ranks.len() {
        let (file, devices, ranks) = (source.name.clone(), devices.len(), topology.ranks.len());
        return Err(Fault::Count { file, devices, ranks });
    }
    let mut note = Diagnostic::note(
        "calibrate-position",
        format!("{}: {why}; measured device N is taken as rank N", source.name),
    );
    if known.is_none() {
        note = note.help("add `bus` to the GPUs, so that they are matched by bus id");
    }
    Ok(((0..devices.len()).map(Rank::new).collect(), Some(note)))
}

/// The rank of each bus id of `measured` among the GPUs, which stand in the order of their ranks.
fn by_bus(gpus: &[(BusId, &Vertex)], measured: &[BusId], file: &str) -> Result<Vec<Rank>, Fault> {
    let mut ranks: BTreeMap<BusId, Vec<usize>> = BTreeMap::new();
    for (rank, (bus, _)) in gpus.iter().enumerate() {
        ranks.entry(*bus).or_default().push(rank);
    }
    let rank = |(device, &bus): (usize, &BusId)| match ranks.get(&bus).map(Vec::as_slice) {
        Some(&[rank]) => Ok(Rank::new(rank)),
        // Nodes number their buses alike.
        Some(several) => {
            let gpus = several.iter().map(|&rank| gpus[rank].1.path.clone()).collect();
            Err(Fault::Ambiguous { file: file.to_owned(), bus, gpus })
        }
        None => {
            let known = gpus.iter().map(|(bus, _)| *bus).collect();
            Err(Fault::NoDevice { file: file.to_owned(), device, bus, known })
        }
    };
    measured.iter().enumerate().map(rank).collect()
}
