//! Errors of opening, reading or writing a stored directory.

use std::{io, path::PathBuf};

use pad_core::{ApplyError, StoreFault, VerifyError, Version};
use pad_disk::engine::EngineError;

use crate::strategy::Place;

/// Error returned for a directory in a folder. After damage or an I/O error, the operator must
/// check the medium, or use another copy of the folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder contains files, but a new directory needs an empty folder.
    #[error("{} is not empty: a new directory needs an empty folder", .0.display())]
    NotEmpty(PathBuf),
    /// The folder contains no directory.
    #[error("there is no directory in {}", .0.display())]
    Missing(PathBuf),
    /// The directory is of another suite or scheme, or its parameters are invalid.
    #[error("{} is a directory of another format: {found}", .folder.display())]
    OtherFormat {
        /// The folder that contains the directory.
        folder: PathBuf,
        /// A description of the format that was found.
        found: String,
    },
    /// The directory's log (its database) cannot be read or written.
    #[error("the log of the directory cannot be used: {0}")]
    Log(#[from] EngineError),
    /// A file of blocks cannot be read or written.
    #[error("{}: {source}", .file.display())]
    File {
        /// The path of the file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A block does not match its digest in the block above it, or the signed root. Or its file is
    /// too short for the block.
    #[error(
        "block {} of level {} does not match its signed digest; it is in {}",
        .place.block, .place.level, .file.display()
    )]
    DamagedBlock {
        /// The place of the damaged block: its level and its number in the level.
        place: Place,
        /// The file that contains the block.
        file: PathBuf,
    },
    /// The contents of the log are inconsistent, as described.
    #[error("the log of the directory is damaged: {0}")]
    DamagedLog(&'static str),
    /// The files of blocks do not match the signed root of this version, the latest one.
    #[error(
        "the files do not match the signed root of version {0}: they are damaged, or belong to \
         another log"
    )]
    RootMismatch(Version),
    /// The input breaks the rules of updates, or the stored data does.
    #[error(transparent)]
    Refused(#[from] ApplyError),
    /// The author's scheme or the size of blocks is invalid.
    #[error(transparent)]
    Parameters(#[from] VerifyError),
    /// A consequence of an earlier error, which was reported with its details before.
    #[error(transparent)]
    Fault(#[from] StoreFault),
}

impl StoreError {
    /// Returns the class of this error, for callers without access to its details.
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
