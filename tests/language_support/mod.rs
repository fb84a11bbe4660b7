//! What is said about wrong topology files.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use variopath::diagnostics::{Diagnostics, Sources, render};
use variopath::dsl;

/// What is said about `text`, read as `m.topo`, up to its elaboration.
pub fn errors(text: &str) -> String {
    errors_in("m.topo", text, &BTreeMap::new())
}

pub fn errors_in(name: &str, text: &str, settings: &BTreeMap<String, u64>) -> String {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let mut all = || -> Result<(), Diagnostics> {
        let file = dsl::parse(&sources, id)?;
        let file = dsl::resolve(file, &mut sources, id, settings)?;
        dsl::elaborate(&file).map(|_| ())
    };
    let found = all().expect_err("the text is wrong");
    let out = render(&sources, &found, false);
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

pub const MACHINE: &str = "topology \"m\"\nsocket s[2]\nswitch sw[4]\ngpu g[8]\n";

pub fn in_machine(line: &str) -> String {
    errors(&format!("{MACHINE}{line}\n"))
}

/// The machine that `text` describes.
pub fn machine(text: &str) -> dsl::Machine {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    let machine = dsl::parse(&sources, id).and_then(|file| {
        let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new())?;
        dsl::elaborate(&file)
    });
    machine.unwrap_or_else(|errors| panic!("{}", render(&sources, &errors, false)))
}
