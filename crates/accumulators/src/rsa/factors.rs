//! Arithmetic with the factors of the modulus.
//!
//! `g` is a square, so its order divides `p' q'`, and exponents may be reduced modulo that. Their
//! products are computed modulo `p' q'` as one number: a fault there makes a wrong exponent, and a
//! wrong but consistent power, which tells nothing. Only the power itself goes by the Chinese
//! remainder theorem, and only its result is checked.

use std::sync::OnceLock;

use pad_core::Workers;
use rayon::prelude::*;
use rug::{Complete, Integer, integer::Order};

use super::{
    fixed_base::FixedBase,
    group::{ModularGroup, Residue, ResidueGroup},
    parameters::Parameters,
    secret_integer::SecretInteger,
    secret_key::KeyError,
};
use crate::{error::AccumulateError, products};

#[cfg(test)]
mod tests;

/// Primes that are multiplied before the product is reduced.
const BLOCK: usize = 16;
/// Bits of the random multiples of the order that are added to exponents.
const BLINDING_BITS: usize = 64;

/// The factors of a modulus, and what follows from them.
pub(crate) struct Factors {
    sides: [Side; 2],
    /// `p' q'`.
    order: SecretInteger,
    /// `1 / q mod p`.
    inverse: SecretInteger,
    /// The one of `g` and `N - g` that is a square.
    base: SecretInteger,
}

/// One prime factor.
struct Side {
    prime: SecretInteger,
    /// `(prime - 1) / 2`, a prime.
    half: SecretInteger,
    guard: SecretInteger,
    powers: OnceLock<FixedBase>,
}

impl Factors {
    /// The factors `p` and `q` of the parameters' modulus, which the caller has checked.
    ///
    /// # Errors
    /// [`KeyError::RandomnessUnavailable`].
    pub(crate) fn new(p: Integer, q: Integer, parameters: &Parameters) -> Result<Self, KeyError> {
        let inverse = q
            .invert_ref(&p)
            .map(Integer::from)
            .ok_or(KeyError::NotSafePrimes)?;
        let base = parameters.base().as_integer();
        let base = if base.legendre(&p) == 1 {
            base.clone()
        } else {
            (parameters.modulus() - base).complete()
        };
        let sides = [Side::new(p)?, Side::new(q)?];
        let [first, second] = &sides;
        Ok(Self {
            order: SecretInteger::new((&*first.half * &*second.half).complete()),
            inverse: SecretInteger::new(inverse),
            base: SecretInteger::new(base),
            sides,
        })
    }

    /// `p` and `q`.
    pub(crate) fn primes(&self) -> [&Integer; 2] {
        self.sides.each_ref().map(|side| &*side.prime)
    }

    /// `p' q'`, a multiple of the order of `g`.
    pub(crate) fn order(&self) -> &Integer {
        &self.order
    }

