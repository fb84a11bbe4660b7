//! The one definition of what stands where, for Rust and for C.

use super::arguments::StatusKind;
use crate::base::Digest;

/// The first four bytes of every plan buffer, `VPPB` read as a little-endian number.
pub const MAGIC: u32 = u32::from_le_bytes(*b"VPPB");
/// Raised with every change of a record, so that kernels and encoder of different age refuse each
/// other.
pub const VERSION: u32 = 1;
/// The most pieces that one rank may send in a call.
pub const MAX_ENTRIES: usize = 4096;
/// The most link waits that one rank may hold in a call.
pub const MAX_LINK_SLOTS: usize = 16_384;

/// A field of a record, as C declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// `uint32_t` and the like.
    pub c_type: &'static str,
    /// The name, equal in Rust and C.
    pub name: &'static str,
    /// Distance from the start of the record.
    pub offset: usize,
    /// What it holds.
    pub doc: &'static str,
}

/// A record, as C declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The name in C.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its size in bytes; a multiple of its alignment, without padding.
    pub size: usize,
    /// In order of offset.
    pub fields: Vec<Field>,
}

/// The C name of an unsigned integer.
macro_rules! c_type {
    (u16) => {
        "uint16_t"
    };
    (u32) => {
        "uint32_t"
    };
    (u64) => {
        "uint64_t"
    };
}

/// A record with its Rust struct, reader, writer and C declaration.
macro_rules! record {
    ($(#[doc = $doc:literal])* $name:ident as $c_name:literal {
        $(#[doc = $field_doc:literal] $field:ident: $type:ident,)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = $field_doc] pub $field: $type,)*
        }

        // Padding would be bytes that the writer does not write.
        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$type>())*);

        impl $name {
            /// The size in bytes.
            pub const SIZE: usize = size_of::<Self>();

            /// Appends the record to `out`.
            pub fn write(&self, out: &mut Vec<u8>) {
                $(out.extend_from_slice(&self.$field.to_le_bytes());)*
            }

            /// Reads the record at the start of `bytes`; `None` when they are too few.
            #[must_use]
            pub fn read(bytes: &[u8]) -> Option<Self> {
                Some(Self {
                    $($field: $type::from_le_bytes(
                        bytes.get(std::mem::offset_of!(Self, $field)..)?.first_chunk().copied()?,
                    ),)*
                })
            }

            fn record() -> Record {
                Record {
                    name: $c_name,
                    doc: concat!($($doc),*).trim_ascii(),
                    size: Self::SIZE,
                    fields: vec![$(Field {
                        c_type: c_type!($type),
                        name: stringify!($field),
                        offset: std::mem::offset_of!(Self, $field),
                        doc: $field_doc.trim_ascii(),
                    },)*],
                }
            }
        }
    };
}

record! {
    /// The head of a plan buffer.
    Header as "VpHeader" {
        /// VP_MAGIC
        magic: u32,
        /// VP_VERSION
        version: u32,
        /// ranks of the exchange
        ranks: u16,
        /// the rank this buffer is for
        rank: u16,
        /// lanes that run at the same time; at least 1
        lanes: u16,
        /// 16 bits of the digest of machine, plan and windows, equal on every rank
        digest: u16,
        /// the first 64 bits of the topology's digest
        topology: u64,
        /// entries in the buffer
        entries: u16,
        /// group elements in the buffer
        elements: u16,
        /// signals in the buffer
        signals: u16,
        /// link slots that this rank waits on
        slots: u16,
        /// bytes the rank keeps for itself
        local_bytes: u64,
        /// where they lie in the send window
        local_source: u64,
        /// where they go in the receive window
        local_destination: u64,
        /// length of the whole buffer
        size: u32,
        /// zero
        reserved: u32,
    }
}

record! {
    /// What passes between this rank and another.
    Peer as "VpPeer" {
        /// pieces that go to it
        pieces_out: u16,
        /// pieces that come from it
        pieces_in: u16,
    }
}

