//! What is concluded.

use crate::import::inventory::{LinkReport, PciLink, Port};
use crate::import::layout::Parent;

/// The machine behind an inventory.
#[derive(Debug, Clone)]
pub struct Conclusion {
    /// In the order of the dump.
    pub sockets: Vec<Socket>,
    /// Switches with switches below, by their first device.
    pub upstream: Vec<Switch>,
    /// The other switches, by their first device.
    pub switches: Vec<Switch>,
    /// By the dump's own number, else by bus id.
    pub gpus: Vec<Card>,
    /// Likewise.
    pub nics: Vec<Card>,
    /// Names of network devices without hardware of their own, left out.
    pub left_out: Vec<String>,
    /// Names of fused network devices whose PCI functions the dump hides.
    pub fused: Vec<String>,
}

/// A socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// The processors of the inventory that it is made of; empty where it was added.
    pub processors: Vec<usize>,
    /// What it rests on.
    pub grounds: Grounds,
}

/// Why a socket is taken to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// The dump tells physical sockets.
    Told,
    /// The dump knows NUMA nodes only: one taken for a socket.
    NumaNode,
    /// No processor of the dump has it: added for the devices of this NUMA node.
    Numa(u32),
    /// The dump tells nothing about where the devices below hang.
    Nothing,
}

/// A switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its upstream port in the inventory.
    pub function: usize,
    /// What it hangs on.
    pub parent: Parent,
    /// The link to that.
    pub worth: Worth,
}

/// A GPU or network card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Its functions in the inventory, at least one.
    pub functions: Vec<usize>,
    /// Network devices, cards only.
    pub ports: Vec<Port>,
    /// What it hangs on.
    pub parent: Parent,
    /// The link to that.
    pub worth: Worth,
}

/// What a link is worth as far as told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worth {
    /// Speed and width.
    pub link: PciLink,
    /// Whether the figure is unlikely: a switch reported two generations below all that hangs on it.
    pub doubtful: bool,
}

/// Capable speed, and the width that is really there: power saving lowers speeds, never widths.
pub fn effective(report: &LinkReport) -> PciLink {
    PciLink {
        generation: report.capable.generation.or(report.current.generation),
        width: [report.capable.width, report.current.width].into_iter().flatten().min(),
    }
}

/// The slower of two links in a row; what is unknown of one is taken from the other.
pub fn slower(outer: PciLink, inner: PciLink) -> PciLink {
    // Lanes times raw speed: each generation doubles the one before.
    let speed = |link: PciLink| Some(u64::from(link.width?) << link.generation?.min(16));
    match (speed(outer), speed(inner)) {
        (Some(a), Some(b)) => {
            if b < a {
                inner
            } else {
                outer
            }
        }
        (Some(_), None) => outer,
        (None, Some(_)) => inner,
        (None, None) => PciLink {
            generation: outer.generation.or(inner.generation),
            width: outer.width.or(inner.width),
        },
    }
}
