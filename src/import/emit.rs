//! A layout as a syntax tree that is pleasant to read and needs one edit for each open question.

use super::layout::{Layout, Parent};
use super::matrix::Matrix;
use crate::dsl::tree::{
    Atom, Block, Decimal, File, Index, Item, JoinTail, Origin, Path, Rate, RateUnit, Spanned,
    Statement, StatementKind, Step, Value,
};
use std::collections::BTreeMap;

/// The reason that stands beside the assumed rate between sockets.
pub const SOCKET_LINK_REASON: &str = "as an L40S box, flashinfer #4870";

/// The tree of `layout`; `assume` is a PCIe generation for every slot.
pub fn file(matrix: &Matrix, layout: &Layout, assume: Option<u32>) -> File {
    let (gpus, nics) = (matrix.gpus, matrix.devices.len() - matrix.gpus);
    let mut body = links(layout, nics, assume);
    let first = body.len();
    let arrays = [
        ("socket", "s", layout.sockets),
        ("switch", "up", layout.upstream.len()),
        ("switch", "sw", layout.switches.len()),
        ("gpu", "g", gpus),
        ("nic", "n", nics),
    ];
    for (kind, name, count) in arrays.into_iter().filter(|array| array.2 > 0) {
        let mut statement = Statement::bare(StatementKind::Device {
            kind: bare(kind),
            name: bare(name),
            count: Some(Spanned::bare(Atom::Integer(count as u64))),
            attributes: Vec::new(),
            join: None,
        });
        statement.trailing = match name {
            "up" => Some("upstream of the switches and devices that are PXB to each other".into()),
            "n" => Some(card_names(matrix)),
            _ => None,
        };
        body.push(statement);
    }
    body[first].blank_before = true;
    let first = body.len();
    body.extend(between_sockets(layout.sockets));
    let upstream: Vec<Parent> = layout.upstream.iter().map(|&s| Parent::Socket(s)).collect();
    body.extend(joins("up", "trunk", upstream.len(), &indexed(&upstream)));
    body.extend(joins("sw", "trunk", layout.switches.len(), &indexed(&layout.switches)));
    for (link, hidden) in [("slot", false), ("hidden", true)] {
        let children: Vec<(usize, Parent)> = (0..gpus)
            .filter(|&g| layout.hidden[g] == hidden)
            .map(|g| (g, layout.parents[g]))
            .collect();
        body.extend(joins("g", link, gpus, &children));
    }
    let cards = indexed(&layout.parents[gpus..]);
    body.extend(joins("n", "card", cards.len(), &cards));
    if let Some(statement) = body.get_mut(first) {
        statement.blank_before = true;
    }
    File {
        leading: heading(matrix, layout),
        trailing: None,
        name: Spanned::bare("imported".to_string()),
        body: Block { statements: body, dangling: Vec::new() },
    }
}

