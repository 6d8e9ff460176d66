//! Errors of a log in a folder.

use std::{io, path::PathBuf};

use crate::{
    CheckpointError,
    note::NoteError,
    tile::{BundleError, ReadError},
};

/// Error returned by operations on a log in a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process holds the lock file.
    #[error("another process uses the log in {}", .0.display())]
    InUse(PathBuf),
    /// The folder's contents are corrupted, or the checkpoint to export is missing.
    #[error("the log is damaged: {0}")]
    Damaged(&'static str),
    /// The note cannot be parsed, or the log has not signed it.
    #[error("the log has not signed this note")]
    Note(#[source] NoteError),
    /// The note is not a checkpoint.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// The note belongs to another log; contains the origin of that log.
    #[error("the checkpoint belongs to another log: {0:?}")]
    OtherLog(String),
    /// The given key is not the key of the log.
    #[error("the key does not belong to the log")]
    OtherKey,
    /// The log has signed nothing yet, or the checkpoint is larger than the latest signed one. Also
    /// if its root is not the root of the log at its size.
    #[error("the log has not signed this checkpoint")]
    NotSigned,
    /// A newer checkpoint is already published.
    #[error("the checkpoint is outdated: it has {size} entries, the published one has {published}")]
    Older {
        /// The number of entries in the published checkpoint.
        published: u64,
        /// The number of entries in the checkpoint to publish.
        size: u64,
    },
    /// The published entries are not a prefix of the log.
    #[error("the {published} published entries are not a prefix of this log")]
    Forked {
        /// The number of entries in the published checkpoint.
        published: u64,
    },
    /// A resource is missing or does not match the checkpoint.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The entry is too long.
    #[error(transparent)]
    Entry(BundleError),
    /// The log has reached its maximum number of entries or bytes.
    #[error("the log is full")]
    Full,
    /// An earlier write failed with an I/O error; the log must be reopened.
    #[error("the log is closed after an I/O error: open it again")]
    Failed,
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
}
