//! Errors of challenges, and of the leaves that answer them.

/// Error returned for a challenge that the file does not allow. The verifier has to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The file is empty. Its root proves that without a challenge.
    #[error("an empty file cannot be challenged")]
    EmptyFile,
    /// A sample of no bytes.
    #[error("the challenge has no samples")]
    NoSamples,
    /// More samples than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("too many samples: {count} requested, at most {limit} allowed")]
    TooManySamples {
        /// The requested number of samples.
        count: u32,
        /// The maximum number of samples.
        limit: u32,
    },
    /// The range of a challenge contains no byte.
    #[error("the range {start}..{end} is empty")]
    EmptyRange {
        /// The first byte.
        start: u64,
        /// The index one past the last byte, not above `start`.
        end: u64,
    },
    /// The range of a challenge ends after the end of the file.
    #[error("the range ends at byte {end}, but the file at byte {total}")]
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
    #[error("the leaf at byte {start} ends after the largest index")]
    LeafTooLong {
        /// The index of its first byte.
        start: u64,
    },
    /// A leaf begins before the end of the previous one.
    #[error("the leaf at byte {start} overlaps the previous leaf")]
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
    /// A leaf contains no sample, or lies outside the challenged range.
    #[error("the leaf at byte {start} is not challenged")]
    Unasked {
        /// The index of its first byte.
        start: u64,
    },
    /// More leaves than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("too many leaves: {count}, at most {limit} allowed")]
    TooManyLeaves {
        /// The number of leaves.
        count: usize,
        /// The maximum number of leaves.
        limit: u32,
    },
}