fn bare(text: &str) -> Spanned<String> {
    Spanned::bare(text.to_string())
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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

fn links(layout: &Layout, nics: usize, assume: Option<u32>) -> Vec<Statement> {
    let slot = || match assume {
        Some(generation) => Value {
            rate: Spanned::bare(Rate::Pcie { generation, width: 16 }),
            latency: None,
            origin: Some(Origin::Assumed(Some(format!("--assume gen{generation}")))),
        },
        None => unknown(),
    };
    let between = match assume {
        Some(_) => Value {
            rate: Spanned::bare(Rate::Number(
                Decimal { digits: 39, places: 0 },
                RateUnit::GigabytesPerSecond,
            )),
            latency: None,
            origin: Some(Origin::Assumed(Some(SOCKET_LINK_REASON.to_string()))),
        },
        None => unknown(),
    };
    let has_switch = !layout.switches.is_empty() || !layout.upstream.is_empty();
    let all = [
        (layout.hidden[..layout.hidden.len() - nics].contains(&false), "slot", slot(), "of a GPU"),
        (
            layout.hidden.contains(&true),
            "hidden",
            unknown(),
            "of a GPU whose PCIe place NVLink hides",
        ),
        (has_switch, "trunk", slot(), "of a switch, towards its socket"),
        (nics > 0, "card", slot(), "of a network card"),
        (layout.sockets > 1, "smp", between, "between sockets"),
    ];
    all.into_iter()
        .filter(|link| link.0)
        .map(|(_, name, value, what)| {
            let mut statement = Statement::bare(StatementKind::Link { name: bare(name), value });
            statement.trailing = Some(what.to_string());
            statement
        })
        .collect()
}

fn unknown() -> Value {
    Value { rate: Spanned::bare(Rate::Unknown), latency: None, origin: None }
}

fn path(array: &str, items: Vec<Item>) -> Path {
    let items = items.into_iter().map(Spanned::bare).collect();
    let index = Some(Spanned::bare(Index::Items(items)));
    Path { steps: vec![Step { name: bare(array), index }], span: None }
}

fn one(index: usize) -> Item {
    Item::One(Atom::Integer(index as u64))
}

fn join(left: Path, right: Path, link: &str) -> Statement {
    let value =
        Value { rate: Spanned::bare(Rate::Named(link.to_string())), latency: None, origin: None };
    Statement::bare(StatementKind::Join { left, tail: JoinTail { duplex: true, right, value } })
}

fn between_sockets(sockets: usize) -> impl Iterator<Item = Statement> {
    (0..sockets).filter(move |a| a + 1 < sockets).map(move |a| {
        let right = if a + 2 == sockets {
            one(a + 1)
        } else {
            Item::Range(Atom::Integer(a as u64 + 1), Atom::Integer(sockets as u64))
        };
        join(path("s", vec![one(a)]), path("s", vec![right]), "smp")
    })
}

fn indexed(parents: &[Parent]) -> Vec<(usize, Parent)> {
    parents.iter().copied().enumerate().collect()
}

fn place(parent: Parent) -> (&'static str, usize) {
    match parent {
        Parent::Socket(index) => ("s", index),
        Parent::Upstream(index) => ("up", index),
        Parent::Switch(index) => ("sw", index),
    }
}

/// The joins of one array: `g[k] -- sw[k/2]` where all of it goes in step, else a line a parent.
/// `count` is the length of the array; `children` may be a part of it.
fn joins(array: &str, link: &str, count: usize, children: &[(usize, Parent)]) -> Vec<Statement> {
    // A walking index runs over the whole array.
    if children.len() == count
        && let Some(statement) = walking(array, link, children)
    {
        return vec![statement];
    }
    let mut by_parent: BTreeMap<Parent, Vec<usize>> = BTreeMap::new();
    for (child, parent) in children {
        by_parent.entry(*parent).or_default().push(*child);
    }
    let mut lines: Vec<(Vec<usize>, Parent)> =
        by_parent.into_iter().map(|(parent, children)| (children, parent)).collect();
    lines.sort();
    lines
        .into_iter()
        .map(|(children, parent)| {
            let (target, index) = place(parent);
            join(path(array, ranges(&children)), path(target, vec![one(index)]), link)
        })
        .collect()
}

fn walking(array: &str, link: &str, children: &[(usize, Parent)]) -> Option<Statement> {
    let (target, first) = place(children.first()?.1);
    // At least two elements on each of two parents; shorter is clearer written out.
    let size = children.iter().take_while(|child| place(child.1) == (target, first)).count();
    let regular = children.iter().enumerate().all(|(position, (child, parent))| {
        *child == position && place(*parent) == (target, position / size)
    });
    if !regular || size < 2 || children.len() <= size {
        return None;
    }
    let k = || Atom::Name("k".to_string());
    let right = path(target, vec![Item::Quotient(k(), size as u64)]);
    Some(join(path(array, vec![Item::One(k())]), right, link))
}

/// Ascending indices as items: 0, 1, 2, 5 is `0..3, 5`.
fn ranges(indices: &[usize]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = indices;
    while let Some(&first) = rest.first() {
        let run = rest.iter().enumerate().take_while(|(at, index)| **index == first + at).count();
        items.push(if run == 1 {
            one(first)
        } else {
            Item::Range(Atom::Integer(first as u64), Atom::Integer((first + run) as u64))
        });
        rest = &rest[run..];
    }
    items
}
