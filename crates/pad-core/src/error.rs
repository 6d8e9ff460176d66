//! Error types, one for each role: input, decoding, verification, updates, storage and lookups.

use crate::version::Version;

/// Error returned when the caller's input is outside the format's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A key exceeds the maximum length.
    #[error("the key has {length} bytes, at most {limit} are allowed")]
    KeyTooLong {
        /// The key's length in bytes.
        length: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// A value exceeds the maximum length.
    #[error("the value has {length} bytes, at most {limit} are allowed")]
    ValueTooLong {
        /// The value's length in bytes.
        length: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// No more entries, nodes or versions fit into this store's 32-bit indices.
    #[error("the store is full: 32-bit indices are exhausted")]
    CapacityExceeded,
    /// The digest of zero bytes marks a deleted entry of a directory. No object has this digest.
    #[error("the digest of zero bytes is reserved for deleted entries")]
    ReservedDigest,
}

/// Error returned when bytes are not a well-formed message. The caller drops the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The message is longer than the receiver accepts.
    #[error("the message exceeds {limit} bytes")]
    TooLarge {
        /// The receiver's limit in bytes.
        limit: usize,
    },
    /// The message does not start with the format's magic bytes.
    #[error("not a message of this format")]
    NotThisFormat,
    /// The format version is not one that this library reads.
    #[error("format version {0} is unknown")]
    UnknownFormatVersion(u8),
    /// The message is of another kind than the one asked for.
    #[error("expected a message of kind {expected}, got kind {actual}")]
    WrongKind {
        /// The kind asked for.
        expected: u8,
        /// The kind found.
        actual: u8,
    },
    /// The message was made under another suite.
    #[error("expected suite {expected}, got suite {actual}")]
    WrongSuite {
        /// The suite asked for.
        expected: u16,
        /// The suite found.
        actual: u16,
    },
    /// The message is truncated or holds an invalid value.
    #[error("the message is truncated or malformed")]
    Malformed,
    /// Bytes are left over after the message.
    #[error("the message is followed by further bytes")]
    TrailingBytes,
    /// The message has a shorter or different encoding than the one sent.
    #[error("the message is not canonically encoded")]
    NonCanonical,
    /// A fixed-length field has another length.
    #[error("a field has the wrong length")]
    LengthMismatch,
    /// A residue is zero, not below the modulus, or 1 where no honest party produces it.
    #[error("a residue is outside the range of the modulus")]
    ResidueOutOfRange,
    /// A residue is the larger one of the pair `x`, `N - x`.
    #[error("a residue is not the smaller one of its pair")]
    ResidueNotCanonical,
    /// A residue shares a factor with the modulus.
    #[error("a residue shares a factor with the modulus")]
    ResidueNotUnit,
    /// Bytes are not the canonical encoding of a point of the curve.
    #[error("not the canonical encoding of a curve point")]
    PointInvalid,
    /// A point of the curve is outside the subgroup of prime order.
    #[error("a curve point is outside the prime-order subgroup")]
    PointOutsideSubgroup,
    /// A point is the identity, which is no accumulator value and no witness.
    #[error("a curve point is the identity")]
    PointIsIdentity,
    /// A scalar is zero where it must not be, or not below the group order.
    #[error("a scalar is outside its range")]
    ScalarOutOfRange,
    /// The offset of a prime representative is outside the search window.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// A number offered as a prime representative is even or composite.
    #[error("a number offered as a prime representative is not an odd prime")]
    NotAPrimeRepresentative,
    /// Parameters or keys contradict themselves, or are too small.
    #[error("the parameters are inconsistent or too small")]
    ParametersInvalid,
    /// The object belongs to other parameters.
    #[error("the object was made for other parameters")]
    WrongParameters,
    /// The parameters are those of a guessable secret: a small number or root of unity.
    #[error("the parameters are those of a secret that anybody finds")]
    SecretGuessable,
}

