//! Powers of one base with the factors of the modulus, checked for faults.
//!
//! The base is a square, so its order divides `p' q'`, and exponents may be reduced modulo `p' q'`.
//! Powers are computed by the Chinese remainder theorem. A fault modulo one factor would reveal the
//! factors to any party that knows the base and the full exponent. Before a result is released:
//!
//! * The power modulo each prime is computed modulo the prime times a random guard, and compared
//!   with the power modulo the guard from 64-bit arithmetic.
//! * The reduced exponents are computed again and compared.
//! * The recombined power is compared with both powers before their last reduction. So no step
//!   between the check of the two powers and this check is unprotected.
//! * Stored primes and base are compared with `N` and `g`: `p q = N`, `2 p' + 1 = p`,
//!   `2 q' + 1 = q`, and the order is `p' q'`. The tables must be tables of `p` and `q`, built from
//!   a base that is `g` or `N - g` and a square.
//!
//! A transient fault in the caller's arithmetic modulo the order causes a wrong exponent and a
//! wrong but consistent power. It does not reveal the factors. A permanent fault of the number
//! `p' q'` would reveal its bits, one power after the other.
//!
//! Source: Shamir 1997 (the guard); Boneh, `DeMillo` & Lipton 1997 (the attack); Garner 1959, "The
//! residue number system" (the recombination).

use core::fmt;
use std::sync::OnceLock;

use pad_core::Workers;
use rug::{Complete, Integer};

use crate::{
    count::Counted,
    error::{FaultDetected, KeyError},
    fixed_base::FixedBase,
    group::ResidueGroup,
    safe_primes::{PrimePair, random_number},
    secret_integer::SecretInteger,
};

#[cfg(test)]
mod tests;

/// The secret factors `p` and `q` of a modulus, prepared for computing powers of one base. `Debug`
/// does not print them.
pub struct Factors {
    sides: [Side; 2],
    /// The product `p' q'`, a multiple of the order of the base, where `p = 2 p' + 1` and
    /// `q = 2 q' + 1`.
    order: SecretInteger,
    /// The inverse `1 / q mod p`, which combines residues modulo `p` and `q` to a residue modulo
    /// `p q`.
    inverse: SecretInteger,
    /// The base of all powers, a square modulo both factors.
    base: SecretInteger,
}

/// One prime factor of the modulus, with its guard and its tables of powers.
struct Side {
    prime: SecretInteger,
    /// `(prime - 1) / 2`, a prime.
    half: SecretInteger,
    guard: SecretInteger,
    powers: OnceLock<FixedBase>,
    /// Whether every reduction modulo the prime returns a wrong result, to simulate a fault in
    /// tests.
    #[cfg(test)]
    breaks_remainders: bool,
}

impl fmt::Debug for Factors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Factors(..)")
    }
}

impl Factors {
    /// Prepares the factors of a modulus for powers of `base`.
    ///
    /// # Errors
    /// [`KeyError::UnsuitableBase`] if the base is 1 or not a square modulo one of the factors;
    /// [`KeyError::RandomnessUnavailable`] if the operating system provides no random bytes.
    pub fn new(primes: PrimePair, base: &Integer) -> Result<Self, KeyError> {
        let [p, q] = primes.into_primes();
        let inverse = q.invert_ref(&p).map(Integer::from);
        let inverse = SecretInteger::new(inverse.ok_or(KeyError::NotSafePrimes)?);
        for prime in [&p, &q] {
            let residue = SecretInteger::new((base % &**prime).complete());
            if *residue == 1 || base.legendre(prime) != 1 {
                return Err(KeyError::UnsuitableBase);
            }
        }
        let sides = [Side::new(p)?, Side::new(q)?];
        let [first, second] = &sides;
        Ok(Self {
            order: SecretInteger::new((&*first.half * &*second.half).complete()),
            inverse,
            base: SecretInteger::new(base.clone()),
            sides,
        })
    }

    /// Returns `p` and `q`, where `q < p`.
    pub fn primes(&self) -> [&Integer; 2] {
        self.sides.each_ref().map(|side| &*side.prime)
    }

    /// Returns `p' q'`, a multiple of the order of the base, where `p = 2 p' + 1` and
    /// `q = 2 q' + 1`.
    pub fn order(&self) -> &Integer {
        &self.order
    }

    /// Raises the base of these factors to a nonnegative `exponent`, modulo `N`. `base` must be the
    /// base of these factors, or `N` minus that base; the result is equal for both. `group` must
    /// have the modulus `N`.
    ///
    /// Cost: two fixed-base exponentiations, each modulo one prime times its 64-bit guard. The
    /// first call builds the tables.
    ///
    /// # Errors
    /// [`FaultDetected`] if a check fails, for another group or base, or for a negative exponent.
    pub fn power(
        &self,
        group: &ResidueGroup,
        base: &Integer,
        exponent: SecretInteger,
    ) -> Result<Integer, FaultDetected> {
        self.powers(group, base, &[exponent], &Workers::sequential())?
            .pop()
            .ok_or(FaultDetected)
    }

