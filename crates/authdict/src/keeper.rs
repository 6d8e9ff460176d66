//! A dictionary that lasts: it owns its store, and nothing is acknowledged before it is durable.
//!
//! There are three ways to keep a dictionary. The order in which a version is written is one
//! function in each, its [`Keeper::commit`]:
//!
//! | kept | in the store | next to the store | families |
//! | --- | --- | --- | --- |
//! | as rows | a row that locates the latest version | nodes and heads, written first | trees |
//! | derived | the signed updates | data made from them, written last | signed tuples |
//! | whole | the signed updates and a checkpoint | nothing | accumulated tuples, logs |
//!
//! Opening verifies what it reads: updates are replayed with signature and root, and rows lead to
//! nodes whose digests are compared when they are read. A damaged checkpoint costs a full replay,
//! unless pruning has made it the only copy.

use core::{fmt, ops::ControlFlow};

use pad_core::{Key, Operation, Untrusted, Version, head::Authority};
use pad_tree::{Difference, KeyHistory};

use crate::{
    changes::Changes,
    description::key_of_store,
    dictionary::{AnswerError, Dictionary},
    keys::{PublicKey, SecretKey},
    repository::{AuthorError, CheckError, RepositoryError},
    signing_record::{SigningRecord, SigningRecordError},
    store::{AnyStore, RecordChange, StoreError},
};

#[cfg(any(feature = "accumulators", feature = "log"))]
mod checkpointed;
mod family;

#[cfg(any(feature = "accumulators", feature = "log"))]
pub(crate) use checkpointed::{CheckpointedRepository, Entries};
pub(crate) use family::{
    FamilyKeeper, FamilyRepository, as_repository, by_answers, past_messages, replay,
};

/// A dictionary that applies its author's updates.
///
/// A version may be *staged*: applied, but not durable. Nothing is answered about it before
/// [`Keeper::commit`].
pub trait Replica: Dictionary + fmt::Debug + Send + Sync {
    /// The author and dictionary whose updates are accepted.
    fn authority(&self) -> &Authority;

    /// The latest durable version.
    fn latest(&self) -> Version;

    /// The latest version that was applied, durable or not.
    fn staged(&self) -> Version;

    /// The oldest version that can be asked about.
    fn oldest(&self) -> Version;

    /// Checks the head of an update, given as a message, without keeping its operations. The author
    /// must have signed it, and it must be the next one.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`].
    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError>;

    /// Whether the head in an update, given as a message, is that of an existing version. The
    /// signature is not verified. Equal heads imply equal contents, however the version was made.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`]; [`RepositoryError::Lookup`] if the version does not exist.
    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError>;

    /// The update that led to a durable version, as a message; `None` if it was pruned, or the
    /// version does not exist. One that has to be made again may have at most `most` bytes of keys
    /// and values.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]; [`RepositoryError::Lookup`] if it has to be made again, and its
    /// source cannot be read or is too long.
    fn update_within(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, RepositoryError>;

    /// The number of entries of the latest version that was applied.
    fn entries(&self) -> usize;

    /// The bytes of memory for contents, heads and history. Where contents are read on demand, only
    /// cached blocks or rows not yet written.
    fn memory_bytes(&self) -> usize;

    /// The bytes of the files of the store, and of those next to it.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn file_bytes(&self) -> Result<u64, StoreError>;

    /// Checks that the author has signed the head of this version.
    ///
    /// # Errors
    /// [`CheckError::Version`]; [`CheckError::Repository`] if the version does not exist.
    fn check_head(&self, version: Version) -> Result<(), CheckError>;

    /// Refuses to sign for this dictionary if it is behind the newest head in `record`.
    ///
    /// # Errors
    /// [`SigningRecordError`].
    fn check_record(&self, record: &SigningRecord) -> Result<(), SigningRecordError>;

    /// The store.
    fn store(&self) -> &AnyStore;

    /// The store, for checking or compacting.
    fn store_mut(&mut self) -> &mut AnyStore;
}

/// A dictionary with its store: updates, signing, durability, pruning and the check of all of it.
///
/// Laws:
///
/// 1. After any crash, all acknowledged versions exist, each as a whole.
/// 2. An answer is about a durable version. While a proof about an older version could vouch for a
///    staged one, nothing is answered.
/// 3. A refused update or batch changes nothing. After an error of the medium, only reopening the
///    store shows its state.
pub trait Keeper: Replica {
    /// Verifies an update, given as a message, and stages it. Its head is verified before its
    /// operations take memory.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    /// [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store fails.
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError>;

    /// Makes all staged versions and these records durable, all or nothing. Returns the version
    /// thereby acknowledged. Derived data is written by [`Keeper::settle`].
    ///
    /// # Errors
    /// [`RepositoryError::Store`]: the versions stay staged. Only reopening the store shows whether
    /// it has them.
    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError>;

    /// Writes data derived from durable updates. A failure is ignored: the next opening makes it
    /// again.
    fn settle(&mut self);

    /// Writes a checkpoint or derived data, so that the next opening has nothing to replay.
    ///
    /// # Errors
    /// [`RepositoryError::Store`].
    fn checkpoint(&mut self) -> Result<(), RepositoryError>;

    /// Drops the contents of all versions before `oldest`, and frees their space. Heads stay.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist, and for logs, which keep all
    /// versions; [`RepositoryError::Store`]. With [`StoreError::NotRemoved`] in it the versions are
    /// dropped, but some of their space is not freed.
    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError>;