/// Error returned when evidence does not establish its statement. The caller distrusts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The author's key did not sign this.
    #[error("the author did not sign this")]
    SignatureInvalid,
    /// The bytes given as the author's key are not a valid key.
    #[error("the author's public key is not valid")]
    AuthorKeyInvalid,
    /// The head is of another dictionary.
    #[error("the head is of another dictionary")]
    WrongDictionary,
    /// The head is of another balancing scheme.
    #[error("the head is of scheme {actual}, expected scheme {expected}")]
    WrongScheme {
        /// The scheme asked for.
        expected: u16,
        /// The scheme found.
        actual: u16,
    },
    /// The head is of another version than requested, or not newer than the older version.
    #[error("the head is of version {actual}, expected version {expected}")]
    WrongVersion {
        /// The version asked for.
        expected: Version,
        /// The version found.
        actual: Version,
    },
    /// A signed head claims version 0, which is the empty dictionary and needs no signature.
    #[error("version 0 is the empty dictionary and has no signed head")]
    EmptyVersionSigned,
    /// The head is older than one already seen.
    #[error("version {offered} was offered after version {seen} was seen")]
    Rollback {
        /// The newest version seen.
        seen: Version,
        /// The version offered.
        offered: Version,
    },
    /// The author signed two different heads for one version, or heads that contradict each other.
    #[error("the author signed two different histories at version {0}")]
    Fork(Version),
    /// Two heads that should contradict each other do not, or no head was seen to contradict.
    #[error("the two heads do not contradict")]
    NoContradiction,
    /// The proof hashes to another root than the signed one.
    #[error("the proof does not hash to the signed root")]
    RootMismatch,
    /// The proof's shape is not a tree, or does not match the number of digests and leaves.
    #[error("the proof's shape is malformed")]
    MalformedShape,
    /// Leaves are not in strictly ascending order of keys.
    #[error("the proof's leaves are out of order")]
    UnorderedLeaves,
    /// A needed part of the tree is elided, so the answer could be hidden in it.
    #[error("the proof elides a part of the tree that could hold the key")]
    Elided,
    /// The proof opens more than the query needs.
    #[error("the proof opens more than the query needs")]
    Extraneous,
    /// A leaf that answers the query shows only its value's digest.
    #[error("the proof withholds the value")]
    ValueMissing,
    /// A leaf that only bounds the answer shows its whole value.
    #[error("the proof shows a value that the query does not need")]
    ValueSurplus,
    /// The query itself is empty or out of order.
    #[error("the query is empty or out of order")]
    InvalidQuery,
    /// A history proof does not lead to the signed history.
    #[error("the history proof does not lead to the signed history")]
    HistoryMismatch,
    /// A history proof is missing, or has too few or too many digests.
    #[error("the history proof has the wrong number of digests")]
    MalformedHistoryProof,
    /// The value is of another accumulator.
    #[error("the value is of another accumulator")]
    WrongAccumulator,
    /// The witness does not lead from the element to the accumulator value.
    #[error("the witness does not lead from the element to the accumulator value")]
    WitnessMismatch,
    /// The offset of a prime representative is outside the search window.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// The offset leads to an even or composite number.
    #[error("the offset does not lead to a prime representative")]
    NotAPrimeRepresentative,
    /// The remainder of a non-membership witness is zero or not reduced.
    #[error("the remainder of the non-membership witness is outside its range")]
    RemainderOutOfRange,
    /// A proof of exponentiation does not verify.
    #[error("the proof of exponentiation does not verify")]
    ExponentiationProofMismatch,
    /// The accumulator cannot hold this element.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The number of witnesses or values differs from the number of elements asked for.
    #[error("there are not as many witnesses or values as elements")]
    CountMismatch,
    /// A tuple's interval does not hold the key asked for.
    #[error("a tuple's interval does not hold the key")]
    KeyOutsideInterval,
    /// A tuple is not valid at the requested instant.
    #[error("a tuple is vouched for from {since} to {until}, not at {instant}")]
    OutsideValidity {
        /// The requested instant: a version, or an older generation's epoch.
        instant: u64,
        /// The first instant vouched for.
        since: u64,
        /// The last instant vouched for.
        until: u64,
    },
    /// A revealed link is further from its anchor than the client's limit.
    #[error("a hash chain has more than {limit} steps")]
    ChainTooLong {
        /// The maximum number of steps.
        limit: u32,
    },
    /// The tuples shown do not decide the answer: an older generation's tuple is missing.
    #[error("the tuple of an older generation is missing")]
    GenerationMissing,
    /// The proof shows tuples of more generations than needed, or than exist.
    #[error("the proof shows more generations than decide")]
    GenerationSurplus,
    /// The proof does not have exactly one epoch for each older generation.
    #[error("the proof does not name one epoch for each older generation")]
    EpochCountMismatch,
    /// More elements are asked for at once than the public key can verify.
    #[error("at most {limit} elements can be verified at once")]
    TooManyElements {
        /// The maximum number of elements.
        limit: usize,
    },
    /// The size in a proof, or a position, is out of range or too large for the proof.
    #[error("the proof is about a size or a position that is out of range")]
    SizeOutOfRange,
    /// An equation between accumulators does not hold.
    #[error("an equation between accumulators does not hold")]
    EquationMismatch,
    /// An accumulator opens to zero at the key asked for, so it holds more than is shown.
    #[error("an accumulator opens to zero at the key: it holds more than is shown")]
    ZeroOpening,
    /// The prefix in a proof of absence has no bits, or more than a key half.
    #[error("the prefix has an impossible length")]
    PrefixLength,
    /// A value, or its occurrence, is not that of the element shown.
    #[error("a value is not that of the element shown")]
    ValueMismatch,
    /// The proof shows the element whose absence it should prove.
    #[error("the element whose absence is asked for is shown")]
    ElementPresent,
    /// The older version in a proof does not match that version's root.
    #[error("the proof does not start from the older version's root")]
    OldRootMismatch,
    /// Bytes within the evidence, which only the public key can decode, are not well-formed.
    #[error("the evidence is malformed: {0}")]
    Undecodable(DecodeError),
    /// An entry is shown as live with the digest reserved for deleted entries.
    #[error("an entry is shown as live with the digest that is reserved for deleted ones")]
    ReservedDigest,
    /// Blocks are shown with another number of slots than those of this directory have.
    #[error("blocks of {actual} slots are shown, those of this directory have {expected}")]
    WrongCapacity {
        /// The directory's number of slots.
        expected: u32,
        /// The number shown.
        actual: u32,
    },
    /// The blocks shown do not have exactly the slots that follow from the question.
    #[error("the blocks shown have too few or too many bytes")]
    BlockLength,
    /// A slot of a block shown is neither a live nor a deleted entry.
    #[error("a slot is neither a live nor a deleted entry")]
    MalformedEntry,
    /// A block does not match its summary in the block above it.
    #[error("a block is not the one that the block above it says")]
    SummaryMismatch,
    /// The summary of a block is no element of the group.
    #[error("the summary of a block is no element of the group")]
    SummaryOutOfRange,
    /// No element of the group follows from a slot of a block.
    #[error("no element of the group follows from a slot")]
    ElementNotFound,
    /// The path hint is of another entry than the one asked for, or of none.
    #[error("the path hint is of another entry")]
    HintOfAnotherEntry,
    /// The path hint is of another object than the given one: one of the two is stale.
    #[error("the path hint is of another object")]
    HintOfAnotherObject,
    /// The height of a short-circuit answer was not offered.
    #[error("a short-circuit answer of height {height} was not offered")]
    HeightNotOffered {
        /// The height of the answer.
        height: u32,
    },
    /// The answer is of another form than the request asks for.
    #[error("the answer is of another form than the request asks for")]
    AnswerMismatch,
}

