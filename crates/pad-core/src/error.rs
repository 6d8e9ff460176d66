//! Errors, one type per role: who raises it, and what the caller does about it.

use core::fmt;

use crate::version::Version;

/// What the caller handed in is outside the format's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// A key is longer than a key may be.
    KeyTooLong {
        /// Its length in bytes.
        length: usize,
        /// The longest allowed, in bytes.
        limit: usize,
    },
    /// A value is longer than a value may be.
    ValueTooLong {
        /// Its length in bytes.
        length: usize,
        /// The longest allowed, in bytes.
        limit: usize,
    },
    /// No more entries, nodes or versions fit into this store's 32-bit indices.
    CapacityExceeded,
}

impl fmt::Display for InputError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyTooLong { length, limit } => {
                write!(
                    formatter,
                    "the key has {length} bytes, at most {limit} are allowed"
                )
            }
            Self::ValueTooLong { length, limit } => {
                write!(
                    formatter,
                    "the value has {length} bytes, at most {limit} are allowed"
                )
            }
            Self::CapacityExceeded => {
                formatter.write_str("the store is full: 32-bit indices are exhausted")
            }
        }
    }
}

/// Bytes are not a well-formed message. The caller drops the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The message is longer than the receiver accepts.
    TooLarge {
        /// The receiver's limit in bytes.
        limit: usize,
    },
    /// The message does not start with the format's magic bytes.
    NotThisFormat,
    /// The format version is not one that this library reads.
    UnknownFormatVersion(u8),
    /// The message is of another kind than the one asked for.
    WrongKind {
        /// The kind asked for.
        expected: u8,
        /// The kind found.
        actual: u8,
    },
    /// The message was made under another suite.
    WrongSuite {
        /// The suite asked for.
        expected: u16,
        /// The suite found.
        actual: u16,
    },
    /// The message ends too early or holds a value that its type does not have.
    Malformed,
    /// Bytes are left over after the message.
    TrailingBytes,
    /// The message has a shorter or different encoding than the one sent.
    NonCanonical,
    /// A fixed-length field has another length.
    LengthMismatch,
    /// A residue is zero, not below the modulus, or 1 where that cannot be honest.
    ResidueOutOfRange,
    /// A residue is the larger one of the pair `x`, `N - x`.
    ResidueNotCanonical,
    /// A residue shares a factor with the modulus.
    ResidueNotUnit,
    /// Bytes are not the canonical encoding of a point of the curve.
    PointInvalid,
    /// A point of the curve is outside the subgroup of prime order.
    PointOutsideSubgroup,
    /// A point is the identity, which is no accumulator value and no witness.
    PointIsIdentity,
    /// A scalar is zero where it must not be, or not below the group order.
    ScalarOutOfRange,
    /// The offset of a prime representative is outside the search window.
    OffsetOutsideWindow,
    /// A number said to be a prime representative is even or composite.
    NotAPrimeRepresentative,
    /// Parameters or keys contradict themselves, or are too small.
    ParametersInvalid,
    /// The object belongs to other parameters.
    WrongParameters,
    /// The parameters are those of a secret that anybody finds: a small number or root of unity.
    SecretGuessable,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(formatter, "the message exceeds {limit} bytes"),
            Self::NotThisFormat => formatter.write_str("not a message of this format"),
            Self::UnknownFormatVersion(version) => {
                write!(formatter, "format version {version} is unknown")
            }
            Self::WrongKind { expected, actual } => {
                write!(
                    formatter,
                    "expected a message of kind {expected}, got kind {actual}"
                )
            }
            Self::WrongSuite { expected, actual } => {
                write!(formatter, "expected suite {expected}, got suite {actual}")
            }
            Self::Malformed => formatter.write_str("the message is truncated or malformed"),
            Self::TrailingBytes => formatter.write_str("the message is followed by further bytes"),
            Self::NonCanonical => formatter.write_str("the message is not canonically encoded"),
            Self::LengthMismatch => formatter.write_str("a field has the wrong length"),
            Self::ResidueOutOfRange => {
                formatter.write_str("a residue is outside the range of the modulus")
            }
            Self::ResidueNotCanonical => {
                formatter.write_str("a residue is not the smaller one of its pair")
            }
            Self::ResidueNotUnit => {
                formatter.write_str("a residue shares a factor with the modulus")
            }
            Self::PointInvalid => {
                formatter.write_str("not the canonical encoding of a curve point")
            }
            Self::PointOutsideSubgroup => {
                formatter.write_str("a curve point is outside the prime-order subgroup")
            }
            Self::PointIsIdentity => formatter.write_str("a curve point is the identity"),
            Self::ScalarOutOfRange => formatter.write_str("a scalar is outside its range"),
            Self::OffsetOutsideWindow => formatter
                .write_str("the offset of a prime representative is outside the search window"),
            Self::NotAPrimeRepresentative => formatter
                .write_str("a number offered as a prime representative is not an odd prime"),
            Self::ParametersInvalid => {
                formatter.write_str("the parameters are inconsistent or too small")
            }
            Self::WrongParameters => {
                formatter.write_str("the object was made for other parameters")
            }
            Self::SecretGuessable => {
                formatter.write_str("the parameters are those of a secret that anybody finds")
            }
        }
    }
}

