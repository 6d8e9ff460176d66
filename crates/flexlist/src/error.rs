//! What can go wrong, by who has to act on it.

use core::fmt;

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
