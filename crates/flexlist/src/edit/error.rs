//! Errors of edit planning.

/// Error returned for edits that the file does not allow, or whose blocks are not known. The caller
/// has to correct them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// An edit begins or ends after the end of the file left by the previous edits.
    #[error("byte {offset} is outside a file of {total} bytes")]
    OffsetOutOfRange {
        /// The index.
        offset: u64,
        /// The length of the file before this edit.
        total: u64,
    },
    /// An edit of no bytes.
    #[error("the edit has no bytes")]
    EmptyEdit,
    /// A deletion ends before it starts.
    #[error("the range {start}..{end} ends before it starts")]
    RangeReversed {
        /// The first byte.
        start: u64,
        /// The index one past the last byte.
        end: u64,
    },
    /// The file would exceed [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES), or exceeds it already.
    #[error("a file has at most 2^63 - 1 bytes")]
    FileTooLong,
    /// The block at this byte of the old file is needed and not known.
    #[error("the block at byte {index} is needed, but not known")]
    BlockUnknown {
        /// The index of the byte.
        index: u64,
    },
    /// A known block has no bytes.
    #[error("the known block at byte {start} is empty")]
    EmptyBlock {
        /// The index of its first byte.
        start: u64,
    },
    /// A known block ends after the end of the file.
    #[error("the known block at byte {start} ends outside a file of {total} bytes")]
    BlockOutsideFile {
        /// The index of its first byte.
        start: u64,
        /// The length of the file.
        total: u64,
    },
    /// A known block begins inside another.
    #[error("the known block at byte {start} begins inside another")]
    BlocksOverlap {
        /// The index of its first byte.
        start: u64,
    },
}
