//! The language on the test platforms and presets.

use std::collections::BTreeMap;
use variopath::base::SourceId;
use variopath::diagnostics::{Diagnostics, Sources, render};
use variopath::dsl::{self, Machine};

fn show(sources: &Sources, diagnostics: &Diagnostics) -> String {
    render(sources, diagnostics, false)
}

fn read(name: &str, text: &str) -> Machine {
    read_with(name, text, &BTreeMap::new())
}

fn read_with(name: &str, text: &str, settings: &BTreeMap<String, u64>) -> Machine {
    let mut sources = Sources::new();
    let id: SourceId = sources.add(name, text);
    let file = dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, settings))
        .unwrap_or_else(|e| panic!("{}", show(&sources, &e)));
    dsl::elaborate(&file).unwrap_or_else(|e| panic!("{}", show(&sources, &e)))
}

#[test]
fn test_platforms_have_the_devices_and_links_they_should() {
    let expected = [
        ("a", 8, 10, 9),
        ("b", 8, 18, 17),
        ("b1", 8, 15, 14),
        ("b2", 8, 16, 15),
        ("c", 8, 11, 10),
        ("e6", 6, 9, 8),
        ("e10", 10, 11, 10),
        ("e3s", 9, 13, 13),
    ];
    for (name, ranks, devices, links) in expected {
        let path = format!("tests/platforms/{name}.topo");
        let text = std::fs::read_to_string(&path).unwrap();
        let machine = read(&path, &text);
        let counts = (machine.ranks.len(), machine.devices.len(), machine.links.len());
        assert_eq!(counts, (ranks, devices, links), "{name}");
        assert_eq!(machine.name.to_lowercase(), name);
    }
}

#[test]
fn presets_have_the_devices_and_links_they_should() {
    let expected = [
        ("a10-8", 8, 11, 10),
        ("a100-pcie-4", 4, 6, 5),
        ("h100-pcie-8", 8, 10, 9),
        ("l20-8", 8, 18, 17),
        ("l20-cluster", 16, 37, 42),
        ("l40s-8", 8, 10, 9),
        ("rtx4090-8", 8, 10, 9),
        ("rtx4090-8-p2p", 8, 10, 9),
        ("rtxpro6000-8", 8, 12, 11),
        ("rtxpro6000-8-broadcom", 8, 14, 13),
    ];
    assert_eq!(dsl::presets().len(), expected.len());
    for (preset, (name, ranks, devices, links)) in dsl::presets().iter().zip(expected) {
        assert_eq!(preset.name, name);
        let machine = read(name, preset.text);
        let counts = (machine.ranks.len(), machine.devices.len(), machine.links.len());
        assert_eq!(counts, (ranks, devices, links), "{name}");
        assert_eq!(machine.name, name);
    }
}
