//! The secret key of the RSA accumulator: the factors of the modulus.
//!
//! See [`rsa_group`] for constant-time arithmetic, fault checks and wiping. Two further operations
//! do not run in constant time: the products of primes modulo `p' q'` (see
//! [`RsaSecretKey::from_primes`]), and the inverses of removed and absent elements' primes. To
//! remove elements, the author divides the exponent of the set, and raises the base to the
//! quotient. It never takes a root of a value that an attacker may have chosen.

use core::{fmt, ops::ControlFlow};
use std::sync::Arc;

use pad_core::{DecodeError, Workers, codec};
use rsa_group::{
    Factors, KeySize, PrimePair, Progress, Residue, SecretInteger,
    modulus::{read, write_fixed},
    safe_primes,
};
use rug::{Complete, Integer};
use thiserror::Error;
use zeroize::Zeroizing;

use super::{
    parameters::{Parameters, RsaPublicKey, SCHEME},
    representative::RepresentativeRule,
    secret_exponents,
};
use crate::{
    accumulator::SecretKey,
    error::AccumulateError,
    scheme::PublicKey,
    wire::{KIND_SECRET_KEY, Reader},
};

#[cfg(test)]
mod tests;

/// Maximum length in bytes of an encoded secret key that is decoded.
const KEY_LIMIT: usize = 2048;

/// The factors of an author's own modulus, and its public key. Cheap to clone.
#[derive(Clone)]
pub struct RsaSecretKey {
    factors: Arc<Factors>,
    public: RsaPublicKey,
}

/// Prints the public key only.
impl fmt::Debug for RsaSecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RsaSecretKey")
            .field("public", &self.public.id())
            .finish_non_exhaustive()
    }
}

/// Error returned when a secret key cannot be created or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The caller's `progress` callback stopped the search for safe primes.
    #[error("the search for a key was cancelled")]
    Cancelled,
    /// The operating system provides no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
    /// A factor of the modulus is not a safe prime: a prime `p` for which `(p - 1) / 2` is prime
    /// too.
    #[error("the factors are not two safe primes")]
    NotSafePrimes,
    /// The factors of the modulus differ in length, or are equal or too close to each other. Also
    /// returned if the modulus is too short or too long, or the second-highest bit of a factor is
    /// clear.
    #[error("the factors are too close or of unsuitable length")]
    UnsuitablePrimes,
    /// The bytes are not an encoded secret key.
    #[error("not a secret key: {0}")]
    Malformed(#[from] DecodeError),
}

impl From<rsa_group::KeyError> for KeyError {
    fn from(error: rsa_group::KeyError) -> Self {
        match error {
            rsa_group::KeyError::Cancelled => Self::Cancelled,
            rsa_group::KeyError::RandomnessUnavailable => Self::RandomnessUnavailable,
            rsa_group::KeyError::UnsuitablePrimes => Self::UnsuitablePrimes,
            _ => Self::NotSafePrimes,
        }
    }
}

impl RsaSecretKey {
    /// Generates a secret key for the accumulator called `label`: searches for two safe primes.
    ///
    /// The callback `progress` is called during the search and may stop it.
    ///
    /// Cost: a few thousand modular exponentiations, with moduli of half the key's length. The time
    /// varies a lot from key to key.
    ///
    /// # Errors
    /// [`KeyError::Cancelled`] if `progress` stops the search; [`KeyError::RandomnessUnavailable`]
    /// if the operating system provides no random bytes.
    pub fn generate(
        size: KeySize,
        rule: RepresentativeRule,
        label: &[u8],
        workers: &Workers,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, KeyError> {
        let (first, second) = safe_primes::pair(size, workers, progress)?;
        Self::from_primes(first, second, rule, label)
    }

    /// Creates the key with two safe primes `p = 2 p' + 1` and `q = 2 q' + 1`. Cost: the primality
    /// tests of `p`, `q`, `p'` and `q'`.
    ///
    /// # Errors
    /// * [`KeyError::NotSafePrimes`] if a factor is not a safe prime.
    /// * [`KeyError::UnsuitablePrimes`] if the factors have unsuitable lengths, or are too close to
    ///   each other.
    /// * [`KeyError::RandomnessUnavailable`] if the operating system provides no random bytes.
    pub fn from_primes(
        first: Integer,
        second: Integer,
        rule: RepresentativeRule,
        label: &[u8],
    ) -> Result<Self, KeyError> {
        require_suitable(&first, &second)?;
        let bits = first.significant_bits().saturating_mul(2);
        let primes = PrimePair::new([first, second], bits)?;
        let parameters = Parameters::new(primes.modulus(), rule)?;
        let base = square_of_base(&parameters, &primes);
        let factors = Factors::new(primes, &base)?;
        Ok(Self {
            factors: Arc::new(factors),
            public: RsaPublicKey::new(Arc::new(parameters), label),
        })
    }

    /// Encodes the secret key, but not its label.
    ///
    /// Layout: envelope ([`pad_core::codec`]: the header that states kind and scheme), rule (1
    /// byte), length of a prime in bytes (2), smaller prime, larger prime.
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

    /// Decodes [`RsaSecretKey::to_bytes`] as the key of the accumulator called `label`.
    ///
    /// Cost: the primality tests of [`RsaSecretKey::from_primes`].
    ///
    /// # Errors
    /// [`KeyError::Malformed`] if the bytes are not an encoded key, and the errors of
    /// [`RsaSecretKey::from_primes`].
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
        let [q, p] = [smaller, larger].map(read);
        Self::from_primes(p, q, rule, label)
    }

