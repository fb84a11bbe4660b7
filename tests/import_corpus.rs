//! Every real dump there is: what becomes of each, and damaged copies of them.

mod import_support;

use import_support::{corpus, import, names};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use variopath::analyzer::{Limits, analyze};
use variopath::base::Digest;
use variopath::diagnostics::{Diagnostics, Severity, Sources, render};
use variopath::dsl::{self, Machine};
use variopath::topology::{self, Topology};

/// All dumps: their kind, their name, their text.
fn dumps() -> Vec<(&'static str, String, String)> {
    let mut all = Vec::new();
    for kind in ["nccl-xml", "smi-topo", "hwloc-xml", "lspci"] {
        let Some(folder) = corpus(kind) else { return Vec::new() };
        for name in names(&folder) {
            let text = std::fs::read_to_string(folder.join(&name)).expect("UTF-8");
            all.push((kind, name, text));
        }
    }
    all
}

/// The machine of a topology file as it was written.
fn machine(text: &str) -> Result<(Machine, Digest), String> {
    let mut sources = Sources::new();
    let id = sources.add("imported.topo", text);
    let read = dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, &BTreeMap::new()))
        .and_then(|file| Ok((dsl::elaborate(&file)?, dsl::digest(&file))));
    read.map_err(|faults| render(&sources, &faults, false))
}

/// Whether nothing is wrong but rates that nobody told.
fn are_questions(faults: &Diagnostics) -> bool {
    faults
        .iter()
        .filter(|fault| fault.severity == Severity::Error)
        .all(|fault| fault.code == topology::UNKNOWN_RATE && !fault.help.is_empty())
}

#[test]
fn whatever_is_imported_can_be_checked_and_planned() {
    let dumps = dumps();
    if dumps.is_empty() {
        return;
    }
    let (mut imported, mut asked, mut planned, mut large) = (0, 0, 0, 0);
    // A few channels show that there is a catalog; all of them take a minute in this build.
    let limits = Limits { max_orbits: 64, ..Limits::strict() };
    let mut unplanned: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (_, name, text) in &dumps {
        let Ok(open) = import(name, text, None) else { continue };
        imported += 1;
        // The text is canonical, and its machine is what `check` draws.
        let printed = dsl::format(&open.file);
        let mut sources = Sources::new();
        let id = sources.add("imported.topo", printed.as_str());
        let parsed = dsl::parse(&sources, id).expect(name);
        assert_eq!(parsed, open.file, "{name}");
        assert_eq!(dsl::format(&parsed), printed, "{name}");
        let (found, digest) = machine(&printed).unwrap_or_else(|text| panic!("{name}\n{text}"));
        assert!(!topology::survey(&found).draw().is_empty());
        if let Err(faults) = topology::build(&found, digest) {
            assert!(are_questions(&faults), "{name}");
            asked += 1;
        }
        // All that is unknown can be assumed.
        let assumed = import(name, text, Some(4)).expect(name);
        let (found, digest) = machine(&dsl::format(&assumed.file)).expect(name);
        let built: Result<Topology, String> = match topology::build(&found, digest) {
            Ok(built) => Ok(built.topology),
            Err(faults) => Err(faults.sorted()[0].message.clone()),
        };
        let result = built.and_then(|topology| {
            // Seconds in an optimised build, minutes in this one.
            if topology.ranks.len() > 8 {
                large += 1;
                return Ok(());
            }
            analyze(&topology, &limits)
                .map(|_| planned += 1)
                .map_err(|faults| faults.sorted()[0].code.to_owned())
        });
        if let Err(reason) = result {
            unplanned.entry(reason).or_default().push(name.trim_end_matches(".txt"));
        }
    }
    assert_eq!((dumps.len(), imported), (88, 80), "dumps, imported");
    // The others have one GPU or, on one socket, all speeds.
    assert_eq!(asked, 71, "machines with questions");
    assert_eq!((planned, large), (73, 3), "machines with a catalog, machines of 16 GPUs");
    let reasons: Vec<(&str, usize)> =
        unplanned.iter().map(|(reason, names)| (reason.as_str(), names.len())).collect();
    assert_eq!(reasons, [("one-rank", 4)], "{unplanned:?}");
}

/// A copy that lost its end, a piece, or a line; that has a line twice; or with other bytes in it.
fn damaged(text: &str, edits: &[(u8, u32, u32)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (kind, first, second) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = *first as usize % bytes.len();
        let line_start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |p| p + 1);
        let line_end =
            bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |p| at + p + 1);
        match kind % 6 {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << (second % 8),
            2 => {
                let line = bytes[line_start..line_end].to_vec();
                bytes.splice(line_start..line_start, line);
            }
            3 => drop(bytes.drain(line_start..line_end)),
            4 => drop(bytes.drain(at..(at + *second as usize % 200).min(bytes.len()))),
            _ => bytes[at] = b" \t\n<>\"'-[]0fX"[*second as usize % 13],
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_copies_neither_panic_nor_take_long() {
    let dumps = dumps();
    let edits = prop::collection::vec((any::<u8>(), any::<u32>(), any::<u32>()), 1..5);
    for (_, name, text) in &dumps {
        let config = Config { cases: 8, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(
                proptest::test_runner::RngAlgorithm::ChaCha,
            ),
        );
        runner
            .run(&edits, |edits| {
                let text = damaged(text, &edits);
                let start = Instant::now();
                if let Ok(imported) = import(name, &text, Some(4)) {
                    let printed = dsl::format(&imported.file);
                    prop_assert!(machine(&printed).is_ok(), "{printed}");
                }
                prop_assert!(start.elapsed() < Duration::from_secs(2), "{name}");
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
