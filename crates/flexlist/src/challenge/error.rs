//! Errors of audit challenges, and of the leaves (blocks) with which a server answers them.

/// Error returned for a challenge that the file does not allow. The verifier has to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The file is empty, so there is nothing to challenge. The root of its list already proves
    /// that it is empty.
    #[error("an empty file cannot be challenged")]
    EmptyFile,
    /// The challenge asks for a sample of no bytes.
    #[error("the challenge has no samples")]
    NoSamples,
    /// The challenge asks for more samples than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("too many samples: {count} requested, at most {limit} allowed")]
    TooManySamples {
        /// The requested number of samples.
        count: u32,
        /// The maximum number of samples of one challenge.
        limit: u32,
    },
    /// The range of a challenge contains no byte.
    #[error("the range {start}..{end} is empty")]
    EmptyRange {
        /// The index of the first byte of the range.
        start: u64,
        /// The index one past the last byte of the range. It is not above `start`.
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
/// these leaves. The exception is [`AssignError::TooManyLeaves`], after which the caller should
/// choose a smaller range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// A leaf (block) in the server's answer has no bytes.
    #[error("the leaf at byte {start} is empty")]
    EmptyLeaf {
        /// The index in the file at which the leaf begins.
        start: u64,
    },
    /// A leaf ends beyond the largest index that `u64` can represent.
    #[error("the leaf at byte {start} ends after the largest index")]
    LeafTooLong {
        /// The index in the file of the leaf's first byte.
        start: u64,
    },
    /// A leaf begins before the end of the previous one.
    #[error("the leaf at byte {start} overlaps the previous leaf")]
    LeavesOverlap {
        /// The index in the file of the first byte of the overlapping leaf.
        start: u64,
    },
    /// A challenged byte lies in none of the leaves in the answer.
    #[error("no leaf holds the challenged byte {index}")]
    Uncovered {
        /// The index in the file of the challenged byte.
        index: u64,
    },
    /// A leaf contains no sample, or lies outside the challenged range.
    #[error("the leaf at byte {start} is not challenged")]
    Unasked {
        /// The index in the file of the first byte of the surplus leaf.
        start: u64,
    },
    /// The challenged range contains more leaves (blocks) than [`MAX_COUNT`](super::MAX_COUNT).
    #[error("too many leaves: {count}, at most {limit} allowed")]
    TooManyLeaves {
        /// The number of leaves in the answer.
        count: usize,
        /// The maximum number of leaves in an answer.
        limit: u32,
    },
}
