//! Going back or forward to a version for which the server shows the owner's own signature.
//!
//! A server that is restored from a copy stands at an older version than the owner; a state that is
//! restored from a copy knows an older one than the server. Either way the server has the owner's signed
//! statement about its version ([`OwnerStatement`](crate::message::OwnerStatement)), which names its root:
//! nothing has to be believed. The statement does not say that the version is the newest, so nothing
//! here happens unless the owner asks for that very version.

use core::ops::Range;
use std::io::Write;

use pad_core::HeadSignature;
use signature::Signer;

use super::{
    error::ClientError,
    file::FileClient,
    state::{Record, Stage},
    transport::Transport,
    vouched::Vouched,
};

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// The version that the server has the owner's own signature for: perhaps the one that this client
    /// knows, an older one, or a newer one of another copy of this state. Changes nothing.
    ///
    /// # Errors
    /// [`ClientError::Statement`] if the signature is not this owner's for this file;
    /// [`ClientError::Unexpected`] if the server claims to stand somewhere else; [`ClientError::Refused`],
    /// [`ClientError::Breach`], [`ClientError::Rollback`], [`ClientError::Transport`].
    pub fn vouched(&self) -> Result<Vouched, ClientError> {
        self.asking.vouched(&self.known())
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
            stage: Stage::Settled(*vouched.state()),
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
        if vouched.state().version == version {
            return Ok(vouched);
        }
        Err(ClientError::NotOffered {
            wanted: version,
            offered: vouched.state().version,
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
        self.asking
            .read_to(&self.known(), vouched.state(), range, sink)
    }
}
