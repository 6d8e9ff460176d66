//! Errors of reading a trace.

#![allow(missing_docs, reason = "the texts say what each field is")]

use std::{io, path::PathBuf};

use thiserror::Error;

/// Error returned when a trace cannot be read. Lines count from 1, the header.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The operating system refused, or the compressed data is damaged.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// Unpacked text that is longer than this number of bytes.
    #[error("the text has more than {0} bytes")]
    TooLarge(u64),
    /// The header has other columns than these.
    #[error("line 1: the header is not '{}'", .0.join(","))]
    Header(&'static [&'static str]),
    /// A row has another number of fields than the header.
    #[error("line {line}: {fields} fields, not as many as the header")]
    FieldCount { line: u64, fields: u64 },
    /// A row is not text.
    #[error("line {0}: not text")]
    NotText(u64),
    /// A field is not a whole number below 2^64, in decimal digits.
    #[error("line {line}: {column} is not a number")]
    NotANumber { line: u64, column: &'static str },
    /// `kind` is not one of `A`, `D` and `M`.
    #[error("line {0}: kind is none of A, D and M")]
    UnknownKind(u64),
    /// A field without meaning for this kind is not 0.
    #[error("line {line}: {column} is not 0, as it is for this kind")]
    NotZero { line: u64, column: &'static str },
    /// An edit removes nothing and inserts nothing.
    #[error("line {0}: an edit that changes nothing")]
    EmptyEdit(u64),
    /// A commit's number is 0, or smaller than that of the row before.
    #[error("line {0}: commits do not ascend from 1")]
    CommitOutOfOrder(u64),
    /// The table of files has no such path.
    #[error("line {line}: path {path} is not in the table of files")]
    UnknownPath { line: u64, path: u64 },
    /// Rows of one file in one commit that are not adjacent.
    #[error("line {0}: the rows of one file do not stand together")]
    Scattered(u64),
    /// A file is added or deleted, and has another row in the same commit.
    #[error("line {0}: a file that is added or deleted has two rows")]
    MixedKinds(u64),
    /// An edit begins before the end of the one before it.
    #[error("line {0}: the edit begins before the end of the one before")]
    EditsOverlap(u64),
    /// An added file exists already.
    #[error("line {0}: the added file was there already")]
    AlreadyThere(u64),
    /// A deleted or edited file does not exist.
    #[error("line {0}: the file was not there")]
    NotThere(u64),
    /// A deleted file has another size; this is the actual one.
    #[error("line {line}: the deleted file had {size} bytes")]
    DeletedSize { line: u64, size: u64 },
    /// An edit removes bytes beyond the end of the file, which had this size before the commit.
    #[error("line {line}: the file had only {size} bytes")]
    OutsideFile { line: u64, size: u64 },
    /// A file has more than [`MOST_FILE_BYTES`](super::MOST_FILE_BYTES) bytes.
    #[error("line {0}: the file is too large")]
    FileTooLarge(u64),
    /// The table of files does not list the paths 0, 1, 2, ..
    #[error("line {0}: paths are not 0, 1, 2, ..")]
    PathOutOfOrder(u64),
    /// The folders are not numbered in order of first sight.
    #[error("line {0}: folders are not numbered in order of first sight")]
    FolderOutOfOrder(u64),
}

/// Error of a trace's file.
#[derive(Debug, Error)]
#[error("{}: {error}", .file.display())]
pub struct TraceFileError {
    /// File with the error.
    pub file: PathBuf,
    /// Error in the file.
    // Not a source: the text contains it already.
    pub error: TraceError,
}
