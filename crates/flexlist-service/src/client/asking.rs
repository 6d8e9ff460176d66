//! Questions about a file, and the checks of their answers: all that needs nothing but public data.
//!
//! The owner asks them with the key that makes tags at hand, others ([`super::FileObserver`]) with what the
//! owner has published.

use core::cmp::Ordering;

use flexlist::{
    FileId, FileState,
    error::AuditError,
    tag::{OwnerKey, TagKind, VerifierKey},
};
use pad_core::AuthorKey;

use super::{
    blame::Purpose, error::ClientError, options::ClientOptions, transport::Transport,
    vouched::Vouched,
};
use crate::message::{FileStatus, Refusal, Request, Response};

/// What the tags of a file are checked with.
#[derive(Clone, Debug)]
pub struct TagCheck {
    kind: TagKind,
    key: Option<VerifierKey>,
}

impl TagCheck {
    /// Without a key: enough to read, not to audit.
    pub const fn of_reads(kind: TagKind) -> Self {
        Self { kind, key: None }
    }

    /// With the key that checks proofs of possession.
    pub const fn new(key: VerifierKey) -> Self {
        Self {
            kind: key.kind(),
            key: Some(key),
        }
    }

    /// What others than the owner may have: without the key, where that is secret.
    pub fn public(owner: &OwnerKey) -> Self {
        let kind = owner.kind();
        if kind.is_public() {
            Self::new(owner.verifier())
        } else {
            Self::of_reads(kind)
        }
    }

    /// The kind of the tags.
    pub const fn kind(&self) -> TagKind {
        self.kind
    }

    /// What checks proofs of possession, if whoever has this may audit.
    pub const fn key(&self) -> Option<&VerifierKey> {
        self.key.as_ref()
    }

    /// These are the bytes of the block that starts at byte `start`.
    pub(super) fn block(
        &self,
        start: u64,
        committed: &[u8],
        block: &[u8],
    ) -> Result<(), AuditError> {
        self.kind.check_block(start, committed, block)
    }
}

/// What whoever asks knows of a file already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The file.
    pub(super) file: FileId,
    /// The newest version; 0 if none is.
    pub(super) version: u64,
    /// The newest version that the owner gave up: see [`super::state::Record`].
    pub(super) given_up: u64,
}

/// Whoever asks a server about a file.
#[derive(Debug)]
pub(super) struct Asking<T> {
    pub(super) transport: T,
    /// The owner of the file, whose signature its versions have.
    pub(super) owner: AuthorKey,
    pub(super) tags: TagCheck,
    pub(super) options: ClientOptions,
}

impl<T: Transport> Asking<T> {
    /// The version that the server has the owner's own signature for.
    pub(super) fn vouched(&self, known: &Known) -> Result<Vouched, ClientError> {
        let file = known.file;
        let response = self.transport.exchange(&Request::Confirmed { file })?;
        let (status, statement) = match response {
            Response::Confirmed { status, statement } => (status, statement),
            Response::Refused(refusal) => return Err(refused_word(known, refusal)),
            _ => return Err(ClientError::Unexpected),
        };
        Vouched::new(statement.open(file, &self.owner)?, status)
    }

    /// A newer version than the known one, if the server shows the owner's signature for it.
    pub(super) fn newer(&self, known: &Known) -> Option<FileState> {
        let newer = *self.vouched(known).ok()?.state();
        (newer.version > known.version.max(known.given_up)).then_some(newer)
    }

    /// The server claims a newer version than the known one.
    pub(super) fn outdated(&self, known: &Known, current: u64) -> ClientError {
        let version = known.version;
        match self.newer(known) {
            Some(newer) => ClientError::Superseded {
                known: version,
                newer,
            },
            None => ClientError::Outdated {
                known: version,
                current,
            },
        }
    }

    /// The status that answers this request.
    pub(super) fn status_of(
        &self,
        known: &Known,
        request: &Request,
    ) -> Result<FileStatus, ClientError> {
        match self.transport.exchange(request)? {
            Response::State(status) => Ok(status),
            Response::Refused(refusal) => Err(self.refused(known, Purpose::Question, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// What a refusal says about versions is an error of its own.
    pub(super) fn refused(&self, known: &Known, purpose: Purpose, refusal: Refusal) -> ClientError {
        let version = known.version;
        if version == 0 {
            return refusal.into_error(purpose);
        }
        match refusal {
            // It has lost a file that it has had.
            Refusal::UnknownFile | Refusal::UploadUnfinished { .. } => ClientError::Rollback {
                known: version,
                claimed: 0,
            },
            Refusal::StaleBase { current, .. } | Refusal::UnknownVersion { current, .. } => {
                match current.cmp(&version) {
                    Ordering::Less => ClientError::Rollback {
                        known: version,
                        claimed: current,
                    },
                    Ordering::Greater => self.outdated(known, current),
                    // It says that it has what it says that it has not.
                    Ordering::Equal => ClientError::Unexpected,
                }
            }
            refusal => refusal.into_error(purpose),
        }
    }
}

/// A refusal to show the owner's statement. It is never answered by asking for it again.
fn refused_word(known: &Known, refusal: Refusal) -> ClientError {
    match (&refusal, known.version) {
        (Refusal::UnknownFile | Refusal::UploadUnfinished { .. }, version) if version > 0 => {
            ClientError::Rollback {
                known: version,
                claimed: 0,
            }
        }
        _ => refusal.into_error(Purpose::Question),
    }
}
