//! A sieve for odd numbers without small prime factors.
//!
//! A number is split into digits of twelve bits. For each small prime, the position of the first
//! multiple is the dot product of the digits with constants, reduced modulo the prime. Compilers
//! vectorise the dot product. This is far cheaper than a long division by every prime. The numbers
//! are public, so the running time may depend on them.
//!
//! Source: Crosby & Wallach 2010, section 4.3 ("testing successive integers until we find a prime
//! number"); the sieve is Eratosthenes'.

#![deny(clippy::arithmetic_side_effects)]

use core::num::NonZeroU16;
use std::sync::LazyLock;

use rsa_group::safe_primes::odd_primes_below;

#[cfg(test)]
mod tests;

/// Number of consecutive odd numbers (a stretch) that are sieved together. One in 220 searches for
/// a prime of 273 bits needs a second stretch.
pub(crate) const STRETCH: usize = 512;

/// Exclusive upper bound of the primes of the sieve, chosen by measurement: see [`survivors`].
pub(crate) const BOUND: u16 = 1 << 14;

/// Number of primes that [`has_small_factor`] tries.
const TRIALS: usize = 64;

/// Number of twelve-bit digits of a number, enough for six limbs. Even with primes up to 2^15, the
/// product of a digit and a weight is below 2^26. The sum of all products is below 2^31.
const DIGITS: usize = 32;
const DIGIT_BITS: u32 = 12;
/// The sum of the products of digits and weights is above `-SUM_BOUND`.
const SUM_BOUND: u32 = 1 << 31;

type Digits = [i16; DIGITS];

/// The odd primes below [`BOUND`], in ascending order.
static PRIMES: LazyLock<Vec<SievePrime>> = LazyLock::new(|| {
    let primes = odd_primes_below(usize::from(BOUND)).into_iter();
    let primes = primes.filter_map(|prime| NonZeroU16::new(u16::try_from(prime).ok()?));
    primes.map(SievePrime::new).collect()
});

/// Returns for each of the [`STRETCH`] odd numbers from `start` on whether it has no factor below
/// [`BOUND`]. `start` is odd and at least `BOUND`.
///
/// * Cost: about 1.5 ns a prime, for 1899 primes. Twice the bound would double this cost and save
///   one candidate in fifteen.
pub(crate) fn survivors<const LIMBS: usize>(start: &[u64; LIMBS]) -> [bool; STRETCH] {
    let digits = digits(start);
    let mut survives = [true; STRETCH];
    // Multiples beyond the stretch are written to a dummy place, which avoids a mispredicted
    // branch.
    let mut beyond = true;
    for prime in PRIMES.iter() {
        let mut position = prime.first_multiple(&digits);
        if prime.step < STRETCH {
            while let Some(place) = survives.get_mut(position) {
                *place = false;
                position = position.wrapping_add(prime.step);
            }
        } else {
            *survives.get_mut(position).unwrap_or(&mut beyond) = false;
        }
    }
    survives
}

/// Returns whether one of the first [`TRIALS`] odd primes divides `number`, which is odd and at
/// least [`BOUND`].
pub(crate) fn has_small_factor<const LIMBS: usize>(number: &[u64; LIMBS]) -> bool {
    let digits = digits(number);
    let mut trials = PRIMES.iter().take(TRIALS);
    trials.any(|prime| prime.first_multiple(&digits) == 0)
}

/// A small odd prime with precomputed constants for the sieve.
struct SievePrime {
    /// Entry `i` is the weight of digit `i`: `2^(12 i) * (-1/2)` modulo the prime, as the residue
    /// nearest to zero.
    weights: Digits,
    /// `2^64 / prime`, rounded up. It replaces a division by the prime with multiplications.
    reciprocal: u64,
    /// The least multiple of the prime from [`SUM_BOUND`] on. Adding it to a sum of products makes
    /// the sum nonnegative.
    bias: u32,
    prime: u64,
    /// The prime again, as the distance between its multiples in a list of odd numbers.
    step: usize,
}

impl SievePrime {
    fn new(prime: NonZeroU16) -> Self {
        let mut weight = u32::from(prime.get() >> 1);
        let wide = core::num::NonZeroU32::from(prime);
        let weights = core::array::from_fn(|_| {
            let current = weight;
            weight = (weight << DIGIT_BITS) % wide;
            balanced(current, prime)
        });
        let multiples = SUM_BOUND.div_ceil(wide.get());
        Self {
            weights,
            reciprocal: (u64::MAX / core::num::NonZeroU64::from(prime)).wrapping_add(1),
            bias: multiples.wrapping_mul(wide.get()),
            prime: u64::from(prime.get()),
            step: usize::from(prime.get()),
        }
    }

    /// Returns the least `i` for which the prime divides `number + 2 i`, which is `-number / 2`
    /// modulo the prime. `digits` are the digits of `number`.
    #[inline]
    fn first_multiple(&self, digits: &Digits) -> usize {
        let sum = digits
            .iter()
            .zip(&self.weights)
            .fold(0_i32, |sum, (digit, weight)| {
                sum.wrapping_add(i32::from(*digit).wrapping_mul(i32::from(*weight)))
            });
        let sum = sum.cast_unsigned().wrapping_add(self.bias);
        // The fraction of sum / prime in units of 2^-64, times the prime.
        // Source: Lemire, Kaser & Kurz 2019, "Faster remainder by direct computation".
        let fraction = self.reciprocal.wrapping_mul(u64::from(sum));
        let (_, remainder) = fraction.carrying_mul(self.prime, 0);
        usize::try_from(remainder).unwrap_or(usize::MAX)
    }
}

/// Returns the number congruent to `residue` (below `modulus`) that is nearest to zero.
fn balanced(residue: u32, modulus: NonZeroU16) -> i16 {
    let residue = i32::try_from(residue).unwrap_or(0);
    let modulus = i32::from(modulus.get());
    let nearest = if residue > modulus / 2 {
        residue.wrapping_sub(modulus)
    } else {
        residue
    };
    i16::try_from(nearest).unwrap_or(0)
}

/// Splits a number into digits of twelve bits, least significant first.
///
/// Not inlined: otherwise compilers keep the digits in scalar registers instead of vectors, which
/// is five times slower.
#[inline(never)]
fn digits<const LIMBS: usize>(number: &[u64; LIMBS]) -> Digits {
    const { assert!(LIMBS <= 6, "the digits hold six limbs") };
    let mut digits = [0; DIGITS];
    let bytes = number.map(u64::to_le_bytes);
    let triples = bytes.as_flattened().chunks(3);
    for ([low, high], triple) in digits.as_chunks_mut().0.iter_mut().zip(triples) {
        let byte = |place| i16::from(triple.get(place).copied().unwrap_or(0));
        *low = byte(0) | ((byte(1) & 15) << 8);
        *high = (byte(1) >> 4) | (byte(2) << 4);
    }
    digits
}
