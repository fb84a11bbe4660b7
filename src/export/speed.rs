//! Rates as generation and width.

use crate::dsl::machine::LinkValue;
use crate::dsl::pcie_rate;

/// Speed and width of a link in the words of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    /// `16.0 GT/s PCIe`, empty where unknown.
    pub text: &'static str,
    /// Lanes, 0 where unknown.
    pub width: u32,
    /// Whether the rate is none of PCIe and this is only the nearest.
    pub is_near: bool,
}

const TEXTS: [&str; 8] = [
    "",
    "2.5 GT/s PCIe",
    "5.0 GT/s PCIe",
    "8.0 GT/s PCIe",
    "16.0 GT/s PCIe",
    "32.0 GT/s PCIe",
    "64.0 GT/s PCIe",
    "128.0 GT/s PCIe",
];

/// The speed of a link of this value.
pub fn speed(value: &LinkValue) -> Speed {
    let Some(rate) = value.rate else { return Speed { text: "", width: 0, is_near: false } };
    if let Some((generation, width)) = value.pcie {
        let text = TEXTS[(generation as usize).min(TEXTS.len() - 1)];
        return Speed { text, width, is_near: false };
    }
    // Measured generations first, then wide links: what a rate in GB/s most likely stands for.
    let all = [4, 5, 3, 2, 1, 6, 7]
        .into_iter()
        .flat_map(|generation| [16, 8, 4, 2, 1].map(|width| (generation, width)));
    let distance = |&(generation, width): &(u32, u32)| {
        let near = pcie_rate(generation, width).0.0;
        // Relative, in parts of a million, so that slow links are told apart as well as fast ones.
        u128::from(near.abs_diff(rate.0)) * 1_000_000 / u128::from(near.max(1))
    };
    let (generation, width) = all.min_by_key(distance).unwrap_or((4, 16));
    let is_near = pcie_rate(generation, width).0 != rate;
    Speed { text: TEXTS[generation as usize], width, is_near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{BytesPerSecond, Nanos};
    use crate::dsl::machine::ValueOrigin;

    #[test]
    fn rates_to_speeds() {
        let mut value = LinkValue {
            rate: Some(BytesPerSecond(26_300_000_000)),
            latency: Nanos(0),
            origin: ValueOrigin::Stated,
            pcie: None,
            figure: None,
            written: None,
        };
        let of = |value: &LinkValue| {
            let Speed { text, width, is_near } = speed(value);
            (text, width, is_near)
        };
        assert_eq!(of(&value), ("16.0 GT/s PCIe", 16, false));
        value.rate = Some(BytesPerSecond(50_000_000_000));
        assert_eq!(of(&value), ("32.0 GT/s PCIe", 16, true));
        value.pcie = Some((2, 16));
        assert_eq!(of(&value), ("5.0 GT/s PCIe", 16, false));
        value.rate = None;
        assert_eq!(of(&value), ("", 0, false));
    }
}
