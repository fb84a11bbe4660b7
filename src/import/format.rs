//! Which tool a dump comes from.

use super::bandwidth;
use super::label::PairLabel;
use super::scan::{Line, gpu_number, is_nic_name, is_too_long, lines};
use std::fmt;

/// A dump that is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The matrix of `nvidia-smi topo -m` (or `-mp`).
    NvidiaSmiTopology,
    /// The matrix of `nvidia-smi topo -p2p`.
    NvidiaSmiPeers,
    /// A topology file of NCCL or RCCL.
    NcclXml,
    /// A topology file of hwloc.
    HwlocXml,
    /// The tree of `lspci -t`.
    LspciTree,
    /// The details of `lspci -vvv`.
    LspciDetails,
    /// The output of `p2pBandwidthLatencyTest`.
    PeerBandwidth,
    /// The output of a benchmark of nccl-tests.
    NcclTests,
    /// What the kernel of this machine tells; no dump.
    ThisMachine,
}

impl Format {
    /// A short name, as tables show it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NvidiaSmiTopology => "topo-m",
            Self::NvidiaSmiPeers => "topo-p2p",
            Self::NcclXml => "nccl-xml",
            Self::HwlocXml => "hwloc-xml",
            Self::LspciTree => "lspci-t",
            Self::LspciDetails => "lspci-vv",
            Self::PeerBandwidth => "p2p-bandwidth",
            Self::NcclTests => "nccl-tests",
            Self::ThisMachine => "sysfs",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NvidiaSmiTopology => "the matrix of nvidia-smi topo -m",
            Self::NvidiaSmiPeers => "the matrix of nvidia-smi topo -p2p",
            Self::NcclXml => "a topology file of NCCL",
            Self::HwlocXml => "a topology file of hwloc",
            Self::LspciTree => "the tree of lspci -t",
            Self::LspciDetails => "the output of lspci -vvv",
            Self::PeerBandwidth => "the output of p2pBandwidthLatencyTest",
            Self::NcclTests => "the output of nccl-tests",
            Self::ThisMachine => "this machine",
        })
    }
}

/// The format of `text`, or `None` where it looks like no known dump (a topology file, for one).
#[must_use]
pub fn detect(text: &str) -> Option<Format> {
    if is_too_long(text) {
        return None;
    }
    let found = find(text, &lines(text));
    match found {
        Some(Found::Matrix(_) | Found::Headerless(_)) => Some(Format::NvidiaSmiTopology),
        Some(Found::Other(format, _)) => Some(format),
        None => None,
    }
}

/// What stands in a text, with the line at which it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A matrix of `topo -m` whose header is this line.
    Matrix(usize),
    /// Rows of such a matrix, the first of them this line, without a header above.
    Headerless(usize),
    /// Another dump.
    Other(Format, usize),
}

/// Looks for the matrix first: it often stands in the middle of a longer report.
pub fn find(text: &str, lines: &[Line]) -> Option<Found> {
    if let Some(format) = xml(text) {
        return Some(Found::Other(format, 0));
    }
    let mut peers = None;
    let mut headerless = None;
    for (index, line) in lines.iter().enumerate() {
        if is_header(line) {
            let row = lines[index + 1..].iter().find(|line| !line.words.is_empty());
            if row.is_some_and(is_peer_row) {
                peers = peers.or(Some(index));
            } else if row.is_some_and(|row| row.word(0) == line.word(0)) {
                return Some(Found::Matrix(index));
            }
        } else if headerless.is_none() && is_label_row(line) && !is_peer_row(line) {
            headerless = Some(index);
        }
    }
    headerless
        .map(Found::Headerless)
        .or_else(|| peers.map(|line| Found::Other(Format::NvidiaSmiPeers, line)))
        .or_else(|| other(lines))
}

/// Whether a line names the columns of a matrix: GPUs first, then only names of devices and of
/// affinity columns.
pub fn is_header(line: &Line) -> bool {
    let next = line.word(1);
    gpu_number(line.word(0)).is_some()
        && (next.is_empty()
            || gpu_number(next).is_some()
            || is_nic_name(next)
            || next == "CPU"
            || next == "NUMA"
            || (next == "GPU" && line.word(2) == "NUMA"))
}

