//! Errors of reading a trace.

#![allow(missing_docs, reason = "the texts say what each field is")]

use std::{io, path::PathBuf};

use thiserror::Error;

/// Error returned when a trace cannot be read. `line` and unnamed numbers are line numbers, unless
/// stated otherwise; line 1 is the header.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// Reading from the file failed, or the compressed data is damaged.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// The decompressed text is longer than this number of bytes.
    #[error("the text has more than {0} bytes")]
    TooLarge(u64),
    /// The header does not consist of these column names.
    #[error("line 1: the header is not '{}'", .0.join(","))]
    Header(&'static [&'static str]),
    /// A row does not have the same number of fields as the header.
    #[error("line {line}: {fields} fields, not as many as the header")]
    FieldCount { line: u64, fields: u64 },
    /// The row is not UTF-8 text.
    #[error("line {0}: not text")]
    NotText(u64),
    /// A field is not a whole number below 2^64, in decimal digits.
    #[error("line {line}: {column} is not a number")]
    NotANumber { line: u64, column: &'static str },
    /// The column `kind` is not one of `A` (added), `D` (deleted) and `M` (edited).
    #[error("line {0}: kind is none of A, D and M")]
    UnknownKind(u64),
    /// A column that has no meaning for the row's `kind` is not 0.
    #[error("line {line}: {column} is not 0, as it is for this kind")]
    NotZero { line: u64, column: &'static str },
    /// The edit removes no bytes and inserts none.
    #[error("line {0}: an edit that changes nothing")]
    EmptyEdit(u64),
    /// The row's commit number is 0, or smaller than that of the previous row.
    #[error("line {0}: commits do not ascend from 1")]
    CommitOutOfOrder(u64),
    /// The table of files has no file with the number `path`.
    #[error("line {line}: path {path} is not in the table of files")]
    UnknownPath { line: u64, path: u64 },
    /// The row's file has an earlier row in the same commit, but that row is not adjacent.
    #[error("line {0}: the rows of one file do not stand together")]
    Scattered(u64),
    /// The row adds or deletes a file that has an earlier row in the same commit, or edits a file
    /// that the commit's previous row adds or deletes.
    #[error("line {0}: a file that is added or deleted has two rows")]
    MixedKinds(u64),
    /// The edit begins before the end of the file's previous edit in the same commit.
    #[error("line {0}: the edit begins before the end of the one before")]
    EditsOverlap(u64),
    /// An added file exists already.
    #[error("line {0}: the added file was there already")]
    AlreadyThere(u64),
    /// A deleted or edited file does not exist.
    #[error("line {0}: the file was not there")]
    NotThere(u64),
    /// The size of a deleted file differs from the size that the row states. `size` is the actual
    /// one.
    #[error("line {line}: the deleted file had {size} bytes")]
    DeletedSize { line: u64, size: u64 },
    /// An edit begins or ends beyond the end of the file. `size` is the file's size before the
    /// commit.
    #[error("line {line}: the file had only {size} bytes")]
    OutsideFile { line: u64, size: u64 },
    /// A file has more than [`MOST_FILE_BYTES`](super::MOST_FILE_BYTES) bytes.
    #[error("line {0}: the file is too large")]
    FileTooLarge(u64),
    /// The rows of the table of files are not numbered 0, 1, 2, .. in the column `path`.
    #[error("line {0}: paths are not 0, 1, 2, ..")]
    PathOutOfOrder(u64),
    /// The folders in the table of files are not numbered in order of first appearance.
    #[error("line {0}: folders are not numbered in order of first sight")]
    FolderOutOfOrder(u64),
}

/// Error returned when one of a trace's two files cannot be read.
#[derive(Debug, Error)]
#[error("{}: {error}", .file.display())]
pub struct TraceFileError {
    /// Path of the file with the error.
    pub file: PathBuf,
    /// Error in the file.
    // Not a source: the text contains it already.
    pub error: TraceError,
}
