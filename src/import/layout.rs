//! From pair labels to a PCIe tree: sockets, switches and who hangs where.
//!
//! `PIX` devices share one switch, `PXB` joins such groups under a common upstream switch, `PHB`
//! and `NODE` put them on one socket, `SYS` on different ones. NVLink labels hide the PCIe relation
//! of a pair; what other devices say about it is used, and the rest stays open. A **socket** here
//! is a root complex with its memory; the file names NUMA nodes, which need not be the same.

use super::fault::Fault;
use super::label::PairLabel;
use super::matrix::Matrix;
use crate::base::Forest;
use crate::diagnostics::Diagnostics;
use std::collections::BTreeSet;

/// What a device or switch hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parent {
    /// A socket.
    Socket(usize),
    /// An upstream switch.
    Upstream(usize),
    /// A switch.
    Switch(usize),
}

/// The tree.
#[derive(Debug, Clone)]
pub struct Layout {
    /// How many sockets there are, those without a device in the matrix left out.
    pub sockets: usize,
    /// The socket of each device of the matrix.
    pub socket_of: Vec<usize>,
    /// The socket of each upstream switch.
    pub upstream: Vec<usize>,
    /// What each switch hangs on.
    pub switches: Vec<Parent>,
    /// The devices of each switch.
    pub members: Vec<Vec<usize>>,
    /// What each device of the matrix hangs on.
    pub parents: Vec<Parent>,
    /// Whether NVLink hides where the device hangs.
    pub hidden: Vec<bool>,
    /// How the sockets were found.
    pub grounds: Grounds,
    /// The socket that was added for cards far from every GPU.
    pub far_socket: Option<usize>,
}

/// What the sockets rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// Labels alone.
    Labels,
    /// Every pair of GPUs is `SYS`: the affinity columns decided.
    AllSys,
    /// Every pair of GPUs is `SYS` and there is no affinity: a socket each.
    AllSysBare,
    /// NVLink hides the relation: the affinity columns decided.
    Hidden,
    /// NVLink hides the relation and there is no affinity: one socket.
    HiddenBare,
}

/// The tree of `matrix`.
///
/// # Errors
/// [`Fault::Contradiction`] for labels that no tree has.
pub fn layout(matrix: &Matrix) -> Result<Layout, Diagnostics> {
    let count = matrix.devices.len();
    let sets = |test: fn(PairLabel) -> bool| {
        let mut sets = Forest::new(count);
        for row in 0..count {
            for column in row + 1..count {
                if test(matrix.labels[row][column]) {
                    sets.join(row, column);
                }
            }
        }
        sets
    };
    let near = sets(|label| label == PairLabel::Pix);
    let cascade = sets(|label| matches!(label, PairLabel::Pix | PairLabel::Pxb));
    let mut local = sets(PairLabel::is_local);
    contradictions(matrix, &near, &cascade, &local)?;
    let grounds = join_by_affinity(matrix, &mut local);

    let mut layout = Layout {
        sockets: 0,
        socket_of: vec![0; count],
        upstream: Vec::new(),
        switches: Vec::new(),
        members: Vec::new(),
        parents: vec![Parent::Socket(0); count],
        hidden: vec![false; count],
        grounds,
        far_socket: None,
    };
    sockets(matrix, &local, &mut layout);
    switches(count, &near, &cascade, &mut layout);
    for gpu in 0..matrix.gpus {
        let on_socket = matches!(layout.parents[gpu], Parent::Socket(_));
        layout.hidden[gpu] =
            on_socket && matrix.labels[gpu][..matrix.gpus].iter().any(|label| label.is_nvlink());
    }
    Ok(layout)
}

