//! The secret key: the factors of the modulus.
//!
//! # What runs in constant time
//!
//! | with the secret | how |
//! |---|---|
//! | powers of `g` (values, witnesses) | branch-free Montgomery arithmetic, tables read as a whole; for moduli other than 2048 and 3072 bits GMP's `mpz_powm_sec` |
//!
//! Not in constant time are, by GMP's division and inversion: the reduction of products of primes
//! modulo `p' q'`, `p'` and `q'`, the inverse of an absent element's prime modulo `p' q'`, the
//! reduction of results modulo `p` and `q`, the recombination, and the checks. Their times depend on the lengths of the operands, and
//! slightly on rare corrections of quotient digits, for which no attack is known; but an author
//! who shares a processor with an attacker should know it. Making a key (prime search) and reading
//! one (primality tests) are variable-time too.
//!
//! # What is checked
//!
//! Everything computed modulo `p` and `q` apart is checked before it leaves, and so are the numbers
//! that are kept for it, which a fault of the memory may change for good: see
//! [`AccumulateError::FaultDetected`]. The author removes
//! elements by the exponents of a set, and takes no root of a value that somebody may have chosen.
//!
//! # What is wiped
//!
//! The factors, everything derived from them that is kept, exponents, their products and tables,
//! and the encoded key are overwritten when dropped. Not overwritten are
//!
//! * GMP's own temporaries: in products, divisions, powers, inverses, Legendre symbols and tests of
//!   primality, on the stack or in freed memory, and limbs that grew and moved;
//! * copies of limbs on the stack: in Montgomery arithmetic, of the modulus `p` or `q` times its
//!   guard, and wherever a value of Rust moves;
//! * the factors as plain numbers on their way into [`RsaSecretKey::from_primes`], if a search for
//!   a key is cancelled after the first of two primes, and what the caller keeps of the arguments;
//! * in that search, small residues of the candidates and which of them small primes rule out.
//!
//! A process that must not leak them should not dump core and not swap.

use core::{fmt, ops::ControlFlow};
use std::{io, sync::Arc};

use pad_core::{DecodeError, Workers, codec};
use rug::{Complete, Integer, integer::IsPrime, integer::Order};
use zeroize::Zeroizing;

use super::{
    factors::Factors,
    group::{Residue, write_fixed},
    parameters::{Parameters, RsaPublicKey, SCHEME},
    representative::RepresentativeRule,
    secret_integer::SecretInteger,
};
use crate::{
    accumulator::{PublicKey, SecretKey},
    error::AccumulateError,
    wire::{KIND_SECRET_KEY, Reader},
};

pub use super::safe_primes::{KeySize, Progress};

#[cfg(test)]
mod tests;

/// Rounds of the tests of primality of the factors.
const PRIMALITY_ROUNDS: u32 = 64;
/// The bits by which `p` and `q` must differ, at least, less than their length: FIPS 186-5 has 100.
const CLOSENESS_BITS: u32 = 100;
/// The longest key in bytes.
pub(super) const KEY_LIMIT: usize = 2048;

/// The factors of the modulus of an own accumulator, and its public key. Cheap to clone.
#[derive(Clone)]
pub struct RsaSecretKey {
    factors: Arc<Factors>,
    public: RsaPublicKey,
}

/// The public key alone.
impl fmt::Debug for RsaSecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RsaSecretKey")
            .field("public", &self.public.id())
            .finish_non_exhaustive()
    }
}

/// No secret key could be made, read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// The caller stopped the search.
    Cancelled,
    /// The operating system gives no random bytes.
    RandomnessUnavailable,
    /// A factor is not a safe prime, or the two are equal.
    NotSafePrimes,
    /// The factors differ in length, are too close to each other, or make a modulus that is too
    /// short or too long.
    UnsuitablePrimes,
    /// The bytes are no key.
    Malformed(DecodeError),
    /// There is a file already, and it stays.
    FileExists,
    /// Others than the owner may read the file.
    ReadableByOthers,
    /// The file cannot be read or written.
    File(io::Error),
}

impl fmt::Display for KeyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => formatter.write_str("the search for a key was cancelled"),
            Self::RandomnessUnavailable => {
                formatter.write_str("the operating system gives no random bytes")
            }
            Self::NotSafePrimes => formatter.write_str("the factors are not two safe primes"),
            Self::UnsuitablePrimes => {
                formatter.write_str("the factors are too close or of unsuitable length")
            }
            Self::Malformed(error) => write!(formatter, "not a secret key: {error}"),
            Self::FileExists => {
                formatter.write_str("the key file exists already and is not overwritten")
            }
            Self::ReadableByOthers => {
                formatter.write_str("the key file can be read by others than its owner")
            }
            Self::File(error) => write!(formatter, "the key file: {error}"),
        }
    }
}

impl core::error::Error for KeyError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DecodeError> for KeyError {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error)
    }
}

