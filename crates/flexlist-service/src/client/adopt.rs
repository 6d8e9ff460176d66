//! Going back or forward to a version for which the server shows the owner's own signature.
//!
//! A server that is restored from a copy stands at an older version than the owner; a state that is
//! restored from a copy knows an older one than the server. Either way the server has the owner's signed
//! statement about its version ([`OwnerStatement`](crate::message::OwnerStatement)), which names its root:
//! nothing has to be believed. The statement does not say that the version is the newest, so nothing
//! here happens unless the owner asks for that very version.

use core::ops::Range;
use std::io::Write;

use flexlist::FileState;
use pad_core::HeadSignature;
use signature::Signer;

use super::{
    blame::Purpose,
    error::ClientError,
    file::{FileClient, is_list},
    state::{Record, Stage},
    transport::Transport,
};
use crate::message::{FileStatus, Refusal, Request, Response};

/// A version that a server shows the owner's signature for. Only [`FileClient::vouched`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vouched {
    state: FileState,
    status: FileStatus,
}

impl Vouched {
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

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// The version that the server has the owner's own signature for: perhaps the one that this client
    /// knows, an older one, or a newer one of another copy of this state. Changes nothing.
    ///
    /// # Errors
    /// [`ClientError::Statement`] if the signature is not this owner's for this file;
    /// [`ClientError::Unexpected`] if the server claims to stand somewhere else; [`ClientError::Refused`],
    /// [`ClientError::Breach`], [`ClientError::Rollback`], [`ClientError::Transport`].
    pub fn vouched(&self) -> Result<Vouched, ClientError> {
        let file = self.file();
        let response = self.transport.exchange(&Request::Confirmed { file })?;
        let (status, statement) = match response {
            Response::Confirmed { status, statement } => (status, statement),
            Response::Refused(refusal) => return Err(self.refused_word(refusal)),
            _ => return Err(ClientError::Unexpected),
        };
        let state = statement.open(file, &self.owner.key)?;
        let ahead = status.version.checked_sub(state.version);
        match ahead {
            Some(0) if is_list(&status, &state.list) => {}
            Some(1) => {}
            _ => return Err(ClientError::Unexpected),
        }
        Ok(Vouched { state, status })
    }

    /// Makes the version that [`vouched`](Self::vouched) tells the one that this client knows, if it is
    /// `version`. An update that was under way is given up.
    ///
    /// Whoever goes back gives up the versions after it. What was signed for them may be replayed to the
    /// server by whoever recorded it, which ends in [`ClientError::Outdated`] or
    /// [`ClientError::Forked`], and in no wrong byte; they can be adopted again.
    ///
    /// # Errors
    /// [`ClientError::NotOffered`] if the server shows another version; what
    /// [`vouched`](Self::vouched) fails with; [`ClientError::State`].
    pub fn adopt(&mut self, version: u64) -> Result<Vouched, ClientError> {
        let vouched = self.vouched_at(version)?;
        let record = self.state.record().clone();
        let known = self.version().map_or(0, |state| state.version);
        let is_behind = version <= known;
        self.state.replace(Record {
            given_up: if is_behind {
                known.max(record.given_up)
            } else {
                record.given_up
            },
            stage: Stage::Settled(vouched.state),
            ..record
        })?;
        self.confirmed = 0;
        Ok(vouched)
    }

    /// The version of the owner's statement that the server shows, if it is this one.
    ///
    /// # Errors
    /// As [`adopt`](Self::adopt).
    pub fn vouched_at(&self, version: u64) -> Result<Vouched, ClientError> {
        let vouched = self.vouched()?;
        if vouched.state.version == version {
            return Ok(vouched);
        }
        Err(ClientError::NotOffered {
            wanted: version,
            offered: vouched.state.version,
        })
    }

    /// Writes bytes of such a version to `sink`, verified, as [`read_to`](Self::read_to) does of the
    /// current one. The state stays as it is.
    ///
    /// # Errors
    /// Those of [`read_to`](Self::read_to), but for those about updates under way.
    pub fn read_vouched_to(
        &self,
        vouched: &Vouched,
        range: Range<u64>,
        sink: &mut impl Write,
    ) -> Result<(), ClientError> {
        self.read_state_to(&vouched.state, range, sink)
    }

    /// A newer version than this one, if the server shows this owner's signature for it.
    pub(super) fn newer(&self, known: u64) -> Option<FileState> {
        let vouched = self.vouched().ok()?;
        let given_up = self.state.record().given_up;
        (vouched.state.version > known.max(given_up)).then_some(vouched.state)
    }

    /// The server claims a newer version than the one that this client knows.
    pub(super) fn outdated(&self, known: u64, current: u64) -> ClientError {
        match self.newer(known) {
            Some(newer) => ClientError::Superseded { known, newer },
            None => ClientError::Outdated { known, current },
        }
    }

    /// A refusal to show the owner's statement. It is never answered by asking for it again.
    fn refused_word(&self, refusal: Refusal) -> ClientError {
        match (&refusal, self.version()) {
            (Refusal::UnknownFile | Refusal::UploadUnfinished { .. }, Some(state)) => {
                ClientError::Rollback {
                    known: state.version,
                    claimed: 0,
                }
            }
            _ => refusal.into_error(Purpose::Question),
        }
    }
}
