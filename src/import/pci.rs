//! What is known of PCI classes, vendors and link rates beyond any single dump.

use super::inventory::{Function, FunctionKind, PciLink};

/// NVIDIA.
pub const NVIDIA: u16 = 0x10de;
/// AMD, once ATI.
pub const AMD: u16 = 0x1002;
const HYGON: u16 = 0x1d94;
const INTEL: u16 = 0x8086;
const PLX: u16 = 0x10b5;
const MELLANOX: u16 = 0x15b3;
const HPE_SLINGSHOT: u16 = 0x17db;
/// Management controllers and emulated screens, whatever class they claim.
const CONSOLES: [u16; 6] = [0x1a03, 0x102b, 0x1234, 0x1013, 0x1b36, 0x1af4];

/// What a function of this class (`0x0302`: base and sub class) is.
#[must_use]
pub fn kind(class: u16, vendor: u16, device: u16) -> FunctionKind {
    match class {
        0x0600 => FunctionKind::HostBridge,
        0x0604 => FunctionKind::Bridge,
        0x0680 if vendor == NVIDIA => FunctionKind::NvSwitch,
        // Network controllers, and InfiniBand under its older class.
        0x0200..=0x02ff | 0x0c06 => FunctionKind::Nic,
        _ if CONSOLES.contains(&vendor) => FunctionKind::Other,
        0x0300 if vendor == AMD && is_ati_console(device) => FunctionKind::Other,
        0x0300 if [NVIDIA, AMD, HYGON].contains(&vendor) => FunctionKind::Gpu,
        0x0302 | 0x0380 => FunctionKind::Gpu,
        0x1200 if [NVIDIA, AMD, HYGON, INTEL].contains(&vendor) => FunctionKind::Gpu,
        _ => FunctionKind::Other,
    }
}

/// Screens of servers: Rage XL, RV100 and ES1000.
fn is_ati_console(device: u16) -> bool {
    matches!(device, 0x4752 | 0x5159 | 0x515e | 0x5969)
}

/// The newest PCIe generation that a device speaks, where its id says so.
#[must_use]
pub fn generation_limit(vendor: u16, device: u16) -> Option<u32> {
    Some(match (vendor, device) {
        // Fermi; then Kepler to Turing; Ampere and Ada; Hopper.
        (NVIDIA, 0x06c0..=0x0eff) => 2,
        (NVIDIA, 0x0f00..=0x1abf | 0x1b00..=0x1fff | 0x2180..=0x21ff) => 3,
        (NVIDIA, 0x2080..=0x20ff | 0x2200..=0x229f | 0x2400..=0x28ff) => 4,
        (NVIDIA, 0x2300..=0x23ff) => 5,
        // Vega 10; Vega 20, MI100 and MI200; MI300.
        (AMD, 0x6860..=0x687f) => 3,
        (AMD, 0x66a0..=0x66af | 0x7380..=0x738f | 0x7400..=0x740f) => 4,
        (AMD, 0x74a0..=0x74bf) => 5,
        (MELLANOX, 0x1003..=0x1018) => 3,
        (MELLANOX, 0x1019..=0x101f) => 4,
        (MELLANOX, 0x1021 | 0x1979) => 5,
        (HPE_SLINGSHOT, 0x0501) => 4,
        (PLX, _) => 3,
        _ => return None,
    })
}

/// Whether a GPU is of a kind that is sold on boards with NVLink only.
#[must_use]
pub fn has_gpu_links(gpu: &Function) -> bool {
    let by_name = gpu.model.as_deref().is_some_and(|model| {
        ["SXM", "GB200", "GB300", "HGX"].iter().any(|word| model.contains(word))
    });
    by_name
        || matches!(
            gpu.ids,
            // P100, V100, A100, H100, H200, B200 and GB200.
            Some((
                NVIDIA,
                0x15f9
                    | 0x1db1
                    | 0x1db5
                    | 0x1db8
                    | 0x20b0
                    | 0x20b2
                    | 0x2330
                    | 0x2335
                    | 0x2901
                    | 0x2941,
            ))
        )
}

