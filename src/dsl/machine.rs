//! A machine with everything expanded: what the topology is built from.

use super::tree::{Place, Relation};
use crate::base::{BusId, BytesPerSecond, DeviceKind, Initiator, Mode, Nanos, RouteClass, Span};
use std::ops::Range;

/// A flat machine: devices and links without arrays, parts, params or names of links.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The name in the header.
    pub name: String,
    /// In order of declaration, depth first, elements ascending.
    pub devices: Vec<Device>,
    /// In order of declaration, elements ascending.
    pub links: Vec<Link>,
    /// The GPUs (indices into `devices`) in the order of ranks.
    pub ranks: Vec<usize>,
    /// Joint capacities, in order of declaration.
    pub totals: Vec<Total>,
    /// Rules, each with the part of the machine that it holds in.
    pub rules: Vec<PlacedRule>,
}

/// One device.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Its path: `h[3].g[1]`.
    pub path: String,
    /// What it is.
    pub kind: DeviceKind,
    /// `sm_89`; GPUs only.
    pub arch: Option<String>,
    /// Marketing name.
    pub model: Option<String>,
    /// What the memory gives; sockets only.
    pub memory: Option<LinkValue>,
    /// PCI bus id.
    pub bus: Option<BusId>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// One link: both directions of it when `duplex`.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Index into the devices.
    pub from: usize,
    /// Index into the devices.
    pub to: usize,
    /// Whether the reverse direction exists too, with the same value.
    pub duplex: bool,
    /// What each direction is worth.
    pub value: LinkValue,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// What a link is worth. Equality ignores the text it was written as, and where.
#[derive(Debug, Clone)]
pub struct LinkValue {
    /// Payload bytes a second; `None` when unknown.
    pub rate: Option<BytesPerSecond>,
    /// Delay of the first byte.
    pub latency: Nanos,
    /// Where the figure comes from.
    pub origin: ValueOrigin,
    /// Generation and width, where the rate is written as `pcie genG xW`.
    pub pcie: Option<(u32, u32)>,
    /// Where the figure stands: behind the name of a link, the rate that the name stands for.
    pub figure: Option<Span>,
    /// The rate, or the name of a link, as it stands where it is used.
    pub written: Option<Span>,
}

impl PartialEq for LinkValue {
    fn eq(&self, other: &Self) -> bool {
        (self.rate, self.latency, &self.origin) == (other.rate, other.latency, &other.origin)
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The file states it.
    Stated,
    /// The file marks it as assumed, for this reason; or the tool assumed it and says why.
    Assumed(String),
    /// Measured or published there.
    From(String),
}

/// A capacity that several directions of links share: a duplex sum, what a chip moves in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// What it is over, as the file writes it, with the part's path before it: `s[0] -- s[1]`.
    pub name: String,
    /// The directions of links, each once: the position of the link and whether it is taken in its
    /// written direction (else in the reverse of a duplex link).
    pub links: Vec<(usize, bool)>,
    /// What they carry together.
    pub value: LinkValue,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// A rule and where it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedRule {
    /// The path of the part instance that declares it, empty at the top.
    pub part: String,
    /// The devices of that instance (positions); all of them at the top. It holds between those.
    pub scope: Range<usize>,
    /// What it says.
    pub rule: Rule,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A rule with names looked up and figures worked out; compare [`super::tree::Rule`].
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// How far peer access between GPUs reaches, or GPUDirect between NIC and GPU.
    Peer {
        /// Whether it speaks of NICs and GPUs.
        nic: bool,
        /// Within this place; `None` for nowhere.
        within: Option<Place>,
    },
    /// These ordered pairs of GPUs (positions) have no peer access in this mode.
    Forbid {
        /// Only this mode.
        mode: Option<Mode>,
        /// (source, destination), no pair twice.
        pairs: Vec<(usize, usize)>,
    },
    /// GPUs use the NICs with the fewest links to the destination.
    ViaNearest,
    /// GPUs use every NIC of their node.
    ViaAny,
    /// These GPUs use these NICs (positions).
    Via {
        /// Whose transfers.
        gpus: Vec<usize>,
        /// Over which cards.
        nics: Vec<usize>,
    },
    /// NICs may carry transfers within the node.
    Loopback,
    /// The most that one transfer of a class reaches.
    Cap {
        /// Routes of this class.
        class: RouteClass,
        /// Only this mode.
        mode: Option<Mode>,
        /// Only this initiator.
        by: Option<Initiator>,
        /// The figure.
        value: LinkValue,
    },
    /// Transfers of this class are paced by the kernel.
    Pacing {
        /// Routes of this class.
        class: RouteClass,
        /// Only this mode.
        mode: Option<Mode>,
    },
    /// Where the slots of bounced transfers lie.
    Bounce {
        /// At the source's socket, else the destination's.
        at_source: bool,
        /// How many chunks are under way; `None` for the tool's choice.
        chunks: Option<u64>,
    },
    /// The most transfers at once in a place.
    Limit {
        /// Only this mode.
        mode: Option<Mode>,
        /// The place.
        place: Place,
        /// How many, at least 1.
        count: u64,
    },
    /// Two transfers of different GPUs that must not run together.
    Avoid {
        /// Only this mode.
        mode: Option<Mode>,
        /// How the sources lie.
        from: (Relation, Place),
        /// How the destinations lie.
        to: (Relation, Place),
        /// What the two reach together, where measured.
        value: Option<LinkValue>,
    },
    /// What a link keeps when several transfers share it.
    Efficiency {
        /// The links (positions) of the kind.
        links: Vec<usize>,
        /// Only this mode.
        mode: Option<Mode>,
        /// (number of flows, percent of the capacity), flows ascending, at least 1.
        steps: Vec<(u64, u64)>,
    },
    /// What a step or a transfer costs beyond its bytes.
    Cost {
        /// Whether of a transfer (else of a step).
        flow: bool,
        /// How much.
        time: Nanos,
        /// Where the figure comes from.
        origin: ValueOrigin,
    },
    /// A file of measurements that the figures rest on.
    Measured {
        /// Only this mode.
        mode: Option<Mode>,
        /// Its name, relative to the topology file.
        file: String,
    },
}

impl Rule {
    /// Its first word, as the language writes it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Peer { nic: false, .. } => "peer",
            Self::Peer { nic: true, .. } => "peer nic",
            Self::Forbid { .. } => "forbid",
            Self::ViaNearest | Self::ViaAny | Self::Via { .. } => "via",
            Self::Loopback => "loopback",
            Self::Cap { .. } => "cap",
            Self::Pacing { .. } => "pacing",
            Self::Bounce { .. } => "bounce",
            Self::Limit { .. } => "limit",
            Self::Avoid { .. } => "avoid",
            Self::Efficiency { .. } => "efficiency",
            Self::Cost { .. } => "cost",
            Self::Measured { .. } => "measured",
        }
    }
}
