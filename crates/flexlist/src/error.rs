//! What can go wrong, by who has to act on it.

use core::fmt;

use crate::list::arena::{Elided, Full};

/// A batch of changes or a question that the list does not allow. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateError {
    /// No operation, or no index.
    EmptyBatch,
    /// A range without a byte.
    EmptyRange,
    /// There is no such byte.
    OutOfRange {
        /// The byte.
        index: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// A block can be inserted only before another block or at the end, not inside a block.
    NotOnBoundary {
        /// The byte.
        index: u64,
    },
    /// A block has at least one byte.
    EmptyBlock,
    /// A file has fewer than `2^63` bytes.
    FileTooLong,
    /// A list has at most about `2^30` blocks.
    ListFull,
    /// The batch reads more of the list than one batch may, or the evidence would be longer than a
    /// client reads ([`MAX_PROOF_BYTES`](crate::list::MAX_PROOF_BYTES)).
    BatchTooLarge,
    /// The way leads into a part of the list that is not there. For a whole list: a broken invariant.
    Elided,
}

impl fmt::Display for UpdateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyBatch => formatter.write_str("nothing is asked for"),
            Self::EmptyRange => formatter.write_str("the range has no byte"),
            Self::OutOfRange { index, total } => write!(
                formatter,
                "byte {index} is out of range, the file has {total} bytes"
            ),
            Self::NotOnBoundary { index } => write!(
                formatter,
                "byte {index} is inside a block, and a block is inserted between blocks"
            ),
            Self::EmptyBlock => formatter.write_str("a block has no byte"),
            Self::FileTooLong => formatter.write_str("the file would have 2^63 bytes or more"),
            Self::ListFull => formatter.write_str("the list cannot hold more blocks"),
            Self::BatchTooLarge => {
                formatter.write_str("the batch reads too much of the list; split it")
            }
            Self::Elided => formatter.write_str("a part of the list is missing"),
        }
    }
}

impl core::error::Error for UpdateError {}

impl From<Elided> for UpdateError {
    fn from(Elided: Elided) -> Self {
        Self::Elided
    }
}

impl From<Full> for UpdateError {
    fn from(Full: Full) -> Self {
        Self::ListFull
    }
}

/// A proof or witness does not prove what was asked. Distrust the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofError {
    /// More bytes than are ever read.
    TooLarge {
        /// How many are.
        limit: usize,
    },
    /// The bytes end inside a node.
    Truncated,
    /// Bytes follow the last node.
    TrailingBytes,
    /// No node begins with this byte.
    UnknownKind(u8),
    /// A flag is neither 0 nor 1.
    BadFlag(u8),
    /// An integer has needless digits.
    NonMinimalInteger,
    /// A node has a level that its place does not allow.
    WrongLevel {
        /// The level.
        level: u8,
    },
    /// A block where a sentinel must be, or a sentinel where none can be.
    MisplacedNode,
    /// A block of no bytes.
    EmptyBlock,
    /// A subtree that leads to no byte, or the right sentinel to some.
    WrongRank,
    /// Ranks add up to `2^63` or more.
    RankOverflow,
    /// The ranks do not add up to the length of the file.
    TotalMismatch,
    /// The hashes do not lead to the root.
    RootMismatch,
    /// What was asked for lies in a part that is not shown.
    Elided,
    /// A node is shown that nothing needs.
    SurplusNode,
    /// The question or the operations are wrong for this file, whatever the server answers.
    Operation(UpdateError),
}

impl fmt::Display for ProofError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => write!(formatter, "the proof exceeds {limit} bytes"),
            Self::Truncated => formatter.write_str("the proof is truncated"),
            Self::TrailingBytes => formatter.write_str("bytes follow the proof"),
            Self::UnknownKind(kind) => write!(formatter, "no node begins with byte {kind:#04x}"),
            Self::BadFlag(flag) => write!(formatter, "{flag:#04x} is not a flag"),
            Self::NonMinimalInteger => formatter.write_str("an integer has needless digits"),
            Self::WrongLevel { level } => {
                write!(formatter, "a node of level {level} is out of place")
            }
            Self::MisplacedNode => formatter.write_str("a block or sentinel is out of place"),
            Self::EmptyBlock => formatter.write_str("a block has no byte"),
            Self::WrongRank => formatter.write_str("a rank is impossible in its place"),
            Self::RankOverflow => formatter.write_str("ranks exceed the longest file"),
            Self::TotalMismatch => formatter.write_str("the proof is for a file of another length"),
            Self::RootMismatch => formatter.write_str("the proof is for another root"),
            Self::Elided => formatter.write_str("the proof does not show what was asked for"),
            Self::SurplusNode => formatter.write_str("the proof shows more than was asked for"),
            Self::Operation(error) => error.fmt(formatter),
        }
    }
}

