//! `use` and `param` expanded.

use std::collections::BTreeMap;
use variopath::diagnostics::{Sources, render};
use variopath::dsl;

fn resolved(name: &str, text: &str, settings: &[(&str, u64)]) -> String {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let settings: BTreeMap<String, u64> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let file = dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, &settings))
        .unwrap_or_else(|errors| panic!("{}", render(&sources, &errors, false)));
    dsl::elaborate(&file).unwrap_or_else(|e| panic!("{}", render(&sources, &e, false)));
    dsl::format(&file)
}

#[test]
fn params_become_numbers() {
    let text = "topology \"m\"\n# how many\nparam n = 4\nsocket s\ngpu g[n]\ng[k] -- s : unknown\n";
    let text = text.replace("g[k] --", "g[0..n] --");
    let expected = "topology \"m\"\n# how many\nsocket s\ngpu g[4]\ng[0..4] -- s : unknown\n";
    assert_eq!(resolved("m.topo", &text, &[]), expected);
    assert_eq!(resolved("m.topo", &text, &[("n", 6)]), expected.replace('4', "6"));
}

#[test]
fn a_used_part_keeps_its_walking_indices_and_params() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let inner = "topology \"inner\"\nparam n = 2\nsocket s[2]\ngpu g[n]\ng[k] -- s[k] : 1 GB/s\n";
    std::fs::write(folder.path().join("parts/inner.topo"), inner).unwrap();
    let middle = "topology \"middle\"\nuse \"./inner.topo\"\n";
    std::fs::write(folder.path().join("parts/middle.topo"), middle).unwrap();
    let main = folder.path().join("main.topo");
    let text = "topology \"m\"\nparam k = 1\nparam n = 3\nuse \"parts/middle.topo\" as node  # two\nnode h[n]\n";
    assert_eq!(
        resolved(&main.to_string_lossy(), text, &[]),
        "topology \"m\"\npart node {\n  socket s[2]\n  gpu g[2]\n  g[k] -- s[k] : 1 GB/s\n}  # two\nnode h[3]\n"
    );
}

#[test]
fn a_preset_in_place_is_the_preset() {
    let preset = dsl::preset("a10-8").unwrap();
    let whole = resolved("preset a10-8", preset.text, &[]);
    let used = resolved("m.topo", "topology \"a10-8\"\nuse \"a10-8\"\n", &[]);
    let body = |text: &str| text.split_once("topology \"a10-8\"\n").unwrap().1.trim().to_owned();
    assert_eq!(body(&used), body(&whole));
}

#[test]
fn a_link_out_of_the_folder_is_an_escape() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.topo"), "topology \"x\"\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path().join("x.topo"), folder.path().join("x.topo"))
        .unwrap();
    let mut sources = Sources::new();
    let main = folder.path().join("main.topo");
    let id = sources.add(main.to_string_lossy(), "topology \"m\"\nuse \"x.topo\"\n");
    let file = dsl::parse(&sources, id).unwrap();
    let errors = dsl::resolve(file, &mut sources, id, &BTreeMap::new()).unwrap_err();
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["use-escape"]);
}

#[test]
fn uses_do_not_multiply_without_end() {
    let folder = tempfile::tempdir().unwrap();
    for level in 0..12 {
        let next = level + 1;
        let text = format!(
            "topology \"t\"\nuse \"{next}.topo\" as a\nuse \"{next}.topo\" as b\na x\nb y\n"
        );
        std::fs::write(folder.path().join(format!("{level}.topo")), text).unwrap();
    }
    std::fs::write(folder.path().join("12.topo"), "topology \"t\"\ngpu g\n").unwrap();
    let mut sources = Sources::new();
    let id = sources
        .add(folder.path().join("m.topo").to_string_lossy(), "topology \"m\"\nuse \"0.topo\"\n");
    let file = dsl::parse(&sources, id).unwrap();
    let errors = dsl::resolve(file, &mut sources, id, &BTreeMap::new()).unwrap_err();
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["too-many-uses"]);
}