/// Evidence does not establish what it should. The caller distrusts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The author's key did not sign this.
    SignatureInvalid,
    /// The bytes given as the author's key are not one.
    AuthorKeyInvalid,
    /// The head is of another dictionary.
    WrongDictionary,
    /// The head is of another balancing scheme.
    WrongScheme {
        /// The scheme asked for.
        expected: u16,
        /// The scheme found.
        actual: u16,
    },
    /// The head is of another version than the one asked for.
    WrongVersion {
        /// The version asked for.
        expected: Version,
        /// The version found.
        actual: Version,
    },
    /// A signed head claims version 0, which is the empty dictionary and needs no signature.
    EmptyVersionSigned,
    /// The head is older than one already seen.
    Rollback {
        /// The newest version seen.
        seen: Version,
        /// The version offered.
        offered: Version,
    },
    /// The author signed two different heads for one version.
    Fork(Version),
    /// Two heads that should contradict each other do not.
    NoContradiction,
    /// The proof hashes to another root than the signed one.
    RootMismatch,
    /// The proof's shape is not a tree, or does not match the number of digests and leaves.
    MalformedShape,
    /// Leaves are not in strictly ascending order of keys.
    UnorderedLeaves,
    /// A needed part of the tree is elided: the answer could be hidden in it.
    Elided,
    /// The proof opens more than the query needs.
    Extraneous,
    /// A leaf that answers the query shows only its value's digest.
    ValueMissing,
    /// A leaf that only bounds the answer shows its whole value.
    ValueSurplus,
    /// The query itself is empty or out of order.
    InvalidQuery,
    /// A history proof does not lead to the signed history.
    HistoryMismatch,
    /// A history proof has too few or too many digests.
    MalformedHistoryProof,
    /// The value is of another accumulator.
    WrongAccumulator,
    /// The witness does not lead from the element to the accumulator value.
    WitnessMismatch,
    /// The offset of a prime representative is outside the search window.
    OffsetOutsideWindow,
    /// The offset leads to an even or composite number.
    NotAPrimeRepresentative,
    /// The remainder of a non-membership witness is zero or not reduced.
    RemainderOutOfRange,
    /// A proof of exponentiation does not verify.
    ExponentiationProofMismatch,
    /// The accumulator cannot hold this element.
    ElementNotAllowed,
    /// There is not exactly one witness for each element asked for.
    CountMismatch,
    /// A tuple's interval does not hold the key asked for.
    KeyOutsideInterval,
    /// A tuple was not there, or is not vouched for, at the instant asked about.
    OutsideValidity {
        /// The instant asked about: a version, or an older generation's epoch.
        instant: u64,
        /// The first instant vouched for.
        since: u64,
        /// The last instant vouched for.
        until: u64,
    },
    /// A revealed link is further from its anchor than a client walks.
    ChainTooLong {
        /// The most steps.
        limit: u32,
    },
    /// No tuple shown decides: an older generation's tuple is missing.
    GenerationMissing,
    /// Tuples of more generations are shown than decide, or than there are.
    GenerationSurplus,
    /// The epochs shown are not one for each older generation.
    EpochCountMismatch,
    /// More elements are asked for at once than the public key can verify.
    TooManyElements {
        /// The largest number that it can.
        limit: usize,
    },
    /// Bytes within the evidence, which only the public key can decode, are not well-formed.
    Undecodable(DecodeError),
}

