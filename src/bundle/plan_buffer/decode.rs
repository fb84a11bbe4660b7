//! From bytes back to records, with every count, index and range checked.

use super::PlanBufferError;
use super::encode::{bytes_of, size_of_buffer};
use super::layout::{
    Entry, Header, MAGIC, MAX_ENTRIES, MAX_LINK_SLOTS, Peer, Signal, VERSION, padded,
};
use crate::base::Rank;
use crate::bundle::ProgramTable;

/// A plan buffer taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The head.
    pub header: Header,
    /// One a rank.
    pub peers: Vec<Peer>,
    /// Where each element sends each role.
    pub elements: Vec<Vec<Rank>>,
    /// All signals; entries refer to ranges of them.
    pub signals: Vec<Signal>,
    /// The pieces this rank sends.
    pub entries: Vec<Entry>,
    /// For each entry the rank that it goes to.
    pub to: Vec<Rank>,
}

/// Takes a buffer apart; the kernels of `programs` can carry out whatever passes.
///
/// # Errors
/// [`PlanBufferError`] naming the first thing that is wrong.
pub fn decode(bytes: &[u8], programs: &ProgramTable) -> Result<Decoded, PlanBufferError> {
    let too_short = PlanBufferError::Length { found: bytes.len(), expected: Header::SIZE };
    let header = Header::read(bytes).ok_or(too_short)?;
    if header.magic != MAGIC {
        return Err(PlanBufferError::Magic);
    }
    if header.version != VERSION {
        return Err(PlanBufferError::Version { found: header.version, expected: VERSION });
    }
    let expected = size_of_buffer(&header);
    if bytes.len() != expected || header.size as usize != expected {
        return Err(PlanBufferError::Length { found: bytes.len(), expected });
    }
    let ranks = usize::from(header.ranks);
    let field = |field| PlanBufferError::Field { field, entry: None };
    let table = programs.programs.first().map_or(0, |program| program.rows.len());
    if ranks == 0 || ranks != table {
        return Err(field("ranks"));
    }
    if header.rank >= header.ranks {
        return Err(field("rank"));
    }
    if header.lanes == 0 {
        return Err(field("lanes"));
    }
    if usize::from(header.entries) > MAX_ENTRIES {
        return Err(field("entries"));
    }
    if usize::from(header.slots) > MAX_LINK_SLOTS {
        return Err(field("slots"));
    }
    let mut at = Header::SIZE;
    let mut part = |size: usize| {
        let start = at;
        at += padded(size);
        bytes.get(start..start + size).unwrap_or_default()
    };
    let peers: Vec<Peer> = records(part(Peer::SIZE * ranks), Peer::SIZE, Peer::read);
    let element_bytes = part(ranks * usize::from(header.elements));
    let elements = element_bytes
        .chunks_exact(ranks)
        .map(|chunk| {
            let element: Vec<Rank> = chunk.iter().map(|rank| Rank(u32::from(*rank))).collect();
            bytes_of(&element, ranks).map(|_| element)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let signals: Vec<Signal> =
        records(part(Signal::SIZE * usize::from(header.signals)), Signal::SIZE, Signal::read);
    let entries: Vec<Entry> =
        records(part(Entry::SIZE * usize::from(header.entries)), Entry::SIZE, Entry::read);
    for signal in &signals {
        if usize::from(signal.rank) >= ranks || usize::from(signal.slot) >= MAX_LINK_SLOTS {
            return Err(field("signal"));
        }
    }
    let local_fits = |start: u64| start.checked_add(header.local_bytes).is_some();
    if !local_fits(header.local_source) || !local_fits(header.local_destination) {
        return Err(field("local_bytes"));
    }
    let mut to = Vec::with_capacity(entries.len());
    let mut sent = vec![0_u16; ranks];
    for (index, entry) in entries.iter().enumerate() {
        let peer = receiver(&header, entry, &elements, programs)
            .and_then(|peer| check(&header, entry).map(|()| peer))
            .map_err(|field| PlanBufferError::Field { field, entry: Some(index) })?;
        sent[peer.index()] += 1;
        to.push(peer);
    }
    if peers.iter().zip(&sent).any(|(peer, sent)| peer.pieces_out != *sent) {
        return Err(field("pieces_out"));
    }
    Ok(Decoded { header, peers, elements, signals, entries, to })
}

fn records<T>(bytes: &[u8], size: usize, read: impl Fn(&[u8]) -> Option<T>) -> Vec<T> {
    bytes.chunks_exact(size).filter_map(read).collect()
}

/// The rank that an entry goes to, or the field that names none.
fn receiver(
    header: &Header,
    entry: &Entry,
    elements: &[Vec<Rank>],
    programs: &ProgramTable,
) -> Result<Rank, &'static str> {
    let program = programs.programs.get(usize::from(entry.program)).ok_or("program")?;
    let element = elements.get(usize::from(entry.element)).ok_or("element")?;
    let own = Rank(u32::from(header.rank));
    let role = element.iter().position(|rank| *rank == own).ok_or("element")?;
    let row = program.rows.get(role).ok_or("program")?;
    let transfer = row.get(usize::from(entry.transfer)).ok_or("transfer")?;
    element.get(transfer.peer.index()).copied().ok_or("transfer")
}

/// The ranges of an entry, or the field that leaves its range.
fn check(header: &Header, entry: &Entry) -> Result<(), &'static str> {
    let within = |first: u16, count: u16, all: u16| {
        usize::from(first) + usize::from(count) <= usize::from(all)
    };
    if entry.lane >= header.lanes {
        return Err("lane");
    }
    if entry.bytes == 0 {
        return Err("bytes");
    }
    if entry.source.checked_add(entry.bytes).is_none() {
        return Err("source");
    }
    if entry.destination.checked_add(entry.bytes).is_none() {
        return Err("destination");
    }
    if !within(entry.first_wait, entry.waits, header.slots) {
        return Err("first_wait");
    }
    if !within(entry.first_signal, entry.signals, header.signals) {
        return Err("first_signal");
    }
    Ok(())
}
