//! A machine as trees below its sockets.

use crate::base::DeviceKind;
use crate::dsl::Machine;
use std::collections::VecDeque;

/// Where each device hangs.
#[derive(Debug, Clone)]
pub struct Forest {
    /// The node of each device (a connected part once fabrics are taken away); `None` for fabrics.
    pub node: Vec<Option<usize>>,
    /// How many nodes there are.
    pub nodes: usize,
    /// What each device hangs on, with the position of a link to it; `None` for roots and fabrics.
    pub parent: Vec<Option<(usize, usize)>>,
    /// The root above each device: a socket, or the top of a tree without one.
    pub root: Vec<usize>,
    /// What hangs on each device, in order of declaration.
    pub children: Vec<Vec<usize>>,
    /// The sockets, and the tops of trees without one, in order of declaration.
    pub roots: Vec<usize>,
    /// Positions of links that are no part of a tree, those between sockets and to fabrics left out.
    pub beside: Vec<usize>,
}

impl Forest {
    /// The trees of `machine`: breadth first from the sockets, so that a device with two ways up
    /// hangs on the nearer one.
    pub fn new(machine: &Machine) -> Self {
        let count = machine.devices.len();
        let kind = |device: usize| machine.devices[device].kind;
        let mut near: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        for (position, link) in machine.links.iter().enumerate() {
            near[link.from].push((link.to, position));
            near[link.to].push((link.from, position));
        }
        let (node, nodes) = nodes(machine, &near);
        let mut forest = Self {
            node,
            nodes,
            parent: vec![None; count],
            root: (0..count).collect(),
            children: vec![Vec::new(); count],
            roots: Vec::new(),
            beside: Vec::new(),
        };
        let mut reached = vec![false; count];
        let starts = [DeviceKind::Socket, DeviceKind::Switch, DeviceKind::Gpu, DeviceKind::Nic];
        for start in starts {
            let mut waiting: VecDeque<usize> = VecDeque::new();
            for device in (0..count).filter(|&device| kind(device) == start) {
                // All sockets grow at once; a tree without one grows before the next is looked for.
                if !reached[device] {
                    reached[device] = true;
                    forest.roots.push(device);
                    waiting.push_back(device);
                    if start != DeviceKind::Socket {
                        forest.grow(machine, &near, &mut waiting, &mut reached);
                    }
                }
            }
            forest.grow(machine, &near, &mut waiting, &mut reached);
        }
        for children in &mut forest.children {
            children.sort_unstable();
        }
        let hangs = |child: usize, above: usize| {
            forest.parent[child].is_some_and(|(parent, _)| parent == above)
        };
        for (position, link) in machine.links.iter().enumerate() {
            let ends = [kind(link.from), kind(link.to)];
            let in_tree = hangs(link.from, link.to) || hangs(link.to, link.from);
            if !in_tree && ends != [DeviceKind::Socket; 2] && !ends.contains(&DeviceKind::Fabric) {
                forest.beside.push(position);
            }
        }
        forest
    }

    fn grow(
        &mut self,
        machine: &Machine,
        near: &[Vec<(usize, usize)>],
        waiting: &mut VecDeque<usize>,
        reached: &mut [bool],
    ) {
        let forwards = |device: usize| {
            matches!(machine.devices[device].kind, DeviceKind::Socket | DeviceKind::Switch)
        };
        while let Some(above) = waiting.pop_front() {
            if !forwards(above) {
                continue;
            }
            for &(below, link) in &near[above] {
                let is_fabric = machine.devices[below].kind == DeviceKind::Fabric;
                if reached[below] || is_fabric {
                    continue;
                }
                reached[below] = true;
                self.parent[below] = Some((above, link));
                self.root[below] = self.root[above];
                self.children[above].push(below);
                waiting.push_back(below);
            }
        }
    }
}

/// Connected parts once fabrics and links between network cards are taken away.
fn nodes(machine: &Machine, near: &[Vec<(usize, usize)>]) -> (Vec<Option<usize>>, usize) {
    let kind = |device: usize| machine.devices[device].kind;
    let mut node = vec![None; machine.devices.len()];
    let mut count = 0;
    for start in 0..machine.devices.len() {
        if node[start].is_some() || kind(start) == DeviceKind::Fabric {
            continue;
        }
        node[start] = Some(count);
        let mut waiting = vec![start];
        while let Some(device) = waiting.pop() {
            for &(other, _) in &near[device] {
                let leaves = kind(other) == DeviceKind::Fabric
                    || (kind(device) == DeviceKind::Nic && kind(other) == DeviceKind::Nic);
                if node[other].is_none() && !leaves {
                    node[other] = Some(count);
                    waiting.push(other);
                }
            }
        }
        count += 1;
    }
    (node, count)
}
