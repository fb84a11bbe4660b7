//! The sketch of a layout of pair labels.

use super::layout::{Layout, Parent};
use super::matrix::Matrix;
use super::sketch::{self, Array, Details, Element, LinkLine, Sketch};
use super::wording::plural;

/// What is written for `layout`; `assume` is a PCIe generation for every slot.
pub fn sketch(matrix: &Matrix, layout: &Layout, assume: Option<u32>) -> Sketch {
    let gpus = matrix.gpus;
    let mut links = Vec::new();
    let mut link = |used: bool, name: &str, comment: &str| {
        let value = match assume {
            Some(generation) => sketch::pcie(generation, 16, sketch::assumed(generation)),
            None => sketch::unknown(),
        };
        if used {
            let (name, comment) = (name.to_string(), comment.to_string());
            links.push(LinkLine { name, value, comment });
        }
        links.len().saturating_sub(1)
    };
    let (of_gpus, of_nics) = layout.hidden.split_at(gpus);
    let slot = link(of_gpus.contains(&false), "slot", "of a GPU");
    let what = "of a GPU whose PCIe place NVLink hides";
    let hidden = link(of_gpus.contains(&true), "hidden", what);
    let has_switch = !layout.switches.is_empty() || !layout.upstream.is_empty();
    let trunk = link(has_switch, "trunk", "of a switch, towards its socket");
    let card = link(!of_nics.is_empty(), "card", "of a network card");
    let between = (layout.sockets > 1).then(|| {
        links.push(sketch::between_sockets(assume));
        links.len() - 1
    });
    let element =
        |parent: Parent, link: usize| Element { parent, link, details: Details::default() };
    let upstream = layout.upstream.iter().map(|&socket| element(Parent::Socket(socket), trunk));
    let comment = "upstream of the switches and devices that are PXB to each other".to_string();
    let on = |parents: &[Parent], link: usize| -> Vec<Element> {
        parents.iter().map(|&parent| element(parent, link)).collect()
    };
    Sketch {
        heading: heading(matrix, layout),
        between,
        sockets: layout.sockets,
        upstream: Array { elements: upstream.collect(), comment: Some(comment) },
        switches: Array { elements: on(&layout.switches, trunk), comment: None },
        gpus: Array {
            elements: (0..gpus)
                .map(|gpu| {
                    let link = if layout.hidden[gpu] { hidden } else { slot };
                    element(layout.parents[gpu], link)
                })
                .collect(),
            comment: None,
        },
        nics: Array {
            elements: on(&layout.parents[gpus..], card),
            comment: Some(card_names(matrix)),
        },
        links,
    }
}

fn heading(matrix: &Matrix, layout: &Layout) -> Vec<String> {
    let nics = matrix.devices.len() - matrix.gpus;
    let mut lines = vec![
        format!(
            "Imported from nvidia-smi topo -m: {}, {}, {}.",
            plural(matrix.gpus, "GPU", "GPUs"),
            plural(nics, "network card port", "network card ports"),
            plural(layout.sockets, "socket", "sockets"),
        ),
        "g[k] is GPUk of nvidia-smi. That format has no link rates and no GPU models.".to_string(),
    ];
    for (position, device) in matrix.devices[..matrix.gpus].iter().enumerate() {
        if device.name != format!("GPU{position}") {
            lines.push(format!("Here g[{position}] is {}.", device.name));
        }
    }
    for socket in 0..layout.sockets {
        let mut seen: Vec<String> = Vec::new();
        for gpu in (0..matrix.gpus).filter(|&gpu| layout.socket_of[gpu] == socket) {
            let device = &matrix.devices[gpu];
            let mut parts = Vec::new();
            parts.extend(device.numa.as_ref().map(|numa| format!("NUMA {numa}")));
            parts.extend(device.cpus.as_ref().map(|cpus| format!("CPUs {cpus}")));
            let text = parts.join(", ");
            if !text.is_empty() && !seen.contains(&text) {
                seen.push(text);
            }
        }
        if !seen.is_empty() {
            lines.push(format!("s[{socket}]: {}", seen.join("; ")));
        }
    }
    let names = |pair: (usize, usize)| format!("g[{}]-g[{}]", pair.0, pair.1);
    let nvlinks: Vec<String> = (0..matrix.gpus)
        .flat_map(|a| (a + 1..matrix.gpus).map(move |b| (a, b)))
        .filter(|&(a, b)| matrix.labels[a][b].is_nvlink())
        .map(|(a, b)| format!("{} {}", names((a, b)), matrix.labels[a][b]))
        .collect();
    if !nvlinks.is_empty() {
        lines.push("NVLink, not described below:".to_string());
        lines.extend(nvlinks.chunks(6).map(|chunk| chunk.join(", ")));
    }
    lines
}

fn card_names(matrix: &Matrix) -> String {
    let names: Vec<&str> = matrix.devices[matrix.gpus..]
        .iter()
        .map(|device| device.legend.as_deref().unwrap_or(&device.name))
        .collect();
    names.join(", ")
}
