//! Generation of safe primes: primes `p = 2 p' + 1` with `p'` prime.
//!
//! Candidates are the numbers `p'` of a random window. One sieve over the window removes every `p'`
//! for which a small prime divides `p'` or `2 p' + 1`. The remaining candidates, one in about 500
//! numbers, are tested for primality.
//!
//! The first safe prime of the window is returned, so safe primes after a long gap are slightly
//! likelier than others. The window starts at a random number of full length, which leaves no
//! measurable advantage for guessing.
//!
//! Source: Wiener 2003, "Safe prime generation with a combined sieve".

use core::{fmt, ops::ControlFlow};

use montgomery_lanes::LANES;
use pad_core::Workers;
use rayon::prelude::*;
use rug::{
    Complete, Integer,
    integer::{IsPrime, Order},
};

use crate::{error::KeyError, secret_integer::SecretInteger};

mod lanes;
#[cfg(test)]
mod tests;

/// Number of candidates `p'` in one window of the search.
const WINDOW: usize = 1 << 18;
/// Distance between neighbouring candidates `p'`. `p'` is odd and 2 modulo 3, since otherwise 3
/// would divide `p'` or `2 p' + 1`.
const STEP: u32 = 6;
/// Exclusive upper bound of the small primes by which the sieve divides candidates.
const SIEVE_LIMIT: usize = 1 << 21;
/// Number of candidates that each thread tests between two progress reports.
const TESTS_PER_REPORT: usize = 16;
/// Number of repetitions (`reps`) of GMP's primality test for candidates. One repetition rejects
/// nearly every composite number.
const QUICK_ROUNDS: u32 = 1;
/// The two primes of a modulus must differ by more than about `2^(length - CLOSENESS_BITS)`, where
/// `length` is their length in bits. The number is that of FIPS 186-5.
const CLOSENESS_BITS: u32 = 100;
/// Number of repetitions (`reps`) of GMP's primality test for a prime that is returned to or
/// accepted from the caller.
const ROUNDS: u32 = 64;

/// Supported length of a modulus for a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySize {
    /// 2048 bits, about 112 bits of security.
    Bits2048,
    /// 3072 bits, about 128 bits of security.
    Bits3072,
}

impl KeySize {
    /// Length of the modulus in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits2048 => 2048,
            Self::Bits3072 => 3072,
        }
    }
}

/// Progress of the search for the two safe primes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of safe primes found so far. The search ends when it has found two.
    pub found: u32,
    /// Number of candidates tested for primality so far.
    pub tested: u64,
}

/// Searches for two different safe primes whose product has the length `size`.
///
/// The primes are returned as plain numbers. A caller that stores the primes should wrap them in
/// [`SecretInteger`].
///
/// # Errors
/// [`KeyError::Cancelled`] if `progress` stops the search; [`KeyError::RandomnessUnavailable`] if
/// the operating system provides no random bytes.
pub fn pair(
    size: KeySize,
    workers: &Workers,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(Integer, Integer), KeyError> {
    pair_of_bits(size.bits() / 2, workers, progress)
}

fn pair_of_bits(
    bits: u32,
    workers: &Workers,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(Integer, Integer), KeyError> {
    let mut search = Search {
        // The distance of the candidates excludes 2 and 3 already.
        small: odd_primes_below(SIEVE_LIMIT).split_off(1),
        state: Progress {
            found: 0,
            tested: 0,
        },
        progress,
    };
    let first = search.prime(bits, workers)?;
    loop {
        let second = search.prime(bits, workers)?;
        if second != first {
            return Ok((first, second));
        }
    }
}

/// Returns whether `prime` and `(prime - 1) / 2` are primes.
fn is_safe_prime(prime: &Integer) -> bool {
    let half = SecretInteger::new((prime >> 1_u32).complete());
    prime.is_odd()
        && half.is_probably_prime(ROUNDS) != IsPrime::No
        && prime.is_probably_prime(ROUNDS) != IsPrime::No
}

/// Reads a number of `length` random bytes from the operating system.
pub(crate) fn random_number(length: usize) -> Result<Integer, KeyError> {
    let mut bytes = zeroize::Zeroizing::new(vec![0; length]);
    getrandom::fill(&mut bytes).map_err(|_| KeyError::RandomnessUnavailable)?;
    Ok(Integer::from_digits(&bytes, Order::Msf))
}

/// Two different safe primes of equal length that are not close to each other.
pub struct PrimePair([SecretInteger; 2]);

impl fmt::Debug for PrimePair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PrimePair(..)")
    }
}

