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
    /// The message is longer than the receiver's limit.
    #[error("the message exceeds {limit} bytes")]
    TooLarge {
        /// The receiver's limit in bytes.
        limit: usize,
    },
    /// The message does not start with the format's magic bytes.
    #[error("not a message of this format")]
    NotThisFormat,
    /// This library does not read this format version.
    #[error("format version {0} is unknown")]
    UnknownFormatVersion(u8),
    /// The message is of another kind than requested.
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
        /// The requested suite.
        expected: u16,
        /// The suite of the message.
        actual: u16,
    },
    /// The message is truncated or contains an invalid value.
    #[error("the message is truncated or malformed")]
    Malformed,
    /// Bytes are left over after the message.
    #[error("the message has trailing bytes")]
    TrailingBytes,
    /// The message is not in the canonical encoding of its value.
    #[error("the message is not canonically encoded")]
    NonCanonical,
    /// A field of fixed length has the wrong length.
    #[error("a field has the wrong length")]
    LengthMismatch,
    /// A residue is zero, not below the modulus, or 1 where no honest party produces it.
    #[error("a residue is outside the range of the modulus")]
    ResidueOutOfRange,
    /// A residue is the larger number of the pair `x`, `N - x`. Only the smaller one is canonical.
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
    /// A point is the identity, which is neither an accumulator value nor a witness.
    #[error("a curve point is the identity")]
    PointIsIdentity,
    /// A scalar is zero where it must not be, or not below the group order.
    #[error("a scalar is outside its range")]
    ScalarOutOfRange,
    /// The offset that locates an element's prime is outside the search window.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// A number given as the prime of an element is even or composite.
    #[error("a prime representative is not an odd prime")]
    NotAPrimeRepresentative,
    /// Parameters or keys are inconsistent or too small.
    #[error("the parameters are inconsistent or too small")]
    ParametersInvalid,
    /// The object belongs to other parameters.
    #[error("the object was made for other parameters")]
    WrongParameters,
    /// The parameters were made with a guessable secret: a small number or a root of unity.
    #[error("the parameters are insecure: their secret can be guessed")]
    SecretGuessable,
}