impl fmt::Display for VerifyError {
    #[allow(clippy::too_many_lines, reason = "a list, one line for each variant")]
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SignatureInvalid => formatter.write_str("the author did not sign this"),
            Self::AuthorKeyInvalid => formatter.write_str("the author's public key is not valid"),
            Self::WrongDictionary => formatter.write_str("the head is of another dictionary"),
            Self::WrongScheme { expected, actual } => {
                write!(
                    formatter,
                    "the head is of scheme {actual}, expected scheme {expected}"
                )
            }
            Self::WrongVersion { expected, actual } => {
                write!(
                    formatter,
                    "the head is of version {actual}, expected version {expected}"
                )
            }
            Self::EmptyVersionSigned => {
                formatter.write_str("version 0 is the empty dictionary and has no signed head")
            }
            Self::Rollback { seen, offered } => {
                write!(
                    formatter,
                    "version {offered} was offered after version {seen} was seen"
                )
            }
            Self::Fork(version) => {
                write!(
                    formatter,
                    "the author signed two different histories at version {version}"
                )
            }
            Self::NoContradiction => formatter.write_str("the two heads do not contradict"),
            Self::RootMismatch => formatter.write_str("the proof does not hash to the signed root"),
            Self::MalformedShape => formatter.write_str("the proof's shape is malformed"),
            Self::UnorderedLeaves => formatter.write_str("the proof's leaves are out of order"),
            Self::Elided => {
                formatter.write_str("the proof elides a part of the tree that could hold the key")
            }
            Self::Extraneous => formatter.write_str("the proof opens more than the query needs"),
            Self::ValueMissing => formatter.write_str("the proof withholds the value"),
            Self::ValueSurplus => {
                formatter.write_str("the proof shows a value that the query does not need")
            }
            Self::InvalidQuery => formatter.write_str("the query is empty or out of order"),
            Self::HistoryMismatch => {
                formatter.write_str("the history proof does not lead to the signed history")
            }
            Self::MalformedHistoryProof => {
                formatter.write_str("the history proof has the wrong number of digests")
            }
            Self::WrongAccumulator => formatter.write_str("the value is of another accumulator"),
            Self::WitnessMismatch => formatter
                .write_str("the witness does not lead from the element to the accumulator value"),
            Self::OffsetOutsideWindow => formatter
                .write_str("the offset of a prime representative is outside the search window"),
            Self::NotAPrimeRepresentative => {
                formatter.write_str("the offset does not lead to a prime representative")
            }
            Self::RemainderOutOfRange => formatter
                .write_str("the remainder of the non-membership witness is outside its range"),
            Self::ExponentiationProofMismatch => {
                formatter.write_str("the proof of exponentiation does not verify")
            }
            Self::ElementNotAllowed => {
                formatter.write_str("the accumulator cannot hold this element")
            }
            Self::CountMismatch => {
                formatter.write_str("the number of witnesses is not the number of elements")
            }
            Self::KeyOutsideInterval => {
                formatter.write_str("a tuple's interval does not hold the key")
            }
            Self::OutsideValidity {
                instant,
                since,
                until,
            } => write!(
                formatter,
                "a tuple is vouched for from {since} to {until}, not at {instant}"
            ),
            Self::ChainTooLong { limit } => {
                write!(formatter, "a hash chain has more than {limit} steps")
            }
            Self::GenerationMissing => {
                formatter.write_str("the tuple of an older generation is missing")
            }
            Self::GenerationSurplus => {
                formatter.write_str("the proof shows more generations than decide")
            }
            Self::EpochCountMismatch => {
                formatter.write_str("the proof does not name one epoch for each older generation")
            }
            Self::TooManyElements { limit } => {
                write!(
                    formatter,
                    "at most {limit} elements can be verified at once"
                )
            }
            Self::Undecodable(error) => write!(formatter, "the evidence is malformed: {error}"),
        }
    }
}