/// Error returned when an update cannot be applied. The repository is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The update does not follow the repository's latest version.
    #[error("the update follows version {actual}, not version {expected}")]
    VersionGap {
        /// The base version that would fit.
        expected: Version,
        /// The update's base version.
        actual: Version,
    },
    /// The update's head does not verify.
    #[error(transparent)]
    Head(VerifyError),
    /// The operations do not lead to the signed root.
    #[error("the update's operations do not lead to its signed root")]
    RootMismatch,
    /// The head does not continue the history.
    #[error("the update's head does not continue the history")]
    HistoryMismatch,
    /// Operations are not in strictly ascending order of keys.
    #[error("the update's operations are not in ascending order of keys")]
    UnorderedOperations,
    /// An operation removes an absent key.
    #[error("the update removes an absent key")]
    RemovesAbsentKey,
    /// The attachment does not fit the tuples that the operations lead to.
    #[error("the update's attachment does not fit its operations")]
    AttachmentMismatch,
    /// An update of an append-only log holds operations, which may replace and remove.
    #[error("the log takes no operations, only entries")]
    OperationsNotAllowed,
    /// A key is not the id of an entry, or a value is not the digest of an object.
    #[error("an operation is not about an entry of a directory")]
    NotAnEntry,
    /// An operation is about an entry that was deleted, which is final.
    #[error("entry {0} was deleted for good")]
    DeletedForGood(u64),
    /// New entries do not have the next ids.
    #[error("new entries have to have the next ids: {expected}, not {actual}")]
    IdGap {
        /// The next id.
        expected: u64,
        /// The id of the operation.
        actual: u64,
    },
    /// An operation deletes or changes an entry that no version has.
    #[error("there is no entry {0}")]
    UnknownId(u64),
    /// The update does not fit into the store.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The store under the repository cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// Error returned when a store fails. The store itself reports the file and the system's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// The medium failed.
    #[error("the store cannot be read or written: its medium failed")]
    Medium,
    /// The stored data is inconsistent.
    #[error("what is stored does not hold together")]
    Damaged,
    /// The store is closed after a failed write. The caller opens it again.
    #[error("the store is closed since something could not be written; open it again")]
    Closed,
    /// Bulk loading of a directory in files is possible only at its creation.
    #[error("a directory in files is loaded when it is made, and not afterwards")]
    LoadedWhenMade,
}