impl RsaSecretKey {
    /// A new key for the accumulator called `label`.
    ///
    /// `progress` hears of the search now and then and may stop it.
    ///
    /// Cost: a few thousand powers modulo numbers of half the key's length; the time varies a lot.
    ///
    /// # Errors
    /// [`KeyError::Cancelled`], [`KeyError::RandomnessUnavailable`].
    pub fn generate(
        size: KeySize,
        rule: RepresentativeRule,
        label: &[u8],
        workers: &Workers,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, KeyError> {
        let (first, second) = super::safe_primes::pair(size, workers, progress)?;
        Self::from_primes(first, second, rule, label)
    }

    /// The key with these two safe primes `p = 2 p' + 1` and `q = 2 q' + 1`.
    ///
    /// # Errors
    /// [`KeyError::NotSafePrimes`], [`KeyError::UnsuitablePrimes`],
    /// [`KeyError::RandomnessUnavailable`].
    pub fn from_primes(
        first: Integer,
        second: Integer,
        rule: RepresentativeRule,
        label: &[u8],
    ) -> Result<Self, KeyError> {
        let [q, p] = if first < second {
            [first, second]
        } else {
            [second, first]
        };
        let [q, p] = [q, p].map(SecretInteger::new);
        require_suitable(&p, &q)?;
        if !is_safe_prime(&p) || !is_safe_prime(&q) {
            return Err(KeyError::NotSafePrimes);
        }
        let parameters = Parameters::new((&*p * &*q).complete(), rule)?;
        let factors = Factors::new(Integer::clone(&p), Integer::clone(&q), &parameters)?;
        Ok(Self {
            factors: Arc::new(factors),
            public: RsaPublicKey::new(Arc::new(parameters), label),
        })
    }

    /// The key as bytes: envelope, rule (1 byte), length of a prime in bytes (2), `q`, `p > q`.
    /// The label is not part of it.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let [p, q] = self.factors.primes();
        let length = p.significant_digits::<u8>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(KEY_LIMIT));
        bytes.extend_from_slice(&codec::envelope(KIND_SECRET_KEY, SCHEME.0));
        bytes.push(self.public.parameters().rule().id());
        bytes.extend_from_slice(&u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes());
        write_fixed(q, length, &mut bytes);
        write_fixed(p, length, &mut bytes);
        bytes
    }

    /// The key of the accumulator called `label` from [`RsaSecretKey::to_bytes`].
    ///
    /// Cost: the primality tests of [`RsaSecretKey::from_primes`].
    ///
    /// # Errors
    /// [`KeyError::Malformed`], and those of [`RsaSecretKey::from_primes`].
    pub fn from_bytes(bytes: &[u8], label: &[u8]) -> Result<Self, KeyError> {
        let mut reader = Reader::new(codec::open(bytes, KIND_SECRET_KEY, SCHEME.0, KEY_LIMIT)?);
        let [rule] = reader.array()?;
        let rule = RepresentativeRule::from_id(rule).ok_or(DecodeError::ParametersInvalid)?;
        let length = usize::from(reader.u16()?);
        let smaller = reader.take(length)?;
        let larger = reader.take(length)?;
        reader.finish()?;
        if smaller.first() == Some(&0) || smaller >= larger {
            return Err(DecodeError::NonCanonical.into());
        }
        let [q, p] = [smaller, larger].map(|digits| Integer::from_digits(digits, Order::Msf));
        Self::from_primes(p, q, rule, label)
    }

    /// `g` raised to the product of primes.
    ///
    /// Cost: a cheap product for each prime, and one power by tables.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`].
    pub(crate) fn power_of_base<'a>(
        &self,
        primes: impl IntoIterator<Item = &'a Integer>,
        workers: &Workers,
    ) -> Result<Residue, AccumulateError> {
        let exponent = self.factors.exponent(primes, workers);
        self.power(exponent)
    }

    /// `g` raised to an exponent from 1 to below `Factors::order`.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`].
    pub(crate) fn power(&self, exponent: SecretInteger) -> Result<Residue, AccumulateError> {
        self.powers(&[exponent], &Workers::sequential())?
            .pop()
            .ok_or(AccumulateError::FaultDetected)
    }

    /// `g` raised to each exponent.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`].
    pub(crate) fn powers(
        &self,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<Residue>, AccumulateError> {
        self.factors
            .powers_of_base(self.public.parameters(), exponents, workers)
    }

    /// The factors.
    pub(crate) fn factors(&self) -> &Factors {
        &self.factors
    }
}

impl SecretKey for RsaSecretKey {
    type PublicKey = RsaPublicKey;

    fn public_key(&self) -> &RsaPublicKey {
        &self.public
    }

    fn with_label(&self, label: &[u8]) -> Self {
        Self {
            factors: Arc::clone(&self.factors),
            public: self.public.with_label(label),
        }
    }
}

/// Checks lengths and distance of the primes `p > q`.
fn require_suitable(p: &Integer, q: &Integer) -> Result<(), KeyError> {
    let bits = p.significant_bits();
    let difference = SecretInteger::new((p - q).complete());
    // Both top bits set make the modulus exactly twice as long as its factors.
    let top_bits = |prime: &Integer| {
        bits.checked_sub(2)
            .is_some_and(|index| prime.get_bit(index))
    };
    let suitable = (1024..=4096).contains(&bits)
        && q.significant_bits() == bits
        && top_bits(p)
        && top_bits(q)
        && difference.significant_bits().saturating_add(CLOSENESS_BITS) > bits;
    if suitable {
        Ok(())
    } else {
        Err(KeyError::UnsuitablePrimes)
    }
}

/// Whether `prime` and half of it are primes.
fn is_safe_prime(prime: &Integer) -> bool {
    let half = SecretInteger::new((prime >> 1_u32).complete());
    prime.is_odd()
        && half.is_probably_prime(PRIMALITY_ROUNDS) != IsPrime::No
        && prime.is_probably_prime(PRIMALITY_ROUNDS) != IsPrime::No
}
