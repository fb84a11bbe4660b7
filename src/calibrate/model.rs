//! What may be fitted: the figures of a machine, from the coarsest to the finest.

use super::observe::{Observation, Subject};
use crate::base::{BytesPerSecond, DeviceKind, LinkId, RouteClass, SourceId, Span};
use crate::dsl::Machine;
use crate::dsl::machine::{LinkValue, Rule, ValueOrigin};
use crate::topology::{ResourceKind, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// Something that can have a value of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    /// A figure of the file, wherever it is used by name.
    Figure(Span),
    /// One use of it.
    Written(Span),
    /// One link of an array (a position in the machine).
    Link(usize),
    /// One direction of a link: its reverse, or the one that is written.
    Direction { link: usize, reverse: bool },
    /// A cap that the file does not have.
    NewCap(RouteClass),
    /// A total of both directions that the file does not have, one for each link of the statement.
    NewTotal(Span),
}

/// A resource or a cap.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// What the file says; `None` where it is unknown.
    pub(super) value: Option<BytesPerSecond>,
    /// Whether the file says that it is assumed.
    pub(super) assumed: bool,
    /// Where it stands in the file: as it is used, and the figure behind its name.
    pub(super) places: [Option<Span>; 2],
    /// What could give it another value, the coarsest first; none where this file cannot.
    pub(super) keys: Vec<Key>,
    /// Generation and width, where they are stated.
    pub(super) pcie: Option<(u32, u32)>,
    /// Whether it is a direction of a GPU's own link, or a cap: what one transfer alone reaches shows
    /// what it is worth. Of a link that several GPUs share it shows the least, unless several
    /// transfers over it were measured together.
    pub(super) decided: bool,
    /// The link's position, for directions of links.
    pub(super) link: Option<usize>,
}

/// Every resource and cap that observations bear on.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) resources: BTreeMap<LinkId, Element>,
    pub(super) caps: BTreeMap<usize, Element>,
    /// Duplex links of a statement: for each link its two directions.
    pub(super) duplex: BTreeMap<Span, BTreeMap<usize, Vec<LinkId>>>,
}

/// Payload cannot exceed what the lanes carry after line coding (and flits from gen6 on), in bytes a
/// second and lane: 2.5 and 5 GT/s with 8b/10b, 8 to 32 GT/s with 128b/130b, 64 and 128 with 242/256.
pub(super) fn wire((generation, width): (u32, u32)) -> BytesPerSecond {
    let lane: u64 = match generation {
        1 => 250_000_000,
        2 => 500_000_000,
        3 => 984_615_385,
        4 => 1_969_230_770,
        5 => 3_938_461_539,
        6 => 7_562_500_000,
        _ => 15_125_000_000,
    };
    BytesPerSecond(lane * u64::from(width))
}

impl Elements {
    /// The elements of `observations`. `machine` still has its unknown rates; `main` is the text that
    /// can be edited.
    pub(super) fn new(
        machine: &Machine,
        topology: &Topology,
        observations: &[Observation],
        main: SourceId,
    ) -> Self {
        let mut elements = Self::default();
        let used: BTreeSet<LinkId> =
            observations.iter().flat_map(|o| o.loads.keys().copied()).collect();
        for id in used {
            let element = match &topology.resources[id.index()].kind {
                ResourceKind::Link { link, from, .. } => {
                    let reverse = machine.links[*link].from != from.index();
                    elements.link(machine, id, *link, reverse)
                }
                ResourceKind::Total { .. } => {
                    // Totals follow the links, in the order of the machine.
                    let total = &machine.totals[id.index() - topology.links];
                    plain(&total.value, main)
                }
                ResourceKind::Memory { socket } => {
                    let memory = machine.devices[socket.index()].memory.as_ref();
                    let mut element = memory.map(|value| plain(value, main)).unwrap_or_default();
                    // Attributes stay as they are.
                    element.keys.clear();
                    element
                }
            };
            elements.resources.insert(id, element);
        }
        for &cap in observations.iter().flat_map(|o| o.caps.keys()) {
            let placed = &machine.rules[cap];
            let Rule::Cap { value, .. } = &placed.rule else { continue };
            elements.caps.entry(cap).or_insert_with(|| plain(value, main));
        }
        // Several transfers together show what they share.
        for observation in observations {
            let Subject::Together(_) = observation.subject else { continue };
            let one = observation.classes.values().copied().fold(0.0, f64::max);
            let shared = observation.loads.iter().filter(|(_, load)| **load > one * 1.001);
            for (id, _) in shared {
                elements.resources.entry(*id).and_modify(|element| element.decided = true);
            }
        }
        elements.drop_repeated_keys();
        elements
    }

