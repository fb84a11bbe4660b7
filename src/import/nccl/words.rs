//! The words in attributes: classes, speeds, widths.

use crate::import::inventory::FunctionKind;
use crate::import::pci;

/// What a PCI class (`0x030200`) stands for; `None` for no number.
pub fn kind(class: &str) -> Option<FunctionKind> {
    let digits = class.trim().trim_start_matches("0x");
    let class = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 6)?;
    // Six digits with the programming interface, four without.
    let class = if digits.len() > 4 { class >> 8 } else { class };
    Some(match class {
        0x0600 => FunctionKind::HostBridge,
        0x0604 => FunctionKind::Bridge,
        0x0680 => FunctionKind::NvSwitch,
        // Instinct cards without a display are 0x0380 or, newer, processing accelerators.
        0x0300..=0x03ff | 0x1200 => FunctionKind::Gpu,
        // Ethernet, InfiniBand, other fabrics.
        0x0200..=0x02ff => FunctionKind::Nic,
        _ => FunctionKind::Other,
    })
}

/// A speed as the kernel writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// Empty, or the kernel's own `Unknown`.
    Unknown,
    /// PCIe of this generation, 1 to 7.
    Generation(u32),
    /// Something else.
    Strange,
}

/// Reads `16 GT/s`, `16.0 GT/s PCIe` and the like.
pub fn speed(text: &str) -> Speed {
    let text = text.trim();
    if text.is_empty() || text.starts_with("Unknown") || text == "0" {
        return Speed::Unknown;
    }
    pci::generation_in(text).map_or(Speed::Strange, Speed::Generation)
}

/// A number of lanes: `Ok(None)` where unknown (0, 255, empty), `Err` for what no link has.
pub fn width(text: &str) -> Result<Option<u32>, ()> {
    match text.trim() {
        "" | "0" | "-1" | "255" | "63" => Ok(None),
        text => match text.parse() {
            Ok(width @ (1 | 2 | 4 | 8 | 12 | 16 | 32)) => Ok(Some(width)),
            _ => Err(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(kind("0x060400"), Some(FunctionKind::Bridge));
        assert_eq!(kind("0x0302"), Some(FunctionKind::Gpu));
        assert_eq!(kind("0x120000"), Some(FunctionKind::Gpu));
        assert_eq!(kind("0x020700"), Some(FunctionKind::Nic));
        assert_eq!(kind("0x068000"), Some(FunctionKind::NvSwitch));
        assert_eq!(kind("0x010802"), Some(FunctionKind::Other));
        assert_eq!((kind("gpu"), kind("")), (None, None));
        assert_eq!(speed("16 GT/s"), Speed::Generation(4));
        assert_eq!(speed("64.0 GT/s PCIe"), Speed::Generation(6));
        assert_eq!(speed(""), Speed::Unknown);
        assert_eq!(speed("17 GT/s"), Speed::Strange);
        assert_eq!((width("16"), width("0"), width("3")), (Ok(Some(16)), Ok(None), Err(())));
    }
}
