//! What an importer wants written: arrays of devices, where each element hangs and what its link is
//! worth. Every importer ends here, so that all imported files look alike.

use super::layout::Parent;
use crate::dsl::tree::{Decimal, Origin, Rate, RateUnit, Spanned, Value};

/// The reason that stands beside the assumed rate between sockets.
pub const SOCKET_LINK_REASON: &str = "as an L40S box, flashinfer #4870";

/// A machine about to be written.
#[derive(Debug, Clone)]
pub struct Sketch {
    /// Comment lines at the top.
    pub heading: Vec<String>,
    /// The links in the order in which they are declared.
    pub links: Vec<LinkLine>,
    /// The link between sockets, a position in `links`; only with more than one socket.
    pub between: Option<usize>,
    /// How many sockets.
    pub sockets: usize,
    /// Switches with switches below.
    pub upstream: Array,
    /// The others.
    pub switches: Array,
    /// GPUs.
    pub gpus: Array,
    /// Network cards.
    pub nics: Array,
}

impl Sketch {
    /// What a device at `place` hangs on, nearest first: switches, and the socket at last.
    pub fn ways_up(&self, place: Parent) -> impl Iterator<Item = Parent> {
        std::iter::successors(Some(place), |place| match *place {
            Parent::Socket(_) => None,
            Parent::Upstream(index) => Some(self.upstream.elements[index].parent),
            Parent::Switch(index) => Some(self.switches.elements[index].parent),
        })
    }
}

/// A `link` statement.
#[derive(Debug, Clone)]
pub struct LinkLine {
    /// Its name.
    pub name: String,
    /// What it is worth.
    pub value: Value,
    /// The comment behind it.
    pub comment: String,
}

/// An array of devices of one kind.
#[derive(Debug, Clone, Default)]
pub struct Array {
    /// In order.
    pub elements: Vec<Element>,
    /// The comment behind the declaration.
    pub comment: Option<String>,
}

/// One device.
#[derive(Debug, Clone)]
pub struct Element {
    /// What it hangs on.
    pub parent: Parent,
    /// The link to that, a position in [`Sketch::links`].
    pub link: usize,
    /// What else is known.
    pub details: Details,
}

/// The attributes of a device, where known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// `sm_89`; GPUs only.
    pub arch: Option<String>,
    /// Marketing name.
    pub model: Option<String>,
    /// PCI bus id.
    pub bus: Option<String>,
}

/// An open question.
pub fn unknown() -> Value {
    Value { rate: Spanned::bare(Rate::Unknown), latency: None, origin: None }
}

/// `pcie genG xW` with an origin.
pub fn pcie(generation: u32, width: u32, origin: Option<Origin>) -> Value {
    Value { rate: Spanned::bare(Rate::Pcie { generation, width }), latency: None, origin }
}

/// The mark of what `--assume genG` filled in.
pub fn assumed(generation: u32) -> Option<Origin> {
    Some(Origin::Assumed(Some(format!("--assume gen{generation}"))))
}

/// The link between sockets, which no dump tells.
pub fn between_sockets(assume: Option<u32>) -> LinkLine {
    let value = match assume {
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
    LinkLine { name: "smp".to_string(), value, comment: "between sockets".to_string() }
}
