//! Error types, one for each role: input, decoding, verification, updates, storage and lookups.

use crate::version::Version;

/// Error returned when the caller's input is outside the bounds of the format or of a store: too
/// long, too many entries, or a reserved digest.
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
    /// The input needs more entries, nodes or versions than the store or the format can number.
    #[error("the store is full: 32-bit indices are exhausted")]
    CapacityExceeded,
    /// The digest of an object in a block directory is all zero bytes. A directory marks deleted
    /// entries with this digest.
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
    /// The message is not of the kind that the receiver decodes.
    #[error("expected a message of kind {expected}, got kind {actual}")]
    WrongKind {
        /// The kind number of the type that the receiver decodes.
        expected: u8,
        /// The kind number in the message's envelope.
        actual: u8,
    },
    /// The message belongs to another suite (hash and signature) than the type that the receiver
    /// decodes.
    #[error("expected suite {expected}, got suite {actual}")]
    WrongSuite {
        /// The suite id of the type that the receiver decodes.
        expected: u16,
        /// The suite id in the message's envelope.
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
    /// A residue (a number modulo an RSA modulus) is zero, or not below the modulus, or 1 where no
    /// honest party produces 1.
    #[error("a residue is outside the range of the modulus")]
    ResidueOutOfRange,
    /// Of a residue `x` modulo `N` and its negative `N - x`, the encoding contains the larger one.
    /// Only the smaller one is canonical.
    #[error("a residue is not the smaller one of its pair")]
    ResidueNotCanonical,
    /// A residue modulo an RSA modulus shares a factor with the modulus.
    #[error("a residue shares a factor with the modulus")]
    ResidueNotUnit,
    /// Bytes are not the canonical encoding of a point of the elliptic curve.
    #[error("not the canonical encoding of a curve point")]
    PointInvalid,
    /// A point of the elliptic curve is outside the subgroup of prime order.
    #[error("a curve point is outside the prime-order subgroup")]
    PointOutsideSubgroup,
    /// A point is the identity of the curve, which is neither an accumulator value nor a witness.
    #[error("a curve point is the identity")]
    PointIsIdentity,
    /// A scalar is zero where it must not be, or not below the group order.
    #[error("a scalar is outside its range")]
    ScalarOutOfRange,
    /// The offset of an element's prime is outside the window in which the prime is searched.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// A number given as the prime that represents an element is even or composite.
    #[error("a prime representative is not an odd prime")]
    NotAPrimeRepresentative,
    /// An accumulator's parameters or keys are inconsistent or too small.
    #[error("the parameters are inconsistent or too small")]
    ParametersInvalid,
    /// A secret or other object was not made for the given parameters.
    #[error("the object was made for other parameters")]
    WrongParameters,
    /// An accumulator's parameters were made with a guessable secret: a small number or a root of
    /// unity.
    #[error("the parameters are insecure: their secret can be guessed")]
    SecretGuessable,
}

