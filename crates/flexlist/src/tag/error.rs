//! What can go wrong with keys and tags on the owner's and the server's side.

use core::fmt;

use pad_core::DecodeError;

use super::TagKind;

/// A key, parameter set or tag cannot be made, read or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagError {
    /// A block has at least one byte.
    BlockEmpty,
    /// The block is longer than the scheme allows.
    BlockTooLong {
        /// Its length in bytes.
        length: u64,
        /// The longest allowed, in bytes.
        limit: u64,
    },
    /// A stored tag has not the form of its scheme's.
    TagMalformed,
    /// A block is not the one of the tag or challenge that it comes with.
    BlockMismatch,
    /// The operating system gives no random bytes.
    RandomnessUnavailable,
    /// A computation with the secret factors went wrong, and its result was withheld.
    FaultDetected,
    /// The factors are not two different safe primes.
    NotSafePrimes,
    /// The factors do not make a modulus of the scheme's length, or are too close to each other.
    UnsuitablePrimes,
    /// The base is 1, no square, or shares a factor with the modulus.
    UnsuitableBase,
    /// The library was built without this kind of tags.
    KindUnavailable(TagKind),
    /// No kind of tags has this name.
    UnknownKind,
    /// The bytes are no key or parameters.
    Malformed(DecodeError),
}

impl fmt::Display for TagError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlockEmpty => formatter.write_str("a block has no bytes"),
            Self::BlockTooLong { length, limit } => write!(
                formatter,
                "a block has {length} bytes, at most {limit} are allowed with these tags"
            ),
            Self::TagMalformed => formatter.write_str("a stored tag is malformed"),
            Self::BlockMismatch => formatter.write_str("a block does not fit its tag"),
            Self::RandomnessUnavailable => {
                formatter.write_str("the operating system gives no random bytes")
            }
            Self::FaultDetected => {
                formatter.write_str("a computation with the secret key went wrong")
            }
            Self::NotSafePrimes => {
                formatter.write_str("the factors are not two different safe primes")
            }
            Self::UnsuitablePrimes => {
                formatter.write_str("the factors are too close or of unsuitable length")
            }
            Self::UnsuitableBase => formatter.write_str("the base cannot be used with the modulus"),
            Self::KindUnavailable(kind) => {
                write!(formatter, "this program was built without {kind} tags")
            }
            Self::UnknownKind => formatter.write_str("no kind of tags has this name"),
            Self::Malformed(error) => write!(formatter, "not a tag key: {error}"),
        }
    }
}

impl core::error::Error for TagError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DecodeError> for TagError {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error)
    }
}
