//! Machines, catalogs without channels, and demands for tests of plans.
#![allow(dead_code)]

use std::fmt::Write as _;
use variopath::analyzer;
use variopath::base::Demand;
use variopath::catalog::Catalog;
use variopath::demand::parse_spec;
use variopath::diagnostics::Sources;
use variopath::dsl;
use variopath::topology::{self, Topology};

/// The machines by name.
pub const NAMES: [&str; 6] = ["A", "B", "C", "E6", "E10", "E3s"];

/// One of [`NAMES`], from `tests/platforms`.
pub fn topology(name: &str) -> Topology {
    let path =
        format!("{}/tests/platforms/{}.topo", env!("CARGO_MANIFEST_DIR"), name.to_lowercase());
    built(&std::fs::read_to_string(path).expect("a test platform"))
}

/// A machine of switches: `joins` connect two of them, `gpus` hang on them; rates in units of
/// 100 MB/s.
pub fn machine(
    name: &str,
    switches: usize,
    joins: &[(usize, usize, u64)],
    gpus: &[(usize, u64)],
) -> Topology {
    let mut text = format!("topology \"{name}\"\nswitch v[{switches}]\ngpu g[{}]\n", gpus.len());
    for (a, b, rate) in joins {
        let _ = writeln!(text, "v[{a}] -- v[{b}] : {}00 MB/s", rate);
    }
    for (gpu, (at, rate)) in gpus.iter().enumerate() {
        let _ = writeln!(text, "g[{gpu}] -- v[{at}] : {}00 MB/s", rate);
    }
    built(&text)
}

fn built(text: &str) -> Topology {
    let mut sources = Sources::new();
    let source = sources.add("machine.topo", text);
    let file = dsl::parse(&sources, source).expect("a topology file");
    let machine = dsl::elaborate(&file).expect("a machine");
    topology::build(&machine, dsl::digest(&file)).expect("a topology").topology
}

/// The catalog of a machine without symmetry and channels, which planning does not need.
pub fn catalog(topology: &Topology) -> Catalog {
    analyzer::outline(topology).expect("a machine to plan on")
}

/// A small generator of numbers (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low)
    }
}

/// The demand of a specification.
pub fn demand(spec: &str, ranks: usize) -> Demand {
    parse_spec(spec, ranks).expect("a good specification")
}
