//! Why edits cannot be translated.

use core::fmt;

/// Edits that the file does not allow, or whose blocks are not known. The caller has to correct them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// An edit begins or ends behind the file as the edits before it leave it.
    OffsetOutOfRange {
        /// The index.
        offset: u64,
        /// The length of the file at this edit.
        total: u64,
    },
    /// An edit of no bytes.
    EmptyEdit,
    /// A deletion ends before it starts.
    RangeReversed {
        /// The first byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
    /// The file would have more than [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES), or has them already.
    FileTooLong,
    /// The block at this byte of the old file is needed and not known.
    BlockUnknown {
        /// The index of the byte.
        index: u64,
    },
    /// A known block has no bytes.
    EmptyBlock {
        /// The index of its first byte.
        start: u64,
    },
    /// A known block ends behind the file.
    BlockOutsideFile {
        /// The index of its first byte.
        start: u64,
        /// The length of the file.
        total: u64,
    },
    /// A known block begins inside another.
    BlocksOverlap {
        /// The index of its first byte.
        start: u64,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffsetOutOfRange { offset, total } => {
                write!(
                    formatter,
                    "byte {offset} is outside a file of {total} bytes"
                )
            }
            Self::EmptyEdit => formatter.write_str("the edit has no bytes"),
            Self::RangeReversed { start, end } => {
                write!(formatter, "the range {start}..{end} ends before it starts")
            }
            Self::FileTooLong => formatter.write_str("a file has at most 2^63 - 1 bytes"),
            Self::BlockUnknown { index } => {
                write!(
                    formatter,
                    "the block at byte {index} is needed and not known"
                )
            }
            Self::EmptyBlock { start } => {
                write!(formatter, "the known block at byte {start} is empty")
            }
            Self::BlockOutsideFile { start, total } => write!(
                formatter,
                "the known block at byte {start} ends outside a file of {total} bytes"
            ),
            Self::BlocksOverlap { start } => write!(
                formatter,
                "the known block at byte {start} begins inside another"
            ),
        }
    }
}

impl core::error::Error for EditError {}
