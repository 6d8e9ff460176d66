//! Powers of the base by who knows the factors of the modulus.
//!
//! A power goes by the Chinese remainder theorem, so a computation that goes wrong modulo one factor only
//! would give the factors away to everybody who knows the block. Before a power leaves:
//!
//! * each half is computed modulo its prime times a guard prime, and compared with the power modulo the
//!   guard;
//! * the reduced exponents are computed again and compared;
//! * the recombined power is compared with both halves as they were before the last reduction, so that
//!   nothing that a fault can change lies between the check of a half and that of the whole;
//! * what is kept is compared with the modulus: `p q = N`, `2 p' + 1 = p`, and the bases with `g`.
//!
//! The powers run in constant time (`mpz_powm_sec`). Divisions by the secret numbers do not, beyond what
//! GMP's division does: their times depend on lengths, and slightly on rare corrections of quotients.
//!
//! Source: Shamir 1997 (the guard); Boneh, `DeMillo` & Lipton 1997 (the attack).

use core::fmt;

use accumulators::rsa::secret_integer::SecretInteger;
use rug::{Complete, Integer, integer::IsPrime};

use super::TagError;

/// The largest prime of 64 bits.
const GUARD: u64 = u64::MAX - 58;
/// Rounds of the tests of primality of the factors.
const PRIMALITY_ROUNDS: u32 = 40;
/// The bits by which `p` and `q` must differ, at least, less than their length: FIPS 186-5 has 100.
const CLOSENESS_BITS: u32 = 100;

/// The two factors of a modulus, and what follows from them.
pub(super) struct Factors {
    sides: [Side; 2],
    /// `1 / q mod p`.
    inverse: SecretInteger,
}

/// One prime factor.
struct Side {
    prime: SecretInteger,
    /// `(prime - 1) / 2`, a prime: the order of squares.
    half: SecretInteger,
    /// `prime * GUARD`.
    guarded: SecretInteger,
    /// The base modulo that.
    base: SecretInteger,
    /// A fault of every reduction modulo the prime.
    #[cfg(test)]
    breaks_remainders: bool,
}

impl fmt::Debug for Factors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Factors(..)")
    }
}

impl Factors {
    /// The factors `p` and `q`, for powers of this base.
    ///
    /// # Errors
    /// [`TagError::UnsuitablePrimes`] if the product has not exactly this many bits or the factors are
    /// close to each other; [`TagError::NotSafePrimes`]; [`TagError::UnsuitableBase`] if the base is not
    /// a square other than 1 modulo both.
    pub(super) fn new(primes: [Integer; 2], base: &Integer, bits: u32) -> Result<Self, TagError> {
        let [p, q] = primes.map(SecretInteger::new);
        require_suitable(&p, &q, bits)?;
        let inverse = q.invert_ref(&p).map(Integer::from);
        let inverse = inverse.ok_or(TagError::NotSafePrimes)?;
        for prime in [&p, &q] {
            if !is_safe_prime(prime) {
                return Err(TagError::NotSafePrimes);
            }
            let residue = SecretInteger::new((base % &**prime).complete());
            if *residue == 1 || base.legendre(prime) != 1 {
                return Err(TagError::UnsuitableBase);
            }
        }
        Ok(Self {
            sides: [Side::new(p, base), Side::new(q, base)],
            inverse: SecretInteger::new(inverse),
        })
    }

    /// `p` and `q`.
    pub(super) fn primes(&self) -> [&Integer; 2] {
        self.sides.each_ref().map(|side| &*side.prime)
    }

    /// Has every reduction modulo one prime go wrong.
    #[cfg(test)]
    pub(super) fn break_remainders(&mut self, side: usize) {
        self.sides[side].breaks_remainders = true;
    }

    /// The base raised to an exponent that is not negative.
    ///
    /// Cost: two powers of half the length, whatever the exponent.
    ///
    /// # Errors
    /// [`TagError::FaultDetected`].
    pub(super) fn power(
        &self,
        exponent: &Integer,
        modulus: &Integer,
        base: &Integer,
    ) -> Result<Integer, TagError> {
        let [p, q] = &self.sides;
        // Both still with their guards.
        let [at_p, at_q] = [p.power(exponent)?, q.power(exponent)?];
        // q * ((at_p - low) / q mod p) + low
        let low = q.remainder(&at_q);
        let difference = SecretInteger::new((&*at_p - &*low).complete() * &*self.inverse);
        let quotient = p.remainder(&difference);
        let power = (&*quotient * &*q.prime).complete() + &*low;
        let sound = p.is_sound(exponent, &power, &at_p, base)
            && q.is_sound(exponent, &power, &at_q, base)
            && (&*p.prime * &*q.prime).complete() == *modulus
            && power < *modulus;
        if sound {
            Ok(power)
        } else {
            Err(TagError::FaultDetected)
        }
    }
}

