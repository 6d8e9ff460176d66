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
    /// Combines `state`, a version that the owner signed, with `status`, the server's claim. The
    /// server must claim this version or the next one.
    pub(super) fn new(state: FileState, status: FileStatus) -> Result<Self, ClientError> {
        match status.version.checked_sub(state.version) {
            Some(0) if is_list(&status, &state.list) => {}
            Some(1) => {}
            _ => return Err(ClientError::Unexpected),
        }
        Ok(Self { state, status })
    }

    /// Returns the version, as the owner signed it.
    pub const fn state(&self) -> &FileState {
        &self.state
    }

    /// Returns the status that the server claims. It is of the signed version or of the next one.
    /// For the next one, the server has no statement of the owner.
    pub const fn status(&self) -> &FileStatus {
        &self.status
    }

    /// Reports whether the server claims the signed version as its current one, so that it accepts
    /// updates of this version.
    pub const fn is_current(&self) -> bool {
        self.status.version == self.state.version
    }
}

/// Reports whether the root and length that the server claims are those of `list`.
pub(super) fn is_list(status: &FileStatus, list: &ListState) -> bool {
    (status.root, status.total) == (list.root, list.total)
}
