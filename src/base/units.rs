//! Units as types. Rates count payload bytes; a GB is 10^9 bytes, a MiB 2^20.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A quantity left its range: a time beyond about 213 days, or a rate of zero as divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a duration leaves the range of 64-bit picoseconds (about 213 days)")]
pub struct UnitOverflow;

/// A number of bytes, 0 to 2^64 - 1.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A rate in bytes per second, counting payload. Zero means that nothing passes.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct BytesPerSecond(pub u64);

/// A duration or instant in picoseconds, the unit of planning.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Picos(pub u64);

/// A duration or instant in nanoseconds, the unit of outputs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl BytesPerSecond {
    /// The time that `bytes` take at this rate, rounded up; an error for rate zero or a time that
    /// does not fit. Zero bytes take no time.
    ///
    /// ```
    /// use variopath::base::{Bytes, BytesPerSecond, Picos};
    /// assert_eq!(BytesPerSecond(3).time_of(Bytes(1)), Ok(Picos(333_333_333_334)));
    /// ```
    ///
    /// # Errors
    /// [`UnitOverflow`] when the rate is zero (and bytes are not) or the time exceeds 2^64 - 1 ps.
    pub fn time_of(self, bytes: Bytes) -> Result<Picos, UnitOverflow> {
        if bytes.0 == 0 {
            return Ok(Picos(0));
        }
        if self.0 == 0 {
            return Err(UnitOverflow);
        }
        let product = u128::from(bytes.0) * 1_000_000_000_000;
        let time = product.div_ceil(u128::from(self.0));
        u64::try_from(time).map(Picos).map_err(|_| UnitOverflow)
    }

    /// This rate in GB/s, for texts only; nothing is computed from it.
    #[must_use]
    pub fn gigabytes(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Picos {
    /// The time of `over / under` seconds, rounded down.
    ///
    /// # Errors
    /// [`UnitOverflow`] when the divisor is zero or a number leaves its range.
    pub fn of_fraction(over: u128, under: u128) -> Result<Self, UnitOverflow> {
        let mut time = over.checked_div(under).ok_or(UnitOverflow)?;
        let mut rest = over % under;
        // Three digits at a time, since a product with 10^12 may not fit.
        for _ in 0..4 {
            rest = rest.checked_mul(1000).ok_or(UnitOverflow)?;
            time = time.checked_mul(1000).ok_or(UnitOverflow)? + rest / under;
            rest %= under;
        }
        u64::try_from(time).map(Self).map_err(|_| UnitOverflow)
    }

    /// The sum, or an error when it leaves the range.
    ///
    /// # Errors
    /// [`UnitOverflow`] when the sum exceeds 2^64 - 1 ps.
    pub fn plus(self, other: Self) -> Result<Self, UnitOverflow> {
        self.0.checked_add(other.0).map(Self).ok_or(UnitOverflow)
    }

    /// In nanoseconds, rounded up: for times that something takes.
    #[must_use]
    pub fn nanos_up(self) -> Nanos {
        Nanos(self.0.div_ceil(1000))
    }

    /// In nanoseconds, rounded down: for lower bounds.
    #[must_use]
    pub fn nanos_down(self) -> Nanos {
        Nanos(self.0 / 1000)
    }
}

impl fmt::Display for Bytes {
    /// The exact count, followed by nothing: `58720256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for BytesPerSecond {
    /// In GB/s with as many digits as needed: `26.3 GB/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let digits = format!("{rest:09}");
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() {
            write!(f, "{whole} GB/s")
        } else {
            write!(f, "{whole}.{digits} GB/s")
        }
    }
}

impl fmt::Display for Nanos {
    /// In the largest of ns, us, ms, s that keeps the number at least 1, to three decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0;
        let (unit, divisor) = match n {
            0..1_000 => return write!(f, "{n} ns"),
            1_000..1_000_000 => ("us", 1_000),
            1_000_000..1_000_000_000 => ("ms", 1_000_000),
            _ => ("s", 1_000_000_000),
        };
        // Three decimals by integers, so that the text is the same everywhere.
        let thousandths = (u128::from(n) * 1000 + divisor / 2) / divisor;
        write!(f, "{}.{:03} {unit}", thousandths / 1000, thousandths % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_rounds_up_and_checks_its_range() {
        assert_eq!(BytesPerSecond(25_000_000_000).time_of(Bytes(25)), Ok(Picos(1000)));
        assert_eq!(BytesPerSecond(7).time_of(Bytes(0)), Ok(Picos(0)));
        assert_eq!(BytesPerSecond(0).time_of(Bytes(1)), Err(UnitOverflow));
        assert_eq!(BytesPerSecond(1).time_of(Bytes(1 << 53)), Err(UnitOverflow));
        assert_eq!(Picos::of_fraction(2, 3), Ok(Picos(666_666_666_666)));
        assert_eq!(Picos::of_fraction(7 << 100, 7 << 110), Ok(Picos(976_562_500)));
        assert_eq!(Picos::of_fraction(1, 0), Err(UnitOverflow));
        assert_eq!(Picos::of_fraction(1 << 80, 1), Err(UnitOverflow));
    }

    #[test]
    fn texts() {
        assert_eq!(BytesPerSecond(26_300_000_000).to_string(), "26.3 GB/s");
        assert_eq!(BytesPerSecond(25_000_000_000).to_string(), "25 GB/s");
        assert_eq!(Nanos(999).to_string(), "999 ns");
        assert_eq!(Nanos(1_234_567).to_string(), "1.235 ms");
        assert_eq!(Picos(1001).nanos_up(), Nanos(2));
        assert_eq!(Picos(1999).nanos_down(), Nanos(1));
    }
}
