//! Crash-safe authors: a signed update is durable before it is handed out.
//!
//! An author that signs, hands the update out, crashes and forgets it would sign a second head for
//! the same version. So [`RecordedAuthor`] hands out only durable updates, and continues after a
//! crash from its store. A signature that was lost with the memory was never handed out.
//!
//! The newest head handed out is also kept in a [`SigningRecord`]. The author refuses to sign for a
//! store that is behind it, such as one restored from a backup.

use core::fmt;
use std::{borrow::Cow, path::Path};

use pad_core::{Operation, Version, Workers, signature::HeadSigner};

use crate::{
    changes::{Changes, Gathered},
    durable::Durable,
    hosted::{HostedRepository, SignedUpdate, TOGETHER},
    pending,
    repository::{RepositoryError, SignError},
    signing_keys::SigningKeys,
    signing_record::{SigningRecord, SigningRecordError},
    store::{RecordChange, Store, StoreError},
};

/// Error of publishing a snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer refused, for this reason. The changes are still pending, unless they were
    /// streamed.
    #[error("the signer refused: {0}")]
    Signing(String),
    /// The author of a tuple PAD cannot continue, or take a snapshot; the changes are still
    /// pending.
    #[error(transparent)]
    Tuple(pad_tuple::AuthorError),
    /// The author of a log cannot continue, or append; nothing was appended.
    #[cfg(feature = "log")]
    #[error(transparent)]
    Log(pad_log::AuthorError),
    /// An entry cannot be appended to a log; nothing was appended.
    #[cfg(feature = "log")]
    #[error(transparent)]
    Append(#[from] pad_log::AppendError),
    /// A change is of a kind that the scheme does not have; nothing was changed.
    #[error(transparent)]
    NotOffered(#[from] crate::question::NotOffered),
    /// The snapshot was not applied or is not durable.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The record of what was signed forbids signing, or could not be written. In the second case
    /// the snapshot may be durable, but it must not be handed out before the author was opened
    /// anew.
    #[error(transparent)]
    Record(#[from] SigningRecordError),
    /// An earlier snapshot was signed but not applied, so this author must be opened anew.
    #[error("an earlier snapshot was not taken, open the store again")]
    Diverged,
}

impl From<signature::Error> for AuthorError {
    fn from(error: signature::Error) -> Self {
        Self::Signing(error.to_string())
    }
}

impl From<SignError> for AuthorError {
    fn from(error: SignError) -> Self {
        match error {
            SignError::Signer(error) => error.into(),
            SignError::Repository(error) => error.into(),
        }
    }
}

impl From<pad_tuple::AuthorError> for AuthorError {
    fn from(error: pad_tuple::AuthorError) -> Self {
        match error {
            pad_tuple::AuthorError::Signing(reason) => Self::Signing(reason),
            error => Self::Tuple(error),
        }
    }
}

#[cfg(feature = "log")]
impl From<pad_log::AuthorError> for AuthorError {
    fn from(error: pad_log::AuthorError) -> Self {
        match error {
            pad_log::AuthorError::Signer(error) => error.into(),
            error => Self::Log(error),
        }
    }
}

/// An in-memory author of any family, suite and signer.
pub trait HostedAuthor: Send {
    /// The last version that was signed or sealed.
    fn version(&self) -> Version;

    /// Whether a sealed snapshot still lacks its signature. The next snapshot signs it.
    fn has_unsigned(&self) -> bool;

    /// Takes a snapshot of a batch, together with pending changes. If a snapshot still waits for
    /// its signature, that one is returned, and the batch stays pending. The last operation on a
    /// key wins; removing an absent key does nothing. A log appends all values of a key instead.
    ///
    /// # Errors
    /// [`AuthorError`]; the next snapshot then tries again to sign one that was sealed.
    fn snapshot_of(&mut self, batch: Vec<Operation>) -> Result<Box<dyn SignedUpdate>, AuthorError>;
}

impl fmt::Debug for dyn HostedAuthor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version();
        formatter
            .debug_struct("HostedAuthor")
            .field("version", &version)
            .finish_non_exhaustive()
    }
}