    /// The product of primes modulo the order.
    ///
    /// * Cost: per prime one product of block length, and a sixteenth of a product modulo the
    ///   order.
    /// * Time: varies with the primes, which are public, and, in GMP's division, with the digits
    ///   of quotients by the secret order.
    pub(crate) fn exponent<'a>(
        &self,
        primes: impl IntoIterator<Item = &'a Integer>,
        workers: &Workers,
    ) -> SecretInteger {
        let primes: Vec<&Integer> = primes.into_iter().collect();
        let blocks: Vec<Integer> = if workers.threads() == 1 {
            primes.chunks(BLOCK).map(block_product).collect()
        } else {
            workers.run(|| primes.par_chunks(BLOCK).map(block_product).collect())
        };
        let product = products::product(&blocks, |left, right| self.multiply(left, right), workers);
        SecretInteger::new(product.unwrap_or_else(|| Integer::from(1)) % &*self.order)
    }

    /// For each prime the product of all the others, modulo the order.
    ///
    /// Cost: three products modulo the order each.
    pub(crate) fn exponents_of_others(
        &self,
        primes: &[Integer],
        workers: &Workers,
    ) -> Vec<SecretInteger> {
        let multiply = |left: &Integer, right: &Integer| self.multiply(left, right);
        products::products_of_others(primes, &Integer::from(1), multiply, workers)
            .into_iter()
            .map(SecretInteger::new)
            .collect()
    }

    fn multiply(&self, left: &Integer, right: &Integer) -> Integer {
        (left * right).complete() % &*self.order
    }

    /// `g^e` for each exponent from 1 to below the order.
    ///
    /// Cost: two powers by tables of half the length; the tables are built at the first call.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`].
    pub(crate) fn powers_of_base(
        &self,
        group: &ResidueGroup,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<Residue>, AccumulateError> {
        let [left, right] = &self.sides;
        let left = left.powers(&self.base, exponents, workers)?;
        let right = right.powers(&self.base, exponents, workers)?;
        left.iter()
            .zip(&right)
            .map(|(left, right)| self.combine(group, left, right))
            .collect()
    }

    /// The only element of the subgroup of squares, up to sign, that gives `value` when raised
    /// to `exponent`.
    ///
    /// Cost: two constant-time powers of half the length, and one public power with `exponent`,
    /// which checks the result.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`]; [`AccumulateError::ElementAbsent`] if the exponent has
    /// no inverse, which is to say, is no product of short primes.
    pub(crate) fn root(
        &self,
        group: &ResidueGroup,
        value: &Residue,
        exponent: &Integer,
    ) -> Result<Residue, AccumulateError> {
        let [left, right] = &self.sides;
        // Of x and N - x one is a square, but not necessarily the one that is written. The square
        // of either is the same; half the exponent takes it back.
        let square = group.square(value.as_integer());
        let doubled = Integer::from(exponent << 1);
        let left = left.root(&square, &doubled)?;
        let right = right.root(&square, &doubled)?;
        let root = self.combine(group, &left, &right)?;
        if group.same(
            &group.power(root.as_integer(), exponent),
            value.as_integer(),
        ) {
            Ok(root)
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    /// The residue modulo `p q` from those modulo `p` and `q`, checked.
    ///
    /// Source: Garner 1959, "The residue number system".
    fn combine(
        &self,
        group: &ResidueGroup,
        left: &Integer,
        right: &Integer,
    ) -> Result<Residue, AccumulateError> {
        let [p, q] = self.primes();
        let mut difference = (left - right).complete() * &*self.inverse;
        difference.modulo_mut(p);
        let number = difference * q + right;
        let consistent = (p * q).complete() == *group.modulus()
            && (&number % p).complete() == *left
            && (&number % q).complete() == *right;
        if consistent {
            Ok(group.canonical(number))
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    /// Changes one bit of what one prime's powers are made of.
    #[cfg(test)]
    pub(crate) fn break_one_side(&mut self) {
        let side = &mut self.sides[0];
        let mut powers = FixedBase::new(&self.base, &side.prime, &side.guard);
        powers.break_tables();
        side.powers = OnceLock::from(powers);
    }

    /// Changes one bit of the number that recombination multiplies by.
    #[cfg(test)]
    pub(crate) fn break_recombination(&mut self) {
        self.inverse = SecretInteger::new((&*self.inverse + 1_u32).complete());
    }

    /// Changes one bit of a prime.
    #[cfg(test)]
    pub(crate) fn break_prime(&mut self) {
        let side = &mut self.sides[0];
        side.prime = SecretInteger::new((&*side.prime + 2_u32).complete());
    }
}

impl Side {
    fn new(prime: Integer) -> Result<Self, KeyError> {
        Ok(Self {
            half: SecretInteger::new((&prime >> 1_u32).complete()),
            prime: SecretInteger::new(prime),
            guard: SecretInteger::new(random_guard()?),
            powers: OnceLock::new(),
        })
    }

    /// Powers of the base modulo this prime.
    fn powers(
        &self,
        base: &Integer,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<SecretInteger>, AccumulateError> {
        let reduce =
            |exponent: &SecretInteger| SecretInteger::new((&**exponent % &*self.half).complete());
        let reduced: Vec<SecretInteger> = exponents.iter().map(reduce).collect();
        let powers = self
            .powers
            .get_or_init(|| FixedBase::new(base, &self.prime, &self.guard))
            .powers(&reduced, workers)?;
        // The powers were checked against the reduced exponents; this checks those.
        let unchanged = exponents
            .iter()
            .zip(&reduced)
            .all(|(exponent, reduced)| *reduce(exponent) == **reduced);
        if unchanged {
            Ok(powers)
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    /// The root of a square modulo this prime.
    fn root(&self, square: &Integer, exponent: &Integer) -> Result<SecretInteger, AccumulateError> {
        let inverse = exponent
            .invert_ref(&self.half)
            .map(Integer::from)
            .map(SecretInteger::new)
            .ok_or(AccumulateError::ElementAbsent)?;
        let blinding = random_number(BLINDING_BITS / 8).unwrap_or_else(|_| Integer::from(1));
        let blinded = SecretInteger::new((&blinding * &*self.half).complete() + &*inverse);
        let reduced = SecretInteger::new((square % &*self.prime).complete());
        let root = reduced.secure_pow_mod_ref(&blinded, &self.prime);
        Ok(SecretInteger::new(Integer::from(root)))
    }
}

/// The product of a few primes, unreduced.
fn block_product(block: &[&Integer]) -> Integer {
    let mut product = Integer::with_capacity(BLOCK.saturating_mul(320));
    product += 1;
    for prime in block {
        product *= *prime;
    }
    product
}

/// A random prime of 64 bits.
fn random_guard() -> Result<Integer, KeyError> {
    let mut number = random_number(8)?;
    number.set_bit(63, true);
    number.set_bit(62, false);
    Ok(number.next_prime())
}

/// A number from the operating system's random bytes.
pub(crate) fn random_number(length: usize) -> Result<Integer, KeyError> {
    let mut bytes = zeroize::Zeroizing::new(vec![0; length]);
    getrandom::fill(&mut bytes).map_err(|_| KeyError::RandomnessUnavailable)?;
    Ok(Integer::from_digits(&bytes, Order::Msf))
}
