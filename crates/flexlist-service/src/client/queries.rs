//! Queries about a file, and verification of their answers. Needs only public data.
//!
//! The owner makes queries with its own key. Other clients ([`super::FileObserver`]) use the
//! [`PublicFile`](super::PublicFile) of the owner.

use core::cmp::Ordering;

use flexlist::{
    FileId, FileState,
    error::AuditError,
    tag::{OwnerKey, TagKind, VerifierKey},
};
use pad_core::AuthorKey;

use super::{
    blame::Purpose, error::ClientError, options::ClientOptions, signed_version::SignedVersion,
    transport::Transport,
};
use crate::message::{FileStatus, Refusal, Request, Response};

/// The kind of a file's tags, and the key that verifies them.
#[derive(Clone, Debug)]
pub struct TagCheck {
    kind: TagKind,
    key: Option<VerifierKey>,
}

impl TagCheck {
    /// Creates a check without a key: enough for reads, not for audits.
    pub const fn of_reads(kind: TagKind) -> Self {
        Self { kind, key: None }
    }

    /// Creates a check with the key that verifies proofs of possession.
    pub const fn new(key: VerifierKey) -> Self {
        Self {
            kind: key.kind(),
            key: Some(key),
        }
    }

    /// Returns the check that the owner may publish. It contains no key if the verification key is
    /// secret.
    pub fn public(owner: &OwnerKey) -> Self {
        let kind = owner.kind();
        if kind.is_public() {
            Self::new(owner.verifier())
        } else {
            Self::of_reads(kind)
        }
    }

    /// The kind of tags.
    pub const fn kind(&self) -> TagKind {
        self.kind
    }

    /// The key that verifies proofs of possession, if audits are possible.
    pub const fn key(&self) -> Option<&VerifierKey> {
        self.key.as_ref()
    }

    /// Verifies that `block` has the contents of the block that starts at byte `start`.
    pub(super) fn block(
        &self,
        start: u64,
        committed: &[u8],
        block: &[u8],
    ) -> Result<(), AuditError> {
        self.kind.check_block(start, committed, block)
    }
}

/// Prior knowledge of a client about a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileKnowledge {
    /// The file.
    pub(super) file: FileId,
    /// The newest known version; 0 if there is none.
    pub(super) version: u64,
    /// The newest version that the owner gave up. See [`super::state::Record`].
    pub(super) given_up: u64,
}

/// A client that queries a server about a file.
#[derive(Debug)]
pub(super) struct FileQueries<T> {
    pub(super) transport: T,
    /// The public key of the file's owner, which verifies the signatures on its versions.
    pub(super) owner: AuthorKey,
    pub(super) tags: TagCheck,
    pub(super) options: ClientOptions,
}

impl<T: Transport> FileQueries<T> {
    /// Returns the version for which the server has the owner's signature.
    pub(super) fn vouched(&self, known: &FileKnowledge) -> Result<SignedVersion, ClientError> {
        let file = known.file;
        let response = self.transport.exchange(&Request::Confirmed { file })?;
        let (status, statement) = match response {
            Response::Confirmed { status, statement } => (status, statement),
            Response::Refused(refusal) => return Err(refused_word(known, refusal)),
            _ => return Err(ClientError::Unexpected),
        };
        SignedVersion::new(statement.open(file, &self.owner)?, status)
    }

    /// Returns a version newer than the known one and all versions given up, if the server presents
    /// the owner's signature for it.
    pub(super) fn newer(&self, known: &FileKnowledge) -> Option<FileState> {
        let newer = *self.vouched(known).ok()?.state();
        (newer.version > known.version.max(known.given_up)).then_some(newer)
    }

    /// Returns the error for a server that claims a newer version than the known one.
    pub(super) fn outdated(&self, known: &FileKnowledge, current: u64) -> ClientError {
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

    /// Sends `request` and returns the status in the answer.
    pub(super) fn status_of(
        &self,
        known: &FileKnowledge,
        request: &Request,
    ) -> Result<FileStatus, ClientError> {
        match self.transport.exchange(request)? {
            Response::State(status) => Ok(status),
            Response::Refused(refusal) => Err(self.refused(known, Purpose::Question, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Converts a refusal to an error. Refusals about versions become specific errors.
    pub(super) fn refused(
        &self,
        known: &FileKnowledge,
        purpose: Purpose,
        refusal: Refusal,
    ) -> ClientError {
        let version = known.version;
        if version == 0 {
            return refusal.into_error(purpose);
        }
        match refusal {
            // The server has lost a file that it had.
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
                    // The server contradicts itself about the version.
                    Ordering::Equal => ClientError::Unexpected,
                }
            }
            refusal => refusal.into_error(purpose),
        }
    }
}

/// Converts a refusal to present the owner's statement to an error, without another request.
fn refused_word(known: &FileKnowledge, refusal: Refusal) -> ClientError {
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