/// An author that continues from a repository's latest version.
pub enum ResumedAuthor {
    /// An author with the latest contents in memory.
    WithContents(Box<dyn HostedAuthor>),
    /// The signer alone: the repository keeps its contents itself, and signs a batch on top of
    /// them.
    WithKey(HeadSigner),
    /// The keys alone: the repository keeps derived data, and signs a batch on top of it.
    WithKeys(SigningKeys),
}

impl fmt::Debug for ResumedAuthor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithContents(author) => author.fmt(formatter),
            Self::WithKey(signer) => signer.fmt(formatter),
            Self::WithKeys(keys) => keys.fmt(formatter),
        }
    }
}

/// An author with a durable repository of its own: `M` in memory, made durable by `D`.
///
/// Space: the repository's. Unless that keeps its contents or derived data itself, also the
/// author's copy of the latest contents.
#[derive(Debug)]
pub struct RecordedAuthor<M: ?Sized, D> {
    author: ResumedAuthor,
    /// The changes that a signer has refused, if the author has no memory of its own.
    waiting: Vec<Operation>,
    record: Option<SigningRecord>,
    repository: Durable<M, D>,
}

impl<M: HostedRepository + ?Sized, D: Store> RecordedAuthor<M, D> {
    /// Continues with the author that `resume` makes. The record is compared first, since resuming
    /// may take seconds.
    ///
    /// # Errors
    /// [`AuthorError::Record`] if the store is behind the newest head handed out or has another
    /// history, or if the record cannot be written; [`AuthorError::Repository`] if the author has
    /// not signed the latest version; those of `resume`.
    pub(crate) fn new(
        repository: Durable<M, D>,
        record: Option<SigningRecord>,
        resume: impl FnOnce(&M) -> Result<ResumedAuthor, AuthorError>,
    ) -> Result<Self, AuthorError> {
        if let Some(record) = &record {
            let stored = repository.latest();
            repository.memory().check_record(record, stored)?;
        }
        // An attacker with write access to the store must not make the record, or the next version,
        // follow a head that the author never signed.
        let latest = repository.latest();
        if latest != Version::EMPTY && repository.memory().check_head(latest).is_err() {
            let damaged = StoreError::Damaged("its author has not signed its latest version");
            return Err(RepositoryError::from(damaged).into());
        }
        let author = resume(repository.memory())?;
        let mut author = Self {
            author,
            waiting: Vec::new(),
            record,
            repository,
        };
        // After a crash the store may have a newer head than the record.
        author.remember()?;
        Ok(author)
    }

