//! The author of a log: appends entries and signs versions.

use pad_accumulators::AccumulateError;
use pad_core::{
    ApplyError, AuthorKey, Authority, Frontier, HeadSigner, Sha256Ed25519, SignedHead,
    SnapshotHead, Update, Value, Version, Workers, internals::refusal_reason,
};
use thiserror::Error;

use super::{
    building::Building,
    entries::{AppendError, Entries},
    forest::to_usize,
    repository::LogRepository,
    update::{Appended, MOST_ENTRIES},
};
use crate::{log::Log, scheme::Scheme, statement::Entry};

/// The author of a log: appends entries, and publishes signed versions.
///
/// Laws: a version is one batch of entries, possibly empty. A `LogAuthor` never signs two different
/// heads for one version. To keep this law, never resume from a repository that may lack a signed
/// version.
#[derive(Debug)]
pub struct LogAuthor<S: Scheme> {
    entries: Entries<S>,
    authority: Authority,
    signer: HeadSigner,
    history: Frontier<Sha256Ed25519>,
    head: Option<SignedHead<Sha256Ed25519>>,
    /// The number of entries in the latest signed version.
    published: u64,
    /// The head of the next version, complete but unsigned because the signer failed.
    unsigned: Option<SnapshotHead<Sha256Ed25519>>,
}

/// Error returned when [`LogAuthor`] could not create or sign a version.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer failed. The version stays sealed, and the next [`LogAuthor::snapshot`] signs its
    /// unchanged head.
    #[error("the signer failed: {}", refusal_reason(.0))]
    Signer(#[from] signature::Error),
    /// The parameters have too few powers for the log, or hashes have collided.
    #[error(transparent)]
    Parameters(#[from] AccumulateError),
    /// The log does not accept an entry. Only [`LogRepository::sign`] returns this error.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The signature does not verify. Only [`LogRepository::sign`] returns this error.
    #[error(transparent)]
    Head(#[from] ApplyError),
    /// No version number is left for a new version.
    #[error("the version numbers are exhausted")]
    VersionsExhausted,
}

impl<S: Scheme> LogAuthor<S> {
    /// Creates the author of a new, empty log. `author` is the public half of `signer`.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the parameters have too few powers for the largest
    /// trees.
    pub fn new(
        log: Log<S>,
        author: AuthorKey,
        signer: HeadSigner,
        workers: Workers,
    ) -> Result<Self, AccumulateError> {
        Ok(Self {
            authority: log.authority(author),
            entries: Entries::new(log, workers)?,
            signer,
            history: Frontier::default(),
            head: None,
            published: 0,
            unsigned: None,
        })
    }

    /// Creates an author that continues from the state of a repository, whose contents are copied.
    /// `signer` must contain the secret key for the repository's author key.
    ///
    /// The author does all work of a tree node in one append until [`LogAuthor::with_building`] is
    /// called.
    pub fn resume(repository: &LogRepository<S>, signer: HeadSigner) -> Self {
        let (entries, heads) = (repository.entries().clone(), repository.heads());
        Self {
            published: entries.size(),
            entries,
            authority: *heads.authority(),
            signer,
            history: heads.frontier(),
            head: heads.latest_head(),
            unsigned: None,
        }
    }

    /// Sets the schedule of node construction: see [`Entries::with_building`].
    #[must_use]
    pub fn with_building(mut self, building: Building) -> Self {
        self.entries = self.entries.with_building(building);
        self
    }

    /// The author's key, dictionary and scheme, by which clients and servers recognise the heads of
    /// this author.
    pub const fn authority(&self) -> Authority {
        self.authority
    }

    /// The head of the latest signed version.
    pub(super) const fn head(&self) -> Option<&SignedHead<Sha256Ed25519>> {
        self.head.as_ref()
    }

    /// The identity and setup of the log that this author writes.
    pub const fn log(&self) -> &Log<S> {
        self.entries.log()
    }

    /// The latest signed version; version 0 before the first.
    pub fn version(&self) -> Version {
        self.head
            .map_or(Version::EMPTY, |signed| signed.head.version)
    }

    /// Adds an entry to the next version. If a version is sealed (complete, but unsigned because
    /// the signer failed), adds it to the version after that.
    ///
    /// # Errors
    /// [`AppendError`] if the log does not accept the entry. [`AppendError::VersionFull`] if
    /// already [`MOST_ENTRIES`] entries are unsigned.
    pub fn append(&mut self, entry: Entry) -> Result<(), AppendError> {
        let pending = self.entries.as_slice().len() - to_usize(self.published);
        if pending >= MOST_ENTRIES {
            return Err(AppendError::VersionFull);
        }
        self.entries.push(entry)
    }

    /// The values of a key in the order in which they were appended, including values that no
    /// version contains yet.
    pub fn values(&self, key: &[u8]) -> impl Iterator<Item = &Value> {
        let positions = self.entries.positions(key, u64::MAX).iter();
        let entries = positions.filter_map(|position| self.entries.entry(*position));
        entries.map(|entry| &entry.value)
    }

    /// Returns all entries, including unsigned ones. [`Entries`] also creates proofs about entries.
    pub const fn entries(&self) -> &Entries<S> {
        &self.entries
    }

    /// Computes the trees of the pending entries, and signs them as the next version. Returns the
    /// update for servers.
    ///
    /// If a version is sealed (complete, but unsigned because the signer failed), signs that
    /// version instead. Later entries then stay pending.
    ///
    /// # Errors
    /// [`AuthorError`] if no version was signed. The entries then stay unsigned.
    pub fn snapshot(&mut self) -> Result<Update<Sha256Ed25519, Appended>, AuthorError> {
        let head = match self.unsigned {
            Some(head) => head,
            None => self.seal()?,
        };
        self.unsigned = Some(head);
        let signed = head.sign(&self.signer)?;
        self.unsigned = None;
        let base = self.version();
        let (from, to) = (to_usize(self.published), to_usize(self.entries.size()));
        let entries = self.entries.as_slice()[from..to].to_vec();
        self.published = self.entries.size();
        self.history.append(&head.root);
        self.head = Some(signed);
        Ok(Update {
            base,
            operations: Vec::new(),
            head: signed,
            attachment: Appended { entries },
        })
    }

    /// Computes the trees, and the unsigned head of the next version over all entries.
    fn seal(&mut self) -> Result<SnapshotHead<Sha256Ed25519>, AuthorError> {
        let version = self.version().next();
        let version = version.ok_or(AuthorError::VersionsExhausted)?;
        self.entries.build()?;
        Ok(SnapshotHead {
            scheme: S::ID,
            dictionary: self.authority.dictionary,
            version,
            root: self.entries.digest(self.entries.size()),
            history: self.history.root(),
        })
    }
}
