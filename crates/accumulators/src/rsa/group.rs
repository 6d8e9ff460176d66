//! The group of the RSA accumulator: units modulo `N`, up to sign.
//!
//! In `Z_N*` everybody knows an element of order two, `-1`, and with it a second root for every
//! equation that a proof of exponentiation checks. So the group is the quotient `Z_N*/{1, -1}`: `x`
//! and `N - x` are one element, written as the smaller of the two (Boneh, Bünz & Fisch 2019,
//! section 3.3). Inside computations any representative may stand for its class; a [`Residue`] is
//! the canonical one.

use core::cmp::Ordering;

use pad_core::DecodeError;
use rug::{Complete, Integer, integer::Order};
use zeroize::Zeroizing;

use crate::wire::Reader;

/// The number of squarings from which on GMP's power is faster than squaring and reducing.
const LONG_CHAIN: u32 = 48;

/// The arithmetic that the accumulator's algorithms need from a group of unknown order. They are
/// written over this trait, so that another implementation (vector kernels, another group) only
/// has to provide these.
///
/// Exponents are not negative. Nothing here is meant for secrets: everything is variable-time.
pub(crate) trait ModularGroup: Sync {
    /// A representative of an element.
    type Element: Clone + Eq + Send + Sync;

    /// The neutral element.
    fn one(&self) -> Self::Element;
    /// The product.
    fn multiply(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;
    /// The product of an element with itself.
    fn square(&self, base: &Self::Element) -> Self::Element;
    /// The element squared `count` times.
    fn square_times(&self, base: &Self::Element, count: u32) -> Self::Element;
    /// The power.
    fn power(&self, base: &Self::Element, exponent: &Integer) -> Self::Element;
    /// The inverse.
    fn inverse(&self, base: &Self::Element) -> Self::Element;
}

/// An element of the group in its canonical form: `0 < x <= N / 2`, coprime to `N`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Residue {
    number: Integer,
    /// Of the encoding, in bytes: that of the modulus.
    length: usize,
}

impl Residue {
    /// The number.
    pub const fn as_integer(&self) -> &Integer {
        &self.number
    }

    /// Appends the number, big-endian, as long as the modulus.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        write_fixed(&self.number, self.length, bytes);
    }
}

/// The group of units modulo an odd `N`, up to sign, by GMP.
#[derive(Clone, Debug)]
pub(crate) struct ResidueGroup {
    modulus: Integer,
    half: Integer,
    length: usize,
}

impl ResidueGroup {
    /// The group modulo this odd number above 1; parameters check that.
    pub(crate) fn new(modulus: Integer) -> Self {
        let half = Integer::from(&modulus >> 1);
        let length = modulus.significant_digits::<u8>();
        Self {
            modulus,
            half,
            length,
        }
    }

    /// `N`.
    pub(crate) const fn modulus(&self) -> &Integer {
        &self.modulus
    }

    /// The length of an encoded residue in bytes: that of `N`.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// The element that a reduced, invertible number stands for.
    pub(crate) fn canonical(&self, number: Integer) -> Residue {
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

    /// Whether a residue may be one of this group: one that was made for another modulus may not.
    pub(crate) fn contains(&self, residue: &Residue) -> bool {
        residue.length == self.length && residue.number <= self.half
    }

    /// Whether two reduced numbers stand for one element.
    pub(crate) fn same(&self, left: &Integer, right: &Integer) -> bool {
        left == right || (left + right).complete() == self.modulus
    }

    /// Reads a residue and checks that it is a canonical element of the group.
    ///
    /// Cost: one gcd with the modulus.
    ///
    /// # Errors
    /// [`DecodeError::ResidueOutOfRange`], [`DecodeError::ResidueNotCanonical`],
    /// [`DecodeError::ResidueNotUnit`].
    pub(crate) fn read(&self, reader: &mut Reader<'_>) -> Result<Residue, DecodeError> {
        let number = Integer::from_digits(reader.take(self.length)?, Order::Msf);
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

    /// As [`ResidueGroup::read`], for a value or a witness, which is a power of `g` and never 1:
    /// for the value 1 everything would have a witness, and every set would extend it.
    ///
    /// # Errors
    /// As for [`ResidueGroup::read`]; 1 is [`DecodeError::ResidueOutOfRange`].
    pub(crate) fn read_but_one(&self, reader: &mut Reader<'_>) -> Result<Residue, DecodeError> {
        let residue = self.read(reader)?;
        if residue.number == 1 {
            return Err(DecodeError::ResidueOutOfRange);
        }
        Ok(residue)
    }
}

impl ModularGroup for ResidueGroup {
    type Element = Integer;

    fn one(&self) -> Integer {
        Integer::from(1)
    }

    fn multiply(&self, left: &Integer, right: &Integer) -> Integer {
        (left * right).complete() % &self.modulus
    }

    fn square(&self, base: &Integer) -> Integer {
        base.square_ref().complete() % &self.modulus
    }

    fn square_times(&self, base: &Integer, count: u32) -> Integer {
        // GMP's power squares in Montgomery form. That is a little faster, but the way there and
        // back costs as much as two products.
        if count >= LONG_CHAIN {
            return self.power(base, &(Integer::from(1) << count));
        }
        let mut power = base.clone();
        for _ in 0..count {
            power.square_mut();
            power %= &self.modulus;
        }
        power
    }

    fn power(&self, base: &Integer, exponent: &Integer) -> Integer {
        debug_assert!(
            exponent.cmp0() != Ordering::Less,
            "exponents are not negative"
        );
        base.pow_mod_ref(exponent, &self.modulus)
            .map_or_else(|| self.one(), Integer::from)
    }

    fn inverse(&self, base: &Integer) -> Integer {
        base.invert_ref(&self.modulus)
            .map_or_else(|| self.one(), Integer::from)
    }
}

/// Appends a number, big-endian, in exactly `length` bytes, which it must fit. The number may be
/// secret: the copy of its digits is wiped; that `bytes` does not grow is for the caller to see to.
pub(crate) fn write_fixed(number: &Integer, length: usize, bytes: &mut Vec<u8>) {
    let digits = Zeroizing::new(number.to_digits::<u8>(Order::Msf));
    let padding = length.saturating_sub(digits.len());
    bytes.resize(bytes.len().saturating_add(padding), 0);
    bytes.extend_from_slice(&digits);
}
