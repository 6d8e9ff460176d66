//! Arithmetic modulo one number whose limbs fill the lanes.

use core::fmt;

use zeroize::Zeroize;

use crate::{
    arguments::OneModulus,
    limbs::{LIMB, LIMB_BITS, MOST_LIMBS, inverse},
    number::Number,
    path::{Path, dispatch},
};

#[cfg(test)]
mod tests;

/// Arithmetic modulo one odd number `n` of up to `416 ROWS - 2` bits.
///
/// Suits a chain of products that depend on each other. For eight independent products,
/// [`Moduli`](crate::Moduli) takes half to three quarters of the time.
///
/// `R` is the least power of `2^52` above `4n`. Values are below `2n`, and so is the Montgomery
/// **form** `x R mod n` of a residue `x`.
#[derive(Clone)]
pub struct Modulus<const ROWS: usize> {
    path: Path,
    by: OneModulus<ROWS>,
    one: Number<ROWS>,
    /// The form of `R`, which converts residues to their forms.
    radix_form: Number<ROWS>,
}

impl<const ROWS: usize> Modulus<ROWS> {
    /// Prepares arithmetic modulo a number. Returns `None` unless it is odd, above 2, and has at
    /// most `416 ROWS - 2` bits and 512 limbs.
    ///
    /// Cost: some fifty doublings and ten squarings.
    pub fn new(modulus: &Number<ROWS>) -> Option<Self> {
        Self::on(Path::fastest(), modulus)
    }

    /// Like [`Self::new`], with the kernels of `path`.
    pub(crate) fn on(path: Path, number: &Number<ROWS>) -> Option<Self> {
        let bits = number.bits();
        let lowest = *number.as_limbs().first()?;
        let limbs = usize::try_from((bits + 2).div_ceil(LIMB_BITS)).ok()?;
        if lowest & 1 == 0 || bits < 2 || limbs > number.as_limbs().len().min(MOST_LIMBS) {
            return None;
        }
        let by = OneModulus {
            number: *number,
            inverse: inverse(lowest).wrapping_neg() & LIMB,
            limbs,
        };
        let total = u32::try_from(limbs).ok()?.checked_mul(LIMB_BITS)?;
        // 2^(bits - 1) is below the modulus; doubling takes it to R.
        let mut power = Number::ZERO;
        let (place, shift) = ((bits - 1) / LIMB_BITS, (bits - 1) % LIMB_BITS);
        *power.as_limbs_mut().get_mut(usize::try_from(place).ok()?)? = 1 << shift;
        for _ in bits - 1..total {
            power.double(number);
        }
        let mut modulus = Self {
            path,
            by,
            one: power,
            radix_form: Number::ZERO,
        };
        // The form of 2^total, from the highest bit of `total` down.
        for position in (0..u32::BITS - total.leading_zeros()).rev() {
            power = modulus.square_times(&power, 1);
            power.subtract_once(number);
            if (total >> position) & 1 == 1 {
                power.double(number);
            }
        }
        modulus.radix_form = power;
        Some(modulus)
    }

    /// The modulus `n`.
    pub const fn modulus(&self) -> &Number<ROWS> {
        &self.by.number
    }

    /// Number of limbs of `R`. [`Moduli`](crate::Moduli) with the same number of limbs has the same
    /// forms.
    pub const fn limbs(&self) -> usize {
        self.by.limbs
    }

    /// The form of the residue 1: `R mod n`.
    pub const fn one(&self) -> &Number<ROWS> {
        &self.one
    }

    /// Converts a number below `2n` to the Montgomery form of its residue.
    ///
    /// Cost: one product.
    pub fn to_form(&self, value: &Number<ROWS>) -> Number<ROWS> {
        self.mul(value, &self.radix_form)
    }

    /// Converts a form below `2n` to the residue, below `n`.
    ///
    /// Cost: one product.
    #[allow(clippy::wrong_self_convention, reason = "the counterpart of to_form")]
    pub fn from_form(&self, form: &Number<ROWS>) -> Number<ROWS> {
        let mut unit = Number::ZERO;
        if let Some(lowest) = unit.as_limbs_mut().first_mut() {
            *lowest = 1;
        }
        let mut residue = self.mul(form, &unit);
        residue.subtract_once(&self.by.number);
        residue
    }

    /// Multiplies values below `2n` and divides by `R`: the form of the product of two forms, below
    /// `2n`.
    pub fn mul(&self, left: &Number<ROWS>, right: &Number<ROWS>) -> Number<ROWS> {
        dispatch!(self.path, mul_one, (left, right, &self.by))
    }

    /// Squares a form `count` times in a row.
    pub fn square_times(&self, form: &Number<ROWS>, count: u32) -> Number<ROWS> {
        dispatch!(self.path, square_one_times, (form, &self.by, count))
    }
}

impl<const ROWS: usize> Zeroize for Modulus<ROWS> {
    fn zeroize(&mut self) {
        self.by.number.zeroize();
        self.by.inverse.zeroize();
        self.one.zeroize();
        self.radix_form.zeroize();
    }
}

/// Prints the width only: the modulus may be secret.
impl<const ROWS: usize> fmt::Debug for Modulus<ROWS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Modulus<{ROWS}>")
    }
}
