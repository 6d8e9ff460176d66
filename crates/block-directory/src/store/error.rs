//! Why a stored directory cannot be opened, read or written.

use std::{io, path::PathBuf};

use disk::engine::EngineError;
use pad_core::{ApplyError, StoreFault, VerifyError, Version};

use crate::strategy::Place;

/// A folder cannot do what it should. The operator looks after the medium, or takes another copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is something in the folder already; a new directory needs an empty one.
    #[error("{} is not empty; a new directory needs a folder of its own", .0.display())]
    NotEmpty(PathBuf),
    /// There is no directory in the folder.
    #[error("there is no directory in {}", .0.display())]
    Missing(PathBuf),
    /// The directory is of another suite, or was written by another version of the format.
    #[error("{} is a directory of another format: {found}", .folder.display())]
    OtherFormat {
        /// The folder.
        folder: PathBuf,
        /// What it is.
        found: String,
    },
    /// The log cannot be read or written.
    #[error("the log of the directory: {0}")]
    Log(#[from] EngineError),
    /// A file of blocks cannot be read or written.
    #[error("{}: {source}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A block is not what the block above it says, or what the signed root says.
    #[error("block {} of level {} is not what was signed; it is in {}", .place.block, .place.level, .file.display())]
    DamagedBlock {
        /// The block.
        place: Place,
        /// The file.
        file: PathBuf,
    },
    /// The log does not hold together.
    #[error("the log of the directory is damaged: {0}")]
    DamagedLog(&'static str),
    /// The files do not lead to the signed root of the latest version.
    #[error(
        "the files do not lead to the signed root of version {0}: they are not those of this log, or damaged"
    )]
    RootMismatch(Version),
    /// What was given to be stored is not to be, or what is stored could not have been.
    #[error(transparent)]
    Refused(#[from] ApplyError),
    /// The author's scheme or the size of blocks cannot be.
    #[error(transparent)]
    Parameters(#[from] VerifyError),
    /// As said before.
    #[error(transparent)]
    Fault(#[from] StoreFault),
}

impl StoreError {
    /// The class of this error, for callers who are told no more.
    pub(crate) const fn fault(&self) -> StoreFault {
        match self {
            Self::Fault(fault) => *fault,
            Self::DamagedBlock { .. }
            | Self::DamagedLog(_)
            | Self::RootMismatch(_)
            | Self::Refused(_)
            | Self::OtherFormat { .. }
            | Self::Log(
                EngineError::Foreign(_)
                | EngineError::PageMissing(_)
                | EngineError::PageChanged(_)
                | EngineError::NotIntact
                | EngineError::Panicked,
            ) => StoreFault::Damaged,
            _ => StoreFault::Medium,
        }
    }
}
