//! Versions with the owner's signature, as presented by a server.

use flexlist::{FileState, list::ListState};

use super::error::ClientError;
use crate::message::FileStatus;

/// A version for which a server presents the owner's signature. Returned by
/// [`FileClient::vouched`](super::FileClient::vouched),
/// [`FileObserver::newest`](super::FileObserver::newest) and functions based on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedVersion {
    state: FileState,
    status: FileStatus,
}

impl SignedVersion {
    /// Combines a version that the owner signed with the server's claim. The claim must be this
    /// version or the next one.
    pub(super) fn new(state: FileState, status: FileStatus) -> Result<Self, ClientError> {
        match status.version.checked_sub(state.version) {
            Some(0) if is_list(&status, &state.list) => {}
            Some(1) => {}
            _ => return Err(ClientError::Unexpected),
        }
        Ok(Self { state, status })
    }

    /// The version, as the owner signed it.
    pub const fn state(&self) -> &FileState {
        &self.state
    }

    /// The status that the server claims: this version, or the next one, for which it has no
    /// statement of the owner.
    pub const fn status(&self) -> &FileStatus {
        &self.status
    }

    /// Reports whether the server claims this version as its current one, so that it accepts
    /// updates of it.
    pub const fn is_current(&self) -> bool {
        self.status.version == self.state.version
    }
}

/// Reports whether the server claims this list.
pub(super) fn is_list(status: &FileStatus, list: &ListState) -> bool {
    (status.root, status.total) == (list.root, list.total)
}
