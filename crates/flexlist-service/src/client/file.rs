//! Client state and operations for one file, on the owner's side.

use core::{cmp::Ordering, fmt};
use std::path::Path;

use flexlist::{Chunker, FileId, FileState, tag::OwnerKey};
use pad_core::{AuthorKey, Digest, HeadSignature};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use signature::Signer;

use super::{
    blame::Purpose,
    error::ClientError,
    options::ClientOptions,
    queries::{FileKnowledge, FileQueries, TagCheck, VersionQueries, random},
    signed_version::is_list,
    state::{LockedFile, Record, Stage, StateError, StateFile, StateKey, UploadState},
    transport::Transport,
};
use crate::{
    message::{FileStatus, Refusal, SignedRequest},
    signed::RequestKind,
};

/// The keys of a file's owner.
#[derive(Clone)]
pub struct Owner<S> {
    /// The owner's public key, which belongs to `signer`.
    pub key: AuthorKey,
    /// Signs the owner's requests that change the file.
    pub signer: S,
    /// Creates and verifies the tags of blocks. One key may serve many files, because write ids are
    /// random and do not repeat.
    pub tags: OwnerKey,
    /// Authenticates state files, so that no other party can write or change them.
    pub state_key: StateKey,
}

impl<S> Owner<S> {
    /// Returns an identifier of the key for tags: a hash. It does not reveal the key, which has
    /// full entropy.
    fn name_of_tags(&self) -> Digest<32> {
        let mut hash = Sha256::new_with_prefix(b"flexlist/tag-key/v1");
        hash.update(self.tags.to_bytes().as_slice());
        Digest(hash.finalize().into())
    }
}

/// Prints an owner without its secrets.
impl<S> fmt::Debug for Owner<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Owner")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// Client for one file, on the owner's side: changes, reads and audits it. Does not trust the
/// server.
///
/// The owner must not lose the keys and the state file. The state file takes a few hundred bytes,
/// plus an update while one is in progress. It is written before an update is sent and after its
/// answer is verified. After a crash at any point, [`settle`](Self::settle) recovers. Changes,
/// audits, reads and [`status`](Self::status) call `settle` first.
///
/// A state file that another party has changed is refused ([`StateError::NotAuthentic`]), whatever
/// the server claims. An older copy of the state file is authentic too. Do not restore one: an
/// owner that forgot a version cannot tell an older version from the newest.
///
/// Source: Esiner et al. 2013, section 2; Deviation: versions, and updates that survive a crash,
/// are not in the paper.
#[derive(Debug)]
pub struct FileClient<T, S> {
    pub(super) queries: FileQueries<T>,
    pub(super) owner: Owner<S>,
    pub(super) state: StateFile,
    /// The newest version for which the server is known to have the owner's signed statement.
    pub(super) confirmed: u64,
}

/// The outcome of [`FileClient::settle`], which resolves an update in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// No update was in progress.
    Nothing,
    /// The server has executed the update, and the new version is verified.
    Applied(FileState),
    /// The server has refused the update for good. The file is unchanged, or changed by another
    /// writer. The update is sent again only if the server later claims the version that the update
    /// would have produced.
    Dropped(Refusal),
}

