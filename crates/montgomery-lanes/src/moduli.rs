//! Arithmetic modulo eight numbers.

use core::fmt;

use zeroize::Zeroize;

use crate::{
    limbs::{LANES, LIMB, LIMB_BITS, MOST_LIMBS, inverse, length},
    numbers::{Numbers, Row},
    path::{Path, dispatch},
};

#[cfg(test)]
mod tests;

/// Arithmetic modulo eight odd numbers `n`, one per lane, each below `R / 4` with
/// `R = 2^(52 LIMBS)`. There are from 2 to 512 limbs.
///
/// Residues are values below `2n`. Their Montgomery **form** is `x R mod n`, below `2n` too.
#[derive(Clone)]
pub struct Moduli<const LIMBS: usize> {
    path: Path,
    numbers: Numbers<LIMBS>,
    /// Twice each modulus.
    bounds: Numbers<LIMBS>,
    /// `-1 / n mod 2^52`.
    inverses: Row,
    one: Numbers<LIMBS>,
    /// The form of `R`, which converts residues to their forms.
    radix_form: Numbers<LIMBS>,
}

impl<const LIMBS: usize> Moduli<LIMBS> {
    /// Prepares arithmetic modulo the number of each lane. Returns `None` unless each is odd,
    /// above 2 and below `R / 4`, and `LIMBS` is from 2 to 512.
    ///
    /// Cost: one addition per bit by which `R` is longer than the shortest modulus, and some ten
    /// squarings.
    pub fn new(moduli: &Numbers<LIMBS>) -> Option<Self> {
        Self::on(Path::fastest(), moduli)
    }

    /// Like [`Self::new`], with the kernels of `path`.
    pub(crate) fn on(path: Path, moduli: &Numbers<LIMBS>) -> Option<Self> {
        if LIMBS < 2 || LIMBS > MOST_LIMBS {
            // With one limb, a row of a product would lose its carry. Columns of more than 512
            // limbs could overflow.
            return None;
        }
        let total = u32::try_from(LIMBS).ok()?.checked_mul(LIMB_BITS)?;
        let mut shortest = total;
        for lane in 0..LANES {
            let limbs = moduli.lane(lane);
            let bits = length(&limbs);
            if limbs.first().is_none_or(|lowest| lowest & 1 == 0) || bits < 2 || bits + 2 > total {
                return None;
            }
            shortest = shortest.min(bits);
        }
        let Row(lowest) = *moduli.rows.first()?;
        let inverses = lowest.map(|limb| inverse(limb).wrapping_neg() & LIMB);
        let mut moduli = Self {
            path,
            numbers: *moduli,
            bounds: dispatch!(path, shift_left, (moduli, &Row([1; LANES]))),
            inverses: Row(inverses),
            one: Numbers::ZERO,
            radix_form: Numbers::ZERO,
        };
        // 2^(shortest - 1) is below every modulus; doubling takes it to R.
        let mut power = Numbers::splat(&power_of_two(shortest - 1));
        for _ in shortest - 1..total {
            power = moduli.add(&power, &power);
        }
        moduli.one = power;
        // The form of 2^total, from the highest bit of `total` down.
        for position in (0..u32::BITS - total.leading_zeros()).rev() {
            power = moduli.square_times(&power, 1);
            if (total >> position) & 1 == 1 {
                power = moduli.add(&power, &power);
            }
        }
        moduli.radix_form = power;
        Some(moduli)
    }

    /// The modulus of each lane.
    pub const fn moduli(&self) -> &Numbers<LIMBS> {
        &self.numbers
    }

    /// The form of the residue 1 in each lane: `R mod n`, below `2n`.
    pub const fn one(&self) -> &Numbers<LIMBS> {
        &self.one
    }

    /// Converts numbers below `R` to the Montgomery forms of their residues.
    ///
    /// Cost: one product.
    pub fn to_form(&self, values: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        // values * radix_form < R * 2n, so the product is below 3n. The next line reduces it below
        // 2n.
        let form = self.mul(values, &self.radix_form);
        dispatch!(self.path, add, ((&form, &Numbers::ZERO), &self.bounds))
    }

    /// Converts forms, or other numbers below `R`, to the residues below `n`: divides by `R`.
    ///
    /// Cost: one product.
    #[allow(clippy::wrong_self_convention, reason = "the counterpart of to_form")]
    pub fn from_form(&self, forms: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        let mut unit = [0; LIMBS];
        if let Some(lowest) = unit.first_mut() {
            *lowest = 1;
        }
        self.reduced(&self.mul(forms, &Numbers::splat(&unit)))
    }

