//! Errors of requests that a list rejects, and of evidence that fails verification.

/// Error returned for a batch of operations or a query that the list rejects. The list is
/// unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The batch contains no operation, or the query no index.
    #[error("the batch is empty: it has no operation or index")]
    EmptyBatch,
    /// The queried range contains no byte.
    #[error("the range is empty")]
    EmptyRange,
    /// The index of a byte is outside the file.
    #[error("byte {index} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// The requested index, or the exclusive end of the requested range.
        index: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// An insertion is inside a block. Blocks can only be inserted before another block or at the
    /// end of the file.
    #[error("byte {index} is inside a block: blocks can be inserted at block boundaries only")]
    NotOnBoundary {
        /// The index of the byte before which the block was to be inserted.
        index: u64,
    },
    /// A new or modified block has no bytes.
    #[error("a block is empty")]
    EmptyBlock,
    /// The file would have `2^63` bytes or more.
    #[error("the file would have 2^63 bytes or more")]
    FileTooLong,
    /// The list would have more blocks than it can store: about `2^30`.
    #[error("the list cannot hold more blocks")]
    ListFull,
    /// The batch reads more of the list than one batch may. Also returned if the proof or witness
    /// would exceed [`MAX_PROOF_BYTES`](crate::list::MAX_PROOF_BYTES), the limit of a verifier.
    #[error("the batch reads too much of the list: split it")]
    BatchTooLarge,
    /// A search reached a node that is not in memory. A list read from a proof lacks the nodes that
    /// the proof leaves out. In a complete list, this means that an invariant is broken.
    #[error("a part of the list is missing")]
    Elided,
}

/// Error returned for a proof of a query, or a witness of an update, that does not verify. Distrust
/// the server, except after [`ProofError::Operation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The proof is longer than a client accepts.
    #[error("the proof exceeds {limit} bytes")]
    TooLarge {
        /// The maximum length of a proof in bytes.
        limit: usize,
    },
    /// The bytes of the proof end inside a node.
    #[error("the proof is truncated")]
    Truncated,
    /// Bytes follow the last node of the proof.
    #[error("the proof has trailing bytes")]
    TrailingBytes,
    /// A node of the proof begins with this byte, which is not the number of a kind of node.
    #[error("unknown kind of node: {0:#04x}")]
    UnknownKind(u8),
    /// A flag in the proof has this value, which is neither 0 nor 1.
    #[error("invalid flag: {0:#04x}")]
    BadFlag(u8),
    /// An integer in the proof is encoded in more bytes than necessary.
    #[error("an integer is not minimally encoded")]
    NonMinimalInteger,
    /// A node of the proof has a level that its position does not allow.
    #[error("a node of level {level} is out of place")]
    WrongLevel {
        /// The level that the proof states for the node.
        level: u8,
    },
    /// The proof has a block in the position of a sentinel (an end of the list), or a sentinel in
    /// the position of a block.
    #[error("a block or sentinel is out of place")]
    MisplacedNode,
    /// A block in the proof has no bytes.
    #[error("a block is empty")]
    EmptyBlock,
    /// The rank (number of bytes) of a subtree that the proof leaves out is impossible: 0 for a
    /// subtree of blocks, or above 0 for the right sentinel.
    #[error("a rank is invalid at its position")]
    WrongRank,
    /// A rank or length in the proof, or a sum of them, is `2^63` or more.
    #[error("ranks exceed the maximum length of a file")]
    RankOverflow,
    /// The ranks of the proof's nodes do not add up to the length of the file.
    #[error("the proof is for a file of another length")]
    TotalMismatch,
    /// The proof does not hash to the root that the client trusts.
    #[error("the proof is for another root")]
    RootMismatch,
    /// The requested bytes lie in a part of the list that the proof leaves out.
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
    /// The proof of the tag scheme has a length or structure that the scheme does not produce.
    #[error("the tag proof is malformed")]
    MalformedTagProof,
    /// The number of tags in the answer differs from the number of challenged blocks.
    #[error("{expected} tags expected, {actual} received")]
    TagCountMismatch {
        /// The number of challenged blocks.
        expected: usize,
        /// The number of tags received.
        actual: usize,
    },
    /// The committed part of a block's tag has a length that the tag scheme does not produce.
    #[error("the tag of the block at byte {start} is malformed")]
    MalformedTag {
        /// The index in the file of the block's first byte.
        start: u64,
    },
    /// The tag received for a block does not match the digest in the block's leaf of the list.
    #[error("the tag of the block at byte {start} does not match the list")]
    TagDigestMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// The bytes received for a block do not match the block's leaf of the list.
    #[error("the block at byte {start} does not match the list")]
    BlockMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A block is longer than the tag scheme allows, or has no bytes.
    #[error("the length of the block at byte {start} is not supported by its tags")]
    LengthUnsupported {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A challenged position lies outside its block. The caller did not check the list's proof.
    #[error("a challenged byte lies outside of the block at byte {start}")]
    HitOutsideBlock {
        /// The index of the block's first byte.
        start: u64,
    },
    /// An RSA tag is a number that is not below the modulus.
    #[error("the tag of the block at byte {start} is not below the modulus")]
    TagOutOfRange {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A number in the proof of the tag scheme is not below the order of the scheme's field.
    #[error("a number of the tag proof is outside its field")]
    ScalarOutOfRange,
    /// A point in the proof of the tag scheme is not the canonical encoding of a point of the
    /// curve.
    #[error("a point of the tag proof is not on the curve")]
    PointInvalid,
    /// A point in the proof of the tag scheme is outside the subgroup of prime order.
    #[error("a point of the tag proof is outside the prime-order subgroup")]
    PointOutsideSubgroup,
    /// A point in the proof of the tag scheme is the identity.
    #[error("a point of the tag proof is the identity")]
    PointIsIdentity,
    /// The proof states a weighted sum of the challenged blocks that is outside the range that
    /// their lengths allow.
    #[error("the sum of the blocks is outside the range of their lengths")]
    SumOutOfRange,
    /// The equation between the blocks' weighted sum and their tags does not hold: at least one
    /// challenged block is damaged.
    #[error("at least one of the challenged blocks is damaged")]
    EquationFails,
    /// The key or the parameters of the tag scheme cannot be used.
    #[error("the key or parameters cannot be used")]
    InvalidKey,
}
