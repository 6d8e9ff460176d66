//! A repository of any family and suite behind messages: the interface for stores, commands and
//! services.
//!
//! No trait here has types that differ between families. Code that uses them is compiled once, and
//! a repository that is chosen by name is a `dyn HostedRepository`.

use core::{any::Any, fmt, num::NonZeroUsize};
use std::collections::BTreeMap;

use pad_core::{
    Attachment, Key, LookupError, Operation, Suite, Untrusted, Update, Value, Version, codec,
    head::Authority, signature::HeadSigner,
};
use pad_tree::{Difference, KeyHistory, KeyRange, NodeCache};

use crate::{
    answering::{AnswerError, Noted},
    question::{HeadText, Question},
    repository::{CheckError, RepositoryError, SignError},
    signing_keys::SigningKeys,
    signing_record::{SigningRecord, SigningRecordError},
    store::{Store, StoreError, StoredCheckpoint},
};

mod typed;

pub(crate) use typed::{KeptRepository, Typed, past_messages};

/// A signed update of any suite and attachment.
pub trait SignedUpdate: Any {
    /// The version that it leads to.
    fn version(&self) -> Version;

    /// Encodes the update as a message.
    fn encode(&self) -> Vec<u8>;
}

impl<S: Suite, A: Attachment + 'static> SignedUpdate for Update<S, A> {
    fn version(&self) -> Version {
        self.head.head.version
    }

    fn encode(&self) -> Vec<u8> {
        codec::encode(self)
    }
}

/// A repository that accepts updates.
///
/// Laws: those of [`pad_core::Repository`].
pub trait UpdatedRepository {
    /// The author and dictionary whose updates are accepted.
    fn authority(&self) -> &Authority;

    /// The latest version.
    fn latest(&self) -> Version;

    /// The oldest version that can be asked about.
    fn oldest(&self) -> Version;

    /// Checks the head of an update, given as a message, without keeping its operations. The author
    /// must have signed it, and it must be the next one.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`].
    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError>;

    /// Whether the head in an update, given as a message, is that of an existing version. The
    /// signature is not verified.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`]; [`RepositoryError::Lookup`] if the version does not exist.
    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError>;

    /// Verifies an update, given as a message, and makes it the latest version.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed;
    /// [`RepositoryError::Store`].
    fn apply_message(&mut self, message: &[u8]) -> Result<Version, RepositoryError>;

    /// Like [`Self::apply_message`], for a decoded update.
    ///
    /// # Errors
    /// Those of [`Self::apply_message`]. [`RepositoryError::Unreadable`] means that it is of
    /// another family.
    fn apply_update(&mut self, update: &dyn SignedUpdate) -> Result<Version, RepositoryError>;
}

/// A repository that is stored as a whole: a checkpoint, and the updates since.
///
/// Laws:
///
/// 1. A repository and one restored from its checkpoint answer everything alike and accept the same
///    updates.
/// 2. An emptied repository reaches the same state by the same updates.
pub trait Checkpointed: UpdatedRepository {
    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or nothing can be pruned.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError>;

    /// The state of the repository, with the digest that protects it.
    fn checkpoint(&self) -> StoredCheckpoint;

    /// Restores a checkpoint. Returns `false`, and changes nothing, if it is damaged or of another
    /// setup.
    #[must_use]
    fn restore(&mut self, checkpoint: &StoredCheckpoint) -> bool;

    /// A repository of the same setup with no versions.
    fn emptied(&self) -> Box<dyn HostedRepository>;
}

/// Entries in ascending order of their keys, read on demand.
pub type SortedEntries<'e> = dyn Iterator<Item = Result<(Key, Value), StoreError>> + Send + 'e;

/// Operations in ascending order of their keys, read on demand.
pub type SortedOperations<'o> = dyn Iterator<Item = Result<Operation, StoreError>> + Send + 'o;

/// The maximum number of operations applied together when a snapshot need not be in memory. Their
/// nodes take about 100 MB, in addition to the old values of their keys.
pub(crate) const TOGETHER: NonZeroUsize = NonZeroUsize::new(1 << 15).unwrap();

