//! The topology language: text to tree, tree to text, tree to machine.

pub mod machine;
pub mod tree;

pub use machine::Machine;
