//! Files and standard input, of limited length.

use super::failure::{Failure, Outcome};
use crate::diagnostics::{Diagnostic, Exit};
use std::io::Read as _;

/// The longest description of a machine; the longest real dumps have a tenth of it. Reading one takes
/// some twenty times its length in memory.
pub(super) const MACHINE_BYTES: u64 = 4 << 20;
/// The longest demand: a thousand ranks in decimal digits have 20 MB.
pub(super) const DEMAND_BYTES: u64 = 32 << 20;
/// The longest plan.
pub(super) const PLAN_BYTES: u64 = 64 << 20;

/// What the first bytes of files that are no UTF-8 text tell, and the way out.
const BINARIES: [(&[u8], &str, &str); 6] = [
    (b"\x1f\x8b", "the file is compressed by gzip", "`gunzip` it first"),
    (b"\xfd7zXZ", "the file is compressed by xz", "`unxz` it first"),
    (b"\x28\xb5\x2f\xfd", "the file is compressed by zstd", "`unzstd` it first"),
    (b"PK\x03\x04", "the file is a zip archive", "`unzip` it first"),
    (b"\xff\xfe", "the file is UTF-16 text", UTF_16),
    (b"\xfe\xff", "the file is UTF-16 text", UTF_16),
];

const UTF_16: &str = "save it as UTF-8; PowerShell does with `… | Out-File -Encoding utf8 FILE`";

/// Reads a text file of at most `limit` bytes or, for `-`, standard input: (the name to show, the
/// text).
pub(super) fn read_text(path: &str, limit: u64) -> Outcome<(String, String)> {
    let (name, bytes) = read_bytes(path, limit)?;
    if let Some((_, what, help)) = BINARIES.iter().find(|(start, ..)| bytes.starts_with(start)) {
        return Err(Diagnostic::error("not-utf-8", *what).in_file(name).help(*help).into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            Err(Diagnostic::error(
                "not-utf-8",
                format!("line {line} is not UTF-8 text (byte {at} of the file)"),
            )
            .in_file(name)
            .help("save the file as UTF-8, or check that it is the file you meant")
            .into())
        }
    }
}

/// Reads a file of at most `limit` bytes or, for `-`, standard input: (the name to show, the bytes).
pub(super) fn read_bytes(path: &str, limit: u64) -> Outcome<(String, Vec<u8>)> {
    let name = if path == "-" { "<stdin>" } else { path };
    let trouble = |error: std::io::Error| Failure::file(name, "read", &error);
    let mut bytes = Vec::new();
    // Growing step by step would take up to three times the length.
    if let Ok(data) = std::fs::metadata(path) {
        bytes.reserve(usize::try_from(data.len().min(limit)).unwrap_or(0) + 1);
    }
    if path == "-" {
        std::io::stdin().take(limit + 1).read_to_end(&mut bytes).map_err(trouble)?;
    } else {
        if is_named_pipe(path) {
            return Err(Diagnostic::error("named-pipe", "it is a named pipe, no file")
                .in_file(name)
                .help(format!("to read what is written to it, give `-` and `< {path}`"))
                .exit(Exit::File)
                .into());
        }
        let file = std::fs::File::open(path).map_err(trouble)?;
        file.take(limit + 1).read_to_end(&mut bytes).map_err(trouble)?;
    }
    if bytes.len() as u64 > limit {
        let message = format!("the input is larger than {} MiB", limit >> 20);
        return Err(Diagnostic::error("too-large", message)
            .in_file(name)
            .help("check that it is the file you meant")
            .exit(Exit::Input)
            .into());
    }
    Ok((name.to_owned(), bytes))
}

/// Whether opening `path` may wait for ever: a pipe to which nobody may ever write. What a shell
/// puts in place of `<(command)` has a writer.
#[cfg(unix)]
fn is_named_pipe(path: &str) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let of_a_process = path.starts_with("/dev/fd/") || path.starts_with("/proc/");
    !of_a_process && std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_named_pipe(_: &str) -> bool {
    false
}
