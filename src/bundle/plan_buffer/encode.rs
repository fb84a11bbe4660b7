//! From a plan to each rank's buffer.

use super::layout::{
    Entry, Header, MAGIC, MAX_ENTRIES, MAX_LINK_SLOTS, Peer, Signal, VERSION, padded, topology_word,
};
use super::{PlanBufferError, Window, WindowError};
use crate::base::{Digest, PieceId, Rank};
use crate::bundle::ProgramTable;
use crate::catalog::{Catalog, Piece, Plan};
use std::collections::{BTreeMap, BTreeSet};

/// A piece that takes less than this gets no link wait of its own: a signal costs about 1 us, so
/// waiting would cost more than the overlap that it avoids.
const SHORT_PICOS: u64 = 3_000_000;
/// Added to every limit of a link wait, for launch skew between ranks.
const GRACE_NS: u64 = 20_000;

/// What the encoder works out about a piece before it writes any buffer.
#[derive(Debug, Clone, Default)]
struct Placed {
    entry: Entry,
    element: Vec<u8>,
    signals: Vec<Signal>,
}

/// Encodes the ranks' buffers of one plan. Everything that ranks must number alike (slots, lanes,
/// the digest) is worked out once.
#[derive(Debug, Clone)]
pub struct Encoder {
    header: Header,
    placed: Vec<Placed>,
    by_rank: Vec<Vec<usize>>,
    peers: Vec<Vec<Peer>>,
    slots: Vec<u16>,
    lanes: Vec<u16>,
    local: Vec<(u64, u64, u64)>,
}

impl Encoder {
    /// Numbers the slots and lanes of `plan`, whose steps are named; steps without a channel run
    /// as pairs.
    ///
    /// # Errors
    /// [`PlanBufferError`] when the parts do not belong together, the plan contradicts itself or
    /// the catalog, or a count leaves its range.
    pub fn new(
        catalog: &Catalog,
        programs: &ProgramTable,
        plan: &Plan,
        window: &Window,
    ) -> Result<Self, PlanBufferError> {
        let ranks = catalog.ranks as usize;
        if plan.ranks as usize != ranks || window.ranks() != ranks {
            return Err(PlanBufferError::Ranks {
                plan: plan.ranks as usize,
                catalog: ranks,
                windows: window.ranks(),
            });
        }
        if plan.digest != catalog.digest {
            return Err(PlanBufferError::Topology {
                plan: plan.digest.short().to_owned(),
                catalog: catalog.digest.short().to_owned(),
            });
        }
        let mut encoder = Self {
            header: Header {
                magic: MAGIC,
                version: VERSION,
                ranks: count("ranks", ranks, 255)?,
                digest: call_digest(catalog, plan, window),
                topology: topology_word(&catalog.digest),
                ..Header::default()
            },
            placed: vec![Placed::default(); plan.pieces.len()],
            by_rank: vec![Vec::new(); ranks],
            peers: vec![vec![Peer::default(); ranks]; ranks],
            slots: vec![0; ranks],
            lanes: vec![1; ranks],
            local: (0..ranks)
                .map(|r| {
                    let r = Rank::new(r);
                    (window.bytes(r, r), window.send(r, r), window.receive(r, r))
                })
                .collect(),
        };
        encoder.place(plan, window)?;
        encoder.name(programs, plan)?;
        encoder.assign_lanes(plan)?;
        encoder.link(plan)?;
        Ok(encoder)
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.by_rank.len()
    }

    /// The plan's piece behind an entry of a rank's buffer.
    #[must_use]
    pub fn piece(&self, rank: Rank, entry: u32) -> Option<PieceId> {
        self.by_rank.get(rank.index())?.get(entry as usize).map(|index| PieceId::new(*index))
    }

    /// The number of link waits in all buffers.
    #[must_use]
    pub fn link_waits(&self) -> usize {
        self.slots.iter().map(|slots| usize::from(*slots)).sum()
    }