/// A repository that keeps its contents and the heads of all versions itself, next to the store.
/// Instead of updates, the store has a row for the latest version, which locates its contents.
///
/// Laws:
///
/// 1. A version exists when the store has its row or that of a later one. Data kept for other
///    versions is dropped.
/// 2. [`RowKeeper::begin`] comes before the first update, and no other process publishes
///    afterwards.
/// 3. [`RowKeeper::synchronise`] comes before the store publishes.
pub trait RowKeeper: UpdatedRepository {
    /// Opens the versions in a store.
    ///
    /// # Errors
    /// [`RepositoryError`] if they are missing, or not of this setup.
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError>;

    /// Keeps other writers out.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Gap`] if another process has published a version that
    /// is missing here; [`StoreError::Superseded`] if it has moved the nodes;
    /// [`StoreError::Closed`]; [`StoreError`] of the medium.
    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError>;

    /// Signs a batch as the next version; see [`pad_tree::StoredRepository::publish`].
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, unless the medium fails while it publishes. The
    /// repository is then closed. The batch keeps at least the operations that take effect.
    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &HeadSigner,
    ) -> Result<Box<dyn SignedUpdate>, SignError>;

    /// Signs `number` entries in ascending order of their keys as the version after an empty one,
    /// without holding them in memory; see [`pad_tree::StoredRepository::publish_sorted`].
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, unless the medium fails while it publishes. The
    /// repository is then closed.
    fn load(
        &mut self,
        number: u64,
        entries: &mut SortedEntries<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError>;

    /// Signs operations in ascending order of their keys as the version after one that has entries,
    /// without holding all of them in memory; see [`pad_tree::StoredRepository::publish_changes`].
    ///
    /// # Errors
    /// Those of [`RowKeeper::load`].
    fn publish_changes(
        &mut self,
        operations: &mut SortedOperations<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError>;

    /// Drops the contents of all versions before `oldest`, also from the store; their heads stay.
    /// All staged versions must be published.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`].
    fn prune(&mut self, oldest: Version, store: &mut dyn Store) -> Result<(), RepositoryError>;

    /// Rewrites the inner nodes of the latest version together, except those that version `since`
    /// already had; see [`pad_tree::StoredRepository::compact`]. All staged versions must be
    /// published. Returns the number of bytes written, and reports it to `note` now and then.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`].
    fn compact(
        &mut self,
        _since: Version,
        _store: &mut dyn Store,
        _note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        Err(StoreError::CannotCompact.into())
    }

    /// Reads the heads of all versions. Checks that the author has signed them, and that each
    /// continues the one before.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_heads(&self) -> Result<(), CheckError>;

    /// Reads the changes of a version, and checks that they hash to the version's root.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_changes(&self, version: Version) -> Result<(), CheckError>;

    /// The row of a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or cannot be read.
    fn row(&self, version: Version) -> Result<Vec<u8>, LookupError>;

    /// Rejects all further writes: the repository and the store may differ.
    fn close(&mut self);

    /// Makes everything durable that the rows refer to.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; the repository must then be opened anew.
    fn synchronise(&mut self) -> Result<(), StoreError>;
}

/// A repository that keeps derived data next to the store, so that opening need not make it again.
/// The store has the updates, and the derived data may be behind it.
///
/// Laws:
///
/// 1. Replaying missing updates yields the same state as never having missed them.
/// 2. [`Derived::settle`] comes after the store has published: derived data is not ahead of the
///    store.
pub trait Derived: UpdatedRepository {
    /// Opens the files next to a store, which may lack its latest versions. Reads see this state
    /// until [`Derived::unpin`] or the next write.
    ///
    /// # Errors
    /// [`RepositoryError`] if the files are damaged, or not of this store and setup.
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError>;

    /// Signs a batch as the next version.
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, and the batch keeps the operations that take effect.
    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        keys: &SigningKeys,
    ) -> Result<Box<dyn SignedUpdate>, SignError>;

    /// Writes the derived data of the applied updates.
    ///
    /// # Errors
    /// [`StoreError`] of the medium. Reads still see the data, and the next call tries again.
    fn settle(&mut self) -> Result<(), StoreError>;

    /// Lets other processes write derived data, until this one does so again.
    fn release(&mut self);

    /// Lets reads see the newest state again.
    fn unpin(&mut self);

    /// The bytes that [`Derived::settle`] would write.
    fn waiting(&self) -> usize;

    /// Drops the contents of all versions before `oldest`; their heads stay. Returns the checkpoint
    /// by which the store drops their updates.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`].
    fn prune(&mut self, oldest: Version) -> Result<StoredCheckpoint, RepositoryError>;

    /// Checks the heads like [`RowKeeper::check_heads`].
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_heads(&self) -> Result<(), CheckError>;
}

