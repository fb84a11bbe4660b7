//! Holds the table of `docs/architecture.md` against the source: what each module imports, where
//! the outside libraries and `unsafe` stay, and how long a file may be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 600;

/// Outside libraries that one module keeps to itself, with the module that does.
const PRIVATE: [(&str, &str); 4] =
    [("petgraph", "topology"), ("minilp", "lp"), ("nom", "dsl"), ("tera", "codegen")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Module to the modules that it may import, from the document; `None` for all.
fn table() -> BTreeMap<String, Option<BTreeSet<String>>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the document");
    let (_, text) = text.split_once("## Modules").expect("a section of modules");
    let text = text.split("\n## ").next().expect("the section");
    let mut table = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, imports] = cells[..] else { panic!("three cells in `{line}`") };
        let allowed = match imports {
            "all" => None,
            "nothing" => Some(BTreeSet::new()),
            list => Some(list.split(", ").map(str::to_owned).collect()),
        };
        table.insert(name.trim_matches('`').to_owned(), allowed);
    }
    table
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Every file below `src` with the module that it belongs to (the crate's own two have none), its
/// name and its text without comments.
fn sources() -> Vec<(Option<String>, String, String)> {
    let src = root().join("src");
    rust_files(&src)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&src).expect("below src").to_owned();
            let mut parts = name.components();
            let first = parts.next().expect("a name").as_os_str().to_string_lossy().into_owned();
            let module = parts.next().map(|_| first);
            let text = fs::read_to_string(&path).expect("a file");
            let code: Vec<&str> =
                text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
            (module, name.display().to_string(), code.join("\n"))
        })
        .collect()
}

/// The words that follow `prefix` in `code`: `base` of `crate::base::Rank`, and each of the names
/// in `crate::{base, catalog}`.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = code[at + prefix.len()..].trim_start();
        match rest.strip_prefix('{') {
            None => drop(names.insert(word(rest))),
            Some(group) => {
                let mut depth = 0_usize;
                let mut start = true;
                for (at, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && !c.is_whitespace() => {
                            names.insert(word(&group[at..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    names.remove("");
    names
}

fn has_word(code: &str, word: &str) -> bool {
    let boundary = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    code.match_indices(word).any(|(at, _)| {
        boundary(code[..at].chars().next_back()) && boundary(code[at + word.len()..].chars().next())
    })
}

#[test]
fn the_table_lists_the_modules_that_exist() {
    let listed: BTreeSet<String> = table().into_keys().collect();
    let found: BTreeSet<String> = sources().into_iter().filter_map(|(module, ..)| module).collect();
    assert_eq!(listed, found);
}

#[test]
fn the_table_has_no_circle() {
    let table = table();
    let mut done = BTreeSet::new();
    loop {
        let ready: Vec<&String> = table
            .iter()
            .filter(|(name, allowed)| {
                !done.contains(*name)
                    && allowed.as_ref().is_some_and(|allowed| allowed.is_subset(&done))
            })
            .map(|(name, _)| name)
            .collect();
        if ready.is_empty() {
            break;
        }
        done.extend(ready.into_iter().cloned());
    }
    let left: Vec<&String> = table.keys().filter(|name| !done.contains(*name)).collect();
    assert_eq!(left, ["cli"]);
}

#[test]
fn modules_import_what_the_table_allows() {
    let table = table();
    let mut faults = Vec::new();
    for (module, file, code) in sources() {
        let Some(module) = module else { continue };
        let Some(allowed) = &table[&module] else { continue };
        for used in names_after(&code, "crate::").into_iter().filter(|used| *used != module) {
            if !allowed.contains(&used) {
                faults.push(format!("{file}: {module} imports {used}"));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn libraries_stay_in_their_module() {
    let mut faults = Vec::new();
    for (module, file, code) in sources() {
        for (library, owner) in PRIVATE {
            let used = code.contains(&format!("use {library}::"))
                || code.match_indices(&format!("{library}::")).any(|(at, _)| {
                    !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "_:".contains(c))
                });
            if used && module.as_deref() != Some(owner) {
                faults.push(format!("{file} uses {library}, which belongs to {owner}"));
            }
        }
        let is_attribute = |line: &str| line.trim_start().starts_with("#");
        let code: Vec<&str> = code.lines().filter(|line| !is_attribute(line)).collect();
        if has_word(&code.join("\n"), "unsafe") && module.as_deref() != Some("runtime") {
            faults.push(format!("{file} has `unsafe`, which belongs to runtime"));
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn files_stay_short() {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("tests")));
    let long: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let lines = fs::read_to_string(path).expect("a file").lines().count();
            (lines >= LONGEST_FILE).then(|| format!("{}: {lines} lines", path.display()))
        })
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn names_are_found_in_every_form_of_import() {
    let code =
        "use crate::base::Rank;\nuse crate::{catalog::{Plan, Piece}, lp};\ncrate::verify::x()";
    let names: Vec<String> = names_after(code, "crate::").into_iter().collect();
    assert_eq!(names, ["base", "catalog", "lp", "verify"]);
    assert!(has_word("unsafe {", "unsafe") && !has_word("unsafe_code", "unsafe"));
}
