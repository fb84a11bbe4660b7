//! The machines that come with the tool: listed, printed, with a source for every figure, and the same
//! tomorrow as today.

mod command_support;

use command_support::variopath;
use std::collections::BTreeMap;
use std::path::Path;
use variopath::diagnostics::Sources;
use variopath::dsl;

fn printed(arguments: &[&str]) -> String {
    let (code, out, _) = variopath(Path::new("."), arguments);
    assert_eq!(code, 0, "{arguments:?}");
    out
}

#[test]
fn each_is_listed_with_a_line_and_printed_as_it_is() {
    let list = printed(&["presets"]);
    assert_eq!(list.lines().count(), dsl::presets().len());
    for (line, preset) in list.lines().zip(dsl::presets()) {
        let (name, summary) = line.split_once("  ").expect("a name and a summary");
        assert_eq!((name, summary.trim()), (preset.name, preset.summary));
        assert!(line.len() <= 110, "one line of a terminal: {line}");
        assert_eq!(printed(&["presets", name]), preset.text);
    }
}

#[test]
fn every_figure_has_its_source() {
    for preset in dsl::presets() {
        let mut said = false;
        for line in preset.text.lines() {
            // What a `#` above says holds for the line below it.
            let is_comment = line.starts_with('#');
            let figure =
                ["GB/s", "Gb/s", "pcie gen", " us", " ns"].iter().any(|u| line.contains(u));
            if figure && !is_comment {
                let origin = line.contains(" assumed \"") || line.contains(" from \"");
                assert!(origin || said, "{}: {line}", preset.name);
            }
            said = is_comment;
        }
    }
}

/// A digest names a machine in bundles and plans: it changes only where the machine does.
#[test]
fn digests_stay_what_they_are() {
    let digest = |preset: &dsl::Preset| {
        let mut sources = Sources::new();
        let id = sources.add(format!("preset {}", preset.name), preset.text);
        let file = dsl::parse(&sources, id).expect("it reads");
        let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new()).expect("it stands");
        format!("{} {}", dsl::digest(&file), preset.name)
    };
    let digests: Vec<String> = dsl::presets().iter().map(digest).collect();
    insta::assert_snapshot!("digests", digests.join("\n"));
}
