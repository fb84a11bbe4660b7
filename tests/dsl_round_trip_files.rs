//! Parse, print, parse on every file there is: the project's, and what `import` makes of real dumps.

mod import_support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use variopath::diagnostics::{Sources, render};
use variopath::dsl::tree::File;
use variopath::dsl::{self, Machine};

fn parse(text: &str) -> File {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    dsl::parse(&sources, id).unwrap_or_else(|e| panic!("{}\n{text}", render(&sources, &e, false)))
}

/// The machine of a text and its digest.
fn machine(name: &str, text: &str, settings: &BTreeMap<String, u64>) -> (Machine, File) {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let resolved = dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, settings))
        .unwrap_or_else(|errors| panic!("{}", render(&sources, &errors, false)));
    (dsl::elaborate(&resolved).expect("a machine"), resolved)
}

/// `machine` without the places where things stand in its text.
fn placeless(mut machine: Machine) -> Machine {
    machine.devices.iter_mut().for_each(|one| one.span = None);
    machine.links.iter_mut().for_each(|one| one.span = None);
    machine.totals.iter_mut().for_each(|one| one.span = None);
    machine.rules.iter_mut().for_each(|one| one.span = None);
    machine
}

fn topology_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            topology_files(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "topo") {
            found.push(path);
        }
    }
}

fn survives(name: &str, text: &str) {
    let file = parse(text);
    let printed = dsl::format(&file);
    assert_eq!(parse(&printed), file, "{name}");
    assert_eq!(dsl::format(&parse(&printed)), printed, "{name}: printed twice");
    // Files of other systems mean the same, and are printed with the line ends of this one.
    let other = text.replace('\n', "\r\n");
    assert_eq!(parse(&other), file, "{name}: CRLF");
    assert_eq!(dsl::format(&parse(&other)), printed, "{name}: CRLF");
}

#[test]
fn every_file_of_the_project() {
    let mut files = Vec::new();
    for folder in ["dsl", "tests", "generated"] {
        topology_files(Path::new(folder), &mut files);
    }
    assert!(files.len() > 30, "{} files", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a text");
        survives(&path.to_string_lossy(), &text);
    }
}

#[test]
fn everything_that_import_makes_of_real_dumps() {
    for kind in ["nccl-xml", "smi-topo", "hwloc-xml", "lspci"] {
        let Some(folder) = import_support::corpus(kind) else { continue };
        let mut imported = 0;
        for name in import_support::names(&folder) {
            let Ok(text) = std::fs::read_to_string(folder.join(&name)) else { continue };
            for assume in [None, Some(4)] {
                let Ok(result) = import_support::import(&name, &text, assume) else { continue };
                imported += 1;
                let printed = dsl::format(&result.file);
                assert_eq!(parse(&printed), result.file, "{name}\n{printed}");
                survives(&name, &printed);
            }
        }
        assert!(imported > 5, "{kind}: {imported} files");
    }
}

#[test]
fn a_resolved_preset_is_the_same_machine() {
    let nodes = |count| BTreeMap::from([("nodes".to_owned(), count)]);
    let mut cases: Vec<_> = dsl::presets().iter().map(|preset| (preset, BTreeMap::new())).collect();
    let cluster = dsl::preset("l20-cluster").expect("a preset");
    cases.extend([1, 3, 32].map(|count| (cluster, nodes(count))));
    for (preset, settings) in cases {
        let name = format!("preset {}", preset.name);
        let (whole, resolved) = machine(&name, preset.text, &settings);
        let text = dsl::format(&resolved);
        assert!(!text.contains("\nuse ") && !text.contains("\nparam "), "{text}");
        survives(&name, &text);
        // Elsewhere, without the presets around it and without settings.
        let (alone, again) = machine("m.topo", &text, &BTreeMap::new());
        assert_eq!(placeless(alone), placeless(whole), "{name}");
        assert_eq!(dsl::digest(&again), dsl::digest(&resolved), "{name}");
        assert_eq!(dsl::format(&again), text, "{name}");
    }
}