impl PrimePair {
    /// Checks that two numbers, in any order, are safe primes and have a product of `bits` bits.
    ///
    /// Cost: primality tests of four numbers.
    ///
    /// # Errors
    /// [`KeyError::UnsuitablePrimes`] if the product does not have exactly `bits` bits, or the
    /// primes differ in length or are close to each other; [`KeyError::NotSafePrimes`] if one of
    /// the numbers is not a safe prime.
    pub fn new([first, second]: [Integer; 2], bits: u32) -> Result<Self, KeyError> {
        let primes = if first < second {
            [second, first]
        } else {
            [first, second]
        };
        let pair = Self(primes.map(SecretInteger::new));
        if !pair.is_suitable(bits) {
            return Err(KeyError::UnsuitablePrimes);
        }
        if pair.0.iter().all(|prime| is_safe_prime(prime)) {
            Ok(pair)
        } else {
            Err(KeyError::NotSafePrimes)
        }
    }

    /// Computes the modulus, the product of the two primes.
    pub fn modulus(&self) -> Integer {
        let [p, q] = &self.0;
        (&**p * &**q).complete()
    }

    /// The larger and the smaller prime, in this order.
    pub fn primes(&self) -> [&Integer; 2] {
        self.0.each_ref().map(|prime| &**prime)
    }

    pub(crate) fn into_primes(self) -> [SecretInteger; 2] {
        self.0
    }

    /// Returns whether the product has `bits` bits, and the primes have equal lengths and are not
    /// close to each other.
    fn is_suitable(&self, bits: u32) -> bool {
        let [p, q] = self.primes();
        let difference = SecretInteger::new((p - q).complete());
        let half = bits.div_ceil(2);
        *q > 0
            && [p, q].map(Integer::significant_bits) == [half; 2]
            && difference.significant_bits().saturating_add(CLOSENESS_BITS) > half
            && self.modulus().significant_bits() == bits
    }
}

struct Search<'a> {
    small: Vec<u32>,
    state: Progress,
    progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
}

impl Search<'_> {
    /// Searches for a safe prime of `bits` bits with its two highest bits set.
    fn prime(&mut self, bits: u32, workers: &Workers) -> Result<Integer, KeyError> {
        loop {
            let start = window_start(bits)?;
            let survivors = sieve(&start, &self.small, bits);
            let batch = TESTS_PER_REPORT.saturating_mul(workers.threads());
            for candidates in survivors.chunks(batch) {
                if let Some(prime) = first_safe_prime(&start, candidates, workers) {
                    self.state.found = self.state.found.saturating_add(1);
                    self.report(candidates.len())?;
                    return Ok(prime);
                }
                self.report(candidates.len())?;
            }
        }
    }

    fn report(&mut self, tested: usize) -> Result<(), KeyError> {
        let tested = u64::try_from(tested).unwrap_or(u64::MAX);
        self.state.tested = self.state.tested.saturating_add(tested);
        match (self.progress)(self.state) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(KeyError::Cancelled),
        }
    }
}

/// Chooses the random `p'` at which a search for a prime of `bits` bits starts. It has `bits - 1`
/// bits, its two highest bits are set, and it is 5 modulo 6. The two highest bits of `2 p' + 1` are
/// then set too, so the product of two such primes has full length.
fn window_start(bits: u32) -> Result<SecretInteger, KeyError> {
    let length = usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX);
    let mut start = random_number(length)?;
    start.keep_bits_mut(bits.saturating_sub(1));
    start.set_bit(bits.saturating_sub(2), true);
    start.set_bit(bits.saturating_sub(3), true);
    let correction = (STEP + 5).saturating_sub(start.mod_u(STEP)) % STEP;
    start += correction;
    Ok(SecretInteger::new(start))
}

