//! Bridges to switches, and the place of every card.

use super::cards::{self, Units};
use super::sockets::Sockets;
use super::types::{Card, Conclusion, Switch, Worth, effective, slower};
use crate::import::inventory::{Above, FunctionKind, Inventory, PciLink};
use crate::import::layout::Parent;

/// A card or switch with the link towards whatever turns out to be above it.
#[derive(Debug, Clone, Copy)]
struct Item {
    node: Node,
    link: PciLink,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    /// A position among the units.
    Unit(usize),
    /// A position among the forks.
    Fork(usize),
}

/// A bridge with at least two items below.
#[derive(Debug, Clone)]
struct Fork {
    function: usize,
    items: Vec<Item>,
    /// The lowest position of a unit anywhere below: units are in their final order.
    first: usize,
    /// Whether forks are among the items.
    is_upstream: bool,
}

/// Concludes what machine `inventory` describes.
#[must_use]
pub fn conclude(inventory: &Inventory) -> Conclusion {
    let Units { units, left_out, fused } = cards::units(inventory);
    let mut below: Vec<Vec<Item>> = vec![Vec::new(); inventory.functions.len()];
    let mut roots: Vec<(Above, Option<u32>, Item)> = Vec::new();
    for (position, unit) in units.iter().enumerate() {
        let item = Item { node: Node::Unit(position), link: unit.link };
        match unit.above {
            Above::Function(above) => below[above].push(item),
            above => roots.push((above, inventory.functions[unit.functions[0]].numa, item)),
        }
    }
    let mut forks: Vec<Fork> = Vec::new();
    // What a function hangs on stands before it, so that all below is known when it is met.
    for index in (0..inventory.functions.len()).rev() {
        let function = &inventory.functions[index];
        let own = effective(&function.link);
        let items = std::mem::take(&mut below[index]);
        let is_card = matches!(function.kind, FunctionKind::Gpu | FunctionKind::Nic);
        let up: Vec<Item> = if function.kind == FunctionKind::HostBridge || is_card {
            items
        } else if items.len() < 2 {
            items.into_iter().map(|item| Item { link: slower(own, item.link), ..item }).collect()
        } else {
            let first = items.iter().map(|item| first_of(item, &forks)).min().unwrap_or(0);
            let is_upstream = items.iter().any(|item| matches!(item.node, Node::Fork(_)));
            forks.push(Fork { function: index, items, first, is_upstream });
            vec![Item { node: Node::Fork(forks.len() - 1), link: own }]
        };
        match function.above {
            Above::Function(above) => below[above].extend(up),
            above => roots.extend(up.into_iter().map(|item| (above, function.numa, item))),
        }
    }
    place(inventory, units, &forks, roots, (left_out, fused))
}

fn first_of(item: &Item, forks: &[Fork]) -> usize {
    match item.node {
        Node::Unit(position) => position,
        Node::Fork(fork) => forks[fork].first,
    }
}

/// Gives every switch its number and every item its parent.
fn place(
    inventory: &Inventory,
    units: Vec<cards::Unit>,
    forks: &[Fork],
    mut roots: Vec<(Above, Option<u32>, Item)>,
    (left_out, fused): (Vec<String>, Vec<String>),
) -> Conclusion {
    let mut sockets = Sockets::new(inventory);
    // Sockets that are added get their numbers by their first device.
    roots.sort_by_key(|(_, _, item)| first_of(item, forks));
    let mut order: Vec<usize> = (0..forks.len()).collect();
    order.sort_by_key(|&fork| (forks[fork].first, std::cmp::Reverse(fork)));
    let mut number = vec![Parent::Socket(0); forks.len()];
    let (mut upstream, mut leaves) = (0, 0);
    for fork in order {
        let (count, make): (&mut usize, fn(usize) -> Parent) = if forks[fork].is_upstream {
            (&mut upstream, Parent::Upstream)
        } else {
            (&mut leaves, Parent::Switch)
        };
        number[fork] = make(*count);
        *count += 1;
    }
    let nowhere = (Parent::Socket(0), Worth::default());
    let mut of_unit = vec![nowhere; units.len()];
    let mut of_fork = vec![nowhere; forks.len()];
    let mut waiting: Vec<(Parent, Item)> = Vec::new();
    for (above, numa, item) in roots {
        let socket = match above {
            Above::Processor(processor) => sockets.of(processor),
            _ => sockets.for_loose(inventory, numa),
        };
        waiting.push((Parent::Socket(socket), item));
    }
    while let Some((parent, item)) = waiting.pop() {
        match item.node {
            Node::Unit(unit) => {
                of_unit[unit] = (parent, Worth { link: item.link, doubtful: false })
            }
            Node::Fork(fork) => {
                let doubtful = is_doubtful(item.link, &forks[fork].items);
                of_fork[fork] = (parent, Worth { link: item.link, doubtful });
                waiting.extend(forks[fork].items.iter().map(|item| (number[fork], *item)));
            }
        }
    }
    let switch = |fork: usize| {
        let (parent, worth) = of_fork[fork];
        Switch { function: forks[fork].function, parent, worth }
    };
    let mut all: Vec<usize> = (0..forks.len()).collect();
    all.sort_by_key(|&fork| number[fork]);
    let (cascades, leaves): (Vec<usize>, Vec<usize>) =
        all.into_iter().partition(|&fork| forks[fork].is_upstream);
    let cards = units.into_iter().zip(of_unit).map(|(unit, (parent, worth))| {
        (unit.is_gpu, Card { functions: unit.functions, ports: unit.ports, parent, worth })
    });
    let (gpus, nics): (Vec<_>, Vec<_>) = cards.partition(|(is_gpu, _)| *is_gpu);
    Conclusion {
        sockets: sockets.sockets,
        upstream: cascades.into_iter().map(switch).collect(),
        switches: leaves.into_iter().map(switch).collect(),
        gpus: gpus.into_iter().map(|(_, card)| card).collect(),
        nics: nics.into_iter().map(|(_, card)| card).collect(),
        left_out,
        fused,
    }
}

/// A switch two generations below everything that hangs on it was hardly built so; some firmware
/// reports such speeds for ports of virtual switches.
fn is_doubtful(link: PciLink, items: &[Item]) -> bool {
    let slowest = items.iter().map(|item| item.link.generation).min().flatten();
    link.generation.zip(slowest).is_some_and(|(own, slowest)| own + 2 <= slowest)
}
