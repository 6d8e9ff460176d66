//! The group of units modulo `N`, up to sign.
//!
//! `Z_N*` has a publicly known element of order two: `-1`. It is its own `l`-th root for every odd
//! `l`, so a proof of exponentiation there could pass off `-y` for `y`. The group here is the
//! quotient `Z_N*/{1, -1}` (Boneh, Bünz & Fisch 2019, section 3.3). `x` and `N - x` are one
//! element, written as the smaller of the two. Computations may use any representative of a class.
//! A [`Residue`] is the canonical one.

use core::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use pad_core::{DecodeError, Workers};
use rug::{Complete, Integer};

use crate::{
    count::Counted,
    exponentiation::power_of_table,
    lanes::{self, LANES, Lanes},
    modulus::{read, write_fixed},
};

pub use crate::modular_group::ModularGroup;

/// Smallest number of consecutive squarings for which one power by GMP is faster than single
/// squarings and reductions.
const LONG_CHAIN: u32 = 48;

/// Smallest number of consecutive squarings for which lanes are worth the conversion of the number.
const SHORT_CHAIN: u32 = 4;

/// An element of the group in its canonical form: `0 < x <= N / 2`, coprime to `N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Residue {
    number: Integer,
    /// Length of the encoding in bytes, which is the length of the modulus.
    length: usize,
}

impl Residue {
    /// Returns the number `x`.
    pub const fn as_integer(&self) -> &Integer {
        &self.number
    }

    /// Appends the number as big-endian bytes, with the length of the modulus.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        write_fixed(&self.number, self.length, bytes);
    }
}

/// The group of units modulo an odd `N`, up to sign, implemented with GMP. Powers use vector
/// instructions if the processor has them ([`montgomery_lanes`]) and `N` has about 2048 or 3072
/// bits.
#[derive(Clone, Debug)]
pub struct ResidueGroup {
    modulus: Integer,
    half: Integer,
    length: usize,
    /// Prepared when first needed.
    lanes: OnceLock<Option<Arc<dyn Lanes>>>,
}

impl ResidueGroup {
    /// Creates the group modulo an odd number above 1. The caller checks these properties.
    pub fn new(modulus: Integer) -> Self {
        let half = Integer::from(&modulus >> 1);
        let length = modulus.significant_digits::<u8>();
        Self {
            modulus,
            half,
            length,
            lanes: OnceLock::new(),
        }
    }

    /// Returns arithmetic in lanes, or `None` if the processor or the modulus does not support it.
    fn prepared(&self) -> Option<&dyn Lanes> {
        let lanes = self.lanes.get_or_init(|| lanes::for_modulus(&self.modulus));
        lanes.as_deref()
    }

    /// Computes `g^exponent` from a table of powers of `g`. See [`power_of_table`].
    pub(crate) fn power_of_table(
        &self,
        entries: &[&Integer],
        stride: u32,
        exponent: &Integer,
        workers: &Workers,
    ) -> Integer {
        if let Some(lanes) = self.prepared() {
            return lanes.power_of_table(entries, stride, exponent, workers);
        }
        let entries: Vec<Integer> = entries.iter().copied().cloned().collect();
        power_of_table(self, &entries, stride, exponent, workers)
    }

    /// Returns the modulus `N`.
    pub const fn modulus(&self) -> &Integer {
        &self.modulus
    }

    /// Length of an encoded residue in bytes, which is the length of `N`.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Returns the group element with the representative `number`, which must be invertible and
    /// below `N`.
    pub fn canonical(&self, number: Integer) -> Residue {
        let number = if number > self.half {
            &self.modulus - number
        } else {
            number
        };
        Residue {
            number,
            length: self.length,
        }
    }

    /// Returns whether a residue fits this group in length and range. A residue modulo another
    /// number of this length may fit too.
    pub fn contains(&self, residue: &Residue) -> bool {
        residue.length == self.length && residue.number <= self.half
    }

    /// Returns whether two numbers below `N` represent the same element: they are equal, or their
    /// sum is `N`.
    pub fn same(&self, left: &Integer, right: &Integer) -> bool {
        left == right || (left + right).complete() == self.modulus
    }

