//! One exchange on the host, from plan to verified bytes.

use super::compiler::{Compiler, default_caches};
use super::library::Kernels;
use super::memory::{GUARD, Window as Memory};
use super::{Fault, HostError, HostOptions, Report};
use crate::base::{Demand, Digest, Rank};
use crate::bundle::ProgramTable;
use crate::bundle::plan_buffer::{
    Arguments, Encoder, Status, Window, decode, slot_words, state_bytes,
};
use crate::catalog::{Catalog, Plan};

/// The most blocks, and threads a block.
const MOST: u32 = 1024;
const STATE_STATUS: usize = 1;
const STATE_OVERRUNS: usize = 3;

/// All memory of one rank.
struct RankMemory {
    plan: Vec<u64>,
    send: Memory,
    sent: Digest,
    receive: Memory,
    slots: Vec<u64>,
    state: Vec<u64>,
}

/// Carries `plan` out with the kernels of a bundle on the threads of this machine: every rank is a
/// group of threads with windows of its own. Random bytes are sent, and every byte that arrives is
/// compared with what was sent.
///
/// # Errors
/// [`HostError`] when it could not be run. Wrong bytes and failed calls are in the report.
pub fn carry_out(
    kernels_cu: &str,
    catalog: &Catalog,
    plan: &Plan,
    demand: &Demand,
    options: &HostOptions,
) -> Result<Report, HostError> {
    for (option, found) in [("blocks", options.blocks), ("threads", options.threads)] {
        if found == 0 || found > MOST {
            return Err(HostError::Option { option, found, most: MOST });
        }
    }
    let ranks = catalog.ranks as usize;
    if demand.ranks() != plan.ranks as usize {
        return Err(HostError::Ranks { demand: demand.ranks(), plan: plan.ranks as usize });
    }
    let window = Window::packed(demand);
    let programs = ProgramTable::of(catalog);
    let encoder = Encoder::new(catalog, &programs, plan, &window)?;
    check_memory(demand, ranks, options.memory)?;
    let caches = options.cache.clone().map_or_else(default_caches, |cache| vec![cache]);
    let library = Compiler::find()?.library_in(kernels_cu, &caches)?;
    let argument_bytes = 8 * (6 + 2 * ranks as u64);
    let kernels = Kernels::load(&library, argument_bytes)?;

    let mut memory = Vec::with_capacity(ranks);
    for rank in (0..ranks).map(Rank::new) {
        memory.push(prepare(&encoder, &programs, &window, rank, options.seed)?);
    }
    let arguments = arguments(&mut memory, options);
    launch(&kernels, &arguments, options)?;
    Ok(report(&encoder, demand, &window, &memory, options.check))
}

fn check_memory(demand: &Demand, ranks: usize, limit: u64) -> Result<(), HostError> {
    let each = 2 * (2 * GUARD + 256) + 8 * slot_words(ranks) + state_bytes(ranks);
    let needed = 2 * u128::from(demand.total().0) + (each * ranks) as u128;
    if needed > u128::from(limit) {
        return Err(HostError::MemoryLimit { needed, limit });
    }
    Ok(())
}

fn prepare(
    encoder: &Encoder,
    programs: &ProgramTable,
    window: &Window,
    rank: Rank,
    seed: u64,
) -> Result<RankMemory, HostError> {
    let buffer = encoder.rank(rank)?;
    decode(&buffer, programs)?;
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    let mut send = Memory::new(window.send_bytes(rank))?;
    send.randomise(seed, u64::from(rank.0));
    Ok(RankMemory {
        plan: buffer.chunks(8).map(word).collect(),
        sent: Digest::of(send.bytes()),
        send,
        receive: Memory::new(window.receive_bytes(rank))?,
        slots: vec![0; slot_words(window.ranks())],
        state: vec![0; state_bytes(window.ranks()).div_ceil(8)],
    })
}

