//! The topology language: text to tree, tree to text, tree to machine.

mod digest;
mod elaborate;
mod error;
pub mod machine;
mod parse;
mod presets;
mod print;
mod resolve;
pub mod suggest;
mod token;
pub mod tree;
mod words;

pub use digest::digest;
pub use elaborate::{elaborate, pcie_rate};
pub use machine::Machine;
pub use parse::parse;
pub use presets::{Preset, preset, presets};
pub use print::{format, path_text, rule_text, traffic_text, value_text};
pub use resolve::{measured_files, resolve};
pub use words::{is_name, is_reserved};