/// Error returned when evidence does not prove its statement. The client should distrust the server
/// that sent the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The signature is not a valid signature of the message by the author's key.
    #[error("the signature does not verify with the author's key")]
    SignatureInvalid,
    /// The bytes of the author's key are not a valid key.
    #[error("the author's public key is not valid")]
    AuthorKeyInvalid,
    /// The head is not of the dictionary that the client trusts.
    #[error("the head is of another dictionary")]
    WrongDictionary,
    /// The head is not of the scheme that the client accepts. A scheme computes the root from the
    /// contents.
    #[error("the head is of scheme {actual}, expected scheme {expected}")]
    WrongScheme {
        /// The number of the scheme that the client accepts.
        expected: u16,
        /// The number of the scheme in the head.
        actual: u16,
    },
    /// The head is not of the requested version, or not newer than the version that it should
    /// continue.
    #[error("the head is of version {actual}, expected version {expected}")]
    WrongVersion {
        /// The version that the client requested or expected.
        expected: Version,
        /// The version in the head.
        actual: Version,
    },
    /// A signed head claims version 0, which is the empty dictionary and needs no signature.
    #[error("version 0 is the empty dictionary and has no signed head")]
    EmptyVersionSigned,
    /// The head is older than the newest head that the client has verified.
    #[error("version {offered} is older than version {seen}, which was seen before")]
    Rollback {
        /// The newest version that the client has verified.
        seen: Version,
        /// The version of the offered head.
        offered: Version,
    },
    /// The author signed two different heads for one version, or heads that contradict each other.
    /// A client reports the newest version that it had verified before. The contradiction may be
    /// about an earlier version.
    #[error("the author signed two different histories at version {0}")]
    Fork(Version),
    /// The two heads of an accusation do not contradict each other, or the client has seen no head
    /// to compare with.
    #[error("the two heads do not contradict each other")]
    NoContradiction,
    /// The proof hashes to a root that differs from the signed root.
    #[error("the proof does not hash to the signed root")]
    RootMismatch,
    /// The tree shape in the proof is invalid, or does not match the numbers of digests and leaves
    /// in the proof.
    #[error("the proof's shape is malformed")]
    MalformedShape,
    /// The leaves in the proof are not in strictly ascending order of keys.
    #[error("the proof's leaves are out of order")]
    UnorderedLeaves,
    /// The proof contains only the digest of a needed part of the tree. The answer could be hidden
    /// in this part.
    #[error("the proof elides a part of the tree that could hold the key")]
    Elided,
    /// The proof contains more than the query needs, for example surplus leaves or tuples.
    #[error("the proof opens more than the query needs")]
    Extraneous,
    /// A leaf that answers the query contains only the digest of its value.
    #[error("the value is missing from the proof")]
    ValueMissing,
    /// A leaf that only bounds the answer, such as the neighbour of an absent key, contains its
    /// whole value. Only the value's digest is allowed.
    #[error("the proof shows a value that the query does not need")]
    ValueSurplus,
    /// The client's own query is invalid, for example empty or out of order.
    #[error("the query is empty or out of order")]
    InvalidQuery,
    /// A history proof does not hash to the history root in the signed head.
    #[error("the history proof does not match the signed history")]
    HistoryMismatch,
    /// A history proof is missing, or its number of digests does not fit the two versions.
    #[error("the history proof has the wrong number of digests")]
    MalformedHistoryProof,
    /// A value or witness in the evidence does not belong to the client's accumulator.
    #[error("the value is of another accumulator")]
    WrongAccumulator,
    /// The witness does not prove the element under the accumulator value.
    #[error("the witness does not match the element and the accumulator value")]
    WitnessMismatch,
    /// The offset of an element's prime is outside the window in which the prime is searched.
    #[error("the offset of a prime representative is outside the search window")]
    OffsetOutsideWindow,
    /// The offset of an element's prime selects an even or composite number instead of a prime.
    #[error("the offset does not give a prime representative")]
    NotAPrimeRepresentative,
    /// The remainder in a non-membership witness is zero or, in an RSA accumulator, not below the
    /// element's prime.
    #[error("the remainder of the non-membership witness is outside its range")]
    RemainderOutOfRange,
    /// A proof of exponentiation (that one group element is a certain power of another) does not
    /// verify.
    #[error("the proof of exponentiation does not verify")]
    ExponentiationProofMismatch,
    /// The accumulator cannot contain this element, for example because no prime can represent it.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The number of witnesses, values or tuples differs from the number that the question
    /// requires.
    #[error("the number of witnesses or values differs from the number of elements")]
    CountMismatch,
    /// The key interval of the tuple in the proof does not contain the requested key.
    #[error("the key is outside the interval of a tuple")]
    KeyOutsideInterval,
    /// A tuple in the proof is not valid at the requested instant (a version, or an epoch).
    #[error("a tuple is not valid at {instant}: it is valid from {since} to {until}")]
    OutsideValidity {
        /// The requested instant: a version, or the epoch of an older generation.
        instant: u64,
        /// The first instant covered by the proof.
        since: u64,
        /// The last instant covered by the proof.
        until: u64,
    },
    /// The hash chain of a lightweight signature is too long to verify. The revealed link is more
    /// steps away from the signed anchor than the client's limit.
    #[error("a hash chain has more than {limit} steps")]
    ChainTooLong {
        /// The client's limit on the number of steps.
        limit: u32,
    },
    /// The proof lacks the tuple of an older generation, which could contain the requested key. The
    /// answer is therefore undecided.
    #[error("the tuple of an older generation is missing")]
    GenerationMissing,
    /// The proof contains tuples of more generations than the answer needs, or than exist.
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
    /// A size or position in a proof is out of range, or too large for the proof's length.
    #[error("a size or position in the proof is out of range")]
    SizeOutOfRange,
    /// An equation between accumulator values in the proof does not hold.
    #[error("an equation between accumulators does not hold")]
    EquationMismatch,
    /// An opening of an accumulator at the requested key gives zero. The accumulator therefore
    /// contains more elements with this key than the proof lists.
    #[error("an accumulator opens to zero at the key: it holds more than is shown")]
    ZeroOpening,
    /// The prefix in a proof of absence has no bits, or more bits than an element has for its key.
    #[error("the prefix has an invalid length")]
    PrefixLength,
    /// A value in the proof, or its occurrence number, differs from the element that the proof
    /// commits to.
    #[error("a value or its occurrence does not match the element shown")]
    ValueMismatch,
    /// The proof contains the element whose absence it should prove.
    #[error("the proof of absence shows the element itself")]
    ElementPresent,
    /// The root that a proof gives for the older version does not match that version's root.
    #[error("the proof does not start from the older version's root")]
    OldRootMismatch,
    /// Bytes in the evidence are malformed. Decoding them needs the public key, so the message's
    /// decoder did not check them.
    #[error("the evidence is malformed: {0}")]
    Undecodable(#[from] DecodeError),
    /// A live entry of a directory, in the proof, has the digest that marks deleted entries.
    #[error("a live entry has the digest reserved for deleted entries")]
    ReservedDigest,
    /// The blocks in the proof do not have the same number of slots as the blocks of the client's
    /// directory.
    #[error("the blocks shown have {actual} slots, those of this directory have {expected}")]
    WrongCapacity {
        /// The number of slots of a block in the client's directory.
        expected: u32,
        /// The number of slots of a block in the proof.
        actual: u32,
    },
    /// The blocks in the proof do not have exactly the slots that the question requires.
    #[error("the blocks shown have too few or too many bytes")]
    BlockLength,
    /// A slot of a block in the proof contains neither a live nor a deleted entry.
    #[error("a slot is neither a live nor a deleted entry")]
    MalformedEntry,
    /// A block does not match its summary (its digest or group element) in the block above it.
    #[error("a block does not match its summary in the block above")]
    SummaryMismatch,
    /// The summary of a block is not an element of the strategy's group.
    #[error("the summary of a block is not an element of the group")]
    SummaryOutOfRange,
    /// A slot of a block does not map to an element of the strategy's group.
    #[error("a slot does not map to an element of the group")]
    ElementNotFound,
    /// The path hint (an old proof that is stored with the object) is not for the requested entry,
    /// or states an impossible id or size.
    #[error("the path hint is of another entry")]
    HintOfAnotherEntry,
    /// The path hint (an old proof that is stored with the object) is not for the given object.
    /// Either the hint or the object is stale.
    #[error("the path hint is of another object")]
    HintOfAnotherObject,
    /// A short-circuit answer omits the path below some height, which the client knows from its
    /// hint. This height is not one that the request offers.
    #[error("a short-circuit answer has height {height}, which was not requested")]
    HeightNotOffered {
        /// The height of the answer.
        height: u32,
    },
    /// The answer contains a kind of evidence that the request does not allow.
    #[error("the form of the answer does not match the request")]
    AnswerMismatch,
}