impl core::error::Error for ProofError {}

impl From<Elided> for ProofError {
    fn from(Elided: Elided) -> Self {
        Self::Elided
    }
}

impl From<Full> for ProofError {
    fn from(Full: Full) -> Self {
        Self::TooLarge {
            limit: crate::list::MAX_PROOF_BYTES,
        }
    }
}

/// The server's evidence does not prove what was asked. Distrust the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditError {
    /// A tag proof has another length or structure than its scheme's.
    MalformedTagProof,
    /// As many tags as challenged blocks are needed, neither more nor fewer.
    TagCountMismatch {
        /// How many blocks were challenged.
        expected: usize,
        /// How many tags came.
        actual: usize,
    },
    /// What a block's leaf commits has another length than its scheme's.
    MalformedTag {
        /// The index of the block's first byte.
        start: u64,
    },
    /// What came as a block's tag is not what its leaf commits.
    TagDigestMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// The bytes of a block are not those that its leaf commits.
    BlockMismatch {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A block is longer than its tag scheme allows, or has no bytes.
    LengthUnsupported {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A challenged byte lies outside its block: the list's proof was not checked.
    HitOutsideBlock {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A tag is not below the modulus.
    TagOutOfRange {
        /// The index of the block's first byte.
        start: u64,
    },
    /// A number of the tag proof is not below the order of its field.
    ScalarOutOfRange,
    /// A point of the tag proof is not the canonical encoding of a point of the curve.
    PointInvalid,
    /// A point of the tag proof is outside the subgroup of prime order.
    PointOutsideSubgroup,
    /// A point of the tag proof is the identity.
    PointIsIdentity,
    /// The sum of the blocks lies outside the range that their lengths allow.
    SumOutOfRange,
    /// The equation between sum and tags does not hold: at least one challenged block is damaged.
    EquationFails,
    /// A key or parameter set cannot be used.
    InvalidKey,
}

impl fmt::Display for AuditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MalformedTagProof => formatter.write_str("the tag proof is malformed"),
            Self::TagCountMismatch { expected, actual } => {
                write!(formatter, "{expected} tags expected, {actual} received")
            }
            Self::MalformedTag { start } => {
                write!(
                    formatter,
                    "the tag of the block at byte {start} is malformed"
                )
            }
            Self::TagDigestMismatch { start } => write!(
                formatter,
                "the tag of the block at byte {start} is not the one that the list commits"
            ),
            Self::BlockMismatch { start } => write!(
                formatter,
                "the block at byte {start} is not the one that the list commits"
            ),
            Self::LengthUnsupported { start } => write!(
                formatter,
                "the block at byte {start} has a length that its tags do not allow"
            ),
            Self::HitOutsideBlock { start } => write!(
                formatter,
                "a challenged byte lies outside of the block at byte {start}"
            ),
            Self::TagOutOfRange { start } => write!(
                formatter,
                "the tag of the block at byte {start} is not below the modulus"
            ),
            Self::ScalarOutOfRange => {
                formatter.write_str("a number of the tag proof is outside its field")
            }
            Self::PointInvalid => {
                formatter.write_str("a point of the tag proof is not on the curve")
            }
            Self::PointOutsideSubgroup => {
                formatter.write_str("a point of the tag proof is outside the prime-order subgroup")
            }
            Self::PointIsIdentity => {
                formatter.write_str("a point of the tag proof is the identity")
            }
            Self::SumOutOfRange => {
                formatter.write_str("the sum of the blocks is outside the range of their lengths")
            }
            Self::EquationFails => {
                formatter.write_str("at least one of the challenged blocks is damaged")
            }
            Self::InvalidKey => formatter.write_str("the key or parameters cannot be used"),
        }
    }
}

impl core::error::Error for AuditError {}
