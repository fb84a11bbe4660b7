//! From what a dump tells of PCI functions to sockets, switches, GPUs and network cards.
//!
//! - A bridge is a switch where two or more cards lie below it; a bridge with one card below is part
//!   of that card or of a direct attachment. Root ports and host bridges are no switches.
//! - The functions of one PCI device are one network card, and so are ports with one identifier
//!   whose PCI function the dump hides. Devices without hardware are left out; fused ones split.
//! - A link's worth is that of its slowest part.

mod cards;
mod hazards;
mod notes;
mod sketch;
mod sockets;
mod tree;
mod types;

pub use hazards::ACCESS_CONTROL;
pub use notes::notes;
pub use sketch::sketch;
pub use tree::conclude;