fn is_label_row(line: &Line) -> bool {
    gpu_number(line.word(0)).is_some()
        && line.words.len() > 1
        && PairLabel::from_word(line.word(1)).is_some()
}

/// Whether the cells of a row say whether peers may access each other.
pub fn is_peer_row(line: &Line) -> bool {
    gpu_number(line.word(0)).is_some()
        && line.words.iter().any(|word| {
            matches!(word.text.as_str(), "OK" | "CNS" | "GNS" | "TNS" | "NS" | "DR" | "U")
        })
        && !line.words.iter().any(|word| {
            PairLabel::from_word(&word.text).is_some_and(|label| label != PairLabel::Own)
        })
}

fn xml(text: &str) -> Option<Format> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // Comments, a prolog and a document type may stand before the root.
    while rest.starts_with("<!") || rest.starts_with("<?") {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<!") && rest.find('[') < rest.find('>') && rest.contains('[') {
            // Declarations within the document type, which are refused when the text is read.
            "]>"
        } else {
            ">"
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    let root = rest.strip_prefix('<')?;
    let name = root.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    match name {
        "system" => Some(Format::NcclXml),
        "topology" => Some(Format::HwlocXml),
        _ => None,
    }
}

fn other(lines: &[Line]) -> Option<Found> {
    lines.iter().enumerate().find_map(|(index, line)| {
        if bandwidth::is_header(line) {
            return Some(Found::Other(Format::PeerBandwidth, index));
        }
        let words: Vec<&str> = line.words.iter().map(|word| word.text.as_str()).collect();
        let format = match words.as_slice() {
            [first, ..] if is_bus_root(first) => Format::LspciTree,
            ["LnkCap:" | "LnkSta:" | "LnkCap2:", ..] => Format::LspciDetails,
            ["P2P", "Connectivity", "Matrix", ..] => Format::PeerBandwidth,
            ["Unidirectional" | "Bidirectional", "P2P=Enabled" | "P2P=Disabled", ..] => {
                Format::PeerBandwidth
            }
            ["nThread" | "out-of-place", ..] => Format::NcclTests,
            ["size", "count", "type", ..] | ["Using", "devices", ..] => Format::NcclTests,
            _ => return None,
        };
        Some(Found::Other(format, index))
    })
}

/// Whether a word opens the tree of lspci: `-[0000:00]-+-00.0`.
fn is_bus_root(word: &str) -> bool {
    let Some(inside) = word.trim_start_matches(['+', '\\']).strip_prefix("-[") else {
        return false;
    };
    let Some((bus, _)) = inside.split_once(']') else { return false };
    bus.contains(':') && bus.bytes().all(|byte| byte.is_ascii_hexdigit() || b":-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dump_is_recognised() {
        let cases = [
            ("$ nvidia-smi topo -m\n\tGPU0\tGPU1\nGPU0\t X \tPHB\n", Format::NvidiaSmiTopology),
            ("GPU0\t X \tPHB\nGPU1\tPHB\t X \n", Format::NvidiaSmiTopology),
            ("  GPU0 GPU1\n GPU0 X CNS\n GPU1 CNS X\n", Format::NvidiaSmiPeers),
            ("<!-- a > b -->\n<system version='1'/>", Format::NcclXml),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE topology>\n<topology>", Format::HwlocXml),
            (" -[0000:00]-+-00.0  Host\n", Format::LspciTree),
            ("01:00.0 VGA\n\tLnkSta:\tSpeed 2.5GT/s\n", Format::LspciDetails),
            ("P2P Connectivity Matrix\n     D\\D     0\n", Format::PeerBandwidth),
            ("# nThread 1 nGpus 8\n", Format::NcclTests),
        ];
        for (text, format) in cases {
            assert_eq!(detect(text), Some(format), "{text}");
        }
        assert_eq!(detect("topology \"a\"\nsocket s\ngpu GPU0 -- s : 3 GB/s\n"), None);
        assert_eq!(detect("GPU0 and GPU1 are near\n"), None);
        assert_eq!(detect(""), None);
    }
}