    /// Splits a number of little-endian 64-bit words per lane into limbs. Bits above `R` are
    /// dropped.
    pub fn split<const WORDS: usize>(&self, words: &[&[u64; WORDS]; LANES]) -> Numbers<LIMBS> {
        dispatch!(self.path, split, words)
    }

    /// Joins the limbs of each lane to little-endian 64-bit words. Bits that do not fit are
    /// dropped.
    pub fn join<const WORDS: usize>(&self, values: &Numbers<LIMBS>) -> [[u64; WORDS]; LANES] {
        dispatch!(self.path, join, values)
    }

    /// Multiplies values below `2n` and divides by `R`: the form of the product of two forms, below
    /// `2n`. A factor may be larger if the product of both is below `n R`.
    pub fn mul(&self, left: &Numbers<LIMBS>, right: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        let by = (&self.numbers, &self.inverses);
        dispatch!(self.path, mul, ((left, right), by))
    }

    /// Squares forms `count` times in a row. A value may be larger than `2n` if its square is below
    /// `n R`.
    ///
    /// Cost: three quarters of a product for each squaring.
    pub fn square_times(&self, forms: &Numbers<LIMBS>, count: u32) -> Numbers<LIMBS> {
        let by = (&self.numbers, &self.inverses);
        dispatch!(self.path, square_times, (forms, by, count))
    }

    /// Adds values below `2n`, modulo `2n`.
    pub fn add(&self, left: &Numbers<LIMBS>, right: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        dispatch!(self.path, add, ((left, right), &self.bounds))
    }

    /// Subtracts values below `2n`, modulo `2n`.
    pub fn subtract(&self, left: &Numbers<LIMBS>, right: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        dispatch!(self.path, subtract, ((left, right), &self.bounds))
    }

    /// Reduces values below `2n` to values below `n`.
    pub fn reduced(&self, values: &Numbers<LIMBS>) -> Numbers<LIMBS> {
        dispatch!(self.path, add, ((values, &Numbers::ZERO), &self.numbers))
    }

    /// Multiplies the value of each lane by `2^bits`, with the entry of `bits` for that lane. More
    /// than 51 bits count as 51. The result is not reduced, and must be below `R`.
    pub fn shift_left(&self, values: &Numbers<LIMBS>, bits: [u64; LANES]) -> Numbers<LIMBS> {
        let bits = bits.map(|bits| bits.min(u64::from(LIMB_BITS - 1)));
        dispatch!(self.path, shift_left, (values, &Row(bits)))
    }

    /// Takes lane `i` of `first` if bit `i` of `mask` is set, and otherwise that of `second`. The
    /// mask may be secret.
    pub fn select(
        &self,
        mask: u8,
        first: &Numbers<LIMBS>,
        second: &Numbers<LIMBS>,
    ) -> Numbers<LIMBS> {
        dispatch!(self.path, select, (mask, (first, second)))
    }

    /// Returns for each lane the entry of `table` with the index of that lane, or zero if there is
    /// none. Entry `i` is lane `i % 8` of `table[i / 8]`. Indices may be secret: the whole table is
    /// read.
    pub fn look_up(&self, table: &[Numbers<LIMBS>], indices: [u64; LANES]) -> Numbers<LIMBS> {
        dispatch!(self.path, look_up, (table, &Row(indices)))
    }
}

impl<const LIMBS: usize> Zeroize for Moduli<LIMBS> {
    fn zeroize(&mut self) {
        for numbers in [
            &mut self.numbers,
            &mut self.bounds,
            &mut self.one,
            &mut self.radix_form,
        ] {
            numbers.zeroize();
        }
        self.inverses.0.zeroize();
    }
}

/// Prints the width only: the moduli may be secret.
impl<const LIMBS: usize> fmt::Debug for Moduli<LIMBS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Moduli<{LIMBS}>")
    }
}

/// Computes `2^exponent` in 52-bit limbs.
fn power_of_two<const LIMBS: usize>(exponent: u32) -> [u64; LIMBS] {
    let mut below = 0;
    core::array::from_fn(|_| {
        let shift = exponent
            .checked_sub(below)
            .filter(|shift| *shift < LIMB_BITS);
        below += LIMB_BITS;
        shift.map_or(0, |shift| 1 << shift)
    })
}