impl Side {
    fn new(prime: SecretInteger, base: &Integer) -> Self {
        let half = SecretInteger::new((&*prime >> 1_u32).complete());
        let guarded = SecretInteger::new((&*prime * GUARD).complete());
        let base = SecretInteger::new((base % &*guarded).complete());
        Self {
            prime,
            half,
            guarded,
            base,
            #[cfg(test)]
            breaks_remainders: false,
        }
    }

    /// The exponent modulo the order of the base, but not zero.
    fn reduced(&self, exponent: &Integer) -> SecretInteger {
        let reduced = SecretInteger::new((exponent % &*self.half).complete());
        if *reduced == 0 {
            return self.half.clone();
        }
        reduced
    }

    /// The base raised to an exponent, modulo the prime times the guard.
    fn power(&self, exponent: &Integer) -> Result<SecretInteger, TagError> {
        let reduced = self.reduced(exponent);
        let base = Integer::clone(&self.base);
        let power = SecretInteger::new(base.secure_pow_mod(&reduced, &self.guarded));
        let guard = Integer::from(GUARD);
        let order = SecretInteger::new((&*reduced % (GUARD - 1)).complete());
        let expected = (&*self.base % &guard).complete().pow_mod(&order, &guard);
        // Off from the definition modulo the guard only where the base is zero there, as both sides are.
        if expected.as_ref() != Ok(&(&*power % &guard).complete()) {
            return Err(TagError::FaultDetected);
        }
        // A change of the reduced exponent shows neither in the guard nor in the recombination.
        if *reduced != *self.reduced(exponent) {
            return Err(TagError::FaultDetected);
        }
        Ok(power)
    }

    /// A number modulo the prime.
    fn remainder(&self, number: &Integer) -> SecretInteger {
        #[cfg_attr(not(test), allow(unused_mut, reason = "tests break it"))]
        let mut remainder = number.modulo_ref(&self.prime).complete();
        #[cfg(test)]
        if self.breaks_remainders {
            remainder.toggle_bit(3);
        }
        SecretInteger::new(remainder)
    }

    /// Whether a recombined power is this side's, which is not reduced yet, and what is kept is what it was.
    fn is_sound(&self, exponent: &Integer, power: &Integer, own: &Integer, base: &Integer) -> bool {
        let difference = SecretInteger::new((own - power).complete());
        let base = SecretInteger::new((base % &*self.guarded).complete());
        let prime = SecretInteger::new((&*self.half << 1_u32).complete() + 1_u32);
        !exponent.is_negative()
            && difference.is_divisible(&self.prime)
            && *base == *self.base
            && *prime == *self.prime
            && SecretInteger::new((&*self.prime * GUARD).complete()).eq(&*self.guarded)
    }
}

/// Checks lengths and distance of the primes.
fn require_suitable(p: &Integer, q: &Integer, bits: u32) -> Result<(), TagError> {
    let difference = SecretInteger::new((p - q).complete());
    let half = bits.div_ceil(2);
    let apart = difference.significant_bits().saturating_add(CLOSENESS_BITS) > half;
    let lengths = [p, q].map(Integer::significant_bits) == [half; 2];
    let product = SecretInteger::new((p * q).complete());
    if p > &0 && q > &0 && lengths && apart && product.significant_bits() == bits {
        Ok(())
    } else {
        Err(TagError::UnsuitablePrimes)
    }
}

/// Whether `prime` and half of it are primes.
fn is_safe_prime(prime: &Integer) -> bool {
    let half = SecretInteger::new((prime >> 1_u32).complete());
    prime.is_odd()
        && half.is_probably_prime(PRIMALITY_ROUNDS) != IsPrime::No
        && prime.is_probably_prime(PRIMALITY_ROUNDS) != IsPrime::No
}
