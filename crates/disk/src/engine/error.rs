//! Why a database cannot be opened, read or written.

use std::{io, path::PathBuf};

/// A database cannot do what it should. The operator looks after the medium.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no file at this path.
    #[error("there is no database at {}", .0.display())]
    Missing(PathBuf),
    /// There is something at this path already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file is not a database of the expected format, or damaged beyond reading.
    #[error("{} is not a database of this format, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process has the database open, and does not close it.
    #[error("another process uses the database {}", .0.display())]
    InUse(PathBuf),
    /// Other users may read or change a file that only its user may read.
    #[error("others may read or change {} (its mode is {mode:03o})", .path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A writer was interrupted, and this process may not write what puts the file in order.
    #[error("a writer of {} was interrupted, and the file cannot be written to", .0.display())]
    RepairNeeded(PathBuf),
    /// The database is closed after an error of the medium, until it can be opened again.
    #[error("the database is being opened again")]
    Closed,
    /// A read ended where the file should go on.
    #[error("a page is not in the file")]
    PageMissing(#[source] io::Error),
    /// The engine read what it did not write; what it says about it.
    #[error("a page is not what was written: {0}")]
    PageChanged(String),
    /// The engine panicked on what it read.
    #[error("the pages cannot be read")]
    Panicked,
    /// Not all pages are what the engine wrote.
    #[error("the structure of the pages is not intact")]
    NotIntact,
    /// The operating system refused.
    #[error("the database cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The storage engine failed.
    #[error("the storage engine failed: {0}")]
    Engine(#[source] Box<redb::Error>),
}

impl EngineError {
    /// From any error of the engine.
    pub fn of(error: impl Into<redb::Error>) -> Self {
        match error.into() {
            redb::Error::Io(error) if is_damage(&error) => Self::PageMissing(error),
            redb::Error::Io(error) => Self::Io(error),
            redb::Error::Corrupted(what) => Self::PageChanged(what),
            // An earlier error has made the engine useless until it is opened again.
            redb::Error::PreviousIo | redb::Error::DatabaseClosed => Self::Closed,
            error => Self::Engine(Box::new(error)),
        }
    }
}

/// What reads of a file that was cut off, or is none of the engine's, end with.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}
