//! Units modulo `N`, up to sign.
//!
//! In `Z_N*` an element of order two is known to all: `-1`. It is its own `l`-th root for every odd
//! `l`, so a proof of exponentiation there could pass off `-y` for `y`. The group here is the
//! quotient `Z_N*/{1, -1}`: `x` and `N - x` are one element, written as the smaller of the two
//! (Boneh, Bünz & Fisch 2019, section 3.3). Inside computations any representative may stand for its
//! class; a [`Residue`] is the canonical one.

use core::{cmp::Ordering, fmt::Debug};

use pad_core::DecodeError;
use rug::{Complete, Integer};

use crate::{
    count::Counted,
    modulus::{read, write_fixed},
};

/// The number of squarings from which on GMP's power is faster than squaring and reducing.
const LONG_CHAIN: u32 = 48;

/// The arithmetic that algorithms for everybody need from a group of unknown order. They are
/// written over this trait, so that another implementation (vector kernels, another group) only
/// has to provide these.
///
/// Exponents are not negative. Nothing here is meant for secrets: everything is variable-time.
pub trait ModularGroup: Sync {
    /// A representative of an element.
    type Element: Clone + Debug + Eq + Send + Sync;

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
    pub fn write(&self, bytes: &mut Vec<u8>) {
        write_fixed(&self.number, self.length, bytes);
    }
}

/// The group of units modulo an odd `N`, up to sign, by GMP.
#[derive(Clone, Debug)]
pub struct ResidueGroup {
    modulus: Integer,
    half: Integer,
    length: usize,
}

impl ResidueGroup {
    /// The group modulo this odd number above 1; parameters check that.
    pub fn new(modulus: Integer) -> Self {
        let half = Integer::from(&modulus >> 1);
        let length = modulus.significant_digits::<u8>();
        Self {
            modulus,
            half,
            length,
        }
    }

    /// `N`.
    pub const fn modulus(&self) -> &Integer {
        &self.modulus
    }

    /// The length of an encoded residue in bytes: that of `N`.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The element that a reduced, invertible number stands for.
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

    /// Whether a residue may be one of this group: one that was made for another modulus may not.
    pub fn contains(&self, residue: &Residue) -> bool {
        residue.length == self.length && residue.number <= self.half
    }

    /// Whether two reduced numbers stand for one element.
    pub fn same(&self, left: &Integer, right: &Integer) -> bool {
        left == right || (left + right).complete() == self.modulus
    }

    /// The canonical element of the group with this encoding.
    ///
    /// Cost: one gcd with the modulus.
    ///
    /// # Errors
    /// [`DecodeError::LengthMismatch`], [`DecodeError::ResidueOutOfRange`], [`DecodeError::ResidueNotCanonical`],
    /// [`DecodeError::ResidueNotUnit`].
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

    /// As [`ResidueGroup::read`], for a value or a witness, which is a power of `g` and never 1:
    /// for the value 1 everything would have a witness, and every set would extend it.
    ///
    /// # Errors
    /// As for [`ResidueGroup::read`]; 1 is [`DecodeError::ResidueOutOfRange`].
    pub fn read_but_one(&self, bytes: &[u8]) -> Result<Residue, DecodeError> {
        let residue = self.read(bytes)?;
        if residue.number == 1 {
            return Err(DecodeError::ResidueOutOfRange);
        }
        Ok(residue)
    }

    /// The power, by GMP.
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

    fn square(&self, base: &Integer) -> Integer {
        Counted::Products.add(1);
        base.square_ref().complete() % &self.modulus
    }

    fn square_times(&self, base: &Integer, count: u32) -> Integer {
        Counted::Products.add(count);
        // GMP's power squares in Montgomery form. That is a little faster, but the way there and
        // back costs as much as two products.
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
        self.raise(base, exponent)
    }

    fn inverse(&self, base: &Integer) -> Integer {
        base.invert_ref(&self.modulus)
            .map_or_else(|| self.one(), Integer::from)
    }
}