/// The server's claim about the version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The upload is not finished.
    Uploading {
        /// The number of the part that the server needs next, counted from 0.
        next_part: u64,
    },
    /// The server claims the version that the owner knows.
    Current(FileStatus),
    /// The server has a newer version with this owner's signature: the client's state file is an
    /// older copy.
    Newer {
        /// The status that the server claims.
        status: FileStatus,
        /// The newer version, which the owner signed. See [`FileClient::adopt`].
        newer: FileState,
    },
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Creates a client for a new file, and its state file at `path`. Uploads nothing yet.
    ///
    /// # Errors
    /// [`ClientError::State`] if the state file exists or cannot be created;
    /// [`ClientError::RandomnessUnavailable`] if the operating system provides no random bytes.
    pub fn create(
        path: &Path,
        owner: Owner<S>,
        transport: T,
        chunker: Chunker,
    ) -> Result<Self, ClientError> {
        let record = Self::beginning(&owner, chunker)?;
        let key = owner.state_key.clone();
        let state = StateFile::create(path, record, key, pad_disk::PATIENCE)?;
        Ok(Self::new(state, owner, transport))
    }

    /// Creates the initial record of the state file for a new file.
    pub(super) fn beginning(owner: &Owner<S>, chunker: Chunker) -> Result<Record, ClientError> {
        let salt = random()?;
        Ok(Record {
            file: FileId::derive(&owner.key.to_bytes(), &salt),
            salt,
            key: owner.name_of_tags(),
            chunker,
            server: String::new(),
            given_up: 0,
            stage: Stage::Uploading(UploadState::new(random()?)),
        })
    }

    /// Opens the file whose state file is at `path`. The owner's keys must match the state.
    ///
    /// # Errors
    /// [`ClientError::State`] if the state file cannot be used, including
    /// [`StateError::WrongOwner`], [`StateError::NotAuthentic`] and [`StateError::WrongTags`].
    pub fn open(path: &Path, owner: Owner<S>, transport: T) -> Result<Self, ClientError> {
        let locked = LockedFile::open(path, pad_disk::PATIENCE)?;
        let claimed = locked.unauthenticated();
        // Another owner's key fails to authenticate the state too. This error is more precise.
        if claimed.file != FileId::derive(&owner.key.to_bytes(), &claimed.salt) {
            return Err(StateError::WrongOwner.into());
        }
        let state = locked.authenticate(owner.state_key.clone())?;
        let record = state.record();
        if record.key != owner.name_of_tags() {
            return Err(StateError::WrongTags.into());
        }
        if !record.is_of_one_file() {
            return Err(StateError::Damaged.into());
        }
        Ok(Self::new(state, owner, transport))
    }

    fn new(state: StateFile, owner: Owner<S>, transport: T) -> Self {
        let queries = FileQueries {
            transport,
            owner: owner.key,
            tags: TagCheck::new(owner.tags.verifier()),
            options: ClientOptions::default(),
        };
        Self {
            queries,
            owner,
            state,
            confirmed: 0,
        }
    }

    /// Sets the client's options.
    #[must_use]
    pub fn with_options(mut self, options: ClientOptions) -> Self {
        self.queries.options = options;
        self
    }

    /// Returns the identifier of the file.
    pub fn file(&self) -> FileId {
        self.state.record().file
    }

    /// Returns the address of the server, as set by [`set_server`](Self::set_server). Empty if
    /// never set.
    pub fn server(&self) -> &str {
        &self.state.record().server
    }

    /// Sets the address of the server, for later users of the state file. It is stored with the
    /// next change of the state, so that read-only operations do not write the state file.
    pub fn set_server(&mut self, server: &str) {
        self.state.set_server(server.to_owned());
    }

    /// Returns the parameters by which the file is cut into blocks.
    pub fn chunker(&self) -> &Chunker {
        &self.state.record().chunker
    }

    /// Returns the newest version that the client has verified; `None` before the upload is
    /// finished.
    pub fn version(&self) -> Option<FileState> {
        match &self.state.record().stage {
            Stage::Uploading(_) => None,
            Stage::Settled(state)
            | Stage::Pending { base: state, .. }
            | Stage::Refused { base: state, .. } => Some(*state),
        }
    }

    /// Reports whether an update was sent, or was about to be, and its outcome is unknown.
    #[doc(hidden)]
    pub fn is_pending(&self) -> bool {
        matches!(self.state.record().stage, Stage::Pending { .. })
    }

    /// Requests the status (version and upload progress) that the server claims for the file. Only
    /// audits and reads prove it.
    ///
    /// # Errors
    /// * [`ClientError::Rollback`] or [`ClientError::Forked`] if the claim contradicts the verified
    ///   state of this client.
    /// * [`ClientError::Outdated`] for a newer version without the owner's signature.
    /// * [`ClientError::Dropped`] if the server has refused the update in progress for good.
    /// * [`ClientError::Refused`] or [`ClientError::Breach`] if the server refuses.
    /// * The errors of [`settle`](Self::settle).
    pub fn status(&mut self) -> Result<Status, ClientError> {
        self.settle()?.or_dropped()?;
        let status = self.queries.status(&self.known())?;
        let Some(known) = self.version() else {
            return Ok(Status::Uploading {
                next_part: status.next_part,
            });
        };
        match self.check_standing(&status, &known) {
            Ok(()) => {
                // Before the next update, the statement is sent again if it did not arrive.
                drop(self.confirm(&known));
                Ok(Status::Current(status))
            }
            Err(ClientError::Superseded { newer, .. }) => Ok(Status::Newer { status, newer }),
            Err(error) => Err(error),
        }
    }

    pub(super) fn sign<M: Serialize>(
        &self,
        kind: RequestKind,
        body: &M,
    ) -> Result<SignedRequest, ClientError> {
        SignedRequest::new(kind, body, &self.owner.signer)
            .map_err(|error| ClientError::Signer(error.to_string()))
    }

    /// Returns the client's knowledge about the file (identifier and versions), as input of
    /// queries.
    pub(super) fn known(&self) -> FileKnowledge {
        FileKnowledge {
            file: self.file(),
            version: self.version().map_or(0, |state| state.version),
            given_up: self.state.record().given_up,
        }
    }

    /// Returns the interface for queries about the version `state`.
    pub(super) fn at(&self, state: &FileState) -> VersionQueries<'_, T> {
        VersionQueries {
            queries: &self.queries,
            known: self.known(),
            state: *state,
        }
    }

    /// Converts the refusal of a request made for `purpose` to an error. Refusals about versions
    /// become specific errors.
    pub(super) fn refused(&self, purpose: Purpose, refusal: Refusal) -> ClientError {
        self.queries.refused(&self.known(), purpose, refusal)
    }

    /// Verifies that the server claims the version `state`, which the owner knows.
    pub(super) fn check_standing(
        &self,
        status: &FileStatus,
        state: &FileState,
    ) -> Result<(), ClientError> {
        let (known, claimed) = (state.version, status.version);
        match claimed.cmp(&known) {
            Ordering::Less => Err(ClientError::Rollback { known, claimed }),
            Ordering::Greater => {
                let known = FileKnowledge {
                    version: known,
                    ..self.known()
                };
                Err(self.queries.outdated(&known, claimed))
            }
            Ordering::Equal if is_list(status, &state.list) => Ok(()),
            Ordering::Equal => Err(ClientError::Forked { version: known }),
        }
    }
}
