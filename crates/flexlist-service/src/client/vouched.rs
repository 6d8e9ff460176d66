//! A version for which a server shows the owner's own signature.

use flexlist::{FileState, list::ListState};

use super::error::ClientError;
use crate::message::FileStatus;

/// A version that a server shows the owner's signature for. Only [`FileClient::vouched`](super::FileClient::vouched) and
/// [`FileObserver::newest`](super::FileObserver::newest) make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vouched {
    state: FileState,
    status: FileStatus,
}

impl Vouched {
    /// A version that the owner signed, of a server that claims to stand there, or one version further.
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

    /// The version that the server claims to have: this one, or the one after it, for which it has no statement
    /// of the owner.
    pub const fn standing(&self) -> &FileStatus {
        &self.status
    }

    /// Whether the server stands at this version, so that it takes updates of it.
    pub const fn is_current(&self) -> bool {
        self.status.version == self.state.version
    }
}

/// The server claims this list.
pub(super) fn is_list(status: &FileStatus, list: &ListState) -> bool {
    (status.root, status.total) == (list.root, list.total)
}