    fn link(&mut self, machine: &Machine, id: LinkId, position: usize, reverse: bool) -> Element {
        let link = &machine.links[position];
        let mut keys = Vec::new();
        keys.extend(link.value.figure.map(Key::Figure));
        keys.extend(link.value.written.map(Key::Written));
        keys.push(Key::Link(position));
        if link.duplex {
            keys.push(Key::Direction { link: position, reverse });
            if let Some(span) = link.span {
                let links = self.duplex.entry(span).or_default();
                links.entry(position).or_default().push(id);
            }
        }
        let is_gpu = |device: usize| machine.devices[device].kind == DeviceKind::Gpu;
        Element {
            keys,
            decided: is_gpu(link.from) || is_gpu(link.to),
            link: Some(position),
            ..of(&link.value)
        }
    }

    /// What bears on an observation, each with its load.
    pub(super) fn of<'a>(
        &'a self,
        observation: &'a Observation,
    ) -> impl Iterator<Item = (&'a Element, f64)> {
        let resources = observation.loads.iter().map(|(id, load)| (&self.resources[id], *load));
        let caps = observation.caps.iter().map(|(cap, load)| (&self.caps[cap], *load));
        resources.chain(caps)
    }

    /// All elements.
    pub(super) fn all(&self) -> impl Iterator<Item = &Element> {
        self.resources.values().chain(self.caps.values())
    }

    /// Whether what one transfer alone reaches shows what the key is worth, at least for one element.
    pub(super) fn is_decided(&self, key: Key) -> bool {
        match key {
            Key::NewCap(_) => true,
            Key::NewTotal(statement) => self
                .duplex
                .get(&statement)
                .into_iter()
                .flat_map(|links| links.values().flatten())
                .any(|id| self.resources[id].decided),
            _ => self.all().any(|element| element.decided && element.keys.contains(&key)),
        }
    }

    /// A finer key that stands for the same elements as a coarser one is left out.
    fn drop_repeated_keys(&mut self) {
        let mut members: BTreeMap<Key, BTreeSet<(bool, usize)>> = BTreeMap::new();
        let resources = self.resources.iter().map(|(id, element)| ((true, id.index()), element));
        let caps = self.caps.iter().map(|(cap, element)| ((false, *cap), element));
        for (name, element) in resources.chain(caps) {
            for key in &element.keys {
                members.entry(*key).or_default().insert(name);
            }
        }
        for element in self.resources.values_mut().chain(self.caps.values_mut()) {
            let keys = std::mem::take(&mut element.keys);
            for key in keys {
                let same = |other: &Key| members[other] == members[&key];
                if !element.keys.iter().any(same) {
                    element.keys.push(key);
                }
            }
        }
    }
}

impl Default for Element {
    fn default() -> Self {
        Self {
            value: None,
            assumed: false,
            places: [None, None],
            keys: Vec::new(),
            pcie: None,
            decided: true,
            link: None,
        }
    }
}

fn of(value: &LinkValue) -> Element {
    Element {
        value: value.rate,
        assumed: matches!(value.origin, ValueOrigin::Assumed(_)),
        pcie: value.pcie,
        places: [value.written, value.figure],
        ..Element::default()
    }
}

/// The element of a total or cap, whose figure has to stand in the text that can be edited.
fn plain(value: &LinkValue, main: SourceId) -> Element {
    let here = |span: &Span| span.source == main;
    let figure = value.figure.filter(here).map(Key::Figure);
    let written = value.written.filter(here).map(Key::Written);
    Element { keys: figure.into_iter().chain(written).collect(), ..of(value) }
}
