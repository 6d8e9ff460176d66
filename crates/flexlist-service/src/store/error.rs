//! Why a store cannot do what it should.

use core::fmt;
use std::{io, path::PathBuf};

use flexlist::FileId;

use super::{FileKey, tables::Table};

/// A store cannot do what it should. The operator looks after the medium.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    Missing(PathBuf),
    /// There is something at this path already.
    Exists(PathBuf),
    /// The file is not a store of this format.
    Foreign(PathBuf),
    /// Another process has the store open.
    InUse(PathBuf),
    /// Others than the user of the store may read or change its file.
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Nothing can be written for now, in words. Reading goes on.
    CannotWrite(String),
    /// The store is being opened again after an error, or room is being made: try again.
    Interrupted,
    /// A record of this file is missing or not what was written.
    Damaged {
        /// The file.
        file: FileId,
        /// What is wrong, in words.
        what: String,
    },
    /// A file's blocks do not give the root, length or number of blocks that were acknowledged.
    RootDiffers {
        /// The file.
        file: FileId,
        /// The version.
        version: u64,
    },
    /// The operating system refused.
    Io(io::Error),
    /// The storage engine failed, in words.
    Engine(String),
}

impl StoreError {
    pub(crate) fn damaged(file: FileKey, what: impl Into<String>) -> Self {
        Self::Damaged {
            file: file.id,
            what: what.into(),
        }
    }

    /// Whether it may be otherwise at the next attempt.
    pub(crate) const fn may_pass(&self) -> bool {
        matches!(self, Self::Io(_) | Self::CannotWrite(_) | Self::Interrupted)
    }

    /// A record of this table and file is not there.
    pub(crate) fn absent(file: FileKey, table: Table, number: u64) -> Self {
        Self::damaged(file, format!("{} {number} is missing", table.what()))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(formatter, "there is no store at {}", path.display()),
            Self::Exists(path) => write!(formatter, "{} exists already", path.display()),
            Self::Foreign(path) => write!(
                formatter,
                "{} is not a store of outsourced files, or is damaged beyond reading",
                path.display()
            ),
            Self::InUse(path) => write!(
                formatter,
                "another process has the store {} open",
                path.display()
            ),
            Self::Exposed { path, mode } => write!(
                formatter,
                "others may read or change the store {path} (its mode is {mode:03o}), which has the \
                 contents of all files: chmod 600 {path}",
                path = path.display()
            ),
            Self::CannotWrite(what) => {
                write!(formatter, "the store cannot be written for now: {what}")
            }
            Self::Interrupted => formatter.write_str("the store is being opened again"),
            Self::Damaged { file, what } => {
                write!(
                    formatter,
                    "file {file} is damaged in the store: {what}; {REMEDY}"
                )
            }
            Self::RootDiffers { file, version } => write!(
                formatter,
                "the blocks of file {file} in the store do not give the root of its version \
                 {version}; {REMEDY}"
            ),
            Self::Io(error) => write!(formatter, "the store cannot be read or written: {error}"),
            Self::Engine(what) => write!(formatter, "the storage engine failed: {what}"),
        }
    }
}

/// What the operator can do about a damaged file.
const REMEDY: &str =
    "restore the store from a copy, or let the owner upload the file again under a new salt";

impl core::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
