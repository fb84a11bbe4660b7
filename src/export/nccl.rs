//! A topology file that NCCL reads by `NCCL_TOPO_FILE`.
//!
//! Attributes that NCCL fills in on the machine itself are left out: the affinity and model of
//! processors, identifiers of network cards.

use super::Exported;
use super::forest::Forest;
use super::speed::speed;
use crate::base::DeviceKind;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::dsl::Machine;
use crate::dsl::machine::Rule;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The file of `machine`; of the node with this number where it has several.
///
/// # Errors
/// Exit 3 for a machine of several nodes and no number, exit 2 for a number that none of them has.
pub fn nccl_xml(machine: &Machine, node: Option<usize>) -> Result<Exported, Diagnostics> {
    let forest = Forest::new(machine);
    let last = forest.nodes.saturating_sub(1);
    let node = match node {
        None if last > 0 => {
            let message = format!(
                "the machine has {} nodes, and a topology file of NCCL describes one",
                forest.nodes
            );
            return Err(Diagnostic::unsupported("export-nodes", message)
                .help(format!(
                    "say which one: `--node 0` to `--node {last}`; NCCL reads such a file on each"
                ))
                .into());
        }
        None => 0,
        Some(node) if node > last => {
            let message = format!("there is no node {node}");
            return Err(Diagnostic::error("export-nodes", message)
                .help(format!("nodes are counted from 0: the last one is {last}"))
                .exit(Exit::Usage)
                .into());
        }
        Some(node) => node,
    };
    let mut writer = Writer::new(machine, &forest, node);
    writer.system();
    let notes = writer.notes();
    let mut text = format!("<!-- {} by variopath\n", comment(&machine.name));
    for note in notes.iter() {
        let _ = writeln!(text, "     {}", comment(&note.message));
    }
    text += "-->\n";
    text += &writer.text;
    Ok(Exported { text, notes })
}

struct Writer<'m> {
    machine: &'m Machine,
    forest: &'m Forest,
    node: usize,
    text: String,
    bus: Vec<String>,
    invented: Vec<usize>,
    /// Position among the devices of its kind in the node.
    number: Vec<usize>,
    rank: BTreeMap<usize, usize>,
    /// The positions of the links of each pair, the lower device first.
    links: BTreeMap<(usize, usize), Vec<usize>>,
    /// What a card sends to its fabric in megabits a second, where known.
    megabits: BTreeMap<usize, u64>,
    near: Vec<usize>,
    one_way: Vec<usize>,
    gpu_direct: bool,
}

