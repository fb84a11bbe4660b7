//! Runs `check` and takes its output apart.

#![allow(dead_code, reason = "each test file uses a part of it")]

use crate::command_support::{Ran, variopath};
use std::fs;
use std::path::Path;

pub fn run(folder: &Path, arguments: &[&str]) -> Ran {
    variopath(folder, &[&["check"], arguments].concat())
}

/// Checks a text as `x.topo`.
pub fn check(text: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("x.topo"), text).expect("a file");
    let mut all = vec!["x.topo"];
    all.extend(arguments);
    run(folder.path(), &all)
}

pub fn preset(arguments: &[&str]) -> Ran {
    run(tempfile::tempdir().expect("a folder").path(), arguments)
}

/// What marks a rule that plans do not keep to.
pub const UNPLANNED: &str = " (not planned with yet)";

/// The lines under a heading of the output, rules without their mark.
pub fn section<'a>(out: &'a str, heading: &str) -> Vec<&'a str> {
    out.lines()
        .skip_while(|line| line.split_whitespace().next() != Some(heading) || line.starts_with(' '))
        .enumerate()
        .take_while(|(index, line)| *index == 0 || line.starts_with(' '))
        .map(|(_, line)| line[12..].trim_end_matches(UNPLANNED))
        .collect()
}

/// The first lines of warnings, sorted.
pub fn warnings(err: &str) -> Vec<&str> {
    let mut all: Vec<&str> = err.lines().filter_map(|line| line.strip_prefix("warning[")).collect();
    all.sort_unstable();
    all
}
