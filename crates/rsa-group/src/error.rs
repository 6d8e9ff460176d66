//! Errors of key generation and of computations with factors.

use thiserror::Error;

/// Error returned when factors cannot be generated or accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The caller stopped the search.
    #[error("the search for a key was cancelled")]
    Cancelled,
    /// The operating system provides no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
    /// A factor is not a safe prime.
    #[error("the factors are not two different safe primes")]
    NotSafePrimes,
    /// The factors differ in length, are equal or too close to each other, or their modulus has the
    /// wrong length.
    #[error("the factors are too close or of unsuitable length")]
    UnsuitablePrimes,
    /// The base is not a square other than 1 modulo both factors.
    #[error("the base cannot be used with the modulus")]
    UnsuitableBase,
}

/// A result of secret-key arithmetic failed its check and was withheld, because of a hardware
/// fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a result of secret-key arithmetic failed its check")]
pub struct FaultDetected;
