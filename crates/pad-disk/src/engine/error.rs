//! Errors of redb databases.

use std::{io, path::PathBuf};

/// Error returned when a database cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no file at this path.
    #[error("there is no database at {}", .0.display())]
    Missing(PathBuf),
    /// A file exists at this path already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file is not a database of the expected format, or damaged beyond reading.
    #[error("{} is not a database of this format, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process, or another value in this process, keeps the database open.
    #[error("another process uses the database {}", .0.display())]
    InUse(PathBuf),
    /// A private file that its group may write, or to which others have any access.
    #[error("others may read or change {} (its mode is {mode:03o})", .path.display())]
    Exposed {
        /// The path of the file.
        path: PathBuf,
        /// The permissions of the file.
        mode: u32,
    },
    /// A writer was interrupted, and this process has no permission to write the repair.
    #[error("{} needs repair after an interrupted write, but is not writable", .0.display())]
    RepairNeeded(PathBuf),
    /// The database is closed after a storage failure, or is being opened again or compacted.
    #[error("the database is closed or being reopened")]
    Closed,
    /// A page lies beyond the end of the file.
    #[error("a page is missing from the file")]
    PageMissing(#[source] io::Error),
    /// A page does not have the contents that the engine wrote. Contains the engine's message.
    #[error("a page does not have the contents that were written: {0}")]
    PageChanged(String),
    /// The storage engine panicked on the pages that it read.
    #[error("the pages cannot be read")]
    Panicked,
    /// The integrity check of all pages failed.
    #[error("the page structure is damaged")]
    NotIntact,
    /// An I/O error of the operating system.
    #[error("the database cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// Any other error of the storage engine.
    #[error("the storage engine failed: {0}")]
    Engine(#[source] Box<redb::Error>),
}

impl EngineError {
    /// Converts an error of the storage engine redb.
    pub fn of(error: impl Into<redb::Error>) -> Self {
        match error.into() {
            redb::Error::Io(error) if is_damage(&error) => Self::PageMissing(error),
            redb::Error::Io(error) => Self::Io(error),
            redb::Error::Corrupted(what) => Self::PageChanged(what),
            // An earlier I/O error has disabled the engine until the database is opened again.
            redb::Error::PreviousIo | redb::Error::DatabaseClosed => Self::Closed,
            error => Self::Engine(Box::new(error)),
        }
    }
}

/// Returns whether a read failed because the file is truncated or was not written by the engine.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}