/// An update cannot be applied. The repository is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApplyError {
    /// The update does not follow the repository's latest version.
    VersionGap {
        /// The base version that would fit.
        expected: Version,
        /// The update's base version.
        actual: Version,
    },
    /// The update's head does not verify.
    Head(VerifyError),
    /// The operations do not lead to the signed root.
    RootMismatch,
    /// The head does not continue the history.
    HistoryMismatch,
    /// Operations are not in strictly ascending order of keys.
    UnorderedOperations,
    /// An operation removes an absent key.
    RemovesAbsentKey,
    /// The attachment does not fit the tuples that the operations lead to.
    AttachmentMismatch,
    /// The update does not fit into the store.
    Input(InputError),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VersionGap { expected, actual } => {
                write!(
                    formatter,
                    "the update follows version {actual}, not version {expected}"
                )
            }
            Self::Head(error) => error.fmt(formatter),
            Self::RootMismatch => {
                formatter.write_str("the update's operations do not lead to its signed root")
            }
            Self::HistoryMismatch => {
                formatter.write_str("the update's head does not continue the history")
            }
            Self::UnorderedOperations => {
                formatter.write_str("the update's operations are not in ascending order of keys")
            }
            Self::RemovesAbsentKey => formatter.write_str("the update removes an absent key"),
            Self::AttachmentMismatch => {
                formatter.write_str("the update's attachment does not fit its operations")
            }
            Self::Input(error) => error.fmt(formatter),
        }
    }
}

/// A repository cannot answer. The caller asks for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// The version does not exist.
    UnknownVersion {
        /// The version asked for.
        version: Version,
        /// The latest version that exists.
        latest: Version,
    },
    /// The version was pruned.
    Pruned {
        /// The version asked for.
        version: Version,
        /// The oldest version that is still there.
        oldest: Version,
    },
    /// Nothing is proved while a newer version is not durable, because the proof could vouch for it.
    NotDurable {
        /// The version that may still be lost.
        version: Version,
    },
    /// The query is empty or out of order.
    InvalidQuery,
    /// What is stored of the version does not hold together: somebody else wrote it, or sent it.
    Damaged {
        /// The version asked for.
        version: Version,
    },
}

impl fmt::Display for LookupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVersion { version, latest } => {
                write!(
                    formatter,
                    "version {version} does not exist, the latest is {latest}"
                )
            }
            Self::Pruned { version, oldest } => {
                write!(
                    formatter,
                    "version {version} was pruned, the oldest kept is {oldest}"
                )
            }
            Self::NotDurable { version } => {
                write!(
                    formatter,
                    "version {version} is not durable yet, flush it first"
                )
            }
            Self::InvalidQuery => formatter.write_str("the query is empty or out of order"),
            Self::Damaged { version } => {
                write!(
                    formatter,
                    "what is stored of version {version} does not hold together"
                )
            }
        }
    }
}

impl core::error::Error for InputError {}
impl core::error::Error for DecodeError {}
impl core::error::Error for VerifyError {}
impl core::error::Error for ApplyError {}
impl core::error::Error for LookupError {}

/// What is a key or a value already is within bounds.
impl From<core::convert::Infallible> for InputError {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}

impl From<InputError> for ApplyError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}
