//! Small files and folders of the kernel; what is missing or unreadable is unknown.

use std::io::Read as _;
use std::path::Path;

/// The text of a file without blanks around it; `None` where missing, unreadable or empty.
pub fn text(path: &Path) -> Option<String> {
    let text = String::from_utf8(bytes(path)?).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The first 4096 bytes of a file: no attribute is larger, nor is a configuration space.
pub fn bytes(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(4096).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A number, decimal or after `0x`.
pub fn number(path: &Path) -> Option<u32> {
    let text = text(path)?;
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The names in a folder, sorted; none where it is missing.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The names `prefix` with a number behind, by that number.
pub fn numbered(folder: &Path, prefix: &str) -> Vec<(u32, String)> {
    let number = |name: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
    let mut found: Vec<(u32, String)> =
        names(folder).into_iter().filter_map(|name| Some((number(&name)?, name))).collect();
    found.sort();
    found
}