record! {
    /// A link slot to store into.
    Signal as "VpSignal" {
        /// whose slot
        rank: u16,
        /// its number among that rank's link slots
        slot: u16,
    }
}

record! {
    /// A piece that this rank sends.
    Entry as "VpEntry" {
        /// number of the program
        program: u16,
        /// index of the group element in this buffer
        element: u16,
        /// index in the row of the role that this rank plays
        transfer: u16,
        /// lane that carries it
        lane: u16,
        /// length; at least 1
        bytes: u64,
        /// start in this rank's send window
        source: u64,
        /// start in the receiver's receive window
        destination: u64,
        /// first link slot to wait on
        first_wait: u16,
        /// link slots to wait on
        waits: u16,
        /// index of its first signal in this buffer
        first_signal: u16,
        /// signals to give when it is done
        signals: u16,
        /// ns after which its link waits are given up
        timeout_ns: u64,
    }
}

record! {
    /// What a rank keeps between calls, followed by its counters. All zero at first.
    State as "VpState" {
        /// number of the last complete call; the kernel advances it
        call: u64,
        /// why the exchange ended, 0 while it lives
        status: u64,
        /// set to 1 to end the exchange
        abort: u64,
        /// link waits given up so far
        overruns: u64,
        /// blocks that are through with the call
        blocks_done: u32,
        /// zero
        reserved: u32,
    }
}

/// A number that both sides must agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The name in C.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// What it is.
    pub doc: String,
}

/// The records in the order in which C needs them.
#[must_use]
pub fn records() -> Vec<Record> {
    vec![Header::record(), Peer::record(), Signal::record(), Entry::record(), State::record()]
}

/// The numbers that both sides must agree on, for `ranks` ranks.
#[must_use]
pub fn constants(ranks: usize) -> Vec<Constant> {
    let of = |name: &str, value: usize, doc: &str| Constant {
        name: name.to_owned(),
        value: value as u64,
        doc: doc.to_owned(),
    };
    let mut all = vec![
        of("VP_MAGIC", MAGIC as usize, "first word of a plan buffer"),
        of("VP_VERSION", VERSION as usize, "version of the plan buffer"),
        of("VP_MAX_ENTRIES", MAX_ENTRIES, "most pieces a rank sends in a call"),
        of("VP_MAX_LINK_SLOTS", MAX_LINK_SLOTS, "most link waits a rank holds in a call"),
        of("VP_READY", ready_slot(), "first `ready` slot of a rank, one a receiver"),
        of("VP_ARRIVED", ranks, "first `arrived` slot, one a sender"),
        of("VP_POISON", 2 * ranks, "first poison slot, one a rank"),
        of("VP_LINK", 3 * ranks, "first link slot, numbered by the plan"),
    ];
    all.extend(StatusKind::ALL.iter().map(|kind| Constant {
        name: format!("VP_{}", kind.c_name()),
        value: *kind as u64,
        doc: kind.doc().to_owned(),
    }));
    all
}

fn ready_slot() -> usize {
    0
}

/// The 64-bit words of a rank's signal memory.
#[must_use]
pub fn slot_words(ranks: usize) -> usize {
    3 * ranks + MAX_LINK_SLOTS
}

/// The counters behind the state: one a peer, then one an entry, 32 bits each.
#[must_use]
pub fn counters(ranks: usize) -> usize {
    ranks + MAX_ENTRIES
}

/// The bytes of a rank's state with its counters.
#[must_use]
pub fn state_bytes(ranks: usize) -> usize {
    State::SIZE + 4 * counters(ranks)
}

/// `bytes` rounded up to the next multiple of 8.
#[must_use]
pub fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// The first 64 bits of a digest; zero when the text is no digest.
#[must_use]
pub fn topology_word(digest: &Digest) -> u64 {
    digest.as_str().get(..16).and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or(0)
}
