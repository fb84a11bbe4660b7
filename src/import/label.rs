//! The words that `nvidia-smi topo -m` writes for a pair of devices.

use std::fmt;

/// How two devices reach each other, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairLabel {
    /// `X`: the device itself.
    Own,
    /// `NV#`: this many bonded NVLinks (1 and up). It hides how the two lie on PCIe.
    Nvlink(u32),
    /// `PIX`: at most one PCIe bridge between them.
    Pix,
    /// `PXB`: several PCIe bridges, no host bridge.
    Pxb,
    /// `PHB`: through one host bridge.
    Phb,
    /// `NODE`: through several host bridges of one NUMA node.
    Node,
    /// `SYS`, in old versions `SOC`: between NUMA nodes.
    Sys,
}

impl PairLabel {
    /// The label that `word` stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "X" => Self::Own,
            "PIX" => Self::Pix,
            "PXB" => Self::Pxb,
            "PHB" => Self::Phb,
            "NODE" => Self::Node,
            "SYS" | "SOC" => Self::Sys,
            _ => {
                let digits = word.strip_prefix("NV")?;
                if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                Self::Nvlink(digits.parse().ok().filter(|count| *count > 0)?)
            }
        })
    }

    /// Whether the two share a root complex for certain.
    #[must_use]
    pub fn is_local(self) -> bool {
        matches!(self, Self::Pix | Self::Pxb | Self::Phb | Self::Node)
    }

    /// Whether NVLink joins the two.
    #[must_use]
    pub fn is_nvlink(self) -> bool {
        matches!(self, Self::Nvlink(_))
    }
}

impl fmt::Display for PairLabel {
    /// As current versions write it: `SYS`, `NV4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.write_str("X"),
            Self::Nvlink(count) => write!(f, "NV{count}"),
            Self::Pix => f.write_str("PIX"),
            Self::Pxb => f.write_str("PXB"),
            Self::Phb => f.write_str("PHB"),
            Self::Node => f.write_str("NODE"),
            Self::Sys => f.write_str("SYS"),
        }
    }
}
