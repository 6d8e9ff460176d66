//! The owner's side of one file.

use core::{cmp::Ordering, fmt};
use std::path::Path;

use flexlist::{FileId, FileState, chunk::Chunker, tag::OwnerKey};
use pad_core::{AuthorKey, Digest, HeadSignature};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use signature::Signer;

use super::{
    asking::{Asking, Known, TagCheck},
    blame::Purpose,
    error::ClientError,
    options::ClientOptions,
    state::{Record, Stage, StateError, StateFile, Uploading},
    transport::Transport,
    vouched::is_list,
};
use crate::{
    message::{FileStatus, Refusal, Request, Signed},
    signed::RequestKind,
};

/// The keys of a file's owner.
#[derive(Clone)]
pub struct Owner<S> {
    /// The public key of `signer`.
    pub key: AuthorKey,
    /// Signs what changes the file.
    pub signer: S,
    /// Makes and checks the tags. Each file needs a key of its own unless the kind of tags says that
    /// write ids alone keep files apart; ids are random here, so one key may serve for many files.
    pub tags: OwnerKey,
}

impl<S> Owner<S> {
    /// Tells one key for tags from another. It has the key's entropy, so that it gives nothing away.
    fn name_of_tags(&self) -> Digest<32> {
        let mut hash = Sha256::new_with_prefix(b"flexlist/tag-key/v1");
        hash.update(self.tags.to_bytes().as_slice());
        Digest(hash.finalize().into())
    }
}

/// Without what is secret.
impl<S> fmt::Debug for Owner<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Owner")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The owner's side of one file: changes, reads and audits it, and believes the server nothing.
///
/// Everything that the owner must not lose is in the state file: about a hundred bytes, and while an
/// update is under way the update too. It is written before a request leaves and after its answer is
/// verified, so that a crash at any point is made good by [`settle`](Self::settle), which every
/// operation begins with.
///
/// The state file must not be restored from a backup: an owner who forgot a version cannot tell an older
/// one from the newest.
///
/// Source: Esiner et al. 2013, section 2; Deviation: versions, and updates that survive a crash, are not
/// in the paper.
#[derive(Debug)]
pub struct FileClient<T, S> {
    pub(super) asking: Asking<T>,
    pub(super) owner: Owner<S>,
    pub(super) state: StateFile,
    /// The newest version for which the server has the owner's signed statement, as far as this client knows.
    pub(super) confirmed: u64,
}

/// What became of an update that was under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// None was.
    Nothing,
    /// The server has carried it out, and the new version is verified.
    Applied(FileState),
    /// The server has refused it for good. The file is as it was, or another writer's. The update is not
    /// sent again, unless the server shows that it has one more version after all.
    Dropped(Refusal),
}

