//! What can be wrong with a log in a folder.

use std::{io, path::PathBuf};

use crate::{
    CheckpointError,
    note::NoteError,
    tile::{BundleError, ReadError},
};

/// A log in a folder cannot do what it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the log.
    #[error("another process uses the log in {}", .0.display())]
    InUse(PathBuf),
    /// What is in the folder is not what was written.
    #[error("the log is damaged: {0}")]
    Damaged(&'static str),
    /// The log has not signed this note.
    #[error("the log has not signed this note")]
    Note(#[source] NoteError),
    /// The note is no checkpoint.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// The note is another log's; its origin.
    #[error("this is a checkpoint of another log: {0:?}")]
    OtherLog(String),
    /// The key is not the log's.
    #[error("this is not the key of the log")]
    OtherKey,
    /// The log has not signed this checkpoint, or is no longer what it was then.
    #[error("the log has not signed this checkpoint")]
    NotSigned,
    /// A newer checkpoint is published.
    #[error("a checkpoint of {published} entries is published, and this one has {size}")]
    Older {
        /// What is published.
        published: u64,
        /// What should be.
        size: u64,
    },
    /// What is published already is not the beginning of the log.
    #[error("the {published} entries that are published are not the beginning of this log")]
    Forked {
        /// What is published.
        published: u64,
    },
    /// A resource is missing, or not the checkpoint's.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The entry is too long.
    #[error(transparent)]
    Entry(BundleError),
    /// The log has as many entries or bytes as it can have.
    #[error("the log is full")]
    Full,
    /// The medium has failed before; the log has to be opened anew.
    #[error("the medium of the log has failed before")]
    Failed,
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}
