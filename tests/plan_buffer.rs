//! The plan buffer: what a plan becomes, how large, and what is refused.

mod exchange_support;

use exchange_support::{RANKS, all_at_once, catalog, rounds, uneven};
use proptest::prelude::*;
use variopath::base::{Bytes, Digest, OrbitId, Picos, PieceId, Rank};
use variopath::bundle::ProgramTable;
use variopath::bundle::plan_buffer::{
    Decoded, Encoder, Header, PlanBufferError, Window, decode, records,
};
use variopath::catalog::Plan;

fn programs() -> ProgramTable {
    ProgramTable::of(&catalog())
}

fn encoder(plan: &Plan, window: &Window) -> Result<Encoder, PlanBufferError> {
    Encoder::new(&catalog(), &programs(), plan, window)
}

fn decoded(plan: &Plan, window: &Window) -> Vec<Decoded> {
    let encoder = encoder(plan, window).expect("encodes");
    let of = |rank| decode(&encoder.rank(Rank::new(rank)).expect("encodes"), &programs());
    (0..RANKS).map(|rank| of(rank).expect("decodes")).collect()
}

#[test]
fn every_piece_is_in_its_source_s_buffer_once() {
    let demand = uneven(1 << 20);
    let window = Window::packed(&demand);
    for plan in [rounds(&demand, true), rounds(&demand, false), all_at_once(&demand)] {
        let buffers = decoded(&plan, &window);
        let mut found = Vec::new();
        for (rank, buffer) in buffers.iter().enumerate() {
            for (entry, to) in buffer.entries.iter().zip(&buffer.to) {
                let src = Rank::new(rank);
                let offset = entry.source - window.send(src, *to);
                assert_eq!(entry.destination, window.receive(src, *to) + offset);
                found.push((src, *to, offset, entry.bytes));
            }
        }
        let mut pieces: Vec<_> =
            plan.pieces.iter().map(|p| (p.src, p.dst, p.offset.0, p.bytes.0)).collect();
        found.sort();
        pieces.sort();
        assert_eq!(found, pieces);
    }
}

#[test]
fn every_wait_has_one_signal_and_programs_are_named() {
    let demand = uneven(1 << 20);
    let buffers = decoded(&rounds(&demand, true), &Window::packed(&demand));
    for (rank, buffer) in buffers.iter().enumerate() {
        let mut slots: Vec<u16> = (buffers.iter().flat_map(|other| &other.signals))
            .filter(|signal| usize::from(signal.rank) == rank)
            .map(|signal| signal.slot)
            .collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..buffer.header.slots).collect::<Vec<_>>());
        assert_eq!(buffer.header.lanes, 1);
        let programs: Vec<u16> = buffer.entries.iter().map(|entry| entry.program).collect();
        assert_eq!(programs, [1, 2, 1, 3, 1, 2, 1]);
        assert_eq!(buffer.header.digest, buffers[0].header.digest);
    }
}

#[test]
fn pieces_that_overlap_get_lanes_of_their_own() {
    let demand = uneven(1 << 20);
    let buffers = decoded(&all_at_once(&demand), &Window::packed(&demand));
    for buffer in buffers {
        let lanes: Vec<u16> = buffer.entries.iter().map(|entry| entry.lane).collect();
        assert_eq!(lanes, (0..14).collect::<Vec<_>>());
        assert_eq!(buffer.header.lanes, 14);
    }
}

#[test]
fn limits_of_link_waits_are_twice_the_prediction_and_20_us() {
    let demand = uneven(1 << 20);
    let plan = rounds(&demand, true);
    let buffers = decoded(&plan, &Window::packed(&demand));
    // Rank 0's second piece waits for rank 1's first, while its own first still runs.
    let before = plan.pieces.iter().find(|p| (p.src, p.dst) == (Rank(1), Rank(2)));
    let predicted = before.expect("a piece").end.0;
    assert_eq!(buffers[0].entries[1].waits, 1);
    assert_eq!(buffers[0].entries[1].timeout_ns, 2 * predicted.div_ceil(1000) + 20_000);
}

#[test]
fn short_pieces_are_merged() {
    let demand = uneven(1 << 20);
    let mut plan = rounds(&demand, true);
    // The second round becomes short: the third then waits for the first instead.
    for piece in &mut plan.pieces[8..16] {
        piece.end = Picos(piece.start.0 + 2_999_999);
    }
    let buffers = decoded(&plan, &Window::packed(&demand));
    for buffer in &buffers {
        let waits: Vec<u16> = buffer.entries.iter().map(|entry| entry.waits).collect();
        assert_eq!(waits[..2], [0, 0]);
        assert!(waits[2] >= 1, "{waits:?}");
        assert_eq!(buffer.entries[1].signals, 0);
    }
}

