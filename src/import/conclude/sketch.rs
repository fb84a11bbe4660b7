//! A conclusion as it is written.

use super::types::{Card, Conclusion, Worth};
use crate::diagnostics::one_line;
use crate::dsl::tree::{Origin, Value};
use crate::import::inventory::{GpuLink, Inventory, PciLink, Port};
use crate::import::sketch::{self, Array, Details, Element, LinkLine, Sketch};
use crate::import::wording::plural;
use std::collections::{BTreeMap, BTreeSet};

/// The reason beside the figure of a switch that is reported slower than it can be.
const DOUBTFUL: &str = "as reported, though all that hangs on it is faster";

/// Whose link it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Gpu,
    Switch,
    Nic,
}

/// What a `link` line stands for; known ones first, the fastest ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Known(std::cmp::Reverse<(u32, u32)>),
    Doubtful(u32, u32),
    Assumed(Role, u32, u32),
    Unknown(Role),
}

fn key(worth: Worth, role: Role, assume: Option<u32>) -> Key {
    match (worth.link, assume) {
        (PciLink { generation: Some(generation), width: Some(width) }, _) => {
            if worth.doubtful {
                Key::Doubtful(generation, width)
            } else {
                Key::Known(std::cmp::Reverse((generation, width)))
            }
        }
        (PciLink { generation, width }, Some(assumed)) => {
            Key::Assumed(role, generation.unwrap_or(assumed), width.unwrap_or(16))
        }
        _ => Key::Unknown(role),
    }
}

/// What is written for `conclusion`, told by `origin`; `assume` is a PCIe generation for links of
/// unknown speed.
pub fn sketch(
    inventory: &Inventory,
    conclusion: &Conclusion,
    assume: Option<u32>,
    origin: &str,
) -> Sketch {
    let mut used: BTreeMap<Key, BTreeSet<Role>> = BTreeMap::new();
    let switches = || conclusion.upstream.iter().chain(&conclusion.switches);
    let worths = (conclusion.gpus.iter().map(|card| (card.worth, Role::Gpu)))
        .chain(switches().map(|switch| (switch.worth, Role::Switch)))
        .chain(conclusion.nics.iter().map(|card| (card.worth, Role::Nic)));
    for (worth, role) in worths {
        used.entry(key(worth, role, assume)).or_default().insert(role);
    }
    let assumed: Vec<Key> =
        used.keys().copied().filter(|key| matches!(key, Key::Assumed(..))).collect();
    let mut links: Vec<LinkLine> =
        used.iter().map(|(key, roles)| line(*key, roles, &assumed, assume)).collect();
    let positions: BTreeMap<Key, usize> =
        used.keys().enumerate().map(|(position, key)| (*key, position)).collect();
    let link = |worth, role| positions.get(&key(worth, role, assume)).copied().unwrap_or(0);
    let between = (conclusion.sockets.len() > 1).then(|| {
        links.push(sketch::between_sockets(assume));
        links.len() - 1
    });
    let details = |functions: &[usize]| {
        let function = &inventory.functions[functions[0]];
        Details {
            arch: function.arch.clone(),
            model: function.model.clone(),
            bus: function.bus.map(|bus| bus.to_string()),
        }
    };
    let cards = |cards: &[Card], role: Role| {
        let element = |card: &Card| Element {
            parent: card.parent,
            link: link(card.worth, role),
            details: details(&card.functions),
        };
        Array { elements: cards.iter().map(element).collect(), comment: None }
    };
    let switches = |switches: &[super::types::Switch]| {
        let element = |switch: &super::types::Switch| Element {
            parent: switch.parent,
            link: link(switch.worth, Role::Switch),
            details: details(&[switch.function]),
        };
        Array { elements: switches.iter().map(element).collect(), comment: None }
    };
    Sketch {
        heading: heading(inventory, conclusion, origin),
        between,
        sockets: conclusion.sockets.len(),
        upstream: switches(&conclusion.upstream),
        switches: switches(&conclusion.switches),
        gpus: cards(&conclusion.gpus, Role::Gpu),
        nics: cards(&conclusion.nics, Role::Nic),
        links,
    }
}