/// Computes all `i` below [`WINDOW`] for which no small prime divides `p' = start + STEP * i` or
/// `2 p' + 1`.
fn sieve(start: &Integer, small: &[u32], bits: u32) -> Vec<u32> {
    let mut composite = vec![false; WINDOW];
    for &prime in small {
        // A candidate may be a small prime itself, in tests.
        if bits < 32 {
            break;
        }
        let residue = u64::from(start.mod_u(prime));
        let modulus = u64::from(prime);
        // Neither 2 nor 3 is among the small primes, so STEP and 2 have inverses.
        let step = inverse(u64::from(STEP % prime), modulus);
        let half = modulus.div_ceil(2) - 1;
        for root in [0, half] {
            // Solves start + STEP * i = root modulo the small prime. The root 0 makes it divide p',
            // and `half` makes it divide 2 p' + 1.
            let first = (root + modulus - residue) * step % modulus;
            strike(&mut composite, first, prime);
        }
    }
    (0_u32..)
        .zip(composite)
        .filter_map(|(index, composite)| (!composite).then_some(index))
        .collect()
}

fn strike(composite: &mut [bool], first: u64, prime: u32) {
    let (Ok(first), Ok(prime)) = (usize::try_from(first), usize::try_from(prime)) else {
        return;
    };
    for entry in composite.iter_mut().skip(first).step_by(prime) {
        *entry = true;
    }
}

/// Computes `1 / number` modulo a prime by the extended Euclidean algorithm.
fn inverse(number: u64, prime: u64) -> u64 {
    let (mut remainders, mut factors) = ((prime, number), (0, 1));
    while remainders.1 > 1 {
        let quotient = remainders.0 / remainders.1;
        remainders = (remainders.1, remainders.0 % remainders.1);
        factors = (
            factors.1,
            (factors.0 + (prime - quotient % prime) * factors.1) % prime,
        );
    }
    factors.1
}

/// Tests the candidates `p' = start + STEP * i` for the given `i`, in ascending order. Returns the
/// first safe prime `2 p' + 1`.
fn first_safe_prime(start: &Integer, candidates: &[u32], workers: &Workers) -> Option<Integer> {
    let test = |indices: &[u32]| {
        let halves: Vec<SecretInteger> = indices
            .iter()
            .map(|index| SecretInteger::new(Integer::from(*index) * STEP + start))
            .collect();
        let likely = lanes::pass_fermat(&halves).unwrap_or_else(|| vec![true; halves.len()]);
        let likely = halves.iter().zip(likely).filter(|(_, passes)| *passes);
        likely.map(|(half, _)| half).find_map(safe_prime)
    };
    let batches = candidates.chunks(LANES);
    if workers.threads() == 1 {
        batches.into_iter().find_map(test)
    } else {
        let batches: Vec<&[u32]> = batches.collect();
        workers.run(|| batches.into_par_iter().find_map_first(test))
    }
}

/// Returns `2 p' + 1` if `p'` (`half`) and `2 p' + 1` are primes.
fn safe_prime(half: &SecretInteger) -> Option<Integer> {
    let is_likely = |number: &Integer| number.is_probably_prime(QUICK_ROUNDS) != IsPrime::No;
    let prime = SecretInteger::new((&**half << 1_u32).complete() + 1_u32);
    let safe = is_likely(half) && is_likely(&prime) && is_safe_prime(&prime);
    safe.then(|| Integer::clone(&prime))
}

/// Lists the odd primes below `limit` in ascending order, by the sieve of Eratosthenes.
///
/// Memory: a byte for each number below the limit.
pub fn odd_primes_below(limit: usize) -> Vec<u32> {
    let mut composite = vec![false; limit];
    let mut primes = Vec::new();
    for number in (3..limit).step_by(2) {
        if composite.get(number).copied().unwrap_or(true) {
            continue;
        }
        primes.extend(u32::try_from(number));
        let multiples = composite.iter_mut().skip(number.saturating_mul(number));
        for multiple in multiples.step_by(number) {
            *multiple = true;
        }
    }
    primes
}
