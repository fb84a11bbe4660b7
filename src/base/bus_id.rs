//! The addresses of PCI functions.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The address of a PCI function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusId {
    /// The domain (segment); virtual ones exceed 16 bits.
    pub domain: u32,
    /// The bus.
    pub bus: u8,
    /// The device, 0 to 31.
    pub device: u8,
    /// The function, 0 to 7.
    pub function: u8,
}

/// That a text is no bus id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no PCI bus id; they look like 0000:17:00.0")]
pub struct BusIdError(pub String);

impl BusId {
    /// Whether both are functions of one device (a card's ports, a GPU and its audio device).
    #[must_use]
    pub fn same_device(self, other: Self) -> bool {
        (self.domain, self.bus, self.device) == (other.domain, other.bus, other.device)
    }

    /// Reads a bus id that is written in full, with its domain, all leading zeros and its function:
    /// what our own files have to say, where an abbreviation would be a guess.
    #[must_use]
    pub fn from_full(text: &str) -> Option<Self> {
        let (address, _function) = text.split_once('.')?;
        let digits: Vec<usize> = address.split(':').map(str::len).collect();
        matches!(digits[..], [4..=8, 2, 2]).then(|| text.parse().ok()).flatten()
    }
}

impl fmt::Display for BusId {
    /// `0000:17:00.0`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, bus, device, function } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

impl Serialize for BusId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for BusId {
    type Err = BusIdError;

    /// Reads `0000:17:00.0`, `17:00.0` (domain 0) and `00000000:17:00.0`, in either case; a missing
    /// function is 0.
    fn from_str(text: &str) -> Result<Self, BusIdError> {
        let wrong = || BusIdError(text.to_owned());
        let hex = |part: &str, digits: usize| {
            let fits = (1..=digits).contains(&part.len());
            let digits = part.bytes().all(|byte| byte.is_ascii_hexdigit());
            (fits && digits).then(|| u32::from_str_radix(part, 16).ok()).flatten()
        };
        let (address, function) = text.split_once('.').unwrap_or((text, "0"));
        let parts: Vec<&str> = address.split(':').collect();
        let (domain, bus, device) = match parts[..] {
            [domain, bus, device] => (domain, bus, device),
            [bus, device] => ("0", bus, device),
            _ => return Err(wrong()),
        };
        let domain = hex(domain, 8).ok_or_else(wrong)?;
        let bus = hex(bus, 2).and_then(|bus| u8::try_from(bus).ok()).ok_or_else(wrong)?;
        let device = hex(device, 2).and_then(|device| u8::try_from(device).ok());
        let function = hex(function, 1).and_then(|function| u8::try_from(function).ok());
        match (device, function) {
            (Some(device @ 0..32), Some(function @ 0..8)) => {
                Ok(Self { domain, bus, device, function })
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_ids() {
        let id = BusId { domain: 0, bus: 0x17, device: 0, function: 1 };
        assert_eq!("0000:17:00.1".parse(), Ok(id));
        assert_eq!("17:00.1".parse(), Ok(id));
        assert_eq!("00000000:17:00.1".parse(), Ok(id));
        assert_eq!(id.to_string(), "0000:17:00.1");
        let far: BusId = "10000:E1:1f".parse().expect("a virtual domain");
        assert_eq!(far.to_string(), "10000:e1:1f.0");
        for wrong in ["", "17", "0000:17:20.0", "0000:17:00.8", "0000:170:00.0", "+1:00.0"] {
            assert_eq!(wrong.parse::<BusId>(), Err(BusIdError(wrong.to_owned())));
        }
    }

    #[test]
    fn in_full() {
        let id = BusId { domain: 0, bus: 0xc1, device: 0, function: 0 };
        for text in ["0000:c1:00.0", "0000:C1:00.0", "00000000:c1:00.0"] {
            assert_eq!(BusId::from_full(text), Some(id), "{text}");
        }
        for text in ["c1:00.0", "0:c1:00.0", "0000:c1:0.0", "0000:c1:00", "0000:c1:20.0", "0.0"] {
            assert_eq!(BusId::from_full(text), None, "{text}");
        }
    }
}
