//! Errors of keys and tags on the owner's and the server's side.

use pad_core::DecodeError;
use thiserror::Error;

use super::TagKind;

/// Error returned for a key, parameter set or tag that cannot be created, decoded or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TagError {
    /// A block without bytes.
    #[error("a block is empty")]
    BlockEmpty,
    /// The block is longer than the scheme allows.
    #[error("a block is too long for these tags: {length} bytes, at most {limit} allowed")]
    BlockTooLong {
        /// The length of the block in bytes.
        length: u64,
        /// The maximum length of a block in bytes.
        limit: u64,
    },
    /// A stored tag does not have the form that its tag scheme requires.
    #[error("a stored tag is malformed")]
    TagMalformed,
    /// A block does not match its tag or challenge.
    #[error("a block does not match its tag")]
    BlockMismatch,
    /// The operating system provides no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
    /// A computation with the secret RSA factors failed its check, and the result was withheld.
    #[error("a result of secret-key arithmetic failed its check")]
    FaultDetected,
    /// The secret RSA factors are not two different safe primes.
    #[error("the factors are not two different safe primes")]
    NotSafePrimes,
    /// The secret RSA factors do not make a modulus of the scheme's length, or are too close to
    /// each other.
    #[error("the factors are too close or of unsuitable length")]
    UnsuitablePrimes,
    /// The base of RSA tags is not a square, or is 1, modulo one of the secret factors.
    #[error("the base cannot be used with the modulus")]
    UnsuitableBase,
    /// The library was built without this kind of tags.
    #[error("this program was built without {0} tags")]
    KindUnavailable(TagKind),
    /// No kind of tags has this name, or this number in an encoding.
    #[error("unknown kind of tags")]
    UnknownKind,
    /// The bytes are not a valid encoding of a key or of parameters.
    #[error("not a tag key: {0}")]
    Malformed(#[from] DecodeError),
}

#[cfg(feature = "rsa")]
impl From<rsa_group::KeyError> for TagError {
    fn from(error: rsa_group::KeyError) -> Self {
        use rsa_group::KeyError;

        match error {
            KeyError::RandomnessUnavailable => Self::RandomnessUnavailable,
            KeyError::UnsuitablePrimes => Self::UnsuitablePrimes,
            KeyError::UnsuitableBase => Self::UnsuitableBase,
            _ => Self::NotSafePrimes,
        }
    }
}

#[cfg(feature = "rsa")]
impl From<rsa_group::FaultDetected> for TagError {
    fn from(_: rsa_group::FaultDetected) -> Self {
        Self::FaultDetected
    }
}