    /// Rewrites the inner nodes of the latest version together, where they are in a file. Nodes
    /// that version `since` already had are left in place.
    ///
    /// Lookups in later versions then read as few blocks as after a bulk load. Nothing else
    /// changes. [`Keeper::prune`] frees the space of the duplicate nodes. Returns the number of
    /// bytes written, and reports it to `note` now and then.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`], with
    /// [`StoreError::CannotCompact`] where there are no such files.
    fn compact(
        &mut self,
        since: Version,
        note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError>;

    /// Checks everything in the store, trusting the author's public key only:
    ///
    /// 1. the storage engine's own structure, and the checkpoint's integrity digest;
    /// 2. the signature of every version's head, pruned versions included, and the history in it;
    /// 3. every stored update, replayed from the empty dictionary, or after pruning from the
    ///    checkpoint (only of dictionaries kept whole);
    /// 4. of logs, every node and certificate in the checkpoint, by making it anew;
    /// 5. all contents of the oldest and the latest kept version, and in every other kept version
    ///    what its update changed. They are checked by proofs against the heads. Where the
    ///    dictionary is kept as rows, they are hashed up to the signed roots. Logs prove only a few
    ///    entries of an update.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check(&mut self) -> Result<CheckSummary, CheckError>;
}

/// A keeper that can sign. Programs reach it through [`crate::Author`] only, which has compared the
/// record of signed heads.
pub(crate) trait SigningKeeper: Keeper {
    /// Reads the store and the files next to it.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if they do not hold a whole
    /// dictionary of this setup.
    fn open(&mut self) -> Result<(), RepositoryError>;

    /// Prepares to sign with the keys of the author.
    ///
    /// # Errors
    /// [`AuthorError`] if the scheme's own key or its parameters do not fit. Trees check nothing.
    fn resume(&mut self, key: &SecretKey) -> Result<(), AuthorError>;

    /// Signs a batch as the next version and stages it. If the signer refuses, the operations are
    /// signed with the next batch, or as a version before it.
    ///
    /// # Errors
    /// [`AuthorError`]; [`AuthorError::Repository`] with [`StoreError::NoAuthor`] without
    /// [`SigningKeeper::resume`].
    fn sign(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError>;

    /// Whether [`SigningKeeper::sign_gathered`] streams changes instead of collecting a batch.
    fn streams(&self) -> bool;

    /// Like [`SigningKeeper::sign`], for gathered changes. Streamed changes are not kept if the
    /// signer refuses.
    ///
    /// # Errors
    /// Those of [`SigningKeeper::sign`]. If the store fails after signing, it is closed.
    fn sign_gathered(&mut self, changes: Changes) -> Result<Version, AuthorError>;
}

impl dyn Keeper {
    /// Verifies an update, given as a message, and makes it the latest version, durably.
    ///
    /// # Errors
    /// Those of [`Keeper::stage_message`] and [`Keeper::commit`]. If the update is staged by then,
    /// [`Keeper::commit`] tries again.
    pub fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.stage_message(update)?;
        self.flush(&[])
    }

    /// Like [`Keeper::commit`], followed by [`Keeper::settle`].
    ///
    /// # Errors
    /// Those of [`Keeper::commit`].
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let acknowledged = self.commit(records)?;
        self.settle();
        Ok(acknowledged)
    }

    /// The update that led to a durable version, as a message, however long.
    ///
    /// # Errors
    /// Those of [`Replica::update_within`].
    pub fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, RepositoryError> {
        self.update_within(version, usize::MAX)
    }

    /// The versions in which a key changed, without proof that none is missing.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// The keys that differ between two versions, without proof.
    ///
    /// Memory: that of the list. [`Dictionary::differences`] needs no list.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn diff(
        &self,
        before: Version,
        after: Version,
    ) -> Result<Untrusted<Vec<Difference>>, AnswerError> {
        let mut changes = Vec::new();
        self.differences(before, after, &mut |change| {
            changes.push(change.into_unverified());
            ControlFlow::Continue(())
        })?;
        Ok(Untrusted::new(changes))
    }

    /// The public key of the dictionary, by the store's records.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn public_key(&self) -> Result<PublicKey, StoreError> {
        key_of_store(self.store())
    }
}

/// Result of [`Keeper::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSummary {
    /// The number of versions whose signed heads verify.
    pub heads: u64,
    /// The number of stored updates that were replayed, each with signature and recomputed root.
    /// They are all updates from the empty dictionary on, unless the store was pruned. `None` for
    /// dictionaries kept as rows or derived: their contents are checked instead.
    pub replayed: Option<u64>,
    /// The number of kept versions that were checked against their heads. All contents of the
    /// oldest and the latest one are checked, and the changes of the others. Of logs, only a few
    /// entries of each version are.
    pub proved: u64,
    /// Whether the store has a checkpoint, which passed its integrity check. Only dictionaries kept
    /// whole have one.
    pub checkpoint: bool,
    /// Whether no version was pruned. Where updates are replayed, all were, from the empty
    /// dictionary on.
    pub from_empty: bool,
    /// Whether the contents of the oldest and the latest kept version are known to be complete.
    /// Proofs of designs with accumulators do not show that; the replay from the empty dictionary
    /// does.
    pub complete: bool,
}

/// The extent of a version's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The changes of its update.
    Changed,
    /// All contents, and that there are no others. Logs check only some keys of the update.
    All,
}
