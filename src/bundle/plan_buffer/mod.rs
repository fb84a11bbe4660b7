//! The plan buffer: a rank's part of a plan, as the kernels read it.
//!
//! `layout` is the only place that says what stands where: the encoder and the decoder here use
//! its records, and the C declarations of the kernels are made from the same list. All numbers are
//! little endian; offsets and sizes are bytes. In order:
//!
//! | part | count | what it is |
//! |---|---|---|
//! | header | 1 | what the buffer belongs to, and the counts of the rest |
//! | peers | ranks | pieces that go to and come from each rank |
//! | elements | header.elements | rank permutations, a byte a rank: role `r` is played by byte `r` |
//! | signals | header.signals | slots to store into when an entry is done |
//! | entries | header.entries | the pieces this rank sends, in order of planned start |
//!
//! Elements and signals are padded with zeros to the next multiple of 8.

mod arguments;
mod decode;
mod encode;
mod error;
mod layout;
mod window;

pub use arguments::{Arguments, Status, StatusKind};
pub use decode::{Decoded, decode};
pub use encode::Encoder;
pub use error::PlanBufferError;
pub use layout::{
    Constant, Entry, Field, Header, MAGIC, MAX_ENTRIES, MAX_LINK_SLOTS, Peer, Record, Signal,
    State, VERSION, constants, counters, padded, records, slot_words, state_bytes, topology_word,
};
pub use window::{Window, WindowError};
