//! Errors of a server's store of files.

use std::{io, path::PathBuf};

use flexlist::FileId;
use pad_disk::engine::EngineError;

use super::{FileKey, tables::Table};

/// Error returned by operations on a store. The operator has to check the medium or the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    #[error("there is no store at {}", .0.display())]
    Missing(PathBuf),
    /// There is already a file at the path of the store to create.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file at this path is not a store of this format.
    #[error("{} is not a store of outsourced files, has an older format, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process has the store at this path open.
    #[error("another process has the store {} open", .0.display())]
    InUse(PathBuf),
    /// Users other than the owner of the store's file may read or change it.
    #[error(
        "others may read or change the store {path} (its mode is {mode:03o}), which has the \
         contents of all files: chmod 600 {path}, or 640 for a group",
        path = .path.display()
    )]
    Exposed {
        /// The path of the store's file.
        path: PathBuf,
        /// The permission bits of the file.
        mode: u32,
    },
    /// The store cannot be written for now; the text gives the reason. Reads continue to work.
    #[error("the store cannot be written for now: {0}")]
    CannotWrite(String),
    /// The store is being reopened after an error, or compacted. Try again.
    #[error("the store is being reopened")]
    Interrupted,
    /// A record of a stored file is missing, or differs from the record that was written.
    #[error("file {file} is damaged in the store: {what}; {REMEDY}")]
    Damaged {
        /// The identifier of the damaged file.
        file: FileId,
        /// A description of the damage.
        what: String,
    },
    /// A file's blocks do not match the root, length or block count that its head states.
    #[error(
        "the blocks of file {file} in the store do not match the head of its version {version}; \
         {REMEDY}"
    )]
    RootDiffers {
        /// The identifier of the damaged file.
        file: FileId,
        /// The version that the head states.
        version: u64,
    },
    /// The operating system reported an error.
    #[error("the store cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The storage engine failed with this message.
    #[error("the storage engine failed: {0}")]
    Engine(String),
}

impl StoreError {
    pub(crate) fn damaged(file: FileKey, what: impl Into<String>) -> Self {
        Self::Damaged {
            file: file.id,
            what: what.into(),
        }
    }

    /// Reports whether the error may be temporary, so that the next attempt may succeed.
    pub(crate) const fn may_pass(&self) -> bool {
        matches!(self, Self::Io(_) | Self::CannotWrite(_) | Self::Interrupted)
    }

    /// Returns the error for a missing record: the record of `file` with the key `number` in
    /// `table`.
    pub(crate) fn absent(file: FileKey, table: Table, number: u64) -> Self {
        Self::damaged(file, format!("{} {number} is missing", table.what()))
    }
}

impl From<EngineError> for StoreError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Missing(path) => Self::Missing(path),
            EngineError::Exists(path) => Self::Exists(path),
            EngineError::Foreign(path) => Self::Foreign(path),
            EngineError::InUse(path) => Self::InUse(path),
            EngineError::Exposed { path, mode } => Self::Exposed { path, mode },
            EngineError::Closed => Self::Interrupted,
            EngineError::Io(error) | EngineError::PageMissing(error) => Self::Io(error),
            EngineError::PageChanged(what) => Self::Engine(format!("DB corrupted: {what}")),
            EngineError::Panicked => Self::Engine("it panicked".into()),
            EngineError::NotIntact => Self::Engine(
                "the structure of its pages is not intact: restore the store from a copy".into(),
            ),
            EngineError::Engine(error) => Self::Engine(error.to_string()),
            error => Self::Engine(error.to_string()),
        }
    }
}

/// The remedy for a damaged file, in messages to the operator.
const REMEDY: &str =
    "restore the store from a copy, or let the owner upload the file again under a new salt";
