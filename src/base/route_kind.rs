//! The kinds of devices and routes that every stage speaks of.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a vertex of the topology is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU; it sends and receives and never forwards.
    Gpu,
    /// A network card; it never forwards between its PCIe neighbours.
    Nic,
    /// A PCIe switch.
    Switch,
    /// A CPU socket: its root complex with its memory.
    Socket,
    /// A network between nodes.
    Fabric,
}

/// The kind of path that a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteClass {
    /// A link straight from GPU to GPU.
    Direct,
    /// Through PCIe switches only.
    Switch,
    /// Through one socket's root complex.
    Socket,
    /// From one socket to another.
    Cross,
    /// Through slots in host memory.
    Bounce,
    /// Over network cards and a fabric.
    Network,
    /// Over network cards back into the same node.
    Loopback,
}

/// Who moves the bytes over the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Posted writes by the source.
    Push,
    /// Reads by the destination.
    Pull,
}

/// What carries out a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Initiator {
    /// The emitted kernel.
    Kernel,
    /// A copy engine.
    Engine,
}

/// What is taken to be lost beyond the bytes over the capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// Nothing: links lose nothing when transfers share them, and steps, transfers and distances
    /// cost no time.
    Ideal,
    /// What the machine's profile says.
    Profile,
}

macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal),* $(,)? }) => {
        impl $type {
            /// The word that the language and the outputs use.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The value that `word` names.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words!(DeviceKind { Gpu => "gpu", Nic => "nic", Switch => "switch", Socket => "socket", Fabric => "fabric" });
words!(RouteClass {
    Direct => "direct", Switch => "switch", Socket => "socket", Cross => "cross",
    Bounce => "bounce", Network => "network", Loopback => "loopback",
});
words!(Mode { Push => "push", Pull => "pull" });
words!(Setting { Ideal => "ideal", Profile => "profile" });
words!(Initiator { Kernel => "kernel", Engine => "engine" });