impl<'m> Writer<'m> {
    fn new(machine: &'m Machine, forest: &'m Forest, node: usize) -> Self {
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
        let (bus, invented) = bus_ids(machine, forest, node);
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
        let nowhere = |placed: &crate::dsl::machine::PlacedRule| {
            matches!(placed.rule, Rule::Peer { nic: true, within: None })
        };
        Self {
            machine,
            forest,
            node,
            text: String::new(),
            bus,
            invented,
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
    fn inside(&self, device: usize) -> bool {
        self.forest.node[device] == Some(self.node)
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * depth.min(40));
    }

    fn system(&mut self) {
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
        if self.is_bare(device) {
            self.line(depth, "<nic>");
            self.net(device, depth + 1);
            return;
        }
        let link = self.link(device);
        let class = match kind {
            DeviceKind::Gpu => "0x030200",
            DeviceKind::Nic => "0x020000",
            _ => "0x060400",
        };
        let open = format!("<pci busid=\"{}\" class=\"{class}\" {link}>", self.bus[device]);
        self.line(depth, &open);
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
        let end = if self.is_bare(device) { "</nic>" } else { "</pci>" };
        self.line(depth, end);
    }

    /// A card on a socket of which neither address nor link is known: only that it is there.
    fn is_bare(&self, device: usize) -> bool {
        self.bus[device].is_empty()
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

    fn notes(&self) -> Diagnostics {
        let mut notes = Diagnostics::new();
        let paths = |devices: &[usize]| {
            let mut all: Vec<&str> =
                devices.iter().map(|&device| self.machine.devices[device].path.as_str()).collect();
            let more = all.len().saturating_sub(8);
            all.truncate(8);
            let mut text = all.join(", ");
            if more > 0 {
                text += &format!(" and {more} more");
            }
            text
        };
        let mut note = |code: &'static str, message: String, help: &str| {
            let diagnostic = Diagnostic::note(code, message);
            notes.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        };
        if !self.invented.is_empty() {
            let message = format!("bus ids are invented for {}", paths(&self.invented));
            let help = "NCCL finds devices by bus id: give GPUs and network cards a `bus`";
            note("export-bus", message, help);
        }
        let all = 0..self.machine.devices.len();
        let has_nics = all
            .filter(|&device| self.inside(device))
            .any(|device| self.machine.devices[device].kind == DeviceKind::Nic);
        if has_nics {
            let message =
                "network devices have the names of the description, not those of the system";
            note("export-names", message.to_string(), "");
        }
        let loose: Vec<usize> = self
            .forest
            .roots
            .iter()
            .copied()
            .filter(|&root| self.inside(root))
            .filter(|&root| self.machine.devices[root].kind != DeviceKind::Socket)
            .collect();
        if !loose.is_empty() {
            let message = format!("no socket is above {}: put on NUMA node -1", paths(&loose));
            note("export-sockets", message, "");
        }
        if !self.near.is_empty() {
            let message =
                format!("rates that no PCIe link has became the nearest: {}", paths(&self.near));
            note("export-rates", message, "");
        }
        let unsaid = self.unsaid();
        if !unsaid.is_empty() {
            let message = format!("NCCL XML cannot say, left out: {}", unsaid.join("; "));
            note("export-left-out", message, "");
        }
        notes
    }

    /// What the machine has and the format has no words for.
    fn unsaid(&self) -> Vec<String> {
        let machine = self.machine;
        let mut unsaid = Vec::new();
        // `peer nic none` is said by gdr="0".
        let is_said = |rule: &Rule| matches!(rule, Rule::Peer { nic: true, within: None });
        let rules = machine.rules.iter().filter(|placed| !is_said(&placed.rule));
        let words: BTreeSet<&str> = rules.map(|placed| placed.rule.word()).collect();
        if !words.is_empty() {
            let words: Vec<&str> = words.into_iter().collect();
            unsaid.push(format!("rules ({})", words.join(", ")));
        }
        let end = |device: usize| machine.devices[device].path.as_str();
        let pair = |link: &usize| {
            let link = &machine.links[*link];
            format!("{} {} {}", end(link.from), if link.duplex { "--" } else { "->" }, end(link.to))
        };
        let links = || machine.links.iter().filter(|link| self.inside(link.from));
        let devices = || (0..machine.devices.len()).filter(|&device| self.inside(device));
        let beside: Vec<&usize> = (self.forest.beside.iter())
            .filter(|link| self.inside(machine.links[**link].from))
            .collect();
        if !beside.is_empty() {
            let pairs: Vec<String> = beside.iter().take(4).copied().map(pair).collect();
            let more = if beside.len() > 4 { ", …" } else { "" };
            unsaid.push(format!("links beside the tree ({}{more})", pairs.join(", ")));
        }
        if let Some(&first) = self.one_way.first() {
            unsaid.push(format!("one-way links ({})", end(first)));
        }
        let both = |link: &crate::dsl::machine::Link| {
            [link.from, link.to].iter().all(|&d| machine.devices[d].kind == DeviceKind::Socket)
        };
        if links().any(|link| both(link) && link.value.rate.is_some()) {
            unsaid.push("rates between sockets".to_string());
        }
        if !machine.totals.is_empty() {
            unsaid.push("joint capacities".to_string());
        }
        if devices().any(|device| machine.devices[device].memory.is_some()) {
            unsaid.push("rates of memory".to_string());
        }
        if devices().any(|device| machine.devices[device].model.is_some()) {
            unsaid.push("models".to_string());
        }
        if links().any(|link| link.value.latency.0 > 0) {
            unsaid.push("latencies".to_string());
        }
        unsaid
    }
}

/// The bus id of each device, and those that were invented: in the domain that no device has,
/// ffff:ff:01.0 and on, as virtual machines number switches that they do not show. Network cards on a
/// socket with an unknown link keep none.
fn bus_ids(machine: &Machine, forest: &Forest, node: usize) -> (Vec<String>, Vec<usize>) {
    let inside = |device: usize| forest.node[device] == Some(node);
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut bus: Vec<Option<String>> = machine
        .devices
        .iter()
        .enumerate()
        .map(|(position, device)| {
            let id = bus_id(device.bus.as_deref().filter(|_| inside(position))?)?;
            used.insert(id.clone()).then_some(id)
        })
        .collect();
    let mut invented = Vec::new();
    let mut next = 1_u32;
    for (device, id) in bus.iter_mut().enumerate() {
        let kind = machine.devices[device].kind;
        let has_none = matches!(kind, DeviceKind::Socket | DeviceKind::Fabric);
        if id.is_some() || has_none || !inside(device) {
            continue;
        }
        let on_socket = forest.parent[device].is_some_and(|(above, link)| {
            machine.devices[above].kind == DeviceKind::Socket
                && machine.links[link].value.rate.is_none()
        });
        if kind == DeviceKind::Nic && on_socket {
            continue;
        }
        let mut made;
        loop {
            // Devices 1 to 31 of bus ff, then of bus fe, and so on through the domains.
            let (bus, slot) = (next / 32, next % 32);
            let (domain, bus) = (0xffff - (bus / 256), 0xff - bus % 256);
            made = format!("{domain:04x}:{bus:02x}:{slot:02x}.0");
            next += 1;
            if slot > 0 && used.insert(made.clone()) {
                break;
            }
        }
        *id = Some(made);
        invented.push(device);
    }
    (bus.into_iter().map(Option::unwrap_or_default).collect(), invented)
}

/// A bus id as NCCL writes it, `0000:17:00.0`; `None` where the text is none.
fn bus_id(text: &str) -> Option<String> {
    let hex = |part: &str, most: usize| {
        let fits = (1..=most).contains(&part.len());
        let digits = part.bytes().all(|byte| byte.is_ascii_hexdigit());
        (fits && digits).then(|| u32::from_str_radix(part, 16).ok()).flatten()
    };
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let [domain, bus, device, function] = parts[..] else { return None };
    let (domain, bus) = (hex(domain, 8)?, hex(bus, 2)?);
    let device = hex(device, 2).filter(|device| *device < 32)?;
    let function = hex(function, 1).filter(|function| *function < 8)?;
    Some(format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Two hyphens end a comment.
fn comment(text: &str) -> String {
    text.replace("--", "- -").chars().filter(|c| !c.is_control()).collect()
}
