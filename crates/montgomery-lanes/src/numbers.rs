//! Eight numbers of equal width.

use core::fmt;

use zeroize::Zeroize;

use crate::{
    limbs::{LANES, LIMB, join, split},
    number::Number,
};

/// One limb of each lane.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Row(pub(crate) [u64; LANES]);

impl Row {
    pub(crate) const ZERO: Self = Self([0; LANES]);
}

/// Eight numbers below `2^(52 LIMBS)`, one per lane. Each has `LIMBS` limbs of 52 bits, lowest
/// first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Numbers<const LIMBS: usize> {
    pub(crate) rows: [Row; LIMBS],
}

impl<const LIMBS: usize> Numbers<LIMBS> {
    /// Zero in all lanes.
    pub const ZERO: Self = Self {
        rows: [Row::ZERO; LIMBS],
    };

    /// Creates a number in each lane from its 52-bit limbs. Bits above the 52nd are ignored.
    pub fn from_lanes(lanes: &[[u64; LIMBS]; LANES]) -> Self {
        let mut numbers = Self::ZERO;
        for (lane, limbs) in lanes.iter().enumerate() {
            numbers.set(lane, limbs);
        }
        numbers
    }

    /// Creates eight copies of one number, given by its 52-bit limbs. Bits above the 52nd are
    /// ignored.
    pub fn splat(limbs: &[u64; LIMBS]) -> Self {
        Self {
            rows: limbs.map(|limb| Row([limb & LIMB; LANES])),
        }
    }

    /// Creates eight copies of one number. Returns `None` if it does not fit.
    pub fn splat_number<const ROWS: usize>(number: &Number<ROWS>) -> Option<Self> {
        let (limbs, rest) = number.as_limbs().split_first_chunk()?;
        rest.iter()
            .all(|limb| *limb == 0)
            .then(|| Self::splat(limbs))
    }

    /// Returns the 52-bit limbs of one lane, or zeros if there is no such lane.
    pub fn lane(&self, lane: usize) -> [u64; LIMBS] {
        self.rows
            .map(|Row(row)| row.get(lane).copied().unwrap_or(0))
    }

    /// Replaces one lane by the number with these limbs. Bits above the 52nd are ignored, and so is
    /// a lane that does not exist.
    pub fn set(&mut self, lane: usize, limbs: &[u64; LIMBS]) {
        for (Row(row), limb) in self.rows.iter_mut().zip(limbs) {
            if let Some(place) = row.get_mut(lane) {
                *place = limb & LIMB;
            }
        }
    }

    /// Returns the number in one lane, or zero if there is no such lane. Limbs that do not fit are
    /// dropped.
    pub fn number<const ROWS: usize>(&self, lane: usize) -> Number<ROWS> {
        let mut number = Number::ZERO;
        for (place, limb) in number.as_limbs_mut().iter_mut().zip(self.lane(lane)) {
            *place = limb;
        }
        number
    }

    /// Replaces one lane by a number, like [`Self::set`]. Limbs that do not fit are ignored.
    pub fn set_number<const ROWS: usize>(&mut self, lane: usize, number: &Number<ROWS>) {
        let mut limbs = [0; LIMBS];
        for (place, limb) in limbs.iter_mut().zip(number.as_limbs()) {
            *place = *limb;
        }
        self.set(lane, &limbs);
    }

    /// Splits a number of little-endian 64-bit words into 52-bit limbs. Returns `None` if it does
    /// not fit.
    pub fn limbs_of(words: &[u64]) -> Option<[u64; LIMBS]> {
        let mut limbs = [0; LIMBS];
        split(words, &mut limbs)?;
        Some(limbs)
    }

    /// Joins 52-bit limbs to little-endian 64-bit words. Bits that do not fit are dropped.
    pub fn words_of<const WORDS: usize>(limbs: &[u64; LIMBS]) -> [u64; WORDS] {
        join(limbs)
    }
}

impl<const LIMBS: usize> Zeroize for Numbers<LIMBS> {
    fn zeroize(&mut self) {
        for Row(row) in &mut self.rows {
            row.zeroize();
        }
    }
}

/// Prints the width only: the numbers may be secret.
impl<const LIMBS: usize> fmt::Debug for Numbers<LIMBS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Numbers<{LIMBS}>")
    }
}
