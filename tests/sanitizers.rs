//! The emitted kernels under the sanitizers: clean as they are, and found out once a fault is
//! written into their text.

mod exchange_support;

use exchange_support::{all_at_once, catalog, rounds, topology, uneven};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use variopath::base::{Demand, Rank};
use variopath::bundle::ProgramTable;
use variopath::bundle::plan_buffer::{
    Encoder, Status, StatusKind, Window, slot_words, state_bytes,
};
use variopath::catalog::Plan;
use variopath::runtime::host::{LAUNCHER, SHIM};

const THREAD: &str = "-fsanitize=thread";
const ADDRESS: &str = "-fsanitize=address,undefined";

fn kernels() -> String {
    variopath::codegen::emit(&topology(), &catalog()).expect("emits").kernels
}

/// The text with one place changed; the place must be there exactly once.
fn patched(from: &str, to: &str) -> String {
    let text = kernels();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// A folder of its own with the harness built in it; `None` (and a line in the list of skipped
/// tests) where there is no g++ or it lacks the sanitizer.
fn build(name: &str, kernels: &str, sanitizer: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitize").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let harness = include_str!("sanitize/harness.cpp");
    let probe = "#include <thread>\nint main() { std::thread([] {}).join(); }\n";
    for (file, text) in [
        ("kernels.cu", kernels),
        ("shim.h", SHIM),
        ("launcher.cpp", LAUNCHER),
        ("harness.cpp", harness),
        ("probe.cpp", probe),
    ] {
        std::fs::write(folder.join(file), text).expect("writes");
    }
    let compile = |source: &str, to: &str| {
        let warnings = ["-Wall", "-Wextra", "-Wno-tsan", "-fno-sanitize-recover=undefined"];
        Command::new("g++")
            .args(["-std=c++17", "-O1", "-g", "-fno-strict-aliasing", "-pthread", sanitizer])
            .args(warnings)
            .args([source, "-o", to])
            .current_dir(&folder)
            .output()
    };
    if !compile("probe.cpp", "probe").is_ok_and(|output| output.status.success()) {
        skipped(&format!("SKIPPED sanitizers: {name} needs g++ with {sanitizer}"));
        return None;
    }
    let output = compile("harness.cpp", "harness").expect("g++ was there");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    Some(folder)
}

fn skipped(line: &str) {
    use std::io::Write;
    eprintln!("{line}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/skipped.txt");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{line}"));
}

/// The case file of the harness.
fn case(plan: &Plan, demand: &Demand) -> Vec<u8> {
    let window = Window::packed(demand);
    let encoder = Encoder::new(&catalog(), &ProgramTable::of(&catalog()), plan, &window);
    let encoder = encoder.expect("encodes");
    let ranks: Vec<Rank> = (0..demand.ranks()).map(Rank::new).collect();
    let mut out = Vec::new();
    let mut put = |number: u64, bytes: &[u8]| {
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(bytes);
    };
    put(ranks.len() as u64, &[]);
    for &rank in &ranks {
        let mut buffer = encoder.rank(rank).expect("encodes");
        let length = buffer.len();
        buffer.resize(length.next_multiple_of(8), 0);
        put(length as u64, &buffer);
        put(window.send_bytes(rank), &[]);
        put(window.receive_bytes(rank), &[]);
    }
    for &src in &ranks {
        for &dst in &ranks {
            put(window.bytes(src, dst), &[]);
            put(window.send(src, dst), &[]);
            put(window.receive(src, dst), &[]);
        }
    }
    put(state_bytes(ranks.len()) as u64, &[]);
    put(slot_words(ranks.len()) as u64, &[]);
    out
}

fn run(
    folder: &Path,
    plan: &Plan,
    demand: &Demand,
    calls: u32,
    blocks: u32,
    threads: u32,
) -> Output {
    run_case(folder, &case(plan, demand), calls, blocks, threads)
}

fn run_case(folder: &Path, case: &[u8], calls: u32, blocks: u32, threads: u32) -> Output {
    std::fs::write(folder.join("case"), case).expect("writes");
    Command::new(folder.join("harness"))
        .args(["case", &calls.to_string(), &blocks.to_string(), &threads.to_string()])
        .current_dir(folder)
        .env("TSAN_OPTIONS", "halt_on_error=1 exitcode=66")
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=0")
        .output()
        .expect("runs")
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

#[test]
fn clean_under_address_and_undefined() {
    let Some(folder) = build("address", &kernels(), ADDRESS) else { return };
    let demand = uneven(16 << 10);
    for (plan, blocks) in [(rounds(&demand, true), 2), (all_at_once(&demand), 3)] {
        let output = run(&folder, &plan, &demand, 2, blocks, 16);
        assert!(output.status.success(), "{}", said(&output));
        assert!(!said(&output).contains("ERROR"), "{}", said(&output));
    }
}

#[test]
fn clean_under_thread() {
    let Some(folder) = build("thread", &kernels(), THREAD) else { return };
    let demand = uneven(1 << 10);
    for (plan, blocks) in [(rounds(&demand, true), 2), (all_at_once(&demand), 3)] {
        let output = run(&folder, &plan, &demand, 2, blocks, 8);
        assert!(output.status.success(), "{}", said(&output));
    }
}

/// Builds the changed text and asserts that the run does not pass for a good one.
fn found(name: &str, text: &str, how: &[&str]) {
    let Some(folder) = build(name, text, THREAD) else { return };
    let demand = uneven(1 << 10);
    let output = run(&folder, &rounds(&demand, true), &demand, 2, 2, 8);
    let said = said(&output);
    assert!(!output.status.success(), "{name} was not found: {said}");
    assert!(how.iter().any(|how| said.contains(how)), "{name}: {said}");
}

#[test]
fn a_missing_barrier_is_found() {
    let text = patched("      vp_block_barrier();  // every thread's bytes before the count\n", "");
    found("missing-barrier", &text, &["data race"]);
}

#[test]
fn a_plain_store_flag_is_found() {
    let text = patched(
        "vp_store_release_sys(args.slots[peer] + VP_ARRIVED + args.rank, call)",
        "*(volatile uint64_t*)(args.slots[peer] + VP_ARRIVED + args.rank) = call",
    );
    found("plain-store", &text, &["data race"]);
}

#[test]
fn a_push_before_ready_is_found() {
    let text = patched(
        "shared_stop = vp_await_ready(args, peer, stamp, deadline, e);",
        "shared_stop = 0; (void)vp_await_ready;",
    );
    found("push-before-ready", &text, &["data race", "wrong="]);
}

/// The status words of the ranks whose call failed, after `change` of rank 3's plan buffer.
fn statuses(name: &str, change: impl Fn(&mut [u8])) -> Option<Vec<Status>> {
    let folder = build(name, &kernels(), "-fsanitize=undefined")?;
    let demand = uneven(1 << 10);
    let mut case = case(&rounds(&demand, true), &demand);
    // Rank 3's buffer stands behind the number of ranks and three ranks' buffers and lengths.
    let mut at = 8;
    for _ in 0..3 {
        let length = u64::from_le_bytes(case[at..at + 8].try_into().expect("8 bytes"));
        at += 8 + length.next_multiple_of(8) as usize + 16;
    }
    change(&mut case[at + 8..]);
    let output = run_case(&folder, &case, 1, 2, 4);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let said = said(&output);
    let words = said.lines().filter_map(|line| line.strip_prefix("status="));
    Some(words.filter_map(|word| Status::from_word(word.parse().ok()?)).collect())
}

#[test]
fn ranks_with_different_plans_name_each_other() {
    // The 16 bits of the digest stand at offset 14 of the header.
    let Some(statuses) = statuses("mismatch", |buffer| buffer[14] ^= 1) else { return };
    assert!(!statuses.is_empty());
    let mismatch = |s: &&Status| s.kind == StatusKind::Mismatch;
    let first = statuses.iter().find(mismatch).expect("a mismatch");
    assert!(first.rank == Rank(3) || first.peer == Rank(3), "{first}");
    let others = statuses.iter().filter(|s| !mismatch(s));
    assert!(others.clone().all(|s| s.kind == StatusKind::Poisoned), "{statuses:?}");
}

#[test]
fn a_foreign_plan_buffer_is_refused_and_ends_the_exchange() {
    let Some(statuses) = statuses("foreign", |buffer| buffer[4] ^= 1) else { return };
    let foreign = statuses.iter().find(|s| s.kind == StatusKind::ForeignPlan);
    assert_eq!(
        foreign.map(ToString::to_string).as_deref(),
        Some("the plan buffer of rank 3 does not belong to these kernels")
    );
    assert_eq!(statuses.len(), 8, "every rank hears of it: {statuses:?}");
}
