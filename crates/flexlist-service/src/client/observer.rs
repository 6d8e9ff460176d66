//! Verified reads and audits by clients other than the owner.
//!
//! An observer needs the owner's public key, the key that verifies tags (if it is public), and a
//! version. The version is one of these:
//!
//! - the version published with the keys,
//! - a version whose sealed root is in a dictionary signed by the owner,
//! - the newest version for which the server presents the owner's signature.
//!
//! None of this data is secret, and the server is not trusted.

use core::ops::Range;
use std::io::Write;

use flexlist::{FileId, FileState};
use pad_core::{AuthorKey, Digest, HeadSignature};
use signature::Signer;

use super::{
    audit::{AuditReport, Extent},
    error::ClientError,
    file::FileClient,
    options::ClientOptions,
    queries::{FileKnowledge, FileQueries, TagCheck, VersionQueries},
    signed_version::SignedVersion,
    transport::Transport,
};

/// The data that an owner publishes about a file, so that other clients can read and audit it.
#[derive(Clone, Debug)]
pub struct PublicFile {
    /// The owner's public key.
    pub owner: AuthorKey,
    /// The kind of the file's tags, and the key that verifies them, if public.
    pub tags: TagCheck,
    /// A version that the owner has published. [`FileObserver::newest`] rejects older versions, and
    /// other versions with the same number.
    pub since: FileState,
}

/// Client for a file of another owner. Reads and audits the file with only a [`PublicFile`].
///
/// Stores no state. [`newest`](Self::newest) rejects versions older than [`PublicFile::since`].
/// Whether a later version is outdated, the observer learns only from the server, which may lie.
#[derive(Debug)]
pub struct FileObserver<T> {
    queries: FileQueries<T>,
    since: FileState,
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Returns the data to publish about the file, with its current version.
    ///
    /// # Errors
    /// The errors of [`current`](Self::current).
    pub fn public(&mut self) -> Result<PublicFile, ClientError> {
        Ok(PublicFile {
            since: self.current()?,
            owner: self.owner.key,
            tags: TagCheck::public(&self.owner.tags),
        })
    }
}

impl<T: Transport> FileObserver<T> {
    /// Creates an observer of the file that `public` describes.
    pub fn new(public: PublicFile, transport: T) -> Self {
        let PublicFile { owner, tags, since } = public;
        Self {
            queries: FileQueries {
                transport,
                owner,
                tags,
                options: ClientOptions::default(),
            },
            since,
        }
    }

    /// Sets the observer's options.
    #[must_use]
    pub fn with_options(mut self, options: ClientOptions) -> Self {
        self.queries.options = options;
        self
    }

    /// Returns the identifier of the file.
    pub const fn file(&self) -> FileId {
        self.since.file
    }

    /// Returns the newest version for which the server presents the owner's signature.
    ///
    /// # Errors
    /// - [`ClientError::Rollback`] if the version is older than the published one, or the server
    ///   claims not to have the file.
    /// - [`ClientError::Forked`] if the version has the number of the published version, but other
    ///   contents.
    /// - [`ClientError::Statement`] if the signature is not the owner's for this file.
    /// - [`ClientError::Unexpected`] if the server claims an unrelated version, or the response
    ///   does not match the request.
    /// - [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    pub fn newest(&self) -> Result<SignedVersion, ClientError> {
        let vouched = self.queries.vouched(&self.known(self.since.version))?;
        let shown = vouched.state();
        let (known, claimed) = (self.since.version, shown.version);
        if claimed < known {
            return Err(ClientError::Rollback { known, claimed });
        }
        if claimed == known && *shown != self.since {
            return Err(ClientError::Forked { version: known });
        }
        Ok(vouched)
    }

    /// Returns the version with the sealed root `sealed` (the hash of a file's state), which the
    /// owner has published.
    ///
    /// The server states the version, root and length of the file, and their hash must equal
    /// `sealed`. The owner's signature is not needed here.
    ///
    /// # Errors
    /// - [`ClientError::OtherRoot`] if the server claims another version. Either the owner has
    ///   changed the file since, or the server has other contents.
    /// - [`ClientError::Rollback`], [`ClientError::Superseded`] or [`ClientError::Outdated`] if the
    ///   server refuses because of its version.
    /// - [`ClientError::Unexpected`] if the response does not match the request.
    /// - [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    pub fn at_root(&self, sealed: &Digest<32>) -> Result<FileState, ClientError> {
        if self.since.sealed_root() == *sealed {
            return Ok(self.since);
        }
        let known = self.known(self.since.version);
        let file = known.file;
        let status = self.queries.status(&known)?;
        let claimed = status.state(file);
        if claimed.sealed_root() == *sealed {
            return Ok(claimed);
        }
        // Until the owner has confirmed the current version, the server also answers for the
        // version before it.
        match self.queries.vouched(&known) {
            Ok(vouched) if vouched.state().sealed_root() == *sealed => Ok(*vouched.state()),
            _ => Err(ClientError::OtherRoot {
                version: claimed.version,
            }),
        }
    }

    /// Writes the bytes in `range` of the version `state` to `sink`, block by block as they are
    /// verified. After an error, `sink` contains a verified prefix of these bytes.
    ///
    /// # Errors
    /// The errors of [`FileClient::read_to`], except errors about updates in progress.
    pub fn read_to(
        &self,
        state: &FileState,
        range: Range<u64>,
        sink: &mut impl Write,
    ) -> Result<(), ClientError> {
        self.at(state).read_to(range, sink)
    }

    /// Audits the version `state` of the file, like [`FileClient::audit`].
    ///
    /// # Errors
    /// [`ClientError::OwnerAudits`] if the tags are verified with a secret; the errors of
    /// [`FileClient::audit`], except errors about updates in progress.
    pub fn audit(
        &self,
        state: &FileState,
        extent: Extent,
        progress: &mut dyn FnMut(u64),
    ) -> Result<AuditReport, ClientError> {
        if self.queries.tags.key().is_none() {
            return Err(ClientError::OwnerAudits);
        }
        self.at(state).audit(extent, progress)
    }

    const fn at(&self, state: &FileState) -> VersionQueries<'_, T> {
        VersionQueries {
            queries: &self.queries,
            known: self.known(state.version),
            state: *state,
        }
    }

    const fn known(&self, version: u64) -> FileKnowledge {
        FileKnowledge {
            file: self.since.file,
            version,
            given_up: 0,
        }
    }
}
