//! Recovery of an update whose outcome is unknown, for example after a crash.

use flexlist::{
    FileState,
    list::{Sha256, verify_update},
};
use pad_core::HeadSignature;
use pad_web::client::HttpError;
use signature::Signer;

use super::{
    apply,
    blame::Purpose,
    error::ClientError,
    file::{FileClient, SettleOutcome},
    state::{Stage, StateError},
    transport::{Transport, TransportError},
};
use crate::{
    message::{Confirm, FileUpdate, Refusal, Request, Response, SignedRequest},
    signed::RequestKind,
};

impl SettleOutcome {
    /// Returns [`ClientError::Dropped`] if the update was dropped, so that the caller learns of it.
    pub(super) fn or_dropped(self) -> Result<(), ClientError> {
        match self {
            Self::Dropped(refusal) => Err(ClientError::Dropped(refusal)),
            Self::Nothing | Self::Applied(_) => Ok(()),
        }
    }
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Resolves an update that was in progress, by sending it again unchanged. The server executes
    /// it now, or repeats its first answer.
    ///
    /// An update that the server has refused for good is kept until the next version is verified.
    /// If the server later claims the version after the base of the update, the update is sent once
    /// more. If the update produced that version after all, the version is verified and the outcome
    /// is [`SettleOutcome::Applied`].
    ///
    /// # Errors
    /// After each of these errors except the last, the update remains in progress.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] for a refusal that may be temporary.
    /// * [`ClientError::Proof`] if the server's proof is invalid; [`ClientError::Forked`] if the
    ///   server claims other contents.
    /// * [`ClientError::Rollback`], [`ClientError::Superseded`] or [`ClientError::Outdated`] if the
    ///   server claims another version.
    /// * [`ClientError::Unexpected`] if the response does not match the request.
    /// * [`ClientError::State`] if the state file cannot be written.
    pub fn settle(&mut self) -> Result<SettleOutcome, ClientError> {
        match &self.state.record().stage {
            Stage::Uploading(_) | Stage::Settled(_) => Ok(SettleOutcome::Nothing),
            Stage::Pending { base, update } => {
                let (base, update) = (*base, update.clone());
                if let Some(refusal) = self.resolve(&base, &update)? {
                    self.state.advance(Stage::Refused { base, update })?;
                    return Ok(SettleOutcome::Dropped(refusal));
                }
                Ok(self.applied())
            }
            Stage::Refused { base, update } => {
                let status = self.queries.status(&self.known())?;
                if base.version.checked_add(1) != Some(status.version) {
                    return Ok(SettleOutcome::Nothing);
                }
                let (base, update) = (*base, update.clone());
                if self.resolve(&base, &update)?.is_some() {
                    // Another writer made the version. This update has been reported as dropped
                    // before.
                    self.state.advance(Stage::Settled(base))?;
                    return Ok(SettleOutcome::Nothing);
                }
                Ok(self.applied())
            }
        }
    }

    /// Resolves an update in progress ([`settle`](Self::settle)), then returns the newest verified
    /// version. Changes are based on this version.
    ///
    /// # Errors
    /// [`ClientError::Dropped`] if the server has refused the update in progress for good. Reported
    /// once; the next call continues. [`ClientError::NotUploaded`] before the upload is finished.
    /// The errors of [`settle`](Self::settle).
    pub fn current(&mut self) -> Result<FileState, ClientError> {
        self.settle()?.or_dropped()?;
        self.version().ok_or(ClientError::NotUploaded)
    }

    /// Returns the newest verified version, for reads and audits. Unlike
    /// [`current`](Self::current), succeeds if an update in progress cannot be resolved for now.
    /// The update then remains in progress.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current), without [`ClientError::Transport`],
    /// [`ClientError::Refused`] and [`ClientError::Breach`].
    #[doc(hidden)]
    pub fn readable(&mut self) -> Result<FileState, ClientError> {
        match self.settle() {
            Ok(settled) => settled.or_dropped()?,
            // The server's handling of an update is not a verdict on the data that it has.
            Err(ClientError::Transport(_) | ClientError::Refused(_) | ClientError::Breach(_)) => {}
            Err(error) => return Err(error),
        }
        self.version().ok_or(ClientError::NotUploaded)
    }