/// The persistence of a repository.
pub enum Keeping<'m> {
    /// A checkpoint of the whole state, and the updates since.
    Whole(&'m mut dyn Checkpointed),
    /// The repository keeps its contents itself.
    Rows(&'m mut dyn RowKeeper),
    /// The store keeps the updates, and the repository the data derived from them.
    Derived(&'m mut dyn Derived),
}

impl fmt::Debug for Keeping<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Rows(_) => "Rows",
            Self::Derived(_) => "Derived",
        })
    }
}

/// A repository that answers questions about every version, in messages.
pub trait AskedRepository {
    /// The author's head of a version as text.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError>;

    /// The author's head of a version as a message, a [`pad_core::SignedHead`].
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that a newer head continues an older one, as a message.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is below `newer`, which exists.
    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that the contents of a newer version contain those of an older one, as a message;
    /// `None` where entries can be removed.
    ///
    /// # Errors
    /// Where there is a proof, [`LookupError`] unless `older` is at most `newer`, which exists.
    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// The statements of a newer version's head about an older version, each as the body of a
    /// [`pad_core::contradiction::Past`]: for [`crate::client_view::StoredView::accuse`].
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and below `newer`, which exists.
    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError>;

    /// The answer to a question, as the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// The first page of a range, whose entries have about the given number of bytes. The next page
    /// begins at its end. Returns the whole range where a family has no pages.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn page(&self, _: Version, range: &KeyRange, _: usize) -> Result<KeyRange, AnswerError> {
        Ok(range.clone())
    }

    /// The proof in the answer to a lookup, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;

    /// The versions up to `last` in which a key changed, from the last one back, within about
    /// `lookups` lookups. There is no proof that none is missing.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// Passes the keys that differ between two versions to `note`, in ascending order and without
    /// proof, until `note` stops.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError>;
}

/// A repository that [`crate::Durable`] makes persistent.
pub trait HostedRepository: UpdatedRepository + AskedRepository + fmt::Debug + Send + Sync {
    /// The persistence of this repository.
    fn keeping(&mut self) -> Keeping<'_>;

    /// Sets the cache for nodes, and drops the blocks cached before. Does nothing for repositories
    /// other than stored trees.
    fn use_cache(&mut self, _: &NodeCache) {}

    /// The bytes of the files that the repository keeps itself.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// The update that led to a version, as a message, made again from the contents. Its keys and
    /// values may have at most the given number of bytes. `None` if the store keeps updates.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist, or cannot be read; [`LookupError::TooLong`].
    fn update_message(&self, _: Version, _: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// Whether a proof about one version may vouch for later ones, as superseding statements do.
    /// Then nothing may be proved while a crash could still undo a version, not even about earlier
    /// versions.
    fn evidence_outlives_version(&self) -> bool;

    /// The number of entries of the latest version.
    fn entries(&self) -> usize;

    /// The bytes of memory for contents, heads and history. Where contents are read on demand, only
    /// cached blocks or rows not yet written.
    fn memory_bytes(&self) -> usize;

    /// Checks that the author has signed the head of this version.
    ///
    /// # Errors
    /// [`CheckError::Version`]; [`CheckError::Repository`] if the version does not exist.
    fn check_head(&self, version: Version) -> Result<(), CheckError>;

    /// Proves contents of a version, and verifies the proofs as a client does. The proofs are about
    /// the keys of the update that led to it, given as a message, and about all contents for
    /// [`Contents::All`].
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check_version(
        &self,
        version: Version,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError>;

    /// Whether the state of this repository equals that of one replayed from all updates, up to the
    /// same version. For families in which proofs about a few keys do not show it.
    fn is_as_replayed(&self, _: &dyn Checkpointed) -> bool {
        true
    }

    /// The contents of a version, where proofs cannot show that none is missing. They are then
    /// compared with the contents after a replay of the author's updates. `None` where proofs show
    /// it.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError>;

    /// Refuses to sign for this repository if it is behind the newest head in `record`.
    ///
    /// # Errors
    /// [`SigningRecordError`].
    fn check_record(
        &self,
        record: &SigningRecord,
        stored: Version,
    ) -> Result<(), SigningRecordError>;
}

/// The extent of a version's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The changes of its update.
    Changed,
    /// All contents, and that there are no others. Logs check only some keys of the update.
    All,
}