/// What the server says about the version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The upload is not finished; the server needs this part next.
    Uploading {
        /// The number of the part.
        next_part: u64,
    },
    /// The server has the owner's version.
    Current(FileStatus),
    /// The server has a newer version, and this owner's signature on it: this state is an older copy.
    Newer {
        /// What the server claims.
        status: FileStatus,
        /// The version that the owner signed: see [`FileClient::adopt`].
        newer: FileState,
    },
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// A new file, about to be uploaded, and its state file at `path`.
    ///
    /// # Errors
    /// [`ClientError::State`], [`ClientError::RandomnessUnavailable`].
    pub fn create(
        path: &Path,
        owner: Owner<S>,
        transport: T,
        chunker: Chunker,
    ) -> Result<Self, ClientError> {
        let record = Self::beginning(&owner, chunker)?;
        let state = StateFile::create(path, record, disk::PATIENCE)?;
        Ok(Self::new(state, owner, transport))
    }

    /// The record of a new file.
    pub(super) fn beginning(owner: &Owner<S>, chunker: Chunker) -> Result<Record, ClientError> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt)?;
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Record {
            file: FileId::derive(&owner.key.to_bytes(), &salt),
            salt,
            key: owner.name_of_tags(),
            chunker,
            server: String::new(),
            given_up: 0,
            stage: Stage::Uploading(Uploading::new(secret)),
        })
    }

    /// The file whose state file is at `path`, if that and the owner's key fit.
    ///
    /// # Errors
    /// [`ClientError::State`], [`StateError::WrongOwner`] and [`StateError::WrongTags`] among them.
    pub fn open(path: &Path, owner: Owner<S>, transport: T) -> Result<Self, ClientError> {
        let state = StateFile::open(path, disk::PATIENCE)?;
        let record = state.record();
        if record.file != FileId::derive(&owner.key.to_bytes(), &record.salt) {
            return Err(StateError::WrongOwner.into());
        }
        if record.key != owner.name_of_tags() {
            return Err(StateError::WrongTags.into());
        }
        Ok(Self::new(state, owner, transport))
    }

    fn new(state: StateFile, owner: Owner<S>, transport: T) -> Self {
        let asking = Asking {
            transport,
            owner: owner.key,
            tags: TagCheck::new(owner.tags.verifier()),
            options: ClientOptions::default(),
        };
        Self {
            asking,
            owner,
            state,
            confirmed: 0,
        }
    }

    /// This client with other options.
    #[must_use]
    pub fn with_options(mut self, options: ClientOptions) -> Self {
        self.asking.options = options;
        self
    }

    /// The file.
    pub fn file(&self) -> FileId {
        self.state.record().file
    }

    /// Where the file is, as whoever used this client for a change said; empty if nobody did.
    pub fn server(&self) -> &str {
        &self.state.record().server
    }

    /// Notes where the file is, for whoever opens the state next. It is kept with the next change of the
    /// state, so that what only looks at a file leaves the state as it is.
    pub fn set_server(&mut self, server: &str) {
        self.state.set_server(server.to_owned());
    }

    /// How the file is cut into blocks.
    pub fn chunker(&self) -> &Chunker {
        &self.state.record().chunker
    }

    /// The newest version that is verified; `None` before the upload is finished.
    pub fn version(&self) -> Option<FileState> {
        match &self.state.record().stage {
            Stage::Uploading(_) => None,
            Stage::Settled(state)
            | Stage::Pending { base: state, .. }
            | Stage::Refused { base: state, .. } => Some(*state),
        }
    }

    /// Whether an update is under way of which this client does not know what became.
    pub fn is_pending(&self) -> bool {
        matches!(self.state.record().stage, Stage::Pending { .. })
    }

    /// Where the server says that the file stands. Only a claim: audits and reads prove.
    ///
    /// # Errors
    /// [`ClientError::Rollback`] and [`ClientError::Forked`] if the claim contradicts what this client
    /// has verified; [`ClientError::Outdated`] if it is of a newer version that the server has not the
    /// owner's word for; what [`settle`](Self::settle) fails with; [`ClientError::Dropped`];
    /// [`ClientError::Refused`], [`ClientError::Breach`].
    pub fn status(&mut self) -> Result<Status, ClientError> {
        self.settle()?.or_dropped()?;
        let request = Request::Status { file: self.file() };
        let status = self.status_of(&request)?;
        let Some(known) = self.version() else {
            return Ok(Status::Uploading {
                next_part: status.next_part,
            });
        };
        match self.check_standing(&status, &known) {
            Ok(()) => {
                self.confirm(&known);
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
    ) -> Result<Signed, ClientError> {
        Signed::new(kind, body, &self.owner.signer)
            .map_err(|error| ClientError::Signer(error.to_string()))
    }

    /// What questions are asked with.
    pub(super) fn known(&self) -> Known {
        Known {
            file: self.file(),
            version: self.version().map_or(0, |state| state.version),
            given_up: self.state.record().given_up,
        }
    }

    /// The status that answers this request.
    pub(super) fn status_of(&self, request: &Request) -> Result<FileStatus, ClientError> {
        self.asking.status_of(&self.known(), request)
    }

    /// What a refusal says about versions is an error of its own.
    pub(super) fn refused(&self, purpose: Purpose, refusal: Refusal) -> ClientError {
        self.asking.refused(&self.known(), purpose, refusal)
    }

    /// The server claims what the owner knows.
    pub(super) fn check_standing(
        &self,
        status: &FileStatus,
        known: &FileState,
    ) -> Result<(), ClientError> {
        match status.version.cmp(&known.version) {
            Ordering::Less => Err(ClientError::Rollback {
                known: known.version,
                claimed: status.version,
            }),
            Ordering::Greater => {
                let known = Known {
                    version: known.version,
                    ..self.known()
                };
                Err(self.asking.outdated(&known, status.version))
            }
            Ordering::Equal if is_list(status, &known.list) => Ok(()),
            Ordering::Equal => Err(ClientError::Forked {
                version: known.version,
            }),
        }
    }
}
