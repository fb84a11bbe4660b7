//! XML to [`Inventory`].

use super::fault::Fault;
use super::words::{self, Speed};
use crate::base::{BusId, SourceId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::import::format::Format;
use crate::import::inventory::{
    Above, Function, FunctionKind, GpuLink, Inventory, LinkReport, PciLink, Port, Processor,
};
use crate::import::xml;
use roxmltree::{Node, NodeId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a topology file of NCCL or RCCL.
///
/// # Errors
/// For XML that is cut or malformed, devices without class, bus ids that are none or stand twice,
/// files without a GPU, and files of several machines; with line and column.
pub fn read(text: &str, source: SourceId) -> Result<Inventory, Diagnostics> {
    let document = xml::parse(text, source)?;
    let root = document.root_element();
    let mut reader = Reader::new(source);
    if root.tag_name().name() != "system" {
        let fault = Fault::Root(root.tag_name().name().to_owned());
        return Err(fault.at(xml::span_of(root, "", source)).into());
    }
    if let Some(version) = root.attribute("version").filter(|text| !["1", "2"].contains(text)) {
        let message = format!("version {version} of the format is read like 1 and 2");
        let at = xml::span_of(root, "version", source);
        reader.notes.push(Diagnostic::warning("nccl-version", message).at(at, ""));
    }
    // In the order of the text, so that what an element hangs on was read before.
    for node in root.descendants().skip(1).filter(Node::is_element) {
        let inventory = &reader.inventory;
        if inventory.functions.len() > FUNCTIONS || inventory.processors.len() > PROCESSORS {
            return Err(Fault::TooMany.at(reader.span(node, "")).into());
        }
        reader.element(node);
    }
    reader.finish(root)
}

/// The most PCI functions and NUMA nodes; the largest machines have some hundreds of functions.
const FUNCTIONS: usize = 20_000;
const PROCESSORS: usize = 256;

/// What an element became.
#[derive(Debug, Clone, Copy)]
enum Made {
    Processor(usize),
    Function(usize),
    /// A `<nic>`: its ports belong to the function, or to devices without one at this place.
    Nic(Option<usize>, Above),
    Nothing,
}

struct Reader {
    source: SourceId,
    made: FxHashMap<NodeId, Made>,
    inventory: Inventory,
    links: Vec<(usize, Option<BusId>, u32)>,
    seen: BTreeSet<BusId>,
    hosts: BTreeSet<String>,
    silent: Vec<usize>,
    faults: Diagnostics,
    notes: Diagnostics,
}

impl Reader {
    fn new(source: SourceId) -> Self {
        let inventory = Inventory {
            format: Format::NcclXml,
            processors: Vec::new(),
            functions: Vec::new(),
            gpu_links: Vec::new(),
            notes: Diagnostics::new(),
        };
        Self {
            source,
            made: FxHashMap::default(),
            inventory,
            links: Vec::new(),
            seen: BTreeSet::new(),
            hosts: BTreeSet::new(),
            silent: Vec::new(),
            faults: Diagnostics::new(),
            notes: Diagnostics::new(),
        }
    }

    fn span(&self, node: Node<'_, '_>, attribute: &str) -> Span {
        xml::span_of(node, attribute, self.source)
    }

    fn element(&mut self, node: Node<'_, '_>) {
        let parent = node.parent_element().map(|parent| parent.id());
        let above = parent.and_then(|id| self.made.get(&id)).copied();
        let made = match (node.tag_name().name(), above) {
            ("cpu", None) => self.processor(node),
            ("pci", Some(Made::Processor(index))) => self.pci(node, Above::Processor(index)),
            ("pci", Some(Made::Function(index))) => self.pci(node, Above::Function(index)),
            ("gpu", Some(Made::Function(index))) => self.gpu(node, index),
            ("nvlink" | "xgmi", Some(Made::Function(index))) => self.link(node, index),
            ("nic", Some(Made::Processor(index))) => Made::Nic(None, Above::Processor(index)),
            ("nic", Some(Made::Function(index))) => self.nic(node, index),
            ("net", Some(Made::Nic(function, place))) => self.net(node, function, place),
            ("pci" | "gpu" | "nic" | "net" | "cpu", Some(Made::Nothing)) => Made::Nothing,
            (element @ ("pci" | "gpu" | "nic" | "net" | "cpu"), _) => {
                let inside = node.parent_element().map_or("", |parent| parent.tag_name().name());
                let fault = Fault::Place { element: element.to_owned(), inside: inside.to_owned() };
                self.faults.push(fault.at(self.span(node, "")));
                Made::Nothing
            }
            // c2c, collnet and what later versions add: nothing about the PCIe tree.
            _ => Made::Nothing,
        };
        self.made.insert(node.id(), made);
    }

    fn processor(&mut self, node: Node<'_, '_>) -> Made {
        self.hosts.extend(node.attribute("host_hash").map(str::to_owned));
        let numa = match node.attribute("numaid").map(str::trim) {
            None | Some("" | "-1") => None,
            Some(text) => match text.parse() {
                Ok(number) => Some(number),
                Err(_) => {
                    let fault = Fault::BadNumber { attribute: "numaid", text: text.to_owned() };
                    self.faults.push(fault.at(self.span(node, "numaid")));
                    None
                }
            },
        };
        let words: Vec<String> = [("vendor", ""), ("familyid", "family "), ("modelid", "model ")]
            .iter()
            .filter_map(|(name, word)| Some(format!("{word}{}", node.attribute(*name)?)))
            .collect();
        self.inventory.processors.push(Processor {
            socket: None,
            numa: numa.into_iter().collect(),
            cpus: node.attribute("affinity").filter(|text| !text.is_empty()).map(str::to_owned),
            model: (!words.is_empty()).then(|| words.join(" ")),
            span: Some(self.span(node, "numaid")),
        });
        Made::Processor(self.inventory.processors.len() - 1)
    }

    fn pci(&mut self, node: Node<'_, '_>, above: Above) -> Made {
        let at = self.span(node, "busid");
        let Some(text) = node.attribute("busid") else {
            self.faults.push(Fault::NoBus.at(at));
            return Made::Nothing;
        };
        let Ok(bus) = text.parse::<BusId>() else {
            self.faults.push(Fault::BadBus(text.to_owned()).at(at));
            return Made::Nothing;
        };
        if !self.seen.insert(bus) {
            self.faults.push(Fault::SameBus(bus.to_string()).at(at));
        }
        let kind = self.kind(node);
        let link = self.pci_link(node);
        let hex = |name| {
            let digits = node.attribute(name)?.trim().trim_start_matches("0x");
            u16::from_str_radix(digits, 16).ok()
        };
        self.inventory.functions.push(Function {
            bus: Some(bus),
            link: LinkReport { capable: link, current: PciLink::default() },
            ids: hex("vendor").zip(hex("device")),
            numa: self.numa(above),
            span: Some(at),
            ..Function::new(kind.unwrap_or(FunctionKind::Other), above)
        });
        let index = self.inventory.functions.len() - 1;
        if kind.is_none() {
            self.silent.push(index);
        }
        Made::Function(index)
    }

    /// By class, else by what stands inside; `None` where neither tells.
    fn kind(&mut self, node: Node<'_, '_>) -> Option<FunctionKind> {
        if let Some(class) = node.attribute("class").filter(|class| !class.trim().is_empty()) {
            let kind = words::kind(class);
            if kind.is_none() {
                let at = self.span(node, "class");
                self.faults.push(Fault::BadClass(class.to_owned()).at(at));
            }
            return Some(kind.unwrap_or(FunctionKind::Other));
        }
        let has = |name| node.children().any(|child| child.has_tag_name(name));
        if has("gpu") {
            Some(FunctionKind::Gpu)
        } else if has("pci") {
            Some(FunctionKind::Bridge)
        } else if has("nic") {
            Some(FunctionKind::Nic)
        } else {
            None
        }
    }

    fn pci_link(&mut self, node: Node<'_, '_>) -> PciLink {
        let strange = |reader: &mut Self, name: &'static str, text: &str| {
            let message = format!("`{text}` is no {name} that PCIe has: taken as unknown");
            let at = reader.span(node, name);
            reader.notes.push(Diagnostic::warning("nccl-link", message).at(at, ""));
        };
        let text = node.attribute("link_speed").unwrap_or("");
        let generation = match words::speed(text) {
            Speed::Generation(generation) => Some(generation),
            Speed::Unknown => None,
            Speed::Strange => {
                strange(self, "link_speed", text);
                None
            }
        };
        let text = node.attribute("link_width").unwrap_or("");
        let width = words::width(text).unwrap_or_else(|()| {
            strange(self, "link_width", text);
            None
        });
        PciLink { generation, width }
    }

    fn gpu(&mut self, node: Node<'_, '_>, index: usize) -> Made {
        let number = self.number(node, "dev");
        let sm = self.number(node, "sm");
        let function = &mut self.inventory.functions[index];
        function.kind = FunctionKind::Gpu;
        function.number = number;
        // RCCL writes compute units into sm; its own attribute gcn gives it away.
        let is_amd = node.has_attribute("gcn") || function.ids.is_some_and(|ids| ids.0 == 0x1002);
        if !is_amd && let Some(sm @ 10..=999) = sm {
            function.arch = Some(format!("sm_{sm}"));
        }
        Made::Function(index)
    }

    fn number(&mut self, node: Node<'_, '_>, attribute: &'static str) -> Option<u32> {
        let text = node.attribute(attribute)?.trim();
        if text.is_empty() || text.starts_with('-') {
            return None;
        }
        let number = text.parse().ok();
        if number.is_none() {
            let fault = Fault::BadNumber { attribute, text: text.to_owned() };
            self.faults.push(fault.at(self.span(node, attribute)));
        }
        number
    }

    fn link(&mut self, node: Node<'_, '_>, from: usize) -> Made {
        // A placeholder such as fffffff:ff:ff.0 stands for a switch that is not shown.
        let target = node.attribute("target").and_then(|text| text.parse().ok());
        let count = self.number(node, "count").unwrap_or(0);
        if target != self.inventory.functions[from].bus {
            self.links.push((from, target, count));
        }
        Made::Nothing
    }

    fn nic(&mut self, node: Node<'_, '_>, index: usize) -> Made {
        let kind = &mut self.inventory.functions[index].kind;
        let own = match kind {
            FunctionKind::HostBridge | FunctionKind::Bridge => false,
            // A `<gpu>` and a `<nic>` in one function are no device that exists.
            FunctionKind::Gpu => {
                let fault = Fault::Place { element: "nic".into(), inside: "gpu's pci".into() };
                self.faults.push(fault.at(self.span(node, "")));
                return Made::Nothing;
            }
            _ => {
                *kind = FunctionKind::Nic;
                true
            }
        };
        Made::Nic(own.then_some(index), Above::Function(index))
    }

    fn net(&mut self, node: Node<'_, '_>, function: Option<usize>, place: Above) -> Made {
        let number = self.number(node, "dev");
        let hardware_port = self.number(node, "port").is_some_and(|port| port > 0);
        let speed = node.attribute("speed").and_then(|text| text.trim().parse::<i64>().ok());
        let guid = node.attribute("guid").map(str::trim).filter(|text| {
            // Sockets are counted 0x0, 0x1, …; identifiers of hardware are long.
            text.trim_start_matches("0x").len() > 4
        });
        let port = Port {
            name: node.attribute("name").unwrap_or("").to_owned(),
            megabits: speed.and_then(|speed| u64::try_from(speed).ok()).filter(|speed| *speed > 0),
            guid: guid.map(str::to_owned),
            // The socket transport has port 0; what it finds without a PCI function (veth, virbr0,
            // the interface of a virtual machine) is no hardware of its own.
            is_virtual: function.is_none() && !hardware_port,
        };
        if let Some(function) = function {
            let function = &mut self.inventory.functions[function];
            function.number = [function.number, number].into_iter().flatten().min();
            function.ports.push(port);
        } else {
            self.inventory.functions.push(Function {
                number,
                numa: self.numa(place),
                ports: vec![port],
                span: Some(self.span(node, "name")),
                ..Function::new(FunctionKind::Nic, place)
            });
        }
        Made::Nothing
    }

    /// The NUMA node of what hangs there.
    fn numa(&self, above: Above) -> Option<u32> {
        match above {
            Above::Processor(index) => self.inventory.processors[index].numa.first().copied(),
            Above::Function(index) => self.inventory.functions[index].numa,
            Above::Unknown => None,
        }
    }

    fn finish(mut self, root: Node<'_, '_>) -> Result<Inventory, Diagnostics> {
        let at = self.span(root, "");
        let functions = &self.inventory.functions;
        if self.hosts.len() > 1 {
            self.faults.push(Fault::Hosts(self.hosts.len()).at(at));
        }
        if let Some(&first) = self.silent.first() {
            let processors = self.inventory.processors.len();
            let fault = Fault::NoClass { silent: self.silent.len(), processors };
            self.faults.push(fault.at(functions[first].span.unwrap_or(at)));
        } else if self.faults.is_empty()
            && !functions.iter().any(|function| function.kind == FunctionKind::Gpu)
        {
            self.faults.push(Fault::NoGpu.at(at));
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let position: BTreeMap<BusId, usize> = functions
            .iter()
            .enumerate()
            .filter(|(_, function)| function.kind == FunctionKind::Gpu)
            .filter_map(|(index, function)| Some((function.bus?, index)))
            .collect();
        self.inventory.gpu_links = self
            .links
            .iter()
            .map(|&(from, to, count)| {
                let to = to.and_then(|bus| position.get(&bus).copied());
                GpuLink { from, to, count }
            })
            .collect();
        self.inventory.notes = self.notes;
        Ok(self.inventory)
    }
}