    /// The buffer of one rank.
    ///
    /// # Errors
    /// [`PlanBufferError`] when the rank does not exist or gives more signals than a buffer holds.
    pub fn rank(&self, rank: Rank) -> Result<Vec<u8>, PlanBufferError> {
        let Some(own) = self.by_rank.get(rank.index()) else {
            return Err(PlanBufferError::NoRank { rank, ranks: self.ranks() });
        };
        let mut elements: BTreeMap<&[u8], u16> = BTreeMap::new();
        let mut element_bytes = Vec::new();
        let mut signals = Vec::new();
        let mut entries = Vec::new();
        for &index in own {
            let placed = &self.placed[index];
            let mut entry = placed.entry;
            let next = elements.len() as u16; // at most MAX_ENTRIES
            entry.element = *elements.entry(&placed.element).or_insert_with(|| {
                element_bytes.extend_from_slice(&placed.element);
                next
            });
            entry.first_signal = count("signals", signals.len(), u16::MAX.into())?;
            entry.signals = count("signals", placed.signals.len(), u16::MAX.into())?;
            signals.extend_from_slice(&placed.signals);
            entries.push(entry);
        }
        let r = rank.index();
        let mut header = Header {
            rank: rank.0 as u16, // below the number of ranks
            lanes: self.lanes[r],
            entries: entries.len() as u16, // at most MAX_ENTRIES
            elements: elements.len() as u16,
            signals: count("signals", signals.len(), u16::MAX.into())?,
            slots: self.slots[r],
            ..self.header
        };
        (header.local_bytes, header.local_source, header.local_destination) = self.local[r];
        let size = size_of_buffer(&header);
        header.size = size as u32; // the counts keep it below 2^24
        let mut out = Vec::with_capacity(size);
        header.write(&mut out);
        self.peers[r].iter().for_each(|peer| peer.write(&mut out));
        out.resize(padded(out.len()), 0);
        out.extend_from_slice(&element_bytes);
        out.resize(padded(out.len()), 0);
        signals.iter().for_each(|signal| signal.write(&mut out));
        out.resize(padded(out.len()), 0);
        entries.iter().for_each(|entry| entry.write(&mut out));
        debug_assert_eq!(out.len(), size);
        Ok(out)
    }

    /// Sorts the pieces by source and sets what a piece knows by itself.
    fn place(&mut self, plan: &Plan, window: &Window) -> Result<(), PlanBufferError> {
        let ranks = self.ranks();
        for (index, piece) in plan.pieces.iter().enumerate() {
            let Piece { src, dst, .. } = *piece;
            if src == dst || src.index() >= ranks || dst.index() >= ranks {
                return Err(PlanBufferError::NoPair { piece: PieceId::new(index), src, dst });
            }
            let held = window.bytes(src, dst);
            let end = piece.offset.0.checked_add(piece.bytes.0);
            if piece.bytes.0 == 0 || end.is_none_or(|end| end > held) {
                let bytes = crate::base::Bytes(held);
                return Err(WindowError::Piece { src, dst, bytes }.into());
            }
            let entry = &mut self.placed[index].entry;
            entry.bytes = piece.bytes.0;
            entry.source = window.send(src, dst) + piece.offset.0;
            entry.destination = window.receive(src, dst) + piece.offset.0;
            self.by_rank[src.index()].push(index);
            let most = MAX_ENTRIES;
            count("pieces", self.by_rank[src.index()].len(), most)?;
            self.peers[src.index()][dst.index()].pieces_out += 1;
            self.peers[dst.index()][src.index()].pieces_in += 1;
        }
        for own in &mut self.by_rank {
            own.sort_by_key(|index| (plan.pieces[*index].start, *index));
        }
        Ok(())
    }

    /// Finds each piece in the program of the step that starts it.
    fn name(&mut self, programs: &ProgramTable, plan: &Plan) -> Result<(), PlanBufferError> {
        let ranks = self.ranks();
        let mut named = vec![false; plan.pieces.len()];
        let identity: Vec<u8> = (0..ranks).map(|rank| rank as u8).collect();
        for step in &plan.steps {
            let orbit = step.channel.as_ref().and_then(|channel| channel.orbit);
            let element = match &step.channel {
                Some(channel) if channel.orbit.is_some() => bytes_of(&channel.element, ranks)?,
                _ => identity.clone(),
            };
            let number = ProgramTable::number(orbit);
            let mut roles = vec![0; ranks];
            for (role, rank) in element.iter().enumerate() {
                roles[usize::from(*rank)] = role;
            }
            for &id in &step.starts {
                let missing = PlanBufferError::NotInChannel { piece: id };
                let Some(piece) = plan.pieces.get(id.index()) else { return Err(missing) };
                let program = programs.programs.get(number);
                let row = program.and_then(|p| p.rows.get(roles[piece.src.index()]));
                let peer = Rank::new(roles[piece.dst.index()]);
                let transfer = row.and_then(|row| row.iter().position(|t| t.peer == peer));
                let Some(transfer) = transfer else { return Err(missing) };
                let placed = &mut self.placed[id.index()];
                placed.entry.program = count("programs", number, u16::MAX.into())?;
                placed.entry.transfer = count("transfers", transfer, u16::MAX.into())?;
                placed.element.clone_from(&element);
                named[id.index()] = true;
            }
        }
        match named.iter().position(|named| !named) {
            Some(index) => Err(PlanBufferError::Order { piece: PieceId::new(index) }),
            None => Ok(()),
        }
    }

    /// Entries of one rank that overlap in planned time get different lanes.
    fn assign_lanes(&mut self, plan: &Plan) -> Result<(), PlanBufferError> {
        for (rank, own) in self.by_rank.iter().enumerate() {
            let mut free_at = Vec::new();
            for &index in own {
                let piece = &plan.pieces[index];
                let lane = free_at.iter().position(|end| *end <= piece.start);
                let lane = lane.unwrap_or(free_at.len());
                if lane == free_at.len() {
                    free_at.push(piece.end);
                } else {
                    free_at[lane] = piece.end;
                }
                self.placed[index].entry.lane = count("lanes", lane, MAX_ENTRIES)?;
            }
            self.lanes[rank] = count("lanes", free_at.len().max(1), MAX_ENTRIES)?;
        }
        Ok(())
    }

