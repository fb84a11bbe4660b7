//! Access control (ACS) in the configuration space of a port.

/// The identifier of the capability.
const ACCESS_CONTROL: u32 = 0x000d;
/// Request redirect and completion redirect.
const REDIRECT: u16 = 0b1100;
/// Extended capabilities start here; only the superuser reads that far.
const EXTENDED: usize = 0x100;

/// Whether a port redirects requests or completions upwards; `None` where its configuration space
/// is not readable that far.
pub fn redirects(config: &[u8]) -> Option<bool> {
    let word = |at: usize| -> Option<u32> {
        let bytes = config.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    word(EXTENDED)?;
    let mut at = EXTENDED;
    // Each capability has at least 8 of the 4096 bytes; a broken list may lead in a circle.
    for _ in 0..512 {
        let header = word(at)?;
        if header == 0 || header == u32::MAX {
            break;
        }
        if header & 0xffff == ACCESS_CONTROL {
            let control = (word(at + 4)? >> 16) as u16;
            return Some(control & REDIRECT != 0);
        }
        let next = (header >> 20) as usize & !3;
        if next < EXTENDED {
            break;
        }
        at = next;
    }
    // A port without the capability redirects nothing.
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(capabilities: &[(usize, u32, u32)]) -> Vec<u8> {
        let mut space = vec![0; 4096];
        for (at, header, word) in capabilities {
            space[*at..at + 4].copy_from_slice(&header.to_le_bytes());
            space[at + 4..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        space
    }

    #[test]
    fn the_list_is_followed() {
        let with = |control: u32| {
            space(&[(0x100, 0x1481_0001, 0), (0x148, 0x0001_000d, control << 16 | 0x5f)])
        };
        assert_eq!(redirects(&with(0x1d)), Some(true));
        assert_eq!(redirects(&with(0x11)), Some(false));
        assert_eq!(redirects(&space(&[(0x100, 0x0001_0001, 0)])), Some(false));
        assert_eq!(redirects(&space(&[(0x100, 0x1001_0001, 0)])), Some(false), "a circle");
        assert_eq!(redirects(&with(0x1d)[..64]), None, "all that others than root read");
        assert_eq!(redirects(&with(0x1d)[..0x14a]), None);
        assert_eq!(redirects(&[]), None);
    }
}
