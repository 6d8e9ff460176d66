//! A repository of any family and suite behind bytes: what stores, commands and services need of one.
//!
//! The traits here have no types that differ from family to family, so what uses them is compiled once,
//! and a repository that is chosen by name is a `dyn HostedRepository`.

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

/// An update that an author has signed, of whatever suite and attachment.
pub trait SignedUpdate: Any {
    /// The version that it makes.
    fn version(&self) -> Version;

    /// It as a message.
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

/// Takes updates.
///
/// Laws: as of [`pad_core::Repository`].
pub trait UpdatedRepository {
    /// Whose updates are taken.
    fn authority(&self) -> &Authority;

    /// The latest version.
    fn latest(&self) -> Version;

    /// The oldest version that can be asked about.
    fn oldest(&self) -> Version;

    /// Checks the head of an update, given as a message, without keeping its operations: the author has
    /// signed it, and it is the next.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`].
    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError>;

    /// Whether an update, given as a message, leads to a version that is there: the head in it, which is not verified here, is that
    /// version's.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`]; [`RepositoryError::Lookup`] if there is no such version.
    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError>;

    /// Verifies an update, given as a message, and makes it the latest version.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    fn apply_message(&mut self, message: &[u8]) -> Result<Version, RepositoryError>;

    /// The same for an update that is decoded already.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed; [`RepositoryError::Unreadable`] if it is of
    /// another family.
    fn apply_update(&mut self, update: &dyn SignedUpdate) -> Result<Version, RepositoryError>;
}

/// Is kept as a whole: in a checkpoint, and the updates since.
///
/// Laws: a repository and one restored from its checkpoint answer everything alike and take the same updates. An emptied one reaches the same
/// state by the same updates.
pub trait Checkpointed: UpdatedRepository {
    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError>;

    /// Everything that is needed to go on, with the digest that protects it.
    fn checkpoint(&self) -> StoredCheckpoint;

    /// Goes on from a checkpoint. `false`, and nothing is changed, if it is damaged or of another setup.
    #[must_use]
    fn restore(&mut self, checkpoint: &StoredCheckpoint) -> bool;

    /// A repository of the same setup with no versions.
    fn emptied(&self) -> Box<dyn HostedRepository>;
}

/// Entries in ascending order of their keys, which are read when they are needed.
pub type SortedEntries<'e> = dyn Iterator<Item = Result<(Key, Value), StoreError>> + Send + 'e;

/// Operations in ascending order of their keys, which are read when they are needed.
pub type SortedOperations<'o> = dyn Iterator<Item = Result<Operation, StoreError>> + Send + 'o;

/// So many operations of a snapshot are applied together at most where it need not be in memory: their nodes take about 100 MB, beside the values
/// that their keys had.
pub(crate) const TOGETHER: NonZeroUsize = NonZeroUsize::new(1 << 15).unwrap();

/// Keeps its contents itself, beside the store, and the heads of all versions. In the place of updates the store has a row for the latest
/// version, which says where its contents are.
///
/// Laws:
///
/// 1. A version is there when the store has its row or that of a later one; what was kept for others is dropped.
/// 2. [`RowKeeper::begin`] comes before the first update, and nobody else publishes afterwards.
/// 3. [`RowKeeper::synchronise`] comes before the store publishes.
pub trait RowKeeper: UpdatedRepository {
    /// Goes on with the versions that a store has.
    ///
    /// # Errors
    /// [`RepositoryError`] if they are not there, or not of this setup.
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError>;

    /// Keeps other writers out.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Gap`] if somebody has published a version that is not here; [`StoreError`] of the medium.
    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError>;

    /// Signs a batch as the next version; see [`pad_tree::StoredRepository::publish`].
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, and the batch is still there.
    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &HeadSigner,
    ) -> Result<Box<dyn SignedUpdate>, SignError>;

