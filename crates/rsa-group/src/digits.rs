//! Exponents in windows of bits.

use rug::{Integer, integer::Order};
use zeroize::Zeroizing;

/// Maximum width in bits of a window of an exponent. It takes `2^16` buckets.
const WIDEST_WINDOW: u32 = 16;

/// An exponent that is read in windows of bits. Some exponents are secret, so this type cannot be
/// printed and is wiped on drop.
pub(crate) struct Digits {
    limbs: Zeroizing<Vec<u64>>,
    bits: u32,
}

impl Digits {
    /// Creates the digits of a nonnegative exponent.
    pub(crate) fn new(exponent: &Integer) -> Self {
        Self {
            limbs: Zeroizing::new(exponent.to_digits(Order::Lsf)),
            bits: exponent.significant_bits(),
        }
    }

    /// Length of the exponent in bits.
    pub(crate) const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the digit of `window` bits whose lowest bit is at `position`. `window` is at most
    /// 32.
    pub(crate) fn at(&self, position: u32, window: u32) -> usize {
        usize::try_from(self.bits_at(position, window)).unwrap_or(0)
    }

    /// Like [`Digits::at`], but without a branch on the digits, which may be secret.
    pub(crate) fn bits_at(&self, position: u32, window: u32) -> u64 {
        let limb = |index: u32| self.limbs.get(to_usize(index)).copied().unwrap_or(0);
        let (index, shift) = (position / 64, position % 64);
        let low = limb(index) >> shift;
        // Two shifts, since one shift by 64 bits is not possible.
        let high = limb(index.saturating_add(1)) << 1 << (63_u32.saturating_sub(shift));
        (low | high) & (1_u64 << window).wrapping_sub(1)
    }
}

/// Returns the window width in bits, from 1 to 16, for which `cost` is least. `cost` returns a
/// number of products.
pub(crate) fn window_of_least_cost(cost: impl Fn(u32) -> usize) -> u32 {
    (1..=WIDEST_WINDOW)
        .min_by_key(|window| cost(*window))
        .unwrap_or(1)
}

/// Computes `2^exponent`, or the maximum of `usize` if that is larger.
pub(crate) fn power_of_two(exponent: u32) -> usize {
    1_usize.checked_shl(exponent).unwrap_or(usize::MAX)
}

/// Converts a number to `usize`, or returns the maximum of `usize` if it does not fit.
pub(crate) fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
