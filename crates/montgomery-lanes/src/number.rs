//! One number whose limbs fill the lanes.

use core::fmt;

use zeroize::Zeroize;

use crate::limbs::{LANES, LIMB, LIMB_BITS, join, length, split};

/// A number below `2^(416 ROWS)`, in `ROWS` rows of eight consecutive limbs of 52 bits, lowest
/// first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Number<const ROWS: usize> {
    pub(crate) rows: [[u64; LANES]; ROWS],
}

impl<const ROWS: usize> Number<ROWS> {
    /// The number 0.
    pub const ZERO: Self = Self {
        rows: [[0; LANES]; ROWS],
    };

    /// Reads a number of little-endian 64-bit words. Returns `None` if it does not fit.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let mut number = Self::ZERO;
        split(words, number.as_limbs_mut())?;
        Some(number)
    }

    /// Returns the number as little-endian 64-bit words. Bits that do not fit are dropped.
    pub fn to_words<const WORDS: usize>(&self) -> [u64; WORDS] {
        join(self.as_limbs())
    }

    pub(crate) const fn as_limbs(&self) -> &[u64] {
        self.rows.as_flattened()
    }

    pub(crate) const fn as_limbs_mut(&mut self) -> &mut [u64] {
        self.rows.as_flattened_mut()
    }

    /// Propagates the carries of columns. The number must fit the limbs.
    #[inline]
    pub(crate) fn carry(&mut self) {
        let mut carry = 0;
        for limb in self.as_limbs_mut() {
            let sum = *limb + carry;
            carry = sum >> LIMB_BITS;
            *limb = sum & LIMB;
        }
    }

    /// Subtracts `bound`, unless the difference is negative. Reads and writes the same limbs in
    /// both cases.
    pub(crate) fn subtract_once(&mut self, bound: &Self) {
        let mut less = *self;
        let mut borrow = 0_u64;
        for (limb, bound) in less.as_limbs_mut().iter_mut().zip(bound.as_limbs()) {
            let difference = limb.wrapping_sub(*bound).wrapping_sub(borrow);
            borrow = difference >> 63;
            *limb = difference & LIMB;
        }
        let negative = core::hint::black_box(borrow.wrapping_neg());
        for (limb, less) in self.as_limbs_mut().iter_mut().zip(less.as_limbs()) {
            *limb = (*limb & negative) | (less & !negative);
        }
    }

    /// Doubles the number, and then subtracts `bound`, unless the difference is negative.
    pub(crate) fn double(&mut self, bound: &Self) {
        for limb in self.as_limbs_mut() {
            *limb <<= 1;
        }
        self.carry();
        self.subtract_once(bound);
    }

    /// Length in bits.
    pub(crate) fn bits(&self) -> u32 {
        length(self.as_limbs())
    }
}

impl<const ROWS: usize> Zeroize for Number<ROWS> {
    fn zeroize(&mut self) {
        self.rows.zeroize();
    }
}

/// Prints the width only: the number may be secret.
impl<const ROWS: usize> fmt::Debug for Number<ROWS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Number<{ROWS}>")
    }
}