    /// Numbers the link waits: every rank's own, in the order of its entries.
    fn link(&mut self, plan: &Plan) -> Result<(), PlanBufferError> {
        let waits = link_waits(plan)?;
        for rank in 0..self.ranks() {
            let mut next = 0_usize;
            // When the lane is free, by the plan: an entry's wait begins then.
            let mut free_at = vec![0; usize::from(self.lanes[rank])];
            for &index in &self.by_rank[rank].clone() {
                let lane = self.placed[index].entry.lane;
                let first = next;
                let mut longest = 0;
                for &before in &waits[index] {
                    let earlier = &plan.pieces[before];
                    // The blocks of a lane run its entries in order, without a signal.
                    let same_lane =
                        earlier.src.index() == rank && self.placed[before].entry.lane == lane;
                    if same_lane {
                        continue;
                    }
                    let slot = count("link waits", next, MAX_LINK_SLOTS - 1)?;
                    self.placed[before].signals.push(Signal { rank: rank as u16, slot });
                    next += 1;
                    let alone = earlier.end.0.saturating_sub(earlier.start.0);
                    let planned = earlier.end.0.saturating_sub(free_at[usize::from(lane)]);
                    longest = longest.max(alone).max(planned);
                }
                free_at[usize::from(lane)] = plan.pieces[index].end.0;
                let entry = &mut self.placed[index].entry;
                entry.first_wait = first as u16; // below MAX_LINK_SLOTS
                entry.waits = (next - first) as u16;
                entry.timeout_ns = (longest.div_ceil(1000)).saturating_mul(2) + GRACE_NS;
            }
            self.slots[rank] = next as u16; // at most MAX_LINK_SLOTS
        }
        Ok(())
    }
}

/// The pieces whose end each piece waits for. A short piece neither waits nor is waited for: it is
/// merged with what comes before it, and its successors wait for that instead.
fn link_waits(plan: &Plan) -> Result<Vec<BTreeSet<usize>>, PlanBufferError> {
    let short = |piece: &Piece| piece.end.0.saturating_sub(piece.start.0) < SHORT_PICOS;
    let mut effective: Vec<BTreeSet<usize>> = Vec::with_capacity(plan.pieces.len());
    for (index, piece) in plan.pieces.iter().enumerate() {
        let mut waits = BTreeSet::new();
        for before in &piece.after {
            let Some(through) = effective.get(before.index()) else {
                return Err(PlanBufferError::Order { piece: PieceId::new(index) });
            };
            if short(&plan.pieces[before.index()]) {
                waits.extend(through.iter().copied());
            } else {
                waits.insert(before.index());
            }
        }
        effective.push(waits);
    }
    for (waits, piece) in effective.iter_mut().zip(&plan.pieces) {
        if short(piece) {
            waits.clear();
        }
    }
    Ok(effective)
}

/// The length of a buffer with this header.
pub(super) fn size_of_buffer(header: &Header) -> usize {
    let ranks = usize::from(header.ranks);
    Header::SIZE
        + padded(Peer::SIZE * ranks)
        + padded(ranks * usize::from(header.elements))
        + padded(Signal::SIZE * usize::from(header.signals))
        + Entry::SIZE * usize::from(header.entries)
}

/// A permutation as bytes.
pub(super) fn bytes_of(element: &[Rank], ranks: usize) -> Result<Vec<u8>, PlanBufferError> {
    let bytes: Vec<u8> = element.iter().filter_map(|rank| u8::try_from(rank.0).ok()).collect();
    let mut sorted = bytes.clone();
    sorted.sort_unstable();
    if element.len() != ranks || !sorted.iter().map(|b| usize::from(*b)).eq(0..ranks) {
        return Err(PlanBufferError::Element { ranks });
    }
    Ok(bytes)
}

fn count(what: &'static str, found: usize, limit: usize) -> Result<u16, PlanBufferError> {
    u16::try_from(found).ok().filter(|_| found <= limit).ok_or(PlanBufferError::TooMany {
        what,
        found,
        limit: limit.min(u16::MAX.into()),
    })
}

/// 16 bits that differ, but for chance, when two ranks are about to carry out different things.
fn call_digest(catalog: &Catalog, plan: &Plan, window: &Window) -> u16 {
    let mut numbers = Vec::new();
    for piece in &plan.pieces {
        let ends = [piece.src.0, piece.dst.0, piece.route.0].map(u64::from);
        let span = [piece.offset.0, piece.bytes.0, piece.start.0, piece.end.0];
        numbers.extend(ends.into_iter().chain(span));
    }
    numbers.extend(window.numbers());
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Digest::of_parts([catalog.digest.as_str().as_bytes(), &bytes]).first_16_bits()
}
