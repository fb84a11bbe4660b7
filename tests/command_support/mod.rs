//! Runs the binary.

#![allow(dead_code, reason = "each test file uses a part of it")]

use assert_cmd::Command;
use std::path::Path;

/// Exit code, standard output, standard error.
pub type Ran = (i32, String, String);

/// Runs `variopath` with these arguments in `folder`.
pub fn variopath(folder: &Path, arguments: &[&str]) -> Ran {
    with_input(folder, arguments, "")
}

/// The same with this standard input.
pub fn with_input(folder: &Path, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let output = Command::cargo_bin("variopath")
        .expect("the binary")
        .args(arguments)
        .current_dir(folder)
        .write_stdin(input.as_ref())
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}
