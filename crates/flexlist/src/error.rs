//! Errors: requests that a list rejects, and evidence that fails verification.

/// Error returned for a batch or query that the list rejects. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// No operation, or no index.
    #[error("the batch is empty: it has no operation or index")]
    EmptyBatch,
    /// A range without a byte.
    #[error("the range is empty")]
    EmptyRange,
    /// A byte index outside the file.
    #[error("byte {index} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// The byte.
        index: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// An insertion inside a block; blocks are inserted before another block or at the end.
    #[error("byte {index} is inside a block: blocks can be inserted at block boundaries only")]
    NotOnBoundary {
        /// The byte.
        index: u64,
    },
    /// A block without bytes.
    #[error("a block is empty")]
    EmptyBlock,
    /// A file of `2^63` bytes or more.
    #[error("the file would have 2^63 bytes or more")]
    FileTooLong,
    /// More blocks than a list can hold: about `2^30`.
    #[error("the list cannot hold more blocks")]
    ListFull,
    /// The batch reads more of the list than one batch may. Also returned if the evidence would
    /// exceed [`MAX_PROOF_BYTES`](crate::list::MAX_PROOF_BYTES), the limit of a client.
    #[error("the batch reads too much of the list: split it")]
    BatchTooLarge,
    /// The path enters a missing part of the list. In a whole list, an invariant is broken.
    #[error("a part of the list is missing")]
    Elided,
}

/// Error returned for a proof or witness that does not prove the query. Distrust the server,
/// except after [`ProofError::Operation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// More bytes than a client reads.
    #[error("the proof exceeds {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The bytes end inside a node.
    #[error("the proof is truncated")]
    Truncated,
    /// Bytes follow the last node.
    #[error("the proof has trailing bytes")]
    TrailingBytes,
    /// No node begins with this byte.
    #[error("unknown kind of node: {0:#04x}")]
    UnknownKind(u8),
    /// A flag is neither 0 nor 1.
    #[error("invalid flag: {0:#04x}")]
    BadFlag(u8),
    /// An integer is not minimally encoded.
    #[error("an integer is not minimally encoded")]
    NonMinimalInteger,
    /// A node has a level that its position does not allow.
    #[error("a node of level {level} is out of place")]
    WrongLevel {
        /// The level.
        level: u8,
    },
    /// A block in the position of a sentinel, or a sentinel in the position of a block.
    #[error("a block or sentinel is out of place")]
    MisplacedNode,
    /// A block of no bytes.
    #[error("a block is empty")]
    EmptyBlock,
    /// A subtree of blocks with rank 0, or a right sentinel with another rank.
    #[error("a rank is invalid at its position")]
    WrongRank,
    /// A rank or length, or a sum of them, is `2^63` or more.
    #[error("ranks exceed the maximum length of a file")]
    RankOverflow,
    /// The ranks do not add up to the length of the file.
    #[error("the proof is for a file of another length")]
    TotalMismatch,
    /// The proof does not hash to the root.
    #[error("the proof is for another root")]
    RootMismatch,
    /// The requested bytes lie in a pruned part of the list.
    #[error("the proof does not show the requested bytes")]
    Elided,
    /// The proof contains a node that the query does not need.
    #[error("the proof shows a node that the query does not need")]
    SurplusNode,
    /// The query or the operations are invalid for this file, independently of the server's
    /// response.
    #[error(transparent)]
    Operation(UpdateError),
}

/// Error returned for audit evidence that does not prove possession. Distrust the server, except
/// after [`AuditError::HitOutsideBlock`] and [`AuditError::InvalidKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A tag proof has a length or structure that its scheme does not produce.
    #[error("the tag proof is malformed")]
    MalformedTagProof,
    /// The number of tags differs from the number of challenged blocks.
    #[error("{expected} tags expected, {actual} received")]
    TagCountMismatch {
        /// The number of challenged blocks.
        expected: usize,
        /// The number of tags received.
        actual: usize,
    },
    /// The committed tag of a block has a length that its scheme does not produce.
    #[error("the tag of the block at byte {start} is malformed")]
    MalformedTag {
        /// The index of the block's first byte.
        start: u64,
    },
    /// The tag received for a block differs from the one that its leaf commits.
    #[error("the tag of the block at byte {start} does not match the list")]
    TagDigestMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// The bytes of a block do not match its leaf.
    #[error("the block at byte {start} does not match the list")]
    BlockMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A block is longer than its tag scheme allows, or has no bytes.
    #[error("the length of the block at byte {start} is not supported by its tags")]
    LengthUnsupported {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A challenged byte lies outside its block: the caller did not check the list's proof.
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
