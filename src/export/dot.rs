//! A drawing for Graphviz: `dot -Tsvg`.

use super::Exported;
use super::forest::Forest;
use crate::base::DeviceKind;
use crate::diagnostics::Diagnostics;
use crate::dsl::Machine;
use crate::dsl::machine::{Device, Link, ValueOrigin};
use std::fmt::Write as _;

/// The drawing of `machine`: a box a node and a socket, rates on the links.
#[must_use]
pub fn dot(machine: &Machine) -> Exported {
    let forest = Forest::new(machine);
    let mut text = format!("digraph {} {{\n", quote(&machine.name));
    text += "  graph [compound=true, rankdir=TB, fontname=\"sans-serif\", style=rounded]\n";
    text += "  node [shape=box, fontname=\"sans-serif\"]\n";
    text += "  edge [dir=both, fontname=\"sans-serif\", fontsize=10]\n";
    let mut below: Vec<Vec<&Device>> = vec![Vec::new(); machine.devices.len()];
    for (device, &root) in machine.devices.iter().zip(&forest.root) {
        if device.kind != DeviceKind::Fabric {
            below[root].push(device);
        }
    }
    let mut roots: Vec<Vec<usize>> = vec![Vec::new(); forest.nodes];
    for &root in &forest.roots {
        if let Some(node) = forest.node[root] {
            roots[node].push(root);
        }
    }
    let several = forest.nodes > 1;
    for (node, roots) in roots.into_iter().enumerate() {
        let (mut indent, mut end) = ("  ", "");
        if several {
            let _ = writeln!(text, "  subgraph cluster_node{node} {{\n    label=\"node {node}\"");
            (indent, end) = ("    ", "  }\n");
        }
        for root in roots {
            let path = &machine.devices[root].path;
            let _ = writeln!(text, "{indent}subgraph {} {{", quote(&format!("cluster_{path}")));
            let _ = writeln!(text, "{indent}  label={}", quote(path));
            for device in &below[root] {
                let _ = writeln!(text, "{indent}  {}", vertex(device));
            }
            let _ = writeln!(text, "{indent}}}");
        }
        text += end;
    }
    for device in machine.devices.iter().filter(|device| device.kind == DeviceKind::Fabric) {
        let _ = writeln!(text, "  {}", vertex(device));
    }
    for link in &machine.links {
        // Written from above, so that sockets and switches stand above what hangs on them.
        let is_child = forest.parent[link.from].is_some_and(|(above, _)| above == link.to);
        let (up, down) = if is_child { (link.to, link.from) } else { (link.from, link.to) };
        let ends = (&machine.devices[up].path, &machine.devices[down].path);
        let way = match (link.duplex, is_child) {
            (true, _) => "",
            (false, true) => ", dir=back",
            (false, false) => ", dir=forward",
        };
        let level = if is_flat(machine, link) { ", constraint=false" } else { "" };
        let _ = writeln!(
            text,
            "  {} -> {} [label={}{}{way}{level}]",
            quote(ends.0),
            quote(ends.1),
            quote(&rate(link)),
            if link.value.rate.is_none() { ", style=dashed" } else { "" },
        );
    }
    text += "}\n";
    Exported { text, notes: Diagnostics::new() }
}

/// Links between devices of one kind do not put one above the other, but for cascaded switches.
fn is_flat(machine: &Machine, link: &Link) -> bool {
    let kinds = (machine.devices[link.from].kind, machine.devices[link.to].kind);
    kinds.0 == kinds.1 && kinds.0 != DeviceKind::Switch
}

fn vertex(device: &Device) -> String {
    let mut label = device.path.clone();
    let bus = device.bus.map(|bus| bus.to_string());
    for detail in [&device.model, &device.arch, &bus].into_iter().flatten() {
        label.push('\n');
        label += detail;
    }
    let shape = match device.kind {
        DeviceKind::Gpu => "style=filled, fillcolor=\"#d9ead3\"",
        DeviceKind::Nic => "style=filled, fillcolor=\"#fff2cc\"",
        DeviceKind::Switch => "shape=ellipse",
        DeviceKind::Socket => "style=bold",
        DeviceKind::Fabric => "shape=ellipse, style=dashed",
    };
    format!("{} [label={}, {shape}]", quote(&device.path), quote(&label))
}

fn rate(link: &Link) -> String {
    let Some(rate) = link.value.rate else { return "unknown".to_string() };
    let figure = match link.value.pcie {
        Some((generation, width)) => format!("gen{generation} x{width}, {rate}"),
        None => rate.to_string(),
    };
    match link.value.origin {
        ValueOrigin::Assumed(_) => format!("{figure}, assumed"),
        _ => figure,
    }
}

/// A quoted id of the dot language; line ends become `\n`.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            other if other.is_control() => {}
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
