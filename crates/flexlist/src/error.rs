//! What can go wrong: requests that a list does not allow, and evidence that does not hold.

/// A batch of changes or a question that the list does not allow. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// No operation, or no index.
    #[error("nothing is asked for")]
    EmptyBatch,
    /// A range without a byte.
    #[error("the range has no byte")]
    EmptyRange,
    /// There is no such byte.
    #[error("byte {index} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// The byte.
        index: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// A block can be inserted only before another block or at the end, not inside a block.
    #[error("byte {index} is inside a block, and a block is inserted between blocks")]
    NotOnBoundary {
        /// The byte.
        index: u64,
    },
    /// A block has at least one byte.
    #[error("a block has no byte")]
    EmptyBlock,
    /// A file has fewer than `2^63` bytes.
    #[error("the file would have 2^63 bytes or more")]
    FileTooLong,
    /// A list has at most about `2^30` blocks.
    #[error("the list cannot hold more blocks")]
    ListFull,
    /// The batch reads more of the list than one batch may, or the evidence would be longer than a
    /// client reads ([`MAX_PROOF_BYTES`](crate::list::MAX_PROOF_BYTES)).
    #[error("the batch reads too much of the list; split it")]
    BatchTooLarge,
    /// The way leads into a part of the list that is not there. For a whole list: a broken invariant.
    #[error("a part of the list is missing")]
    Elided,
}

/// A proof or witness does not prove what was asked. Distrust the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// More bytes than are ever read.
    #[error("the proof exceeds {limit} bytes")]
    TooLarge {
        /// How many are.
        limit: usize,
    },
    /// The bytes end inside a node.
    #[error("the proof is truncated")]
    Truncated,
    /// Bytes follow the last node.
    #[error("bytes follow the proof")]
    TrailingBytes,
    /// No node begins with this byte.
    #[error("no node begins with byte {0:#04x}")]
    UnknownKind(u8),
    /// A flag is neither 0 nor 1.
    #[error("{0:#04x} is not a flag")]
    BadFlag(u8),
    /// An integer has needless digits.
    #[error("an integer has needless digits")]
    NonMinimalInteger,
    /// A node has a level that its place does not allow.
    #[error("a node of level {level} is out of place")]
    WrongLevel {
        /// The level.
        level: u8,
    },
    /// A block where a sentinel must be, or a sentinel where none can be.
    #[error("a block or sentinel is out of place")]
    MisplacedNode,
    /// A block of no bytes.
    #[error("a block has no byte")]
    EmptyBlock,
    /// A subtree that leads to no byte, or the right sentinel to some.
    #[error("a rank is impossible in its place")]
    WrongRank,
    /// Ranks add up to `2^63` or more.
    #[error("ranks exceed the longest file")]
    RankOverflow,
    /// The ranks do not add up to the length of the file.
    #[error("the proof is for a file of another length")]
    TotalMismatch,
    /// The hashes do not lead to the root.
    #[error("the proof is for another root")]
    RootMismatch,
    /// What was asked for lies in a part that is not shown.
    #[error("the proof does not show what was asked for")]
    Elided,
    /// A node is shown that nothing needs.
    #[error("the proof shows more than was asked for")]
    SurplusNode,
    /// The question or the operations are wrong for this file, whatever the server answers.
    #[error(transparent)]
    Operation(UpdateError),
}

/// The server's evidence does not prove what was asked. Distrust the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A tag proof has another length or structure than its scheme's.
    #[error("the tag proof is malformed")]
    MalformedTagProof,
    /// As many tags as challenged blocks are needed, neither more nor fewer.
    #[error("{expected} tags expected, {actual} received")]
    TagCountMismatch {
        /// How many blocks were challenged.
        expected: usize,
        /// How many tags came.
        actual: usize,
    },
    /// What a block's leaf commits has another length than its scheme's.
    #[error("the tag of the block at byte {start} is malformed")]
    MalformedTag {
        /// The index of the block's first byte.
        start: u64,
    },
    /// What came as a block's tag is not what its leaf commits.
    #[error("the tag of the block at byte {start} is not the one that the list commits")]
    TagDigestMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// The bytes of a block are not those that its leaf commits.
    #[error("the block at byte {start} is not the one that the list commits")]
    BlockMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A block is longer than its tag scheme allows, or has no bytes.
    #[error("the block at byte {start} has a length that its tags do not allow")]
    LengthUnsupported {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A challenged byte lies outside its block: the list's proof was not checked.
    #[error("a challenged byte lies outside of the block at byte {start}")]
    HitOutsideBlock {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A tag is not below the modulus.
    #[error("the tag of the block at byte {start} is not below the modulus")]
    TagOutOfRange {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A number of the tag proof is not below the order of its field.
    #[error("a number of the tag proof is outside its field")]
    ScalarOutOfRange,
    /// A point of the tag proof is not the canonical encoding of a point of the curve.
    #[error("a point of the tag proof is not on the curve")]
    PointInvalid,
    /// A point of the tag proof is outside the subgroup of prime order.
    #[error("a point of the tag proof is outside the prime-order subgroup")]
    PointOutsideSubgroup,
    /// A point of the tag proof is the identity.
    #[error("a point of the tag proof is the identity")]
    PointIsIdentity,
    /// The sum of the blocks lies outside the range that their lengths allow.
    #[error("the sum of the blocks is outside the range of their lengths")]
    SumOutOfRange,
    /// The equation between sum and tags does not hold: at least one challenged block is damaged.
    #[error("at least one of the challenged blocks is damaged")]
    EquationFails,
    /// A key or parameter set cannot be used.
    #[error("the key or parameters cannot be used")]
    InvalidKey,
}
