//! Why a trace is refused.

use core::fmt;
use std::{
    io,
    path::{Path, PathBuf},
};

/// A trace cannot be read on. Lines count from 1, the header.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// The operating system refused, or the compressed data is damaged.
    Io(io::Error),
    /// The text, unpacked, is longer than so many bytes.
    TooLarge(u64),
    /// The header has other columns than these.
    Header(&'static [&'static str]),
    /// A row has another number of fields than the header.
    FieldCount {
        /// Its line.
        line: u64,
        /// The number of its fields.
        fields: u64,
    },
    /// A row is not text.
    NotText(u64),
    /// A field is not a whole number below 2^64, in decimal digits.
    NotANumber {
        /// Its line.
        line: u64,
        /// Its column.
        column: &'static str,
    },
    /// `kind` is none of `A`, `D` and `M`.
    UnknownKind(u64),
    /// A field that means nothing for this kind is not 0.
    NotZero {
        /// Its line.
        line: u64,
        /// Its column.
        column: &'static str,
    },
    /// An edit removes nothing and inserts nothing.
    EmptyEdit(u64),
    /// A commit's number is 0, or smaller than that of the row before.
    CommitOutOfOrder(u64),
    /// The table of files has no such path.
    UnknownPath {
        /// The line.
        line: u64,
        /// The path.
        path: u64,
    },
    /// Rows of one file in one commit do not stand together.
    Scattered(u64),
    /// A file is added or deleted, and has another row in the same commit.
    MixedKinds(u64),
    /// An edit begins before the end of the one before it.
    EditsOverlap(u64),
    /// A file is added that is there already.
    AlreadyThere(u64),
    /// A file is deleted or edited that is not there.
    NotThere(u64),
    /// A file is deleted, but its size was another one.
    DeletedSize {
        /// The line.
        line: u64,
        /// Its size at that time.
        size: u64,
    },
    /// An edit removes bytes beyond the end of the file.
    OutsideFile {
        /// The line.
        line: u64,
        /// The size of the file before the commit.
        size: u64,
    },
    /// A file has more than [`MOST_FILE_BYTES`](super::MOST_FILE_BYTES) bytes.
    FileTooLarge(u64),
    /// The table of files does not list the paths 0, 1, 2, ..
    PathOutOfOrder(u64),
    /// The folders are not numbered in order of first sight.
    FolderOutOfOrder(u64),
}

impl fmt::Display for TraceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::Io(error) => return write!(formatter, "cannot be read: {error}"),
            Self::TooLarge(limit) => {
                return write!(formatter, "the text has more than {limit} bytes");
            }
            Self::Header(columns) => {
                return write!(
                    formatter,
                    "line 1: the header is not '{}'",
                    columns.join(",")
                );
            }
            Self::FieldCount { line, .. }
            | Self::NotANumber { line, .. }
            | Self::NotZero { line, .. }
            | Self::UnknownPath { line, .. }
            | Self::DeletedSize { line, .. }
            | Self::OutsideFile { line, .. }
            | Self::NotText(line)
            | Self::UnknownKind(line)
            | Self::EmptyEdit(line)
            | Self::CommitOutOfOrder(line)
            | Self::Scattered(line)
            | Self::MixedKinds(line)
            | Self::EditsOverlap(line)
            | Self::AlreadyThere(line)
            | Self::NotThere(line)
            | Self::FileTooLarge(line)
            | Self::PathOutOfOrder(line)
            | Self::FolderOutOfOrder(line) => line,
        };
        write!(formatter, "line {line}: ")?;
        self.condition(formatter)
    }
}

impl TraceError {
    fn condition(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::FieldCount { fields, .. } => {
                return write!(formatter, "{fields} fields, not as many as the header");
            }
            Self::NotANumber { column, .. } => {
                return write!(formatter, "{column} is not a number");
            }
            Self::NotZero { column, .. } => {
                return write!(formatter, "{column} is not 0, as it is for this kind");
            }
            Self::UnknownPath { path, .. } => {
                return write!(formatter, "path {path} is not in the table of files");
            }
            Self::DeletedSize { size, .. } => {
                return write!(formatter, "the deleted file had {size} bytes");
            }
            Self::OutsideFile { size, .. } => {
                return write!(formatter, "the file had only {size} bytes");
            }
            Self::NotText(_) => "not text",
            Self::UnknownKind(_) => "kind is none of A, D and M",
            Self::EmptyEdit(_) => "an edit that changes nothing",
            Self::CommitOutOfOrder(_) => "commits do not ascend from 1",
            Self::Scattered(_) => "the rows of one file do not stand together",
            Self::MixedKinds(_) => "a file that is added or deleted has two rows",
            Self::EditsOverlap(_) => "the edit begins before the end of the one before",
            Self::AlreadyThere(_) => "the added file was there already",
            Self::NotThere(_) => "the file was not there",
            Self::FileTooLarge(_) => "the file is too large",
            Self::PathOutOfOrder(_) => "paths are not 0, 1, 2, ..",
            Self::FolderOutOfOrder(_) => "folders are not numbered in order of first sight",
            Self::Io(_) | Self::TooLarge(_) | Self::Header(_) => "",
        };
        formatter.write_str(text)
    }
}

impl core::error::Error for TraceError {}

/// A trace's file is refused.
#[derive(Debug)]
pub struct TraceFileError {
    /// Which file.
    pub file: PathBuf,
    /// Why.
    pub error: TraceError,
}

impl TraceFileError {
    pub(super) fn new(file: &Path, error: TraceError) -> Self {
        Self {
            file: file.to_owned(),
            error,
        }
    }
}

impl fmt::Display for TraceFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file.display(), self.error)
    }
}

impl core::error::Error for TraceFileError {}