    /// Signs so many entries in ascending order of their keys as the version after one that is empty, without holding them; see
    /// [`pad_tree::StoredRepository::publish_sorted`].
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed.
    fn load(
        &mut self,
        number: u64,
        entries: &mut SortedEntries<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError>;

    /// Signs operations in ascending order of their keys as the version after one that has entries, without holding all of them; see
    /// [`pad_tree::StoredRepository::publish_changes`].
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed.
    fn publish_changes(
        &mut self,
        operations: &mut SortedOperations<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError>;

    /// Drops the contents of all versions before `oldest`, from the store as well; their heads stay. All that was staged is published.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version is not there; [`RepositoryError::Store`].
    fn prune(&mut self, oldest: Version, store: &mut dyn Store) -> Result<(), RepositoryError>;

    /// Writes the inner nodes of the latest version once more and together, those that version `since` had already aside; see
    /// [`pad_tree::StoredRepository::compact`]. All that was staged is published. Returns the bytes that were written, and says now and then
    /// how many there are.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version is not there; [`RepositoryError::Store`].
    fn compact(
        &mut self,
        _since: Version,
        _store: &mut dyn Store,
        _note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        Err(StoreError::CannotCompact.into())
    }

    /// Reads the heads of all versions, and checks that the author has signed them, and that each continues the one before.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_heads(&self) -> Result<(), CheckError>;

    /// Reads what a version has changed, and checks that it hashes to the version's root.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_changes(&self, version: Version) -> Result<(), CheckError>;

    /// The row of a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn row(&self, version: Version) -> Result<Vec<u8>, LookupError>;

    /// Takes nothing any more: what is here and what the store has may not be the same.
    fn close(&mut self);

    /// Makes everything durable that the rows speak of.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; the repository must then be opened anew.
    fn synchronise(&mut self) -> Result<(), StoreError>;
}

/// Keeps what follows from the updates of a store beside it, so that it need not be made again at each opening. The store has the updates: what is
/// beside it may be behind.
///
/// Laws:
///
/// 1. A repository that lacks updates and is given them again says what one says that never lacked them.
/// 2. [`Derived::settle`] comes after the store has published: what is beside the store is not ahead of it.
pub trait Derived: UpdatedRepository {
    /// Opens the files next to a store, which may lack its latest versions. Reads see this state
    /// until [`Derived::unpin`] or the next write.
    ///
    /// # Errors
    /// [`RepositoryError`] if it is not of this store and setup, or damaged.
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError>;

    /// Signs a batch as the next version.
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, and the batch is still there.
    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        keys: &SigningKeys,
    ) -> Result<Box<dyn SignedUpdate>, SignError>;

    /// Writes what was applied.
    ///
    /// # Errors
    /// [`StoreError`] of the medium: it is seen still, and the next call tries again.
    fn settle(&mut self) -> Result<(), StoreError>;

    /// Lets others write beside the store, until this one does so again.
    fn release(&mut self);

    /// Lets reads see the newest state again.
    fn unpin(&mut self);

    /// The bytes that [`Derived::settle`] would write.
    fn waiting(&self) -> usize;

    /// Drops the contents of all versions before `oldest`; their heads stay. Returns that with which the store drops their updates.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version is not there; [`RepositoryError::Store`].
    fn prune(&mut self, oldest: Version) -> Result<StoredCheckpoint, RepositoryError>;

    /// As [`RowKeeper::check_heads`].
    ///
    /// # Errors
    /// [`CheckError`].
    fn check_heads(&self) -> Result<(), CheckError>;
}

/// How a repository outlives its process.
pub enum Keeping<'m> {
    /// As a whole.
    Whole(&'m mut dyn Checkpointed),
    /// It keeps its contents itself.
    Rows(&'m mut dyn RowKeeper),
    /// The store keeps its updates, and it keeps what follows from them.
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

/// Answers questions about every version, in messages.
pub trait AskedRepository {
    /// What the author has signed for a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError>;

    /// The author's head of a version as a message, a [`pad_core::SignedHead`].
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that a newer head continues an older one, as a message.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and below `newer`, which exists.
    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that the contents of a newer version contain those of an older one, as a message; `None` where entries are
    /// also removed.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at most `newer`, which exists.
    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// What the head of a newer version says about an older version, each as the body of a
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

    /// The beginning of a range of a version whose proof has about so many bytes: the next page begins where it ends. The whole range where a
    /// family has no pages.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn page(&self, _: Version, range: &KeyRange, _: usize) -> Result<KeyRange, AnswerError> {
        Ok(range.clone())
    }

    /// The proof in the answer to a look-up, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;

    /// The versions up to `last` in which a key changed, without proof that none is missing; as many of them, from the last one back, as
    /// so many look-ups find.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// Notes the keys that differ between two versions, in ascending order, without proof, until that is told to stop.
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

/// A repository that a [`crate::Durable`] makes last.
pub trait HostedRepository: UpdatedRepository + AskedRepository + fmt::Debug + Send + Sync {
    /// How it outlives its process.
    fn keeping(&mut self) -> Keeping<'_>;

    /// Has what is read of its contents be kept in this memory, from the next opening on; nothing where all contents are in memory.
    fn use_cache(&mut self, _: &NodeCache) {}

    /// The bytes of the files that it keeps itself.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// The update that led to a version, as a message, made again from the contents if its keys and values have at most so many
    /// bytes; `None` if the store keeps updates.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or cannot be read; [`LookupError::TooLong`].
    fn update_message(&self, _: Version, _: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// Whether a proof about one version may vouch for later ones, as superseding statements do. What a
    /// crash could still undo must then not be proved, not even through its past.
    fn evidence_outlives_version(&self) -> bool;

    /// The number of entries of the latest version.
    fn entries(&self) -> usize;

    /// The bytes of memory that contents, heads and history take.
    fn memory_bytes(&self) -> usize;

    /// The author has signed the head of this version.
    ///
    /// # Errors
    /// [`CheckError::Version`]; [`CheckError::Repository`] if the version is not there.
    fn check_head(&self, version: Version) -> Result<(), CheckError>;

    /// Proves what a version says, and verifies the proofs as a client does: about the keys of the
    /// update that led to it, given as a message, and about all contents if that is asked.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    fn check_version(
        &self,
        version: Version,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError>;

    /// Whether the memory of this repository is that of one that was made anew from all updates, up to the same version: for
    /// families in which proofs about a few keys do not show it.
    fn is_as_replayed(&self, _: &dyn Checkpointed) -> bool {
        true
    }

    /// The contents of a version, where proofs cannot show that none is missing: they are then compared with those that the author's updates
    /// lead to. `None` where proofs show it.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError>;

    /// Refuses to sign for this repository if `record` says that it is behind what was handed out.
    ///
    /// # Errors
    /// [`SigningRecordError`].
    fn check_record(
        &self,
        record: &SigningRecord,
        stored: Version,
    ) -> Result<(), SigningRecordError>;
}

/// How much of a version is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// What its update changed.
    Changed,
    /// All of it, and that there is nothing else.
    All,
}
