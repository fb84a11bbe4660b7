//! Random numbers that are the same everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// A stream of numbers, a function of seed and purpose.
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// The stream of `seed` for `purpose`, of which the first 24 bytes count.
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (slot, byte) in key[8..].iter_mut().zip(purpose.bytes()) {
            *slot = byte;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A number in `0..limit`; 0 when the limit is 0. The scaling favours some numbers by less
    /// than `limit / 2^64`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// A number in `min..=max`; `min <= max`.
    pub(super) fn between(&mut self, min: u64, max: u64) -> u64 {
        min + self.below((max - min).saturating_add(1))
    }

    /// A number in 0.0..1.0, a multiple of 2^-53.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts the items in random order (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}
