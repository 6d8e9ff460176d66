//! What can be wrong with a challenge, or with the leaves that answer it.

use core::fmt;

/// A challenge that the file does not allow. Its sender has to ask otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The file has no bytes: there is nothing to challenge, its root alone says so.
    EmptyFile,
    /// A sample of no bytes.
    NoSamples,
    /// More samples than [`MAX_COUNT`](super::MAX_COUNT).
    TooManySamples {
        /// How many were asked for.
        count: u32,
        /// The most that are allowed.
        limit: u32,
    },
    /// The range of a challenge holds no byte.
    EmptyRange {
        /// The first byte.
        start: u64,
        /// One past the last byte, not above `start`.
        end: u64,
    },
    /// The range of a challenge ends behind the file.
    RangeOutsideFile {
        /// One past the last byte of the range.
        end: u64,
        /// The length of the file.
        total: u64,
    },
}

impl fmt::Display for ChallengeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyFile => formatter.write_str("an empty file cannot be challenged"),
            Self::NoSamples => formatter.write_str("the challenge asks for no byte"),
            Self::TooManySamples { count, limit } => {
                write!(
                    formatter,
                    "{count} samples were asked for, {limit} at most are allowed"
                )
            }
            Self::EmptyRange { start, end } => {
                write!(formatter, "the range {start}..{end} holds no byte")
            }
            Self::RangeOutsideFile { end, total } => write!(
                formatter,
                "the range ends at byte {end}, the file at byte {total}"
            ),
        }
    }
}

impl core::error::Error for ChallengeError {}

/// Leaves that do not answer the challenge. Distrust the server that proved them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssignError {
    /// A leaf of no bytes.
    EmptyLeaf {
        /// The index of its first byte.
        start: u64,
    },
    /// A leaf ends beyond what an index can count.
    LeafTooLong {
        /// The index of its first byte.
        start: u64,
    },
    /// A leaf begins before the end of the one in front of it.
    LeavesOverlap {
        /// The index of its first byte.
        start: u64,
    },
    /// A challenged byte lies in no leaf.
    Uncovered {
        /// The index of the byte.
        index: u64,
    },
    /// No challenge asks for this leaf.
    Unasked {
        /// The index of its first byte.
        start: u64,
    },
    /// More leaves than [`MAX_COUNT`](super::MAX_COUNT).
    TooManyLeaves {
        /// How many there are.
        count: usize,
        /// The most that are allowed.
        limit: u32,
    },
}

impl fmt::Display for AssignError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyLeaf { start } => write!(formatter, "the leaf at byte {start} is empty"),
            Self::LeafTooLong { start } => {
                write!(
                    formatter,
                    "the leaf at byte {start} ends beyond every index"
                )
            }
            Self::LeavesOverlap { start } => {
                write!(
                    formatter,
                    "the leaf at byte {start} begins inside the one before it"
                )
            }
            Self::Uncovered { index } => {
                write!(formatter, "no leaf holds the challenged byte {index}")
            }
            Self::Unasked { start } => {
                write!(formatter, "no challenge asks for the leaf at byte {start}")
            }
            Self::TooManyLeaves { count, limit } => {
                write!(formatter, "{count} leaves, {limit} at most are allowed")
            }
        }
    }
}

impl core::error::Error for AssignError {}
