//! Errors of challenges, and of the leaves that answer them.

/// Error returned for a challenge that the file does not allow. The verifier has to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The file has no bytes. Its root alone proves that.
    #[error("an empty file cannot be challenged")]
    EmptyFile,
    /// A sample of no bytes.
    #[error("the challenge asks for no byte")]
    NoSamples,
    /// More samples than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("{count} samples were asked for, {limit} at most are allowed")]
    TooManySamples {
        /// The requested number of samples.
        count: u32,
        /// The maximum number of samples.
        limit: u32,
    },
    /// The range of a challenge holds no byte.
    #[error("the range {start}..{end} holds no byte")]
    EmptyRange {
        /// The first byte.
        start: u64,
        /// The index one past the last byte, not above `start`.
        end: u64,
    },
    /// The range of a challenge ends after the end of the file.
    #[error("the range ends at byte {end}, the file at byte {total}")]
    RangeOutsideFile {
        /// The index one past the last byte of the range.
        end: u64,
        /// The length of the file.
        total: u64,
    },
}

/// Error returned for leaves that do not answer the challenge. Distrust the server that proved
/// them, except after [`AssignError::TooManyLeaves`]: choose a smaller range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// A leaf of no bytes.
    #[error("the leaf at byte {start} is empty")]
    EmptyLeaf {
        /// The index of its first byte.
        start: u64,
    },
    /// A leaf ends beyond the largest index.
    #[error("the leaf at byte {start} ends beyond every index")]
    LeafTooLong {
        /// The index of its first byte.
        start: u64,
    },
    /// A leaf begins before the end of the previous one.
    #[error("the leaf at byte {start} begins inside the one before it")]
    LeavesOverlap {
        /// The index of its first byte.
        start: u64,
    },
    /// A challenged byte lies in no leaf.
    #[error("no leaf holds the challenged byte {index}")]
    Uncovered {
        /// The index of the byte.
        index: u64,
    },
    /// No challenge asks for this leaf.
    #[error("no challenge asks for the leaf at byte {start}")]
    Unasked {
        /// The index of its first byte.
        start: u64,
    },
    /// More leaves than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("{count} leaves, {limit} at most are allowed")]
    TooManyLeaves {
        /// The number of leaves.
        count: usize,
        /// The maximum number of leaves.
        limit: u32,
    },
}