fn line(key: Key, roles: &BTreeSet<Role>, assumed: &[Key], assume: Option<u32>) -> LinkLine {
    let role_name = |role| match role {
        Role::Gpu => "slot",
        Role::Switch => "trunk",
        Role::Nic => "card",
    };
    let one = |role| match role {
        Role::Gpu => "of a GPU",
        Role::Switch => "of a switch, towards its socket",
        Role::Nic => "of a network card",
    };
    let (name, value): (String, Value) = match key {
        Key::Known(std::cmp::Reverse((generation, width))) => {
            (format!("gen{generation}x{width}"), sketch::pcie(generation, width, None))
        }
        Key::Doubtful(generation, width) => {
            let origin = Some(Origin::Assumed(Some(DOUBTFUL.to_string())));
            (format!("reported{generation}x{width}"), sketch::pcie(generation, width, origin))
        }
        Key::Assumed(role, generation, width) => {
            let alone =
                assumed.iter().filter(|key| matches!(key, Key::Assumed(r, ..) if *r == role));
            let name = if alone.count() == 1 {
                role_name(role).to_string()
            } else {
                format!("{}{generation}x{width}", role_name(role))
            };
            (name, sketch::pcie(generation, width, assume.and_then(sketch::assumed)))
        }
        Key::Unknown(role) => (role_name(role).to_string(), sketch::unknown()),
    };
    let many = |role: &Role| match role {
        Role::Gpu => "GPUs",
        Role::Switch => "switches, towards their sockets",
        Role::Nic => "network cards",
    };
    let comment = match roles.iter().copied().collect::<Vec<_>>().as_slice() {
        [role] => one(*role).to_string(),
        roles => format!("of {}", roles.iter().map(many).collect::<Vec<_>>().join("; ")),
    };
    LinkLine { name, value, comment }
}

fn heading(inventory: &Inventory, conclusion: &Conclusion, origin: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "Imported from {origin}: {}, {}, {}.",
        plural(conclusion.gpus.len(), "GPU", "GPUs"),
        plural(conclusion.nics.len(), "network card", "network cards"),
        plural(conclusion.sockets.len(), "socket", "sockets"),
    )];
    let number = |card: &Card| inventory.functions[card.functions[0]].number;
    for (position, card) in conclusion.gpus.iter().enumerate() {
        if let Some(number) = number(card).filter(|number| *number as usize != position) {
            lines.push(format!("g[{position}] is GPU {number} there."));
        }
    }
    for (position, socket) in conclusion.sockets.iter().enumerate() {
        let mut parts: Vec<String> = Vec::new();
        for &index in &socket.processors {
            let processor = &inventory.processors[index];
            let numa: Vec<String> = processor.numa.iter().map(u32::to_string).collect();
            if !numa.is_empty() {
                parts.push(format!("NUMA {}", numa.join(", ")));
            }
            parts.extend(processor.cpus.as_ref().map(|cpus| format!("CPUs {cpus}")));
            parts.extend(processor.model.clone().filter(|model| !parts.contains(model)));
        }
        if !parts.is_empty() {
            lines.push(format!("s[{position}]: {}", one_line(&parts.join(", "))));
        }
    }
    for (position, card) in conclusion.nics.iter().enumerate() {
        let ports: Vec<String> = card.ports.iter().map(port).collect();
        if !ports.is_empty() {
            lines.push(format!("n[{position}]: {}", one_line(&ports.join(", "))));
        }
    }
    let direct = gpu_links(inventory, conclusion);
    if !direct.is_empty() {
        lines.push("Links between GPUs, not described below:".to_string());
        lines.extend(direct);
    }
    lines
}

/// A name with its speed: `mlx5_0 (200 Gb/s)`.
fn port(port: &Port) -> String {
    match port.megabits {
        Some(megabits) if megabits % 1000 == 0 => {
            format!("{} ({} Gb/s)", port.name, megabits / 1000)
        }
        Some(megabits) => format!("{} ({megabits} Mb/s)", port.name),
        None => port.name.clone(),
    }
}

/// Each pair once: `g[0]-g[1] x4`; GPUs whose links lead elsewhere by the number of those.
fn gpu_links(inventory: &Inventory, conclusion: &Conclusion) -> Vec<String> {
    let place: BTreeMap<usize, usize> =
        conclusion.gpus.iter().enumerate().map(|(g, card)| (card.functions[0], g)).collect();
    let mut pairs: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut elsewhere: BTreeMap<usize, u32> = BTreeMap::new();
    for GpuLink { from, to, count } in &inventory.gpu_links {
        let Some(&a) = place.get(from) else { continue };
        match to.and_then(|to| place.get(&to)) {
            Some(&b) => {
                let entry = pairs.entry((a.min(b), a.max(b))).or_default();
                *entry = (*entry).max(*count);
            }
            // The links to the several chips of a fabric add up.
            None => {
                let entry = elsewhere.entry(a).or_default();
                *entry = entry.saturating_add(*count);
            }
        }
    }
    let times = |count: u32| if count == 0 { String::new() } else { format!(" x{count}") };
    let pairs: Vec<String> =
        pairs.into_iter().map(|((a, b), count)| format!("g[{a}]-g[{b}]{}", times(count))).collect();
    let mut lines: Vec<String> = pairs.chunks(6).map(|chunk| chunk.join(", ")).collect();
    let mut counts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (gpu, count) in elsewhere {
        counts.entry(count).or_default().push(format!("g[{gpu}]"));
    }
    lines.extend(counts.into_iter().flat_map(|(count, gpus)| {
        gpus.chunks(8)
            .map(|chunk| {
                format!("{} to a switch or a GPU not shown{}", chunk.join(", "), times(count))
            })
            .collect::<Vec<_>>()
    }));
    lines
}
