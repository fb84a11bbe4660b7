//! Real dumps, and what a reader sees in them. They lie outside of the project: in
//! `VARIOPATH_CORPUS`, else in `../shared/corpus`. Without them tests say that they were skipped.

#![allow(dead_code, reason = "each test file uses a part of it")]

#[cfg(unix)]
pub mod machine;

use std::io::Write as _;
use std::path::PathBuf;
use variopath::diagnostics::{Sources, render};
use variopath::dsl::{self, Machine};
use variopath::import::inventory::{Above, Function, Inventory};
use variopath::import::{Imported, read};

/// The folder of dumps of one kind; `None`, and a line in the list of what was skipped, without it.
pub fn corpus(kind: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("VARIOPATH_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        PathBuf::from,
    );
    let folder = folder.join(kind);
    if folder.is_dir() {
        return Some(folder);
    }
    let line = format!("SKIPPED {}: no corpus", env!("CARGO_CRATE_NAME"));
    eprintln!("{line}");
    let list = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/skipped.txt");
    if let Ok(mut list) = std::fs::OpenOptions::new().create(true).append(true).open(list) {
        let _ = writeln!(list, "{line}");
    }
    None
}

/// The names of the dumps of one kind, sorted.
pub fn names(folder: &PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Imports texts as dumps of one machine; errors as they are shown.
pub fn import_all(files: &[(&str, &str)], assume: Option<u32>) -> Result<Imported, String> {
    let mut sources = Sources::new();
    let inputs: Vec<_> = files.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    read(&sources, &inputs, assume).map_err(|faults| render(&sources, &faults, false))
}

pub fn import(name: &str, text: &str, assume: Option<u32>) -> Result<Imported, String> {
    import_all(&[(name, text)], assume)
}

/// What a reader sees in a dump.
pub struct Case {
    pub file: &'static str,
    /// GPUs, network cards, sockets, switches.
    pub counts: [usize; 4],
    /// GPUs on one switch.
    pub same_switch: &'static str,
    /// GPUs below one root port.
    pub same_root_port: &'static str,
    /// The GPUs of each socket.
    pub sockets: &'static str,
    /// What PCIe links are worth and how many there are of each.
    pub links: &'static str,
    /// Device by bus id: what it hangs on and the payload rate of that link.
    pub places: &'static [&'static str],
    /// Codes of notes and warnings, each once, sorted.
    pub notes: &'static str,
}

impl Case {
    /// Compares what was imported with what is written down.
    pub fn holds_for(&self, imported: &Imported) {
        let (name, seen) = (self.file, &imported.overview);
        assert_eq!([seen.gpus, seen.nics, seen.sockets, seen.switches], self.counts, "{name}");
        assert_eq!(groups(&seen.same_switch), self.same_switch, "{name}: one switch");
        assert_eq!(groups(&seen.same_root_port), self.same_root_port, "{name}: one root port");
        assert_eq!(groups(&seen.on_socket), self.sockets, "{name}: sockets");
        let links: Vec<String> =
            seen.links.iter().map(|(value, count)| format!("{value}: {count}")).collect();
        assert_eq!(links.join(", "), self.links, "{name}: links");
        let machine = dsl::elaborate(&imported.file).unwrap();
        for expected in self.places {
            let bus = expected.split(' ').next().unwrap();
            assert_eq!(place(&machine, bus), *expected, "{name}");
        }
        assert_eq!(codes(imported), self.notes, "{name}: notes");
    }
}

/// Codes of notes and warnings, each once, sorted.
pub fn codes(imported: &Imported) -> String {
    let mut codes: Vec<&str> = imported.notes.iter().map(|note| note.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.join(" ")
}

/// `0 1|2 3`
pub fn groups(groups: &[Vec<usize>]) -> String {
    let texts: Vec<String> = groups
        .iter()
        .map(|group| group.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        .collect();
    texts.join("|")
}

/// What the device with this bus id hangs on, and the rate of that link.
fn place(machine: &Machine, bus: &str) -> String {
    let device = machine
        .devices
        .iter()
        .position(|device| device.bus.is_some_and(|known| known.to_string() == bus))
        .unwrap_or_else(|| panic!("no {bus}"));
    let links: Vec<_> = machine.links.iter().filter(|link| link.from == device).collect();
    assert_eq!(links.len(), 1, "{bus}");
    let rate = links[0].value.rate.map_or("unknown".to_string(), |rate| rate.to_string());
    format!("{bus} {} {rate}", machine.devices[links[0].to].path)
}

/// The bus id of a function; empty where none is told.
pub fn bus(function: &Function) -> String {
    function.bus.map(|bus| bus.to_string()).unwrap_or_default()
}

/// What stands above a function, nearest first.
pub fn chain(inventory: &Inventory, mut index: usize) -> Vec<usize> {
    let mut above = Vec::new();
    while let Above::Function(next) = inventory.functions[index].above {
        above.push(next);
        index = next;
    }
    above
}
