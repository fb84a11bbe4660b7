//! What an import had to assume, said aloud.

use super::label::PairLabel;
use super::layout::{Grounds, Layout};
use super::matrix::Matrix;
use super::sketch::SOCKET_LINK_REASON;
use crate::base::Span;
use crate::diagnostics::{Diagnostic, Diagnostics};

/// Everything worth knowing about how `layout` was read from `matrix`.
pub fn notes(matrix: &Matrix, layout: &Layout, assume: Option<u32>) -> Diagnostics {
    let mut notes = Diagnostics::new();
    grounds(matrix, layout, &mut notes);
    nvlink(matrix, layout, assume, &mut notes);
    cards(matrix, layout, &mut notes);
    match assume {
        Some(generation) => {
            notes.push(Diagnostic::note(
                "import-assumed",
                format!("PCIe links are assumed to be gen{generation} x16"),
            ));
            if layout.sockets > 1 {
                notes.push(Diagnostic::note(
                    "import-assumed",
                    format!("links between sockets are assumed at 39 GB/s, {SOCKET_LINK_REASON}"),
                ));
            }
        }
        None => notes.push(
            Diagnostic::note(
                "import-rates",
                "nvidia-smi topo -m has no link rates: all are unknown",
            )
            .help("edit the `link` lines, or import with `--assume gen4`"),
        ),
    }
    notes
}

fn names(matrix: &Matrix, devices: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<&str> =
        devices.into_iter().map(|device| matrix.devices[device].name.as_str()).collect();
    names.join(", ")
}

fn header(matrix: &Matrix) -> Option<Span> {
    matrix.devices.first().map(|device| device.span)
}

fn grounds(matrix: &Matrix, layout: &Layout, notes: &mut Diagnostics) {
    let sockets = layout.sockets - usize::from(layout.far_socket.is_some());
    let count = if sockets == 1 { "one socket".to_string() } else { format!("{sockets} sockets") };
    let message = match layout.grounds {
        Grounds::Labels => None,
        Grounds::AllSys => Some(format!(
            "every pair of GPUs is SYS, which some machines print within a socket too: {count} \
             assumed by the affinity columns"
        )),
        Grounds::AllSysBare => Some(format!(
            "every pair of GPUs is SYS and not every GPU has an affinity: {count} assumed, one a \
             GPU"
        )),
        Grounds::Hidden => Some(format!(
            "NVLink hides which GPUs share a socket: {count} assumed by the affinity columns"
        )),
        Grounds::HiddenBare => Some(format!(
            "NVLink hides which GPUs share a socket and not every GPU has an affinity: {count} \
             assumed"
        )),
    };
    if let Some(message) = message {
        notes.push(Diagnostic::warning("import-sockets", message).at(header(matrix), ""));
    }
    if layout.sockets > 2 {
        let message = format!(
            "{} sockets are assumed to be joined each to each; NUMA nodes of one package look the \
             same in this format",
            layout.sockets
        );
        notes.push(Diagnostic::warning("import-mesh", message).at(header(matrix), ""));
    }
    for socket in 0..layout.sockets {
        let gpus: Vec<usize> =
            (0..matrix.gpus).filter(|&gpu| layout.socket_of[gpu] == socket).collect();
        let mut numa: Vec<&str> =
            gpus.iter().filter_map(|&gpu| matrix.devices[gpu].numa.as_deref()).collect();
        numa.sort_unstable();
        numa.dedup();
        if numa.len() > 1 {
            let message = format!(
                "the GPUs of s[{socket}] are on NUMA nodes {}; their labels put them on one socket",
                numa.join(", ")
            );
            notes.push(Diagnostic::note("import-numa", message).at(header(matrix), ""));
        }
    }
    same_affinity_apart(matrix, layout, notes);
}

