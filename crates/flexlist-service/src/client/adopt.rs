//! Adoption of another version of a file, for which the server presents the owner's own signature.
//!
//! A server restored from a backup stores an older version than the owner knows. A client's state
//! restored from a backup contains an older version than the server stores. In both cases, the
//! server stores the owner's signed statement about its version
//! ([`OwnerStatement`](crate::message::OwnerStatement)), which names the root.
//!
//! The server need not be trusted for the contents, since the signed root commits to them. The
//! statement does not prove that the version is the newest, so a version is adopted only at the
//! owner's explicit request.

use core::ops::Range;
use std::io::Write;

use pad_core::HeadSignature;
use signature::Signer;

use super::{
    error::ClientError,
    file::FileClient,
    signed_version::SignedVersion,
    state::{Record, Stage},
    transport::Transport,
};

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Returns the version for which the server presents the owner's own signature. This may be the
    /// version that this client knows or an older one. It may also be a newer version, written with
    /// another copy of this client's state. Changes nothing.
    ///
    /// # Errors
    /// * [`ClientError::Statement`] if the signature is not this owner's for this file.
    /// * [`ClientError::Unexpected`] if the server claims an unrelated version, or the response
    ///   does not match the request.
    /// * [`ClientError::Rollback`] if the server claims that it does not have the uploaded file.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    #[doc(hidden)]
    pub fn vouched(&self) -> Result<SignedVersion, ClientError> {
        self.queries.vouched(&self.known())
    }

    /// Adopts the version returned by [`vouched`](Self::vouched) as the version that this client
    /// knows. It must be `version`. An update in progress is given up.
    ///
    /// Adopting an older version gives up the later versions. An attacker that recorded the signed
    /// requests of later versions may replay these requests to the server. Operations then fail
    /// with [`ClientError::Outdated`] or [`ClientError::Forked`], and never return wrong bytes.
    /// Versions given up can be adopted again.
    ///
    /// # Errors
    /// [`ClientError::NotOffered`] if the server presents another version; the errors of
    /// [`vouched`](Self::vouched); [`ClientError::State`] if the state file cannot be written.
    pub fn adopt(&mut self, version: u64) -> Result<SignedVersion, ClientError> {
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

    /// Returns the version for which the server presents the owner's signature, like
    /// [`vouched`](Self::vouched), if it is `wanted`.
    ///
    /// # Errors
    /// [`ClientError::NotOffered`] if the server presents another version; the errors of
    /// [`vouched`](Self::vouched).
    #[doc(hidden)]
    pub fn vouched_at(&self, wanted: u64) -> Result<SignedVersion, ClientError> {
        let vouched = self.vouched()?;
        let offered = vouched.state().version;
        if offered == wanted {
            return Ok(vouched);
        }
        Err(ClientError::NotOffered { wanted, offered })
    }

    /// Writes the bytes in `range` of the version `vouched` to `sink`, verified. Unlike
    /// [`read_to`](Self::read_to), it leaves this client's state unchanged.
    ///
    /// # Errors
    /// The errors of [`read_to`](Self::read_to), except errors about updates in progress.
    #[doc(hidden)]
    pub fn read_vouched_to(
        &self,
        vouched: &SignedVersion,
        range: Range<u64>,
        sink: &mut impl Write,
    ) -> Result<(), ClientError> {
        self.at(vouched.state()).read_to(range, sink)
    }
}
