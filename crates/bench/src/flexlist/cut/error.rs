//! Why a trace cannot be cut.

use core::fmt;
use std::{io, path::PathBuf};

use crate::flexlist::trace::TraceFileError;

/// A trace cannot be cut.
#[derive(Debug)]
#[non_exhaustive]
pub enum CutError {
    /// The program `git` cannot be started, or the connection to it broke.
    Git(io::Error),
    /// `git` ended with an error: its subcommand and what it said.
    Refused(&'static str, String),
    /// The output of this subcommand is not what its documentation says.
    Unreadable(&'static str),
    /// The repository lacks an object of its history.
    MissingObject(String),
    /// The repository has no commit.
    NoCommit,
    /// The line diff does not make the new file from the old one.
    DiffMismatch,
    /// The name of the output is neither `NAME.csv` nor `NAME.csv.zst`.
    OutputName(PathBuf),
    /// The output cannot be written.
    Write(PathBuf, io::Error),
    /// What was written is refused when it is read back.
    ReadBack(TraceFileError),
    /// The replayed size of a file is not the real one; none: not there.
    SizeDiffers {
        /// The number of the file.
        path: usize,
        /// Its bytes when the trace is replayed.
        replayed: Option<u64>,
        /// Its bytes in the last tree.
        real: Option<u64>,
    },
    /// The last tree has a file that the trace never saw.
    Unseen(String),
}

impl fmt::Display for CutError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Git(error) => write!(formatter, "git cannot be run: {error}"),
            Self::Refused(command, message) => {
                write!(formatter, "git {command} failed: {}", message.trim())
            }
            Self::Unreadable(command) => write!(formatter, "git {command} said something else"),
            Self::MissingObject(object) => write!(formatter, "object {object} is missing"),
            Self::NoCommit => formatter.write_str("the repository has no commit"),
            Self::DiffMismatch => formatter.write_str("a line diff does not make the new file"),
            Self::OutputName(name) => write!(
                formatter,
                "{}: the name must end with .csv or .csv.zst",
                name.display()
            ),
            Self::Write(name, error) => write!(formatter, "{}: {error}", name.display()),
            Self::ReadBack(error) => write!(formatter, "read back: {error}"),
            Self::SizeDiffers {
                path,
                replayed,
                real,
            } => write!(
                formatter,
                "file {path} has {real:?} bytes, but {replayed:?} when the trace is replayed"
            ),
            Self::Unseen(name) => write!(formatter, "the trace does not know the file {name}"),
        }
    }
}

impl core::error::Error for CutError {}