#[test]
fn at_most_4_kib_a_rank() {
    let demand = uneven(1 << 20);
    let window = Window::packed(&demand);
    let mut plan = rounds(&demand, true);
    for rank in 0..RANKS {
        let buffer = encoder(&plan, &window).expect("encodes").rank(Rank::new(rank));
        let size = buffer.expect("encodes").len();
        assert!(size <= 1024, "56 pieces: {size}");
    }
    // Eight cuts of every pair: 56 pieces a rank.
    let whole = std::mem::take(&mut plan.pieces);
    for piece in &whole {
        for cut in 0..8 {
            let (each, length) = (piece.bytes.0 / 8, piece.end.0 - piece.start.0);
            let mut part = piece.clone();
            part.offset = Bytes(cut * each);
            part.bytes = Bytes(if cut == 7 { piece.bytes.0 - 7 * each } else { each });
            part.start = Picos(piece.start.0 + length * cut / 8);
            part.end = Picos(piece.start.0 + length * (cut + 1) / 8);
            part.after = match (cut, plan.pieces.len()) {
                (0, _) => piece.after.iter().map(|p| PieceId(8 * p.0 + 7)).collect(),
                (_, before) => vec![PieceId::new(before - 1)],
            };
            plan.pieces.push(part);
        }
    }
    for step in &mut plan.steps {
        step.starts =
            step.starts.iter().flat_map(|p| (0..8).map(|cut| PieceId(8 * p.0 + cut))).collect();
    }
    for rank in 0..RANKS {
        let buffer = encoder(&plan, &window).expect("encodes").rank(Rank::new(rank));
        let size = buffer.expect("encodes").len();
        assert!(size <= 4096, "448 pieces: {size}");
    }
}

#[test]
fn records_lie_without_gaps() {
    for record in records() {
        let mut at = 0;
        for field in &record.fields {
            assert_eq!(field.offset, at, "{}.{}", record.name, field.name);
            at += match field.c_type {
                "uint16_t" => 2,
                "uint32_t" => 4,
                _ => 8,
            };
        }
        assert_eq!(at, record.size);
    }
    assert_eq!(Header::SIZE, 64);
}

#[test]
fn plans_that_contradict_something_are_refused() {
    let demand = uneven(1 << 20);
    let window = Window::packed(&demand);
    let refuse = |change: &dyn Fn(&mut Plan)| {
        let mut plan = rounds(&demand, true);
        change(&mut plan);
        encoder(&plan, &window).expect_err("refused").to_string()
    };
    let text = refuse(&|plan| plan.digest = Digest::of(b"another"));
    assert!(text.starts_with("the plan was made for topology "), "{text}");
    assert_eq!(
        refuse(&|plan| plan.ranks = 7),
        "the plan is for 7 ranks, the catalog for 8, the windows for 8"
    );
    assert_eq!(
        refuse(&|plan| plan.steps[0].channel.as_mut().expect("named").orbit = Some(OrbitId(1))),
        "the channel of its step does not contain piece 0"
    );
    assert_eq!(
        refuse(&|plan| plan.steps[0].channel.as_mut().expect("named").element[0] = Rank(1)),
        "a group element is no permutation of the 8 ranks"
    );
    assert_eq!(
        refuse(&|plan| plan.pieces[9].dst = plan.pieces[9].src),
        "piece 9 goes from rank 1 to rank 1, which is no pair of the exchange"
    );
    assert_eq!(
        refuse(&|plan| plan.pieces[9].after.push(PieceId(9))),
        "piece 9 starts in no step, or comes after a piece that is not before it"
    );
    assert_eq!(
        refuse(&|plan| plan.pieces[9].bytes.0 += 1),
        "a piece from rank 1 to rank 3 reaches beyond their 1048586 bytes"
    );
}

#[test]
fn damaged_buffers_are_refused() {
    let demand = uneven(1 << 20);
    let window = Window::packed(&demand);
    let good = encoder(&rounds(&demand, true), &window).expect("encodes").rank(Rank(2));
    let good = good.expect("encodes");
    let refuse = |at: usize, value: u8| {
        let mut bad = good.clone();
        bad[at] = value;
        decode(&bad, &programs()).expect_err("refused").to_string()
    };
    assert_eq!(refuse(0, 0), "this is no plan buffer");
    assert_eq!(refuse(4, 9), "the plan buffer has version 9, this program reads 1");
    assert_eq!(refuse(10, 8), "the plan buffer's rank is out of range");
    assert_eq!(refuse(12, 0), "the plan buffer's lanes is out of range");
    let entries = good.len() - 7 * 48;
    assert_eq!(refuse(entries, 99), "the plan buffer's program is out of range in entry 0");
    assert_eq!(
        refuse(entries + 48 + 2, 99),
        "the plan buffer's element is out of range in entry 1"
    );
    assert_eq!(refuse(entries + 4, 9), "the plan buffer's transfer is out of range in entry 0");
    assert_eq!(refuse(entries + 6, 9), "the plan buffer's lane is out of range in entry 0");
    for length in 0..good.len() {
        assert!(decode(&good[..length], &programs()).is_err());
    }
}

proptest! {
    #[test]
    fn decoding_never_panics(changes in prop::collection::vec((0..2000_usize, any::<u8>()), 1..8)) {
        let demand = uneven(1 << 20);
        let buffer = encoder(&rounds(&demand, true), &Window::packed(&demand));
        let mut buffer = buffer.expect("encodes").rank(Rank(1)).expect("encodes");
        for (at, value) in changes {
            let at = at % buffer.len();
            buffer[at] = value;
        }
        let _ = decode(&buffer, &programs());
    }
}
