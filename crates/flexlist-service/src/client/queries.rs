//! Queries about a file, and verification of the answers. Needs no secret data, except the key of
//! secretly keyed tags for audits.
//!
//! The owner makes queries with its own key. Other clients ([`super::FileObserver`]) use the
//! [`PublicFile`](super::PublicFile) of the owner.

use core::cmp::Ordering;

use flexlist::{
    FileId, FileState,
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
    /// Creates a value without a key: enough to verify reads, not audits.
    pub const fn of_reads(kind: TagKind) -> Self {
        Self { kind, key: None }
    }

    /// Creates a value with the key that verifies proofs of possession, for reads and audits.
    pub const fn new(key: VerifierKey) -> Self {
        Self {
            kind: key.kind(),
            key: Some(key),
        }
    }

    /// Returns the value that the owner may publish. It contains no key if the verification key is
    /// secret.
    pub fn public(owner: &OwnerKey) -> Self {
        let kind = owner.kind();
        if kind.is_public() {
            Self::new(owner.verifier())
        } else {
            Self::of_reads(kind)
        }
    }

    /// Returns the kind of the file's tags.
    pub const fn kind(&self) -> TagKind {
        self.kind
    }

    /// Returns the key that verifies proofs of possession, if audits are possible.
    pub const fn key(&self) -> Option<&VerifierKey> {
        self.key.as_ref()
    }
}

/// A client's knowledge about a file before a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileKnowledge {
    /// The identifier of the file.
    pub(super) file: FileId,
    /// The newest version that the client knows; 0 if there is none.
    pub(super) version: u64,
    /// The newest version that the owner gave up by adopting an older one; 0 if none. See
    /// [`super::state::Record`].
    pub(super) given_up: u64,
}

/// Sends queries about a file to a server and verifies the answers.
#[derive(Debug)]
pub(super) struct FileQueries<T> {
    pub(super) transport: T,
    /// The public key of the file's owner, which verifies the signatures on its versions.
    pub(super) owner: AuthorKey,
    pub(super) tags: TagCheck,
    pub(super) options: ClientOptions,
}

/// Queries about one version of a file.
pub(super) struct VersionQueries<'a, T> {
    pub(super) queries: &'a FileQueries<T>,
    pub(super) known: FileKnowledge,
    pub(super) state: FileState,
}

impl<T: Transport> FileQueries<T> {
    /// Returns the version for which the server presents the owner's signature, with the version
    /// that the server claims.
    pub(super) fn vouched(&self, known: &FileKnowledge) -> Result<SignedVersion, ClientError> {
        let file = known.file;
        let response = self.transport.exchange(&Request::Confirmed { file })?;
        let (status, statement) = match response {
            Response::Confirmed { status, statement } => (status, statement),
            Response::Refused(refusal) => {
                return Err(refused_alone(known.version, Purpose::Question, refusal));
            }
            _ => return Err(ClientError::Unexpected),
        };
        SignedVersion::new(statement.open(file, &self.owner)?, status)
    }

    /// Returns the version for which the server presents the owner's signature. Returns `None`
    /// unless it is newer than the known version and all versions given up.
    pub(super) fn newer(&self, known: &FileKnowledge) -> Option<FileState> {
        let newer = *self.vouched(known).ok()?.state();
        (newer.version > known.version.max(known.given_up)).then_some(newer)
    }

    /// Returns the error for a server that claims the version `current`, newer than the known one.
    pub(super) fn outdated(&self, knowledge: &FileKnowledge, current: u64) -> ClientError {
        let known = knowledge.version;
        match self.newer(knowledge) {
            Some(newer) => ClientError::Superseded { known, newer },
            None => ClientError::Outdated { known, current },
        }
    }

    /// Returns the status of the file that the server claims.
    pub(super) fn status(&self, known: &FileKnowledge) -> Result<FileStatus, ClientError> {
        let file = known.file;
        match self.transport.exchange(&Request::Status { file })? {
            Response::State(status) => Ok(status),
            Response::Refused(refusal) => Err(self.refused(known, Purpose::Question, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Converts the refusal of a request made for `purpose` to an error. Refusals about versions
    /// become specific errors.
    pub(super) fn refused(
        &self,
        knowledge: &FileKnowledge,
        purpose: Purpose,
        refusal: Refusal,
    ) -> ClientError {
        let known = knowledge.version;
        match refusal {
            Refusal::StaleBase { current, .. } | Refusal::UnknownVersion { current, .. }
                if known > 0 =>
            {
                match current.cmp(&known) {
                    Ordering::Less => ClientError::Rollback {
                        known,
                        claimed: current,
                    },
                    Ordering::Greater => self.outdated(knowledge, current),
                    // The server contradicts itself about the version.
                    Ordering::Equal => ClientError::Unexpected,
                }
            }
            refusal => refused_alone(known, purpose, refusal),
        }
    }
}

/// Converts the refusal of a request to an error, without another request. `known` is the newest
/// version that the client knows; 0 if there is none.
fn refused_alone(known: u64, purpose: Purpose, refusal: Refusal) -> ClientError {
    match refusal {
        // The server has lost a file that it had.
        Refusal::UnknownFile | Refusal::UploadUnfinished { .. } if known > 0 => {
            ClientError::Rollback { known, claimed: 0 }
        }
        refusal => refusal.into_error(purpose),
    }
}

/// Returns random bytes from the operating system.
pub(super) fn random<const N: usize>() -> Result<[u8; N], ClientError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