    /// Decodes an element of the group from the big-endian bytes of its canonical form `x`.
    ///
    /// Cost: one gcd with the modulus.
    ///
    /// # Errors
    /// * [`DecodeError::LengthMismatch`] if the bytes are not as long as the modulus.
    /// * [`DecodeError::ResidueOutOfRange`] unless `0 < x < N`.
    /// * [`DecodeError::ResidueNotCanonical`] if `x > N / 2`.
    /// * [`DecodeError::ResidueNotUnit`] if `x` has a common factor with `N`.
    pub fn read(&self, bytes: &[u8]) -> Result<Residue, DecodeError> {
        if bytes.len() != self.length {
            return Err(DecodeError::LengthMismatch);
        }
        let number = read(bytes);
        if number.cmp0() == Ordering::Equal || number >= self.modulus {
            return Err(DecodeError::ResidueOutOfRange);
        }
        if number > self.half {
            return Err(DecodeError::ResidueNotCanonical);
        }
        if number.gcd_ref(&self.modulus).complete() != 1 {
            return Err(DecodeError::ResidueNotUnit);
        }
        Ok(Residue {
            number,
            length: self.length,
        })
    }

    /// Like [`ResidueGroup::read`], but rejects the number 1. Honest accumulator values and
    /// witnesses are powers of the base `g`, and never 1. For the value 1, the number 1 would be a
    /// valid witness of every element and of every subset.
    ///
    /// # Errors
    /// The errors of [`ResidueGroup::read`], and [`DecodeError::ResidueOutOfRange`] for 1.
    pub fn read_but_one(&self, bytes: &[u8]) -> Result<Residue, DecodeError> {
        let residue = self.read(bytes)?;
        if residue.number == 1 {
            return Err(DecodeError::ResidueOutOfRange);
        }
        Ok(residue)
    }

    /// Computes `base^exponent` modulo `N` with GMP.
    fn raise(&self, base: &Integer, exponent: &Integer) -> Integer {
        debug_assert!(
            exponent.cmp0() != Ordering::Less,
            "exponents are not negative"
        );
        base.pow_mod_ref(exponent, &self.modulus)
            .map_or_else(|| self.one(), Integer::from)
    }
}

impl ModularGroup for ResidueGroup {
    type Element = Integer;

    fn one(&self) -> Integer {
        Integer::from(1)
    }

    fn multiply(&self, left: &Integer, right: &Integer) -> Integer {
        Counted::Products.add(1);
        (left * right).complete() % &self.modulus
    }

    fn square_times(&self, base: &Integer, count: u32) -> Integer {
        Counted::Products.add(count);
        if count >= SHORT_CHAIN
            && let Some(lanes) = self.prepared()
        {
            return lanes.square_times(base, count);
        }
        // GMP's power squares in Montgomery form. That is a little faster, but the conversions cost
        // as much as two products.
        if count >= LONG_CHAIN {
            return self.raise(base, &(Integer::from(1) << count));
        }
        let mut power = base.clone();
        for _ in 0..count {
            power.square_mut();
            power %= &self.modulus;
        }
        power
    }

    fn power(&self, base: &Integer, exponent: &Integer) -> Integer {
        Counted::Powers.add(1);
        Counted::Bits.add(exponent.significant_bits());
        match self.prepared() {
            Some(lanes) => lanes.power(base, exponent),
            None => self.raise(base, exponent),
        }
    }

    fn multi_power(&self, bases: &[Integer], exponents: &[Integer]) -> Option<Integer> {
        Some(self.prepared()?.multi_power(bases, exponents))
    }

    fn inverse(&self, base: &Integer) -> Integer {
        base.invert_ref(&self.modulus)
            .map_or_else(|| self.one(), Integer::from)
    }

    fn lanes(&self) -> usize {
        self.prepared().map_or(1, |_| LANES)
    }

    fn powers_at_once(
        &self,
        bases: &[&Integer],
        exponents: &[&[&Integer]],
    ) -> Option<Vec<Vec<Integer>>> {
        Some(self.prepared()?.powers(bases, exponents))
    }
}