    /// Takes a snapshot of a batch in memory. [`RecordedAuthor::flush`] makes it durable, and
    /// [`Durable::update_message`] then returns the update to hand out. A batch that the signer has
    /// refused is signed with the next one, if the repository keeps its contents or derived data
    /// itself.
    ///
    /// # Errors
    /// [`AuthorError`].
    pub fn stage(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError> {
        Ok(self.sign(batch)?.version())
    }

    /// An empty collection for the changes of the next snapshot. If the repository keeps its
    /// contents itself, about `memory` bytes of them are in memory. The rest is in temporary files
    /// in the folder of the file `beside`. For all other repositories, or while changes wait that a
    /// signer has refused, they must fit into memory.
    pub fn gather(&self, beside: &Path, memory: usize) -> Changes {
        if self.takes_sorted() {
            Changes::sorted(beside, memory, Workers::all_cores())
        } else {
            Changes::in_memory()
        }
    }

    /// Like [`RecordedAuthor::stage`], for gathered changes. If the signer refuses, changes that
    /// were streamed are not kept. A repository that keeps its contents itself streams its first
    /// changes, and more than 32 768 or than fit into memory.
    ///
    /// # Errors
    /// [`AuthorError`].
    pub fn stage_gathered(&mut self, changes: Changes) -> Result<Version, AuthorError> {
        let sorter = match changes.gathered() {
            Gathered::InMemory(batch) => return self.stage(batch),
            Gathered::Sorter(sorter) => sorter,
        };
        let sorted = sorter.sorted().map_err(RepositoryError::from)?;
        let is_first = self.repository.memory().entries() == 0;
        let takes_sorted = self.takes_sorted();
        match &self.author {
            ResumedAuthor::WithKey(signer) if takes_sorted && is_first => {
                let number = sorted.number().map_err(RepositoryError::from)?;
                let mut entries = sorted.entries().map_err(RepositoryError::from)?;
                Ok(self.repository.load(number, &mut entries, signer)?)
            }
            ResumedAuthor::WithKey(signer)
                if takes_sorted && sorted.are_more_than(TOGETHER.get()) =>
            {
                let mut operations = sorted.operations().map_err(RepositoryError::from)?;
                Ok(self.repository.publish_changes(&mut operations, signer)?)
            }
            _ => self.stage(sorted.batch().map_err(RepositoryError::from)?),
        }
    }

    /// Whether the changes of the next snapshot can be streamed: nothing waits, and the repository
    /// keeps its contents itself.
    fn takes_sorted(&self) -> bool {
        matches!(self.author, ResumedAuthor::WithKey(_)) && self.waiting.is_empty()
    }

    /// Makes all staged snapshots and these records durable, all or nothing. Changes that are still
    /// pending ([`crate::pending`]) are carried along to the new version.
    ///
    /// # Errors
    /// [`AuthorError::Repository`]: the snapshots stay staged. [`AuthorError::Record`]: they are
    /// durable, but must not be handed out yet.
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError> {
        let records = self.with_pending(records);
        let version = self.repository.flush(&records)?;
        self.remember()?;
        Ok(version)
    }

    /// Like [`RecordedAuthor::flush`], but defers derived data; see [`Durable::flush_and_go_on`].
    ///
    /// # Errors
    /// Those of [`RecordedAuthor::flush`].
    pub fn flush_and_go_on(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError> {
        let records = self.with_pending(records);
        let version = self.repository.flush_and_go_on(&records)?;
        self.remember()?;
        Ok(version)
    }

    /// These records, and the record that carries pending changes along to the staged version.
    fn with_pending<'r>(&self, records: &'r [RecordChange]) -> Cow<'r, [RecordChange]> {
        let (before, staged) = (self.repository.latest(), self.repository.memory().latest());
        if before == staged {
            return records.into();
        }
        let carried = pending::carried(before, staged);
        records.iter().cloned().chain([carried]).collect()
    }

    /// Records the newest durable head, before it is handed out.
    fn remember(&mut self) -> Result<(), AuthorError> {
        let latest = self.repository.latest();
        let Some(record) = self.record.as_mut().filter(|_| latest > Version::EMPTY) else {
            return Ok(());
        };
        let head = self.repository.head_message(latest);
        Ok(record.advance(&head.map_err(RepositoryError::from)?)?)
    }

    /// The repository.
    pub const fn repository(&self) -> &Durable<M, D> {
        &self.repository
    }

    /// The repository, for checkpoints or pruning.
    pub const fn repository_mut(&mut self) -> &mut Durable<M, D> {
        &mut self.repository
    }

    fn sign(&mut self, batch: Vec<Operation>) -> Result<Box<dyn SignedUpdate>, AuthorError> {
        let author = match &mut self.author {
            ResumedAuthor::WithKey(signer) => {
                self.repository.begin()?;
                self.waiting.extend(batch);
                let published = self.repository.publish(&mut self.waiting, signer);
                if !matches!(published, Err(SignError::Signer(_))) {
                    // A rejected batch is dropped, not retried with the next one.
                    self.waiting.clear();
                }
                return Ok(published?);
            }
            ResumedAuthor::WithKeys(keys) => {
                self.repository.begin()?;
                self.waiting.extend(batch);
                let published = self.repository.publish_with(&mut self.waiting, keys);
                if !matches!(published, Err(SignError::Signer(_))) {
                    self.waiting.clear();
                }
                return Ok(published?);
            }
            ResumedAuthor::WithContents(author) => author,
        };
        if author.version() != self.repository.memory().latest() {
            return Err(AuthorError::Diverged);
        }
        if author.has_unsigned() {
            // A snapshot of an earlier call, whose signer failed, becomes a version of its own.
            let earlier = author.snapshot_of(Vec::new())?;
            self.repository.stage(&*earlier)?;
        }
        let update = author.snapshot_of(batch)?;
        self.repository.stage(&*update)?;
        Ok(update)
    }
}
