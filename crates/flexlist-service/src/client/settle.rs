//! What becomes of an update that was under way.

use flexlist::{
    FileState,
    list::{Sha256, verify_update},
};
use pad_core::HeadSignature;
use signature::Signer;
use web::client::HttpError;

use super::{
    apply,
    blame::Purpose,
    error::ClientError,
    file::{FileClient, Settled},
    state::{Stage, StateError},
    transport::{Transport, TransportError},
};
use crate::{
    message::{Confirm, FileUpdate, Refusal, Request, Response, Signed},
    signed::RequestKind,
};

impl Settled {
    /// An error if the update was dropped, which the caller has to learn.
    pub(super) fn or_dropped(self) -> Result<(), ClientError> {
        match self {
            Self::Dropped(refusal) => Err(ClientError::Dropped(refusal)),
            Self::Nothing | Self::Applied(_) => Ok(()),
        }
    }
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Finds out what became of an update that was under way: sends it again, as it was. The server
    /// carries it out now, or answers as it answered the first time.
    ///
    /// An update that the server has refused for good is kept until the next version is verified. If the
    /// server says meanwhile that it has one more version, the update is sent once more: if that version
    /// is the update's after all, it is verified and [`Settled::Applied`].
    ///
    /// # Errors
    /// [`ClientError::Transport`], [`ClientError::Refused`] and [`ClientError::Breach`] for refusals that
    /// may pass; [`ClientError::Proof`], [`ClientError::Forked`], [`ClientError::Rollback`],
    /// [`ClientError::Unexpected`]: the update stays under way. [`ClientError::State`].
    pub fn settle(&mut self) -> Result<Settled, ClientError> {
        match &self.state.record().stage {
            Stage::Uploading(_) | Stage::Settled(_) => Ok(Settled::Nothing),
            Stage::Pending { base, update } => {
                let (base, update) = (*base, update.clone());
                if let Some(refusal) = self.resolve(&base, &update)? {
                    self.state.advance(Stage::Refused { base, update })?;
                    return Ok(Settled::Dropped(refusal));
                }
                Ok(self.applied())
            }
            Stage::Refused { base, update } => {
                let status = self.status_of(&Request::Status { file: base.file })?;
                if base.version.checked_add(1) != Some(status.version) {
                    return Ok(Settled::Nothing);
                }
                let (base, update) = (*base, update.clone());
                if self.resolve(&base, &update)?.is_some() {
                    // The version is another writer's; this update has been reported as dropped.
                    self.state.advance(Stage::Settled(base))?;
                    return Ok(Settled::Nothing);
                }
                Ok(self.applied())
            }
        }
    }

    /// The newest verified version, once nothing is under way: what a change begins with.
    ///
    /// # Errors
    /// [`ClientError::Dropped`] if the server has refused for good what was under way: said once, and the
    /// next call goes on. [`ClientError::NotUploaded`]; what [`settle`](Self::settle) fails with.
    pub fn current(&mut self) -> Result<FileState, ClientError> {
        self.settle()?.or_dropped()?;
        self.version().ok_or(ClientError::NotUploaded)
    }

    /// The newest verified version, which reads and audits verify against: as [`current`](Self::current),
    /// but an update whose fate cannot be found out for now stays under way, and does not stand in the
    /// way of the version before it.
    ///
    /// # Errors
    /// As [`current`](Self::current), without [`ClientError::Transport`], [`ClientError::Refused`] and
    /// [`ClientError::Breach`].
    pub fn readable(&mut self) -> Result<FileState, ClientError> {
        match self.settle() {
            Ok(settled) => settled.or_dropped()?,
            // What the server does with an update is no verdict on what it has.
            Err(ClientError::Transport(_) | ClientError::Refused(_) | ClientError::Breach(_)) => {}
            Err(error) => return Err(error),
        }
        self.version().ok_or(ClientError::NotUploaded)
    }

    /// Sends an update. If the server proves that it has carried it out, its version is the owner's from
    /// now on; otherwise the refusal, which is for good.
    fn resolve(
        &mut self,
        base: &FileState,
        update: &Signed,
    ) -> Result<Option<Refusal>, ClientError> {
        let response = match self
            .asking
            .transport
            .exchange(&Request::Update(update.clone()))
        {
            // Too large once is too large for ever.
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
                self.confirm(&next);
                Ok(None)
            }
            Response::Refused(refusal) if is_final(&refusal, base) => Ok(Some(refusal)),
            Response::Refused(refusal) => Err(self.refused(Purpose::Change, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    fn applied(&self) -> Settled {
        self.version().map_or(Settled::Nothing, Settled::Applied)
    }

    /// Gives the server the owner's signed statement about this version, and tells it so that it may forget earlier
    /// ones. The word is what finds the way back, should the server or this state be restored from an
    /// older copy. If this fails, the server keeps more than it must, and is told before the next update.
    pub(super) fn confirm(&mut self, state: &FileState) {
        if self.confirmed == state.version {
            return;
        }
        let body = Confirm {
            file: state.file,
            version: state.version,
            root: state.list.root,
            total: state.list.total,
        };
        if let Ok(signed) = self.sign(RequestKind::Confirm, &body)
            && let Ok(Response::State(_)) =
                self.asking.transport.exchange(&Request::Confirm(signed))
        {
            self.confirmed = state.version;
        }
    }
}

/// Whether the server has said for good that it will not carry out an update of this version.
const fn is_final(refusal: &Refusal, base: &FileState) -> bool {
    match refusal {
        // Stale behind a newer version only: otherwise the server contradicts itself, or went back.
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