/// The name of a vendor of GPUs; its id where it has no name here.
#[must_use]
pub fn vendor(id: u16) -> String {
    match id {
        NVIDIA => "NVIDIA".to_owned(),
        AMD => "AMD".to_owned(),
        HYGON => "Hygon".to_owned(),
        INTEL => "Intel".to_owned(),
        _ => format!("vendor {id:04x}"),
    }
}

/// The generation with this rate a lane, in tenths of GT/s: 5 for 320 (32 GT/s).
#[must_use]
pub fn generation_of(tenths: u32) -> Option<u32> {
    [25, 50, 80, 160, 320, 640, 1280].iter().position(|rate| *rate == tenths).map(|i| i as u32 + 1)
}

/// The generation in a text such as `8.0 GT/s PCIe`, `16GT/s` or `2.5 GT/s`.
#[must_use]
pub fn generation_in(text: &str) -> Option<u32> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if !unit.trim_start().starts_with("GT/s") {
        return None;
    }
    let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
    if tenth.len() != 1 {
        return None;
    }
    let whole: u32 = whole.parse().ok().filter(|whole| *whole <= 1000)?;
    generation_of(whole * 10 + tenth.parse::<u32>().ok()?)
}

/// GB/s of one lane before any overhead but the coding, as hwloc counts it.
fn lane(generation: u32) -> f64 {
    let giga = f64::from(1 << (generation - 1)) * 0.25;
    match generation {
        1 | 2 => giga,
        3..=5 => giga * 128.0 / 130.0,
        _ => giga * 242.0 / 256.0,
    }
}

/// The splits of `rate` GB/s into a generation up to `limit` and a usual width, oldest first.
#[must_use]
pub fn splits(rate: f64, limit: Option<u32>) -> Vec<PciLink> {
    let mut found = Vec::new();
    for generation in 1..=limit.unwrap_or(6).min(6) {
        for width in [1, 2, 4, 8, 16] {
            let exact = lane(generation) * f64::from(width);
            if (rate - exact).abs() <= exact * 0.004 {
                found.push(PciLink { generation: Some(generation), width: Some(width) });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consoles_are_no_gpus() {
        assert_eq!(kind(0x0300, 0x1a03, 0x2000), FunctionKind::Other);
        assert_eq!(kind(0x0300, 0x102b, 0x0536), FunctionKind::Other);
        assert_eq!(kind(0x0300, AMD, 0x515e), FunctionKind::Other);
        assert_eq!(kind(0x0300, INTEL, 0x4680), FunctionKind::Other);
        assert_eq!(kind(0x0300, NVIDIA, 0x26ba), FunctionKind::Gpu);
        assert_eq!(kind(0x0380, AMD, 0x7408), FunctionKind::Gpu);
        assert_eq!(kind(0x1200, AMD, 0x74a1), FunctionKind::Gpu);
        assert_eq!(kind(0x0403, NVIDIA, 0x22ba), FunctionKind::Other);
        assert_eq!(kind(0x0c06, MELLANOX, 0x6746), FunctionKind::Nic);
    }

    #[test]
    fn rates_of_lanes() {
        let texts: Vec<_> = ["2.5 GT/s PCIe", "5GT/s", "8.0 GT/s", "16 GT/s", "32.0 GT/s PCIe"]
            .iter()
            .map(|text| generation_in(text))
            .collect();
        assert_eq!(texts, [Some(1), Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!(generation_in("64.0 GT/s PCIe"), Some(6));
        for wrong in ["", "Unknown", "8.0", "9 GT/s", "8.00 GT/s", "99999999999 GT/s"] {
            assert_eq!(generation_in(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_rate_may_split_in_several_ways() {
        let told = |rate, limit| {
            splits(rate, limit)
                .iter()
                .map(|link| (link.generation.unwrap_or(0), link.width.unwrap_or(0)))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(15.753846, None), [(3, 16), (4, 8), (5, 4)]);
        assert_eq!(told(15.753846, Some(3)), [(3, 16)]);
        assert_eq!(told(63.015385, None), [(5, 16)]);
        assert_eq!(told(60.5, None), [(6, 8)]);
        assert_eq!(told(2.0, None), [(1, 8), (2, 4)]);
        assert_eq!(told(0.3, None), []);
    }
}