    /// Like [`Factors::power`], but computes one power for each exponent, in their order.
    ///
    /// # Errors
    /// The errors of [`Factors::power`].
    pub fn powers(
        &self,
        group: &ResidueGroup,
        base: &Integer,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<Integer>, FaultDetected> {
        let [left, right] = &self.sides;
        // Checked first: the tables are built from the base.
        require(group.same(&self.base, base))?;
        Counted::PowersByFactors.add(exponents.len());
        let left = left.powers(&self.base, exponents, workers)?;
        let right = right.powers(&self.base, exponents, workers)?;
        let powers = left.iter().zip(&right);
        let powers = powers.map(|(left, right)| self.combine(group, left, right));
        let powers = powers.collect::<Result<_, _>>()?;
        self.require_intact(group)?;
        Ok(powers)
    }

    /// Checks that the stored primes still match the modulus and the stored order, which a memory
    /// fault may have changed.
    fn require_intact(&self, group: &ResidueGroup) -> Result<(), FaultDetected> {
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

    /// Combines residues modulo multiples of `p` and of `q` into the residue modulo `p q`, and
    /// checks the result against both inputs. The caller must check that `p q` is the modulus.
    fn combine(
        &self,
        group: &ResidueGroup,
        left: &Integer,
        right: &Integer,
    ) -> Result<Integer, FaultDetected> {
        let [p, q] = &self.sides;
        let low = q.remainder(right);
        let difference = SecretInteger::new((left - &*low).complete());
        let scaled = SecretInteger::new((&*difference * &*self.inverse).complete());
        let high = p.remainder(&scaled);
        let number = SecretInteger::new((&*high * &*q.prime).complete() + &*low);
        let agrees = |residue: &Integer, side: &Side| {
            SecretInteger::new((residue - &*number).complete()).is_divisible(&side.prime)
        };
        require(agrees(left, p) && agrees(right, q) && *number < *group.modulus())?;
        Ok(Integer::clone(&number))
    }
}

impl Side {
    fn new(prime: SecretInteger) -> Result<Self, KeyError> {
        Ok(Self {
            half: SecretInteger::new((&*prime >> 1_u32).complete()),
            prime,
            guard: SecretInteger::new(random_guard()?),
            powers: OnceLock::new(),
            #[cfg(test)]
            breaks_remainders: false,
        })
    }

    /// Reduces a number modulo this prime factor.
    fn remainder(&self, number: &Integer) -> SecretInteger {
        #[cfg_attr(not(test), allow(unused_mut, reason = "tests break it"))]
        let mut remainder = number.modulo_ref(&self.prime).complete();
        #[cfg(test)]
        if self.breaks_remainders {
            remainder.toggle_bit(3);
        }
        SecretInteger::new(remainder)
    }

    /// Reduces an exponent modulo `(prime - 1) / 2`, the order of the base modulo this prime.
    /// Returns that order instead of zero, because GMP's secure power rejects zero.
    fn reduced(&self, exponent: &Integer) -> SecretInteger {
        let reduced = SecretInteger::new((exponent % &*self.half).complete());
        if *reduced == 0 {
            return self.half.clone();
        }
        reduced
    }

    fn has_its_half(&self) -> bool {
        let doubled = SecretInteger::new((&*self.half << 1_u32).complete() + 1_u32);
        *doubled == *self.prime
    }

    /// Returns the tables of powers of `base` modulo this prime. The first call builds them.
    fn tables(&self, base: &Integer) -> Result<&FixedBase, FaultDetected> {
        if self.powers.get().is_none() {
            // Reduced exponents are right for squares only. For a base that is not a square, the
            // signs modulo p and q could differ.
            require(base.legendre(&self.prime) == 1)?;
        }
        let tables = self
            .powers
            .get_or_init(|| FixedBase::new(base, &self.prime, &self.guard));
        let modulus = SecretInteger::new((&*self.prime * &*self.guard).complete());
        require(tables.are_modulo(&modulus))?;
        Ok(tables)
    }

    /// Computes powers of the base modulo this prime times its guard.
    fn powers(
        &self,
        base: &Integer,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<SecretInteger>, FaultDetected> {
        require(exponents.iter().all(|exponent| !exponent.is_negative()))?;
        let reduced = exponents.iter().map(|exponent| self.reduced(exponent));
        let reduced: Vec<SecretInteger> = reduced.collect();
        let powers = self.tables(base)?.powers(&reduced, workers)?;
        // The powers were checked against the reduced exponents. This checks the reduced exponents.
        let mut pairs = exponents.iter().zip(&reduced);
        let unchanged = pairs.all(|(exponent, reduced)| *self.reduced(exponent) == **reduced);
        require(unchanged)?;
        Ok(powers)
    }
}

/// Returns an error if `right`, the result of a check, is false.
const fn require(right: bool) -> Result<(), FaultDetected> {
    if right { Ok(()) } else { Err(FaultDetected) }
}

/// Generates a guard: a random prime of 64 bits.
fn random_guard() -> Result<Integer, KeyError> {
    let mut number = random_number(8)?;
    number.set_bit(63, true);
    number.set_bit(62, false);
    Ok(number.next_prime())
}
