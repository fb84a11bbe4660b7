//! From instants to pieces in their order, each with the pieces it must come after, and steps.

use super::bits::Bits;
use super::list::{Schedule, Work};
use super::tables::Tables;
use crate::base::{Bytes, Demand, Picos, PieceId, Rank};
use crate::catalog::{Piece, Step};

/// Working memory of [`pieces`].
#[derive(Debug, Clone)]
pub(super) struct Scratch<const W: usize> {
    /// (start, source and destination, route) in the order of pieces.
    order: Vec<(u64, u32, u32)>,
    /// (end, piece) in order.
    ends: Vec<(u64, u32)>,
    /// For each link the pieces so far that cross it.
    users: Vec<Bits<W>>,
    /// The piece of each route that has one so far.
    placed: Vec<u32>,
    /// For each piece every piece that it comes after, directly or not.
    ancestors: Vec<Bits<W>>,
}

impl<const W: usize> Scratch<W> {
    pub(super) fn new(tables: &Tables<W>) -> Self {
        let count = tables.entries.len();
        Self {
            order: Vec::with_capacity(count),
            ends: Vec::with_capacity(count),
            users: vec![Bits::EMPTY; tables.links],
            placed: vec![0; count],
            ancestors: vec![Bits::EMPTY; count],
        }
    }
}

/// The pieces of a schedule in order of (start, source, destination), and the steps.
pub(super) fn pieces<const W: usize>(
    tables: &Tables<W>,
    work: &Work<W>,
    schedule: &Schedule,
    demand: &Demand,
    scratch: &mut Scratch<W>,
) -> (Vec<Piece>, Vec<Step>) {
    let Scratch { order, ends, users, placed, ancestors } = scratch;
    order.clear();
    work.todo.for_each(|index| {
        let entry = &tables.entries[index];
        order.push((schedule.starts[index], entry.src << 16 | entry.dst, index as u32));
    });
    order.sort_unstable();
    ends.clear();
    ends.extend(
        order.iter().zip(0..).map(|(&(_, _, index), id)| (schedule.ends[index as usize], id)),
    );
    ends.sort_unstable();
    users.fill(Bits::EMPTY);

    let mut pieces = Vec::with_capacity(order.len());
    let mut steps: Vec<Step> = Vec::with_capacity(order.len());
    let mut ended = Bits::EMPTY;
    let mut met = Bits::<W>::EMPTY;
    let mut next_end = 0;
    let mut first = 0;
    for (id, &(start, _, index)) in order.iter().enumerate() {
        while next_end < ends.len() && ends[next_end].0 <= start {
            ended.insert(ends[next_end].1 as usize);
            next_end += 1;
        }
        let entry = &tables.entries[index as usize];
        let mut before = Bits::EMPTY;
        for crossing in &tables.crossings[entry.first..entry.first + entry.count] {
            let users = &mut users[crossing.link];
            before = before.union(users);
            users.insert(id);
        }
        tables.apart[index as usize].common(&met).for_each(|other| {
            before.insert(placed[other] as usize);
        });
        met.insert(index as usize);
        placed[index as usize] = id as u32;
        before = before.common(&ended);
        let mut all = before;
        // No candidate comes after one with a higher id, so from the highest down each one that is
        // still there is reached by nothing else.
        let mut direct = Bits::<W>::EMPTY;
        while let Some(candidate) = before.last() {
            direct.insert(candidate);
            before.remove(candidate);
            before = before.without(&ancestors[candidate]);
            all = all.union(&ancestors[candidate]);
        }
        ancestors[id] = all;
        let count: u32 = direct.0.iter().map(|word| word.count_ones()).sum();
        let mut after = Vec::with_capacity(count as usize);
        direct.for_each(|candidate| after.push(PieceId(candidate as u32)));
        pieces.push(Piece {
            src: Rank(entry.src),
            dst: Rank(entry.dst),
            route: entry.route,
            offset: Bytes(0),
            bytes: Bytes(demand.entries()[entry.cell]),
            rate: entry.rate,
            start: Picos(start),
            end: Picos(schedule.ends[index as usize]),
            after,
        });
        let last = order.get(id + 1).is_none_or(|next| next.0 != start);
        if last {
            let starts = (first..=id).map(|id| PieceId(id as u32)).collect();
            steps.push(Step { start: Picos(start), starts, channel: None });
            first = id + 1;
        }
    }
    (pieces, steps)
}