/// Each class must be an equivalence: whoever is near the same device is near each other.
fn contradictions(
    matrix: &Matrix,
    near: &Forest,
    cascade: &Forest,
    local: &Forest,
) -> Result<(), Diagnostics> {
    let mut faults = Diagnostics::new();
    for row in 0..matrix.devices.len() {
        for column in row + 1..matrix.devices.len() {
            let label = matrix.labels[row][column];
            let expected = match label {
                PairLabel::Own | PairLabel::Nvlink(_) | PairLabel::Pix => continue,
                _ if near.same(row, column) => PairLabel::Pix,
                PairLabel::Pxb => continue,
                _ if cascade.same(row, column) => PairLabel::Pxb,
                PairLabel::Sys if local.same(row, column) => PairLabel::Node,
                _ => continue,
            };
            let name = |index: usize| matrix.devices[index].name.clone();
            let fault =
                Fault::Contradiction { row: name(row), column: name(column), label, expected };
            faults.push(fault.at(Some(matrix.spans[row][column])));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Joins groups whose relation the labels leave open, by the affinity of their GPUs. Labels leave
/// it open where every pair of GPUs is `SYS` (some virtual machines and boards print that within a
/// socket too), or where all that joins two groups is NVLink.
fn join_by_affinity(matrix: &Matrix, local: &mut Forest) -> Grounds {
    let gpus = matrix.gpus;
    let pairs = || (0..gpus).flat_map(move |a| (a + 1..gpus).map(move |b| (a, b)));
    let all_sys = gpus > 1 && pairs().all(|(a, b)| matrix.labels[a][b] == PairLabel::Sys);
    let key = |gpu: usize| {
        let device = &matrix.devices[gpu];
        device.numa.as_ref().or(device.cpus.as_ref())
    };
    let known = (0..gpus).all(|gpu| key(gpu).is_some());
    if all_sys {
        if !known {
            return Grounds::AllSysBare;
        }
        for (a, b) in pairs() {
            if key(a) == key(b) {
                local.join(a, b);
            }
        }
        return Grounds::AllSys;
    }
    // Only what the labels say counts here, not what was joined on the way.
    let groups: Vec<usize> = (0..matrix.devices.len()).map(|device| local.root(device)).collect();
    let mut apart: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (row, labels) in matrix.labels.iter().enumerate() {
        let far = labels.iter().enumerate().filter(|(_, label)| **label == PairLabel::Sys);
        apart.extend(far.map(|(column, _)| (groups[row], groups[column])));
    }
    let mut grounds = Grounds::Labels;
    for (a, b) in pairs() {
        if groups[a] == groups[b] || apart.contains(&(groups[a], groups[b])) {
            continue;
        }
        if known {
            grounds = Grounds::Hidden;
            if key(a) == key(b) {
                local.join(a, b);
            }
        } else {
            grounds = Grounds::HiddenBare;
            local.join(a, b);
        }
    }
    grounds
}

/// Numbers the sockets by their first GPU. Cards that are `SYS` to every GPU go to one socket more.
fn sockets(matrix: &Matrix, local: &Forest, layout: &mut Layout) {
    let mut numbers: Vec<(usize, usize)> = Vec::new();
    for device in 0..matrix.devices.len() {
        let group = local.root(device);
        let number = numbers.iter().find(|(known, _)| *known == group).map(|(_, number)| *number);
        layout.socket_of[device] = match number {
            Some(number) => number,
            None if device < matrix.gpus => {
                numbers.push((group, layout.sockets));
                layout.sockets += 1;
                layout.sockets - 1
            }
            None => *layout.far_socket.get_or_insert_with(|| {
                layout.sockets += 1;
                layout.sockets - 1
            }),
        };
    }
}

/// Switches in the order of their first device, those of GPUs before those of cards alone (GPUs
/// come first in the matrix).
fn switches(count: usize, near: &Forest, cascade: &Forest, layout: &mut Layout) {
    let mut upstream_of = vec![None; count];
    for device in 0..count {
        let group = cascade.root(device);
        let is_cascade = (0..count).any(|d| cascade.same(d, device) && !near.same(d, device));
        if is_cascade && upstream_of[group].is_none() {
            upstream_of[group] = Some(layout.upstream.len());
            layout.upstream.push(layout.socket_of[device]);
        }
        let above =
            upstream_of[group].map_or(Parent::Socket(layout.socket_of[device]), Parent::Upstream);
        let members: Vec<usize> = (0..count).filter(|&d| near.same(d, device)).collect();
        layout.parents[device] = if members.len() < 2 {
            above
        } else if members[0] == device {
            layout.switches.push(above);
            layout.members.push(members);
            Parent::Switch(layout.switches.len() - 1)
        } else {
            layout.parents[members[0]]
        };
    }
}