/// Error returned when an update cannot be applied. The repository is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The update's base version is not the repository's latest version.
    #[error("the update follows version {actual}, not version {expected}")]
    VersionGap {
        /// The repository's latest version, which the update should start from.
        expected: Version,
        /// The update's base version.
        actual: Version,
    },
    /// The update's signed head does not verify.
    #[error(transparent)]
    Head(VerifyError),
    /// The update's operations do not produce the root in its signed head.
    #[error("the update's operations do not produce its signed root")]
    RootMismatch,
    /// The history root in the update's head is not the root of the repository's history log.
    #[error("the update's head does not continue the history")]
    HistoryMismatch,
    /// The update's operations are not in strictly ascending order of keys.
    #[error("the update's operations are not in ascending order of keys")]
    UnorderedOperations,
    /// An operation removes a key that the dictionary does not contain.
    #[error("the update removes an absent key")]
    RemovesAbsentKey,
    /// The update's attachment (its data in addition to operations and head) does not match the
    /// tuples that the operations produce.
    #[error("the update's attachment does not match its operations")]
    AttachmentMismatch,
    /// An update of an append-only log contains operations, which could replace or remove entries.
    #[error("an update of a log must hold entries, not operations")]
    OperationsNotAllowed,
    /// In an update of a directory, a key is not the id of an entry, or a value is not the digest
    /// of an object.
    #[error("an operation is not on an entry of a directory")]
    NotAnEntry,
    /// An operation changes the deleted directory entry with this id. Deletion is final.
    #[error("entry {0} is deleted permanently")]
    DeletedForGood(u64),
    /// The ids of new directory entries do not continue the existing ids without a gap.
    #[error("new entries must have the next ids: {expected}, not {actual}")]
    IdGap {
        /// The id that the next new entry must have.
        expected: u64,
        /// The id in the operation.
        actual: u64,
    },
    /// An operation deletes or changes the directory entry with this id, which never existed.
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
    /// The storage medium failed, for example a disk or a network file system.
    #[error("the store cannot be read or written: its medium failed")]
    Medium,
    /// The stored data is inconsistent.
    #[error("the stored data is inconsistent")]
    Damaged,
    /// The store is closed after a failed write. Open it again to continue.
    #[error("the store is closed after a failed write: open it again")]
    Closed,
    /// A bulk load for directories in memory was called on a directory in files. A directory in
    /// files is loaded by the functions for files, before it has a version.
    #[error("a directory in files can be bulk-loaded only at its creation")]
    LoadedWhenMade,
}

