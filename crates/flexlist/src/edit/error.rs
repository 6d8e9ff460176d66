//! Errors of translating byte edits into operations on blocks.

/// Error of [`needed`](super::needed) and [`plan`](super::plan): an edit is not possible in this
/// file, or a block that it needs is unknown. The caller has to correct its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// An edit begins or ends after the end of the file, as the previous edits of the batch left
    /// it.
    #[error("byte {offset} is outside a file of {total} bytes")]
    OffsetOutOfRange {
        /// The index of the byte at which the edit begins or ends.
        offset: u64,
        /// The length of the file in bytes before this edit.
        total: u64,
    },
    /// An edit writes, inserts or deletes no bytes.
    #[error("the edit has no bytes")]
    EmptyEdit,
    /// A deletion ends before it starts.
    #[error("the range {start}..{end} ends before it starts")]
    RangeReversed {
        /// The index of the first byte to delete.
        start: u64,
        /// The index one past the last byte to delete, which is below `start`.
        end: u64,
    },
    /// The file would exceed `MAX_FILE_BYTES`, or exceeds it already.
    #[error("a file has at most 2^63 - 1 bytes")]
    FileTooLong,
    /// The edits need the block that contains the byte `index` of the old file, but it is not among
    /// the known blocks.
    #[error("the block at byte {index} is needed, but not known")]
    BlockUnknown {
        /// The index in the old file of a byte of the missing block.
        index: u64,
    },
    /// A known block that the caller passed has no bytes.
    #[error("the known block at byte {start} is empty")]
    EmptyBlock {
        /// The index in the file at which the empty block begins.
        start: u64,
    },
    /// A known block that the caller passed ends after the end of the file.
    #[error("the known block at byte {start} ends outside a file of {total} bytes")]
    BlockOutsideFile {
        /// The index in the file of the block's first byte.
        start: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// A known block that the caller passed begins inside another one.
    #[error("the known block at byte {start} begins inside another")]
    BlocksOverlap {
        /// The index in the file of the first byte of the later block.
        start: u64,
    },
}