    /// Sends `update`. If the server proves that it executed the update, verifies and stores the
    /// new version. Otherwise returns a refusal that is final.
    fn resolve(
        &mut self,
        base: &FileState,
        update: &SignedRequest,
    ) -> Result<Option<Refusal>, ClientError> {
        self.state.ensure_durable()?;
        let response = match self
            .queries
            .transport
            .exchange(&Request::Update(update.clone()))
        {
            // A request that is too large once is always too large.
            Err(TransportError::Http(HttpError::RequestTooLarge { length })) => {
                Response::Refused(Refusal::TooLarge(format!("{length} bytes")))
            }
            response => response?,
        };
        match response {
            Response::Updated { status, witness } => {
                let update: FileUpdate = update.claimed().map_err(|_| StateError::Damaged)?;
                let operations = apply::operations(&update)?;
                let list = verify_update::<Sha256>(witness.as_ref(), &base.list, &operations)?;
                let next = FileState {
                    file: base.file,
                    version: base.version.saturating_add(1),
                    list: *list.get(),
                };
                self.check_standing(&status, &next)?;
                self.state.advance(Stage::Settled(next))?;
                // Before the next update, the statement is sent again if it did not arrive.
                drop(self.confirm(&next));
                Ok(None)
            }
            Response::Refused(refusal) if is_final(&refusal, base) => Ok(Some(refusal)),
            Response::Refused(refusal) => Err(self.refused(Purpose::Change, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    fn applied(&self) -> SettleOutcome {
        self.version()
            .map_or(SettleOutcome::Nothing, SettleOutcome::Applied)
    }

    /// Sends the owner's signed statement about the version `state`, so that the server may delete
    /// earlier versions.
    ///
    /// The statement allows recovery if the server or the client's state file is restored from an
    /// older copy. Readers without the owner's state need the statement of the current version or
    /// of the one before it.
    ///
    /// # Errors
    /// [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] and others
    /// if the server refuses the statement.
    pub(super) fn confirm(&mut self, state: &FileState) -> Result<(), ClientError> {
        if self.confirmed == state.version {
            return Ok(());
        }
        let body = Confirm {
            file: state.file,
            version: state.version,
            root: state.list.root,
            total: state.list.total,
        };
        let signed = self.sign(RequestKind::Confirm, &body)?;
        let response = self.queries.transport.exchange(&Request::Confirm(signed))?;
        match response {
            Response::State(_) => {
                self.confirmed = state.version;
                Ok(())
            }
            Response::Refused(refusal) => Err(self.refused(Purpose::Change, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }
}

/// Reports whether the refusal of an update of the version `base` is final, according to the
/// server.
const fn is_final(refusal: &Refusal, base: &FileState) -> bool {
    match refusal {
        // Final only if the server has a newer version. Otherwise the server contradicts itself, or
        // has rolled back.
        Refusal::StaleBase { current, .. } => *current > base.version,
        Refusal::UploadFinished
        | Refusal::PartOutOfOrder { .. }
        | Refusal::WrongOwner
        | Refusal::WrongFileId
        | Refusal::RootMismatch
        | Refusal::Invalid(_)
        | Refusal::TooLarge(_)
        | Refusal::TagsInvalid => true,
        Refusal::UnknownFile
        | Refusal::UploadUnfinished { .. }
        | Refusal::UnknownVersion { .. }
        | Refusal::Unavailable
        | Refusal::StoreFailed(_)
        | Refusal::CannotWrite
        | Refusal::Removed
        | Refusal::OwnerNotAllowed
        | Refusal::BeginExpired { .. } => false,
    }
}
