//! Arithmetic with the factors of the modulus.
//!
//! `g` is a square, so its order divides `p' q'`, and exponents may be reduced modulo that. Their
//! products are computed modulo `p' q'` as one number. A fault of the moment there makes a wrong
//! exponent, and a wrong power that is consistent: it does not give the factors away. A lasting
//! fault of the number `p' q'` would tell its bits, one power after the other. Only the power itself
//! goes by the Chinese remainder theorem, where every fault gives the factors away.
//!
//! So before anything is released, the powers are checked by their guards, the recombination
//! against powers that are not reduced yet, and everything that is kept for long against `N` and
//! `g`: `p q = N`, `2 p' + 1 = p`, `2 q' + 1 = q`, the order is `p' q'`, and the tables are those
//! of `p` and `q`, built from a base that is `g` or `N - g` and a square.

use std::sync::OnceLock;

use pad_core::Workers;
use rayon::prelude::*;
use rug::{Complete, Integer, integer::Order};

use super::{
    fixed_base::FixedBase,
    group::{Residue, ResidueGroup},
    parameters::Parameters,
    secret_integer::SecretInteger,
    secret_key::KeyError,
};
use crate::{error::AccumulateError, products};

#[cfg(test)]
mod tests;

/// Primes that are multiplied before the product is reduced.
const BLOCK: usize = 16;

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
        let [p, q] = [p, q].map(SecretInteger::new);
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
        let blocks: Vec<SecretInteger> = if workers.threads() == 1 {
            primes.chunks(BLOCK).map(block_product).collect()
        } else {
            workers.run(|| primes.par_chunks(BLOCK).map(block_product).collect())
        };
        let product = products::product(&blocks, |left, right| self.multiply(left, right), workers);
        // A single block is not reduced yet.
        product.map_or_else(one, |product| {
            SecretInteger::new((&*product % &*self.order).complete())
        })
    }

    /// For each prime the product of all the others, modulo the order.
    ///
    /// Cost: three products modulo the order each.
    pub(crate) fn exponents_of_others(
        &self,
        primes: &[Integer],
        workers: &Workers,
    ) -> Vec<SecretInteger> {
        let primes: Vec<SecretInteger> = primes.iter().cloned().map(SecretInteger::new).collect();
        let multiply = |left: &SecretInteger, right: &SecretInteger| self.multiply(left, right);
        products::products_of_others(&primes, &one(), multiply, workers)
    }

    fn multiply(&self, left: &Integer, right: &Integer) -> SecretInteger {
        SecretInteger::new((left * right).complete() % &*self.order)
    }

    /// `g^e` for each exponent from 1 to below the order, with the `g` of the parameters that this
    /// was made for.
    ///
    /// Cost: two powers by tables of half the length; the tables are built at the first call.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`].
    pub(crate) fn powers_of_base(
        &self,
        parameters: &Parameters,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<Residue>, AccumulateError> {
        let group = parameters.group();
        let [left, right] = &self.sides;
        // Tables are built from the base, and with them it would be too late.
        require(group.same(&self.base, parameters.base().as_integer()))?;
        let left = left.powers(&self.base, exponents, workers)?;
        let right = right.powers(&self.base, exponents, workers)?;
        let powers = left
            .iter()
            .zip(&right)
            .map(|(left, right)| self.combine(group, left, right))
            .collect::<Result<_, _>>()?;
        self.require_intact(group)?;
        Ok(powers)
    }

    /// Checks what is kept for long against the modulus.
    fn require_intact(&self, group: &ResidueGroup) -> Result<(), AccumulateError> {
        let [left, right] = &self.sides;
        let product =
            |left: &Integer, right: &Integer| SecretInteger::new((left * right).complete());
        require(
            *product(&left.prime, &right.prime) == *group.modulus()
                && *product(&left.half, &right.half) == *self.order
                && left.has_its_half()
                && right.has_its_half(),
        )
    }

    /// The residue modulo `p q` from residues modulo multiples of `p` and of `q`, checked. If `p q`
    /// is the modulus, which the caller checks, it is right for both primes.
    ///
    /// Source: Garner 1959, "The residue number system".
    fn combine(
        &self,
        group: &ResidueGroup,
        left: &Integer,
        right: &Integer,
    ) -> Result<Residue, AccumulateError> {
        let [p, q] = self.primes();
        let low = SecretInteger::new((right % q).complete());
        let difference = SecretInteger::new((left - &*low).complete());
        let scaled = SecretInteger::new((&*difference * &*self.inverse).complete());
        let high = SecretInteger::new(scaled.modulo_ref(p).complete());
        let number = SecretInteger::new((&*high * q).complete() + &*low);
        let agrees = |residue: &Integer, prime: &Integer| {
            SecretInteger::new((residue - &*number).complete()).is_divisible(prime)
        };
        require(agrees(left, p) && agrees(right, q))?;
        Ok(group.canonical(Integer::clone(&number)))
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

    /// Changes one bit of what exponents are reduced by for one prime.
    #[cfg(test)]
    pub(crate) fn break_half(&mut self) {
        flip_bit(&mut self.sides[0].half);
    }

    /// Changes one bit of what products of primes are reduced by.
    #[cfg(test)]
    pub(crate) fn break_order(&mut self) {
        flip_bit(&mut self.order);
    }

    /// Changes one bit of the base before the tables are built.
    #[cfg(test)]
    pub(crate) fn break_base(&mut self) {
        flip_bit(&mut self.base);
    }

    /// Builds the tables of one side with a prime of which one bit is changed.
    #[cfg(test)]
    pub(crate) fn break_prime_of_tables(&mut self) {
        let side = &mut self.sides[0];
        let mut prime = side.prime.clone();
        flip_bit(&mut prime);
        side.powers = OnceLock::from(FixedBase::new(&self.base, &prime, &side.guard));
    }

    /// Takes the one of `g` and `N - g` that is no square.
    #[cfg(test)]
    pub(crate) fn break_sign_of_base(&mut self) {
        let [p, q] = self.primes();
        self.base = SecretInteger::new((p * q).complete() - &*self.base);
    }

    /// Changes one bit of a prime.
    #[cfg(test)]
    pub(crate) fn break_prime(&mut self) {
        let side = &mut self.sides[0];
        side.prime = SecretInteger::new((&*side.prime + 2_u32).complete());
    }
}

impl Side {
    fn new(prime: SecretInteger) -> Result<Self, KeyError> {
        Ok(Self {
            half: SecretInteger::new((&*prime >> 1_u32).complete()),
            prime,
            guard: SecretInteger::new(random_guard()?),
            powers: OnceLock::new(),
        })
    }

    fn has_its_half(&self) -> bool {
        let doubled = SecretInteger::new((&*self.half << 1_u32).complete() + 1_u32);
        *doubled == *self.prime
    }

    /// The tables, which are built at the first call.
    fn tables(&self, base: &Integer) -> Result<&FixedBase, AccumulateError> {
        if self.powers.get().is_none() {
            // Reduced exponents are right for squares only: of the other one of g and N - g, the
            // signs modulo p and q would differ.
            require(base.legendre(&self.prime) == 1)?;
        }
        let tables = self
            .powers
            .get_or_init(|| FixedBase::new(base, &self.prime, &self.guard));
        let modulus = SecretInteger::new((&*self.prime * &*self.guard).complete());
        require(tables.are_modulo(&modulus))?;
        Ok(tables)
    }

    /// Powers of the base modulo this prime times its guard.
    fn powers(
        &self,
        base: &Integer,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<SecretInteger>, AccumulateError> {
        let reduce =
            |exponent: &SecretInteger| SecretInteger::new((&**exponent % &*self.half).complete());
        let reduced: Vec<SecretInteger> = exponents.iter().map(reduce).collect();
        let powers = self.tables(base)?.powers(&reduced, workers)?;
        // The powers were checked against the reduced exponents; this checks those.
        let unchanged = exponents
            .iter()
            .zip(&reduced)
            .all(|(exponent, reduced)| *reduce(exponent) == **reduced);
        require(unchanged)?;
        Ok(powers)
    }
}

#[cfg(test)]
fn flip_bit(number: &mut SecretInteger) {
    let mut changed = Integer::clone(number);
    changed.toggle_bit(100);
    *number = SecretInteger::new(changed);
}

/// Refuses to go on after a failed check.
const fn require(right: bool) -> Result<(), AccumulateError> {
    if right {
        Ok(())
    } else {
        Err(AccumulateError::FaultDetected)
    }
}

fn one() -> SecretInteger {
    SecretInteger::new(Integer::from(1))
}

/// The product of a few primes, unreduced.
fn block_product(block: &[&Integer]) -> SecretInteger {
    let mut product = Integer::with_capacity(BLOCK.saturating_mul(320));
    product += 1;
    for prime in block {
        product *= *prime;
    }
    SecretInteger::new(product)
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
