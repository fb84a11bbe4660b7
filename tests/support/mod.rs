//! From a topology file to every stage, for tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use variopath::analyzer::{self, Limits};
use variopath::catalog::Catalog;
use variopath::diagnostics::{Diagnostics, Sources, render};
use variopath::dsl::{self, Machine, tree};
use variopath::topology::{self, Topology};

/// The machines of `tests/platforms`, by file name.
pub const PLATFORMS: [&str; 7] = ["a", "b", "b1", "c", "e6", "e3s", "e10"];

/// Where the machine called `name` stands.
pub fn platform_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/platforms/{name}.topo"))
}

/// A machine at every stage.
pub struct Stages {
    pub file: tree::File,
    pub machine: Machine,
    pub topology: Topology,
    pub catalog: Catalog,
}

/// All stages of a machine of `tests/platforms`.
pub fn stages(name: &str) -> Stages {
    let text = std::fs::read_to_string(platform_path(name)).expect("a test platform");
    stages_of(&format!("{name}.topo"), &text)
}

fn fail(sources: &Sources, diagnostics: &Diagnostics) -> ! {
    panic!("{}", render(sources, diagnostics, false))
}

/// A text's resolved tree and its machine; `sources` takes the text up.
pub fn machine_of(sources: &mut Sources, name: &str, text: &str) -> (tree::File, Machine) {
    let source = sources.add(name, text);
    let file = dsl::parse(sources, source).unwrap_or_else(|d| fail(sources, &d));
    let file = match dsl::resolve(file, sources, source, &BTreeMap::new()) {
        Ok(file) => file,
        Err(diagnostics) => fail(sources, &diagnostics),
    };
    let machine = dsl::elaborate(&file).unwrap_or_else(|d| fail(sources, &d));
    (file, machine)
}

/// All stages of a text.
pub fn stages_of(name: &str, text: &str) -> Stages {
    let mut sources = Sources::new();
    let (file, machine) = machine_of(&mut sources, name, text);
    let built =
        topology::build(&machine, dsl::digest(&file)).unwrap_or_else(|d| fail(&sources, &d));
    let catalog = analyzer::analyze(&built.topology, &Limits::default())
        .unwrap_or_else(|d| fail(&sources, &d));
    Stages { file, machine, topology: built.topology, catalog }
}