/// Error returned when a repository cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The version does not exist.
    #[error("version {version} does not exist, the latest is {latest}")]
    UnknownVersion {
        /// The version asked for.
        version: Version,
        /// The latest version; from a proof of history, the newer version asked for.
        latest: Version,
    },
    /// The version was pruned.
    #[error("version {version} was pruned, the oldest kept is {oldest}")]
    Pruned {
        /// The version asked for.
        version: Version,
        /// The oldest version that is still kept.
        oldest: Version,
    },
    /// The requested keys, or their neighbours, are outside the part of the keys that is kept here.
    /// Another server may have them.
    #[error("keys that the answer depends on are not kept here")]
    NotKept,
    /// A newer version is not durable yet. Proofs wait for it, because they could vouch for it.
    #[error("version {version} is not durable yet, flush it first")]
    NotDurable {
        /// The version that may still be lost.
        version: Version,
    },
    /// The query is empty or out of order.
    #[error("the query is empty or out of order")]
    InvalidQuery,
    /// The answer would exceed the maximum length that clients read. Request ranges in pages.
    ///
    /// Each page starts where the previous one ends.
    #[error("the answer would have more than {most} bytes; ask for less at a time")]
    TooLong {
        /// The maximum length of an answer in bytes.
        most: usize,
    },
    /// The stored data of the version is inconsistent: another party wrote it, or sent it.
    #[error("what is stored of version {version} does not hold together")]
    Damaged {
        /// The version asked for.
        version: Version,
    },
    /// The store under the repository cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// Infallible conversion: a [`Key`](crate::Key) or a [`Value`](crate::Value) is within bounds.
impl From<core::convert::Infallible> for InputError {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}

impl From<core::convert::Infallible> for ApplyError {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}
