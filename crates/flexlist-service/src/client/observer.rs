//! What others than the owner can do with what he has published: read a file, every byte verified, and
//! audit it.
//!
//! They need his public key, the key that checks tags (if that is public), and a version: one that he has
//! published with them, one whose sealed root stands in a dictionary that he signs, or the newest one that
//! the server shows with his signature. No secret is among it, and nothing that a server says is believed.

use core::ops::Range;
use std::io::Write;

use flexlist::{FileId, FileState};
use pad_core::{AuthorKey, Digest, HeadSignature};
use signature::Signer;

use super::{
    asking::{Asking, Known, TagCheck},
    audit::{AuditReport, Auditing, Extent},
    error::ClientError,
    file::FileClient,
    options::ClientOptions,
    transport::Transport,
    vouched::Vouched,
};
use crate::message::Request;

/// What an owner publishes about a file.
#[derive(Clone, Debug)]
pub struct PublicFile {
    /// The owner's public key.
    pub owner: AuthorKey,
    /// What the tags are checked with.
    pub tags: TagCheck,
    /// A version that is the owner's: whoever has this takes no older one, and no other of the same number.
    pub since: FileState,
}

/// Somebody who reads and audits a file of which he has nothing but a [`PublicFile`].
///
/// Keeps nothing: that a version is the newest is known only as far as [`PublicFile::since`] and the server
/// tell.
#[derive(Debug)]
pub struct FileObserver<T> {
    asking: Asking<T>,
    since: FileState,
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// What may be published about the file, with its current version.
    ///
    /// # Errors
    /// What [`current`](Self::current) fails with.
    pub fn public(&mut self) -> Result<PublicFile, ClientError> {
        Ok(PublicFile {
            since: self.current()?,
            owner: self.owner.key,
            tags: TagCheck::public(&self.owner.tags),
        })
    }
}

impl<T: Transport> FileObserver<T> {
    /// An observer of this file.
    pub fn new(public: PublicFile, transport: T) -> Self {
        let PublicFile { owner, tags, since } = public;
        Self {
            asking: Asking {
                transport,
                owner,
                tags,
                options: ClientOptions::default(),
            },
            since,
        }
    }

    /// This observer with other options.
    #[must_use]
    pub fn with_options(mut self, options: ClientOptions) -> Self {
        self.asking.options = options;
        self
    }

    /// The file.
    pub const fn file(&self) -> FileId {
        self.since.file
    }

    /// The newest version for which the server shows the owner's signature.
    ///
    /// # Errors
    /// [`ClientError::Rollback`] if it is older than the published one, [`ClientError::Forked`] if it is
    /// another of the same number; [`ClientError::Statement`] if the signature is not the owner's for this
    /// file; [`ClientError::Unexpected`], [`ClientError::Refused`], [`ClientError::Breach`],
    /// [`ClientError::Transport`].
    pub fn newest(&self) -> Result<Vouched, ClientError> {
        let vouched = self.asking.vouched(&self.known(self.since.version))?;
        let (known, shown) = (&self.since, vouched.state());
        if shown.version < known.version {
            return Err(ClientError::Rollback {
                known: known.version,
                claimed: shown.version,
            });
        }
        if shown.version == known.version && shown != known {
            return Err(ClientError::Forked {
                version: known.version,
            });
        }
        Ok(vouched)
    }

    /// The version with this sealed root, which somebody has found where the owner publishes roots: the
    /// server says what it consists of, and what it says is hashed. Its signature does not matter here.
    ///
    /// # Errors
    /// [`ClientError::OtherRoot`] if the server has another version, or the owner has published another one
    /// since; [`ClientError::Unexpected`], [`ClientError::Refused`], [`ClientError::Breach`],
    /// [`ClientError::Rollback`], [`ClientError::Transport`].
    pub fn at_root(&self, sealed: &Digest<32>) -> Result<FileState, ClientError> {
        if self.since.sealed_root() == *sealed {
            return Ok(self.since);
        }
        let known = self.known(self.since.version);
        let file = known.file;
        let status = self.asking.status_of(&known, &Request::Status { file })?;
        let claimed = status.state(file);
        if claimed.sealed_root() == *sealed {
            return Ok(claimed);
        }
        // It answers for the version before its current one too, while that is the last one confirmed.
        match self.asking.vouched(&known) {
            Ok(vouched) if vouched.state().sealed_root() == *sealed => Ok(*vouched.state()),
            _ => Err(ClientError::OtherRoot {
                version: claimed.version,
            }),
        }
    }

    /// Writes bytes of a version to `sink`, block by block as they are verified. After an error `sink` has a
    /// verified beginning of them.
    ///
    /// # Errors
    /// Those of [`FileClient::read_to`], but for those about updates under way.
    pub fn read_to(
        &self,
        state: &FileState,
        range: Range<u64>,
        sink: &mut impl Write,
    ) -> Result<(), ClientError> {
        self.asking
            .read_to(&self.known(state.version), state, range, sink)
    }

    /// Audits a version, as [`FileClient::audit`] does.
    ///
    /// # Errors
    /// [`ClientError::OwnerAudits`] if the tags are checked with a secret; those of [`FileClient::audit`], but
    /// for those about updates under way.
    pub fn audit(
        &self,
        state: &FileState,
        extent: Extent,
        progress: &mut dyn FnMut(u64),
    ) -> Result<AuditReport, ClientError> {
        if self.asking.tags.key().is_none() {
            return Err(ClientError::OwnerAudits);
        }
        let auditing = Auditing {
            asking: &self.asking,
            known: self.known(state.version),
            state: *state,
        };
        auditing.audit(extent, progress)
    }

    const fn known(&self, version: u64) -> Known {
        Known {
            file: self.since.file,
            version,
            given_up: 0,
        }
    }
}
