//! The elements of the file, from the sockets down.

use crate::base::DeviceKind;
use crate::dsl::Machine;
use crate::dsl::machine::{PlacedRule, Rule};
use crate::export::bus_ids::BusIds;
use crate::export::forest::Forest;
use crate::export::speed::speed;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One node being written.
pub(super) struct Writer<'m> {
    pub(super) machine: &'m Machine,
    pub(super) forest: &'m Forest,
    node: usize,
    /// What is written so far.
    pub(super) text: String,
    pub(super) bus_ids: BusIds,
    /// Position among the devices of its kind in the node.
    number: Vec<usize>,
    rank: BTreeMap<usize, usize>,
    /// The positions of the links of each pair, the lower device first.
    links: BTreeMap<(usize, usize), Vec<usize>>,
    /// What a card sends to its fabric in megabits a second, where known.
    megabits: BTreeMap<usize, u64>,
    /// Devices whose rate is none of PCIe.
    pub(super) near: Vec<usize>,
    /// Devices with a link of one direction.
    pub(super) one_way: Vec<usize>,
    gpu_direct: bool,
}

impl<'m> Writer<'m> {
    pub(super) fn new(machine: &'m Machine, forest: &'m Forest, node: usize) -> Self {
        let inside = |device: usize| forest.node[device] == Some(node);
        let mut counts: BTreeMap<DeviceKind, usize> = BTreeMap::new();
        let number = machine
            .devices
            .iter()
            .enumerate()
            .map(|(position, device)| {
                let count = counts.entry(device.kind).or_default();
                *count += usize::from(inside(position));
                count.saturating_sub(1)
            })
            .collect();
        let mut links: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut megabits: BTreeMap<usize, u64> = BTreeMap::new();
        for (position, link) in machine.links.iter().enumerate() {
            let (from, to) = (link.from, link.to);
            links.entry((from.min(to), from.max(to))).or_default().push(position);
            let is_fabric = machine.devices[to].kind == DeviceKind::Fabric;
            if let Some(rate) = link.value.rate.filter(|_| is_fabric) {
                let known = megabits.entry(from).or_default();
                *known = (*known).max(rate.0 / 125_000);
            }
        }
        let nowhere =
            |placed: &PlacedRule| matches!(placed.rule, Rule::Peer { nic: true, within: None });
        Self {
            machine,
            forest,
            node,
            text: String::new(),
            bus_ids: BusIds::new(machine, forest, node),
            number,
            rank: (machine.ranks.iter().filter(|gpu| inside(**gpu)).enumerate())
                .map(|(rank, gpu)| (*gpu, rank))
                .collect(),
            links,
            megabits,
            near: Vec::new(),
            one_way: Vec::new(),
            gpu_direct: !machine.rules.iter().any(nowhere),
        }
    }

    /// Whether a device belongs to the node that is written.
    pub(super) fn inside(&self, device: usize) -> bool {
        self.forest.node[device] == Some(self.node)
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * depth.min(40));
    }

    /// The whole document.
    pub(super) fn system(&mut self) {
        self.line(0, "<system version=\"1\">");
        let forest = self.forest;
        let (sockets, others): (Vec<usize>, Vec<usize>) = forest
            .roots
            .iter()
            .filter(|&&root| self.inside(root))
            .partition(|&&root| self.machine.devices[root].kind == DeviceKind::Socket);
        for (numa, &socket) in sockets.iter().enumerate() {
            self.line(1, &format!("<cpu numaid=\"{numa}\">"));
            self.below(socket);
            self.line(1, "</cpu>");
        }
        if !others.is_empty() {
            self.line(1, "<cpu numaid=\"-1\">");
            for root in others {
                self.device(root, 2);
                self.below(root);
                self.close(root, 2);
            }
            self.line(1, "</cpu>");
        }
        self.line(0, "</system>");
    }

    /// All that hangs below a root, without recursion: machines may be as deep as they like.
    fn below(&mut self, root: usize) {
        let is_socket = self.machine.devices[root].kind == DeviceKind::Socket;
        let top = if is_socket { 2 } else { 3 };
        let mut waiting: Vec<(usize, usize, bool)> =
            self.forest.children[root].iter().rev().map(|&child| (child, top, false)).collect();
        while let Some((device, depth, is_end)) = waiting.pop() {
            if is_end {
                self.close(device, depth);
                continue;
            }
            self.device(device, depth);
            waiting.push((device, depth, true));
            let children = self.forest.children[device].iter().rev();
            waiting.extend(children.map(|&child| (child, depth + 1, false)));
        }
    }

    fn device(&mut self, device: usize, depth: usize) {
        let kind = self.machine.devices[device].kind;
        let Some(bus) = self.bus_ids.of[device] else {
            self.line(depth, "<nic>");
            self.net(device, depth + 1);
            return;
        };
        let link = self.link(device);
        let class = match kind {
            DeviceKind::Gpu => "0x030200",
            DeviceKind::Nic => "0x020000",
            _ => "0x060400",
        };
        self.line(depth, &format!("<pci busid=\"{bus}\" class=\"{class}\" {link}>"));
        match kind {
            DeviceKind::Gpu => {
                let sm = self.machine.devices[device].arch.as_deref().unwrap_or("");
                let sm: String = sm.chars().filter(char::is_ascii_digit).collect();
                let sm = if sm.is_empty() { sm } else { format!(" sm=\"{sm}\"") };
                let rank = self.rank.get(&device);
                let rank = rank.map_or(String::new(), |rank| format!(" rank=\"{rank}\""));
                let (number, gdr) = (self.number[device], u8::from(self.gpu_direct));
                self.line(depth + 1, &format!("<gpu dev=\"{number}\"{sm}{rank} gdr=\"{gdr}\"/>"));
            }
            DeviceKind::Nic => {
                self.line(depth + 1, "<nic>");
                self.net(device, depth + 2);
                self.line(depth + 1, "</nic>");
            }
            _ => {}
        }
    }

    fn close(&mut self, device: usize, depth: usize) {
        let end = if self.bus_ids.of[device].is_none() { "</nic>" } else { "</pci>" };
        self.line(depth, end);
    }

    fn link(&mut self, device: usize) -> String {
        let Some((above, first)) = self.forest.parent[device] else {
            return "link_speed=\"\" link_width=\"0\"".to_string();
        };
        let links = &self.machine.links;
        let pair = (device.min(above), device.max(above));
        let of_pair = self.links.get(&pair).map_or(&[][..], Vec::as_slice);
        if of_pair.iter().any(|&link| !links[link].duplex) {
            self.one_way.push(device);
        }
        let slowest = of_pair.iter().min_by_key(|&&link| links[link].value.rate);
        let speed = speed(&links[*slowest.unwrap_or(&first)].value);
        if speed.is_near {
            self.near.push(device);
        }
        format!("link_speed=\"{}\" link_width=\"{}\"", speed.text, speed.width)
    }

    fn net(&mut self, device: usize, depth: usize) {
        let megabits = self.megabits.get(&device).copied().unwrap_or(0);
        let name = escape(&self.machine.devices[device].path);
        let (number, gdr) = (self.number[device], u8::from(self.gpu_direct));
        let text = format!(
            "<net name=\"{name}\" dev=\"{number}\" speed=\"{megabits}\" port=\"1\" gdr=\"{gdr}\"/>"
        );
        self.line(depth, &text);
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