    /// Raises the base `g` to the product of `primes`.
    ///
    /// Cost: a cheap product for each prime, and one power by tables.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if a result fails its check.
    pub(crate) fn power_of_base<'a>(
        &self,
        primes: impl IntoIterator<Item = &'a Integer>,
        workers: &Workers,
    ) -> Result<Residue, AccumulateError> {
        let exponent = secret_exponents::product(&self.factors, primes, workers);
        self.power(exponent)
    }

    /// Raises the base `g` to `exponent`, which is at least 1 and below [`Factors::order`].
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if a result fails its check.
    pub(crate) fn power(&self, exponent: SecretInteger) -> Result<Residue, AccumulateError> {
        self.powers(&[exponent], &Workers::sequential())?
            .pop()
            .ok_or(AccumulateError::FaultDetected)
    }

    /// Raises the base `g` to each exponent. Returns the powers in the order of the exponents.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if a result fails its check.
    pub(crate) fn powers(
        &self,
        exponents: &[SecretInteger],
        workers: &Workers,
    ) -> Result<Vec<Residue>, AccumulateError> {
        let parameters = self.public.parameters();
        let group = parameters.group();
        let base = parameters.base().as_integer();
        let powers = self.factors.powers(group, base, exponents, workers)?;
        let powers = powers.into_iter().map(|power| group.canonical(power));
        Ok(powers.collect())
    }

    /// Returns the secret factors of the modulus.
    pub(crate) fn factors(&self) -> &Factors {
        &self.factors
    }
}

/// Parameters of a new RSA key. The default is 3072 bits with [`RepresentativeRule::Wide`]. Sets
/// may have any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsaKeyParameters {
    /// Length of the modulus of the new key.
    pub size: KeySize,
    /// Rule that maps elements to primes.
    pub rule: RepresentativeRule,
}

impl Default for RsaKeyParameters {
    fn default() -> Self {
        Self {
            size: KeySize::Bits3072,
            rule: RepresentativeRule::Wide,
        }
    }
}

impl SecretKey for RsaSecretKey {
    type PublicKey = RsaPublicKey;
    type Parameters = RsaKeyParameters;
    type CreateError = KeyError;

    fn create(
        parameters: &RsaKeyParameters,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, KeyError> {
        let RsaKeyParameters { size, rule } = *parameters;
        Self::generate(size, rule, label, workers, &mut |_| {
            ControlFlow::Continue(())
        })
    }

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

/// Checks that each prime has 1024 to 4096 bits and a set second-highest bit. The product of two
/// such primes of equal length is exactly twice as long as each.
fn require_suitable(first: &Integer, second: &Integer) -> Result<(), KeyError> {
    let top_bits = |prime: &Integer| {
        let bits = prime.significant_bits();
        (1024..=4096).contains(&bits) && prime.get_bit(bits.saturating_sub(2))
    };
    if top_bits(first) && top_bits(second) {
        Ok(())
    } else {
        Err(KeyError::UnsuitablePrimes)
    }
}

/// Returns the one of `g` and `N - g` that is a square modulo `N`. Both represent the base: the
/// group is a quotient by `{1, -1}`.
fn square_of_base(parameters: &Parameters, primes: &PrimePair) -> Integer {
    let base = parameters.base().as_integer();
    let [p, _] = primes.primes();
    if base.legendre(p) == 1 {
        base.clone()
    } else {
        (parameters.modulus() - base).complete()
    }
}