fn arguments(memory: &mut [RankMemory], options: &HostOptions) -> Vec<Arguments> {
    let receive: Vec<u64> = memory.iter_mut().map(|rank| rank.receive.address()).collect();
    let slots: Vec<u64> = memory.iter_mut().map(|rank| rank.slots.as_mut_ptr() as u64).collect();
    let of = |(rank, own): (usize, &mut RankMemory)| Arguments {
        rank: rank as u64,
        plan: own.plan.as_ptr() as u64,
        send: own.send.address(),
        state: own.state.as_mut_ptr() as u64,
        budget_ns: u64::try_from(options.budget.as_nanos()).unwrap_or(u64::MAX),
        patience: options.patience,
        receive: receive.clone(),
        slots: slots.clone(),
    };
    memory.iter_mut().enumerate().map(of).collect()
}

/// Launches every rank from a thread of its own and waits for all of them.
#[allow(unsafe_code)] // hands addresses of live buffers to compiled code
fn launch(
    kernels: &Kernels,
    arguments: &[Arguments],
    options: &HostOptions,
) -> Result<(), HostError> {
    let results: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = arguments
            .iter()
            .map(|arguments| {
                let run = || {
                    // SAFETY: the addresses are those of the ranks' buffers, which outlive this
                    // scope and are not looked at within it; the plan buffers were decoded against
                    // the same program table; `Window::packed` sized the windows by the demand that
                    // the encoder checked every piece against.
                    unsafe { kernels.launch(arguments, options.blocks, options.threads) }
                };
                std::thread::Builder::new().spawn_scoped(scope, run)
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.is_ok_and(|thread| thread.join().unwrap_or(false)))
            .collect()
    });
    match results.iter().position(|ran| !ran) {
        Some(rank) => Err(HostError::Threads { rank: rank as u32 }),
        None => Ok(()),
    }
}

/// Reads what the ranks left behind, and compares what arrived with what was sent.
fn report(
    encoder: &Encoder,
    demand: &Demand,
    window: &Window,
    memory: &[RankMemory],
    check: bool,
) -> Report {
    let mut report = Report {
        bytes: demand.total().0,
        link_waits: encoder.link_waits() as u64,
        ..Report::default()
    };
    for own in memory {
        let word = |at: usize| own.state.get(at).copied().unwrap_or(0);
        report.overruns += word(STATE_OVERRUNS);
        if let Some(status) = Status::from_word(word(STATE_STATUS)) {
            let piece = status.entry.and_then(|entry| encoder.piece(status.rank, entry));
            report.faults.push(Fault::Failed { status, piece });
        }
    }
    if check {
        compare(&mut report, demand, window, memory);
    }
    report.first_fault = report.faults.first().map(ToString::to_string);
    report
}

fn compare(report: &mut Report, demand: &Demand, window: &Window, memory: &[RankMemory]) {
    let ranks = (0..memory.len()).map(Rank::new);
    for src in ranks.clone() {
        for dst in ranks.clone() {
            let length = demand.get(src, dst).0 as usize;
            let from = window.send(src, dst) as usize;
            let to = window.receive(src, dst) as usize;
            let sent = &memory[src.index()].send.bytes()[from..from + length];
            let arrived = &memory[dst.index()].receive.bytes()[to..to + length];
            let differ = |(a, b): (&u8, &u8)| a != b;
            // Equal slices are compared at once; only others byte by byte.
            let first =
                (sent != arrived).then(|| sent.iter().zip(arrived).position(differ)).flatten();
            let Some(first) = first else {
                report.verified += length as u64;
                continue;
            };
            let count = sent.iter().zip(arrived).filter(|(a, b)| a != b).count() as u64;
            report.verified += length as u64 - count;
            report.wrong += count;
            report.faults.push(Fault::Wrong { src, dst, count, first: first as u64 });
        }
    }
    for (rank, own) in memory.iter().enumerate() {
        let kept = Digest::of(own.send.bytes()) == own.sent;
        if !own.send.intact() || !own.receive.intact() || !kept {
            report.faults.push(Fault::Damaged { rank: Rank::new(rank) });
        }
    }
}