/// Error returned when a repository cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The requested version does not exist.
    #[error("version {version} does not exist, the latest is {latest}")]
    UnknownVersion {
        /// The requested version.
        version: Version,
        /// The repository's latest version. For a proof of history, the newer of the two requested
        /// versions.
        latest: Version,
    },
    /// The repository deleted the requested version.
    #[error("version {version} was pruned, the oldest kept is {oldest}")]
    Pruned {
        /// The requested version.
        version: Version,
        /// The oldest version that the repository still stores.
        oldest: Version,
    },
    /// This server stores only a part of the keys. The requested keys, or their neighbours, are
    /// outside this part. Another server may store them.
    #[error("keys that the answer depends on are not kept here")]
    NotKept,
    /// A newer version is not durable yet, and could be lost. Proofs could depend on that version,
    /// so they are refused until it is durable.
    #[error("version {version} is not durable yet, flush it first")]
    NotDurable {
        /// The version that may still be lost.
        version: Version,
    },
    /// The query is invalid, for example empty or out of order, or it asks for too many entries.
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
    /// The stored data of the version is inconsistent. It may have been written or sent by a party
    /// other than this server.
    #[error("the stored data of version {version} is inconsistent")]
    Damaged {
        /// The requested version.
        version: Version,
    },
    /// The store under the repository cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

impl LookupError {
    /// The error for a `version` that is not one of the versions from `oldest` to `latest`.
    #[doc(hidden)]
    pub fn missing(version: Version, oldest: Version, latest: Version) -> Self {
        if version < oldest {
            Self::Pruned { version, oldest }
        } else {
            Self::UnknownVersion { version, latest }
        }
    }
}

/// Lets functions that convert their arguments also accept a [`Key`](crate::Key) or a
/// [`Value`](crate::Value), which need no conversion.
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
