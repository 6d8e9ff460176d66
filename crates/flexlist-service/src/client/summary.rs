//! Inspection of state files (an owner's data about one file) without keys or a server.

use std::{io, path::Path};

use flexlist::{FileId, FileState};

use super::{
    blame::Purpose,
    error::ClientError,
    state::{self, LockedFile, Stage, StateError},
    transport::Transport,
};
use crate::message::{Refusal, Request, Response};

/// The contents of an owner's state file. They are only the owner's view: the server may have
/// another version, or nothing.
///
/// Without the owner's key, only the checksum of the state file is verified. So the contents are
/// not authenticated: any party that could write the file may have chosen them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSummary {
    /// The identifier of the file.
    pub file: FileId,
    /// The address of the server; empty if unknown.
    pub server: String,
    /// The progress of the file: uploading, settled, or with an update in progress.
    pub progress: FileProgress,
}

/// The progress of a file, according to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileProgress {
    /// The upload of the file is not finished.
    Uploading {
        /// Number of bytes of the file that were sent, or were about to be sent.
        bytes: u64,
    },
    /// The file is at this version, and no operation is in progress.
    Settled(FileState),
    /// The file is at this version or the next one: an update is in progress.
    Pending(FileState),
}

impl StateSummary {
    /// Reads a state file without locking it. Works while another process uses the file.
    ///
    /// # Errors
    /// [`StateError::Io`] if the file cannot be read; [`StateError::Damaged`] or
    /// [`StateError::Malformed`] if it is not an intact state file.
    pub fn read(path: &Path) -> Result<Self, StateError> {
        let sealed = state::read(path)?;
        let record = sealed.unauthenticated();
        let progress = match &record.stage {
            Stage::Uploading(uploading) => FileProgress::Uploading {
                bytes: uploading.last.bytes,
            },
            Stage::Settled(state) | Stage::Refused { base: state, .. } => {
                FileProgress::Settled(*state)
            }
            Stage::Pending { base, .. } => FileProgress::Pending(*base),
        };
        Ok(Self {
            file: record.file,
            server: record.server.clone(),
            progress,
        })
    }

    /// Reports whether the file at `path` begins like a state file.
    ///
    /// # Errors
    /// [`io::Error`] if the file cannot be read.
    pub fn is_at(path: &Path) -> io::Result<bool> {
        state::is_state(path)
    }

    /// Removes the state file at `path`, if the server reports that it does not have the file or
    /// has removed it. The lock file next to it remains.
    ///
    /// # Errors
    /// * [`ClientError::StillThere`] if the server has the file.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    /// * [`ClientError::Unexpected`] if the response does not match the request.
    /// * [`ClientError::State`] if the state file cannot be used.
    pub fn forget(path: &Path, transport: &impl Transport) -> Result<(), ClientError> {
        let state = LockedFile::open(path, pad_disk::PATIENCE)?;
        let file = state.unauthenticated().file;
        match transport.exchange(&Request::Status { file })? {
            Response::Refused(Refusal::UnknownFile | Refusal::Removed) => Ok(state.remove()?),
            Response::State(_) => Err(ClientError::StillThere),
            Response::Refused(refusal) => Err(refusal.into_error(Purpose::Question)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Removes the state file at `path` without asking the server. From then on, the file on the
    /// server can be neither changed nor removed, unless there is a copy of the state.
    ///
    /// # Errors
    /// [`StateError`] if the file is not a state file, is in use, or cannot be removed.
    pub fn abandon(path: &Path) -> Result<(), StateError> {
        LockedFile::open(path, pad_disk::PATIENCE)?.remove()
    }
}
