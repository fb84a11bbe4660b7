//! A machine with everything expanded: what the topology is built from.

use super::tree::Rule;
use crate::base::{BytesPerSecond, DeviceKind, Nanos, Span};

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
    /// Rules, with the path of the part instance they hold in (empty at the top).
    pub rules: Vec<(String, Rule, Option<Span>)>,
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
    pub bus: Option<String>,
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

/// What a link is worth. Equality ignores the text it was written as.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkValue {
    /// Payload bytes a second; `None` when unknown.
    pub rate: Option<BytesPerSecond>,
    /// Delay of the first byte.
    pub latency: Nanos,
    /// Where the figure comes from.
    pub origin: ValueOrigin,
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
