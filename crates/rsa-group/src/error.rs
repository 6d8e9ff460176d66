//! Errors of key generation and of computations with the secret factors of a modulus.

use thiserror::Error;

/// Error returned when the factors of a modulus cannot be generated or accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
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
    /// The two factors differ in length, or are equal or too close to each other. Also returned if
    /// their product, the modulus, has the wrong length.
    #[error("the factors are too close or of unsuitable length")]
    UnsuitablePrimes,
    /// The base for [`Factors::new`](crate::factors::Factors::new) is not a square, or is 1, modulo
    /// one of the factors.
    #[error("the base cannot be used with the modulus")]
    UnsuitableBase,
}

/// A result of secret-key arithmetic failed its check and was withheld, because of a hardware
/// fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a result of secret-key arithmetic failed its check")]
pub struct FaultDetected;