/// Error returned when evidence does not establish its statement. The caller distrusts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The signature is not a valid signature of the message by the author's key.
    #[error("the signature does not verify with the author's key")]
    SignatureInvalid,
    /// The bytes of the author's key are not a valid key.
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
    /// The head is of another version than requested, or not newer than the version that it should
    /// continue.
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
    #[error("version {offered} is older than version {seen}, which was seen before")]
    Rollback {
        /// The newest version seen.
        seen: Version,
        /// The version offered.
        offered: Version,
    },
    /// The author signed two different heads for one version, or heads that contradict each other.
    #[error("the author signed two different histories at version {0}")]
    Fork(Version),
    /// The two heads of an accusation agree, or the client has seen no head to compare with.
    #[error("the two heads do not contradict each other")]
    NoContradiction,
    /// The proof hashes to another root than the signed one.
    #[error("the proof does not hash to the signed root")]
    RootMismatch,
    /// The shape in the proof is not a tree, or does not match the numbers of digests and leaves in
    /// the proof.
    #[error("the proof's shape is malformed")]
    MalformedShape,
    /// Leaves are not in strictly ascending order of keys.
    #[error("the proof's leaves are out of order")]
    UnorderedLeaves,
    /// The proof contains only the digest of a needed part of the tree. The answer could be hidden
    /// in this part.
    #[error("the proof elides a part of the tree that could hold the key")]
    Elided,
    /// The proof opens more than the query needs.
    #[error("the proof opens more than the query needs")]
    Extraneous,
    /// A leaf that answers the query contains only the digest of its value.
    #[error("the value is missing from the proof")]
    ValueMissing,
    /// A leaf that only bounds the answer contains its whole value.
    #[error("the proof shows a value that the query does not need")]
    ValueSurplus,
    /// The query itself is empty or out of order.
    #[error("the query is empty or out of order")]
    InvalidQuery,
    /// A history proof does not hash to the signed history root.
    #[error("the history proof does not match the signed history")]
    HistoryMismatch,
    /// A history proof is missing, or has too few or too many digests.
    #[error("the history proof has the wrong number of digests")]
    MalformedHistoryProof,
    /// The value is of another accumulator.
    #[error("the value is of another accumulator")]
    WrongAccumulator,
    /// The witness does not prove the element under the accumulator value.
    #[error("the witness does not match the element and the accumulator value")]
    WitnessMismatch,
    /// The offset that locates an element's prime is outside the search window.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// The offset leads to an even or composite number instead of a prime.
    #[error("the offset does not give a prime representative")]
    NotAPrimeRepresentative,
    /// The remainder in a non-membership witness is zero or not reduced.
    #[error("the remainder of the non-membership witness is outside its range")]
    RemainderOutOfRange,
    /// A proof of exponentiation does not verify.
    #[error("the proof of exponentiation does not verify")]
    ExponentiationProofMismatch,
    /// The accumulator cannot contain this element.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The number of witnesses or values differs from the number of elements asked for.
    #[error("the number of witnesses or values differs from the number of elements")]
    CountMismatch,
    /// The interval of a tuple does not contain the key asked for.
    #[error("the key is outside the interval of a tuple")]
    KeyOutsideInterval,
    /// A tuple is not valid at the requested instant.
    #[error("a tuple is not valid at {instant}: it is valid from {since} to {until}")]
    OutsideValidity {
        /// The requested instant: a version, or the epoch of an older generation.
        instant: u64,
        /// The first instant covered by the proof.
        since: u64,
        /// The last instant covered by the proof.
        until: u64,
    },
    /// A revealed link of a hash chain is more steps away from its anchor than the client's limit.
    #[error("a hash chain has more than {limit} steps")]
    ChainTooLong {
        /// The maximum number of steps.
        limit: u32,
    },
    /// The proof lacks the tuple of an older generation, so the answer is undecided.
    #[error("the tuple of an older generation is missing")]
    GenerationMissing,
    /// The proof contains tuples of more generations than needed, or than exist.
    #[error("the proof shows more generations than needed")]
    GenerationSurplus,
    /// The proof does not have exactly one epoch for each older generation.
    #[error("the number of epochs in the proof differs from the number of older generations")]
    EpochCountMismatch,
    /// The question asks for more elements than the public key can verify in one proof.
    #[error("at most {limit} elements can be verified at once")]
    TooManyElements {
        /// The maximum number of elements.
        limit: usize,
    },
    /// The size in a proof, or a position, is out of range or too large for the proof.
    #[error("a size or position in the proof is out of range")]
    SizeOutOfRange,
    /// An equation between accumulators does not hold.
    #[error("an equation between accumulators does not hold")]
    EquationMismatch,
    /// An accumulator opens to zero at the key asked for. It therefore contains more elements than
    /// the proof shows.
    #[error("an accumulator opens to zero at the key: it holds more than is shown")]
    ZeroOpening,
    /// The prefix in a proof of absence has no bits, or more bits than the key half of an element.
    #[error("the prefix has an invalid length")]
    PrefixLength,
    /// A value or its occurrence number differs from the element in the proof.
    #[error("a value or its occurrence does not match the element shown")]
    ValueMismatch,
    /// The proof contains the element whose absence it should prove.
    #[error("the proof of absence shows the element itself")]
    ElementPresent,
    /// The root that a proof gives for the older version does not match that version's root.
    #[error("the proof does not start from the older version's root")]
    OldRootMismatch,
    /// Bytes in the evidence are malformed. Only the public key can decode these bytes, so the
    /// message's decoder accepts them.
    #[error("the evidence is malformed: {0}")]
    Undecodable(DecodeError),
    /// A live entry in the proof has the digest reserved for deleted entries.
    #[error("a live entry has the digest reserved for deleted entries")]
    ReservedDigest,
    /// Blocks in the proof have another number of slots than the blocks of this directory.
    #[error("the blocks shown have {actual} slots, those of this directory have {expected}")]
    WrongCapacity {
        /// The directory's number of slots.
        expected: u32,
        /// The number in the proof.
        actual: u32,
    },
    /// The blocks in the proof do not have exactly the slots that follow from the question.
    #[error("the blocks shown have too few or too many bytes")]
    BlockLength,
    /// A slot of a block in the proof is neither a live nor a deleted entry.
    #[error("a slot is neither a live nor a deleted entry")]
    MalformedEntry,
    /// A block does not match its summary in the block above it.
    #[error("a block does not match its summary in the block above")]
    SummaryMismatch,
    /// The summary of a block is not an element of the group.
    #[error("the summary of a block is not an element of the group")]
    SummaryOutOfRange,
    /// A slot of a block does not map to an element of the group.
    #[error("a slot does not map to an element of the group")]
    ElementNotFound,
    /// The path hint (an old proof that was kept) is for another entry than requested, or for no
    /// entry.
    #[error("the path hint is of another entry")]
    HintOfAnotherEntry,
    /// The path hint is for another object than the given one. Either the hint or the object is
    /// stale.
    #[error("the path hint is of another object")]
    HintOfAnotherObject,
    /// The height of a short-circuit answer is not one of the heights in the request.
    #[error("a short-circuit answer has height {height}, which was not requested")]
    HeightNotOffered {
        /// The height of the answer.
        height: u32,
    },
    /// The form of the answer does not match the request.
    #[error("the form of the answer does not match the request")]
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
    /// The operations do not produce the signed root.
    #[error("the update's operations do not produce its signed root")]
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
    /// The attachment does not match the tuples that the operations produce.
    #[error("the update's attachment does not match its operations")]
    AttachmentMismatch,
    /// An update of an append-only log contains operations, which could replace or remove entries.
    #[error("an update of a log must hold entries, not operations")]
    OperationsNotAllowed,
    /// A key is not the id of an entry, or a value is not the digest of an object.
    #[error("an operation is not on an entry of a directory")]
    NotAnEntry,
    /// An operation changes a deleted entry. Deletion is final.
    #[error("entry {0} is deleted permanently")]
    DeletedForGood(u64),
    /// New entries do not have the next ids.
    #[error("new entries must have the next ids: {expected}, not {actual}")]
    IdGap {
        /// The next id.
        expected: u64,
        /// The id in the operation.
        actual: u64,
    },
    /// An operation deletes or changes an entry that does not exist in any version.
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
    #[error("the stored data is inconsistent")]
    Damaged,
    /// The store is closed after a failed write. Open it again to continue.
    #[error("the store is closed after a failed write: open it again")]
    Closed,
    /// A directory stored in files accepts a bulk load only when it is created.
    #[error("a directory in files can be bulk-loaded only at its creation")]
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
        /// The latest version. For a proof of history, the newer of the two versions asked for.
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
    /// Another server may keep them.
    #[error("keys that the answer depends on are not kept here")]
    NotKept,
    /// A newer version is not durable yet. Proofs are refused until it is durable, because they
    /// could vouch for this version.
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
    #[error("the answer would have more than {most} bytes: request less at a time")]
    TooLong {
        /// The maximum length of an answer in bytes.
        most: usize,
    },
    /// The stored data of the version is inconsistent: another party wrote it, or sent it.
    #[error("the stored data of version {version} is inconsistent")]
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
