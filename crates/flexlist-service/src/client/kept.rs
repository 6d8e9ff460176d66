//! What a state file says, to whoever has neither key nor server at hand.

use std::{io, path::Path};

use flexlist::{FileId, FileState};

use super::{
    blame::Purpose,
    error::ClientError,
    state::{self, Stage, StateError, StateFile},
    transport::Transport,
};
use crate::message::{Refusal, Request, Response};

/// What a state file says. Only what the owner keeps: the server may have another version, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// The file.
    pub file: FileId,
    /// Where it is; empty if that is not known.
    pub server: String,
    /// Where it stands.
    pub standing: Standing,
}

/// Where a file stands, according to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its upload is not finished.
    Uploading {
        /// So many bytes were sent.
        bytes: u64,
    },
    /// At this version, with nothing under way.
    Settled(FileState),
    /// At this version, or at the next one: an update is under way.
    Pending(FileState),
}

impl KeptFile {
    /// Reads a state file, whoever uses it meanwhile.
    ///
    /// # Errors
    /// [`StateError::Io`], [`StateError::Damaged`], [`StateError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, StateError> {
        let record = state::read(path)?;
        let standing = match record.stage {
            Stage::Uploading(uploading) => Standing::Uploading {
                bytes: uploading.last.bytes,
            },
            Stage::Settled(state) | Stage::Refused { base: state, .. } => Standing::Settled(state),
            Stage::Pending { base, .. } => Standing::Pending(base),
        };
        Ok(Self {
            file: record.file,
            server: record.server,
            standing,
        })
    }

    /// Whether the file at this path begins as state files do.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn is_at(path: &Path) -> io::Result<bool> {
        state::is_state(path)
    }

    /// Removes the state file at this path, if the server says that it does not have the file, or has it no
    /// more. The lock beside it stays.
    ///
    /// # Errors
    /// [`ClientError::StillThere`] if it has it; [`ClientError::Unexpected`], [`ClientError::Refused`],
    /// [`ClientError::Breach`], [`ClientError::Transport`], [`ClientError::State`].
    pub fn forget(path: &Path, transport: &impl Transport) -> Result<(), ClientError> {
        let state = StateFile::open(path, disk::PATIENCE)?;
        let file = state.record().file;
        match transport.exchange(&Request::Status { file })? {
            Response::Refused(Refusal::UnknownFile | Refusal::Removed) => Ok(state.remove()?),
            Response::State(_) => Err(ClientError::StillThere),
            Response::Refused(refusal) => Err(refusal.into_error(Purpose::Question)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Removes the state file at this path, whatever the server has: nobody can change or remove the file on the
    /// server from then on, unless there is a copy of the state.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn abandon(path: &Path) -> Result<(), StateError> {
        StateFile::open(path, disk::PATIENCE)?.remove()
    }
}