/// Labels say two sockets while the affinity columns see no difference.
fn same_affinity_apart(matrix: &Matrix, layout: &Layout, notes: &mut Diagnostics) {
    if layout.grounds != Grounds::Labels {
        return;
    }
    for a in 0..matrix.gpus {
        for b in a + 1..matrix.gpus {
            let (left, right) = (&matrix.devices[a], &matrix.devices[b]);
            let same = left.cpus.is_some() && left.cpus == right.cpus && left.numa == right.numa;
            if same && layout.socket_of[a] != layout.socket_of[b] {
                let message = format!(
                    "{} and {} have the same affinity but are SYS to each other: two sockets \
                     assumed, as the label says",
                    left.name, right.name
                );
                let diagnostic = Diagnostic::warning("import-sockets", message);
                notes.push(diagnostic.at(Some(matrix.spans[a][b]), ""));
                return;
            }
        }
    }
}

fn nvlink(matrix: &Matrix, layout: &Layout, assume: Option<u32>, notes: &mut Diagnostics) {
    let mut first = None;
    let (mut linked, mut pairs) = (0, 0);
    for a in 0..matrix.gpus {
        for b in a + 1..matrix.gpus {
            pairs += 1;
            if matrix.labels[a][b].is_nvlink() {
                linked += 1;
                first = first.or(Some(matrix.spans[a][b]));
            }
        }
    }
    if linked == 0 {
        return;
    }
    let message = format!(
        "this machine has NVLink between {linked} of {pairs} pairs of GPUs; NVLink routes are not \
         carried out and not described, only the PCIe tree is"
    );
    notes.push(Diagnostic::warning("import-nvlink", message).at(first, ""));
    let hidden: Vec<usize> = (0..matrix.gpus).filter(|&gpu| layout.hidden[gpu]).collect();
    if !hidden.is_empty() {
        let message = format!(
            "NVLink hides how {} {} on PCIe: put on the socket with an {} rate",
            names(matrix, hidden.iter().copied()),
            if hidden.len() == 1 { "hangs" } else { "hang" },
            if assume.is_some() { "assumed" } else { "unknown" },
        );
        notes.push(Diagnostic::warning("import-hidden", message).at(first, ""));
    }
}

fn cards(matrix: &Matrix, layout: &Layout, notes: &mut Diagnostics) {
    for (number, members) in layout.members.iter().enumerate() {
        let ports: Vec<usize> =
            members.iter().copied().filter(|&device| device >= matrix.gpus).collect();
        if ports.len() < 2 {
            continue;
        }
        let message = if ports.len() == members.len() {
            format!(
                "{} share at most one bridge: ports of one card or cards on one switch; sw[{number}] \
                 stands for it",
                names(matrix, ports.iter().copied()),
            )
        } else {
            format!(
                "{} are on sw[{number}] together: ports of one card perhaps",
                names(matrix, ports.iter().copied()),
            )
        };
        let diagnostic = Diagnostic::note("import-twins", message);
        notes.push(diagnostic.at(Some(matrix.spans[ports[0]][ports[1]]), ""));
    }
    if let Some(socket) = layout.far_socket {
        let far: Vec<usize> = (matrix.gpus..matrix.devices.len())
            .filter(|&device| layout.socket_of[device] == socket)
            .collect();
        let message = format!(
            "{} {} SYS to every GPU: put on a socket without GPUs, s[{socket}]",
            names(matrix, far.iter().copied()),
            if far.len() == 1 { "is" } else { "are" },
        );
        let diagnostic = Diagnostic::warning("import-far", message);
        notes.push(diagnostic.at(far.first().map(|&device| matrix.devices[device].span), ""));
    }
    let phb = (0..matrix.gpus).any(|a| {
        matrix.labels[a][..matrix.gpus]
            .iter()
            .any(|label| matches!(label, PairLabel::Node | PairLabel::Phb))
    });
    if phb && !layout.switches.is_empty() {
        let message = "NODE and PHB do not rule out a physical switch that is split into parts: \
                       switches are told apart by PIX and PXB only";
        notes.push(Diagnostic::note("import-switches", message));
    }
}
