//! What can go wrong with factors.

use thiserror::Error;

/// No factors could be found or taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The caller stopped the search.
    #[error("the search for a key was cancelled")]
    Cancelled,
    /// The operating system gives no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
    /// A factor is not a safe prime, or the two are equal.
    #[error("the factors are not two different safe primes")]
    NotSafePrimes,
    /// The factors differ in length, are too close to each other, or make a modulus of another length.
    #[error("the factors are too close or of unsuitable length")]
    UnsuitablePrimes,
    /// The base is not a square other than 1 modulo both factors.
    #[error("the base cannot be used with the modulus")]
    UnsuitableBase,
}

/// A result of secret-key arithmetic failed its check and was withheld: a fault of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a result of secret-key arithmetic failed its check")]
pub struct FaultDetected;
