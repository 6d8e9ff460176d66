//! Why a trace cannot be cut.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::flexlist::trace::TraceFileError;

/// A trace cannot be cut.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CutError {
    /// The program `git` cannot be started, or the connection to it broke.
    #[error("git cannot be run: {0}")]
    Git(io::Error),
    /// `git` ended with an error: its subcommand and what it said.
    #[error("git {0} failed: {text}", text = .1.trim())]
    Refused(&'static str, String),
    /// The output of this subcommand is not what its documentation says.
    #[error("git {0} said something else")]
    Unreadable(&'static str),
    /// The repository lacks an object of its history.
    #[error("object {0} is missing")]
    MissingObject(String),
    /// The repository has no commit.
    #[error("the repository has no commit")]
    NoCommit,
    /// The line diff does not make the new file from the old one.
    #[error("a line diff does not make the new file")]
    DiffMismatch,
    /// The name of the output is neither `NAME.csv` nor `NAME.csv.zst`.
    #[error("{}: the name must end with .csv or .csv.zst", .0.display())]
    OutputName(PathBuf),
    /// The output cannot be written.
    #[error("{name}: {1}", name = .0.display())]
    Write(PathBuf, io::Error),
    /// What was written is refused when it is read back.
    #[error("read back: {0}")]
    ReadBack(TraceFileError),
    /// The replayed size of a file is not the real one; none: not there.
    #[error("file {path} has {real:?} bytes, but {replayed:?} when the trace is replayed")]
    SizeDiffers {
        /// The number of the file.
        path: usize,
        /// Its bytes when the trace is replayed.
        replayed: Option<u64>,
        /// Its bytes in the last tree.
        real: Option<u64>,
    },
    /// The last tree has a file that the trace never saw.
    #[error("the trace does not know the file {0}")]
    Unseen(String),
}
