//! Durable dictionaries: a keeper owns its store, and acknowledges a change only after it is
//! durable.
//!
//! There are three ways to store a dictionary. In each, [`Keeper::commit`] defines the order of
//! writes:
//!
//! | kept | in the store | next to the store | families |
//! | --- | --- | --- | --- |
//! | as rows | a row that locates the latest version | nodes and heads, written first | trees |
//! | derived | the signed updates | data made from them, written last | signed tuples |
//! | whole | the signed updates and a checkpoint | nothing | accumulated tuples, logs |
//!
//! Opening verifies what it reads: updates are replayed with signature and root, and nodes are
//! checked against their digests when they are read. A damaged checkpoint costs a full replay,
//! unless pruning has made the checkpoint the only copy.

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
/// A version may be *staged*: applied, but not durable. Questions about a staged version are
/// refused until [`Keeper::commit`].
pub trait Replica: Dictionary + fmt::Debug + Send + Sync {
    /// The author and dictionary whose updates are accepted.
    fn authority(&self) -> &Authority;

    /// The latest durable version.
    fn latest(&self) -> Version;

    /// The latest version that was applied, durable or not.
    fn staged(&self) -> Version;

    /// The oldest version that can be queried.
    fn oldest(&self) -> Version;

    /// Checks the head of an update, given as a message, without keeping its operations. The author
    /// must have signed the head, and its version must be the next one.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`] if the message is malformed; [`RepositoryError::Refused`] if
    /// the head is unsigned or not the next one.
    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError>;

    /// Whether the head in an update, given as a message, equals the head of an existing version.
    /// The signature is not verified. Equal heads imply equal contents, regardless of how the
    /// version was built.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`]; [`RepositoryError::Lookup`] if the version does not exist.
    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError>;

    /// The update that led to a durable version, as a message; `None` if it was pruned, or the
    /// version does not exist. An update that has to be rebuilt may have at most `most` bytes of
    /// keys and values.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]; [`RepositoryError::Lookup`] if the update has to be rebuilt, and
    /// its source cannot be read or is too long.
    fn update_within(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, RepositoryError>;

    /// The number of entries of the latest version that was applied.
    fn entries(&self) -> usize;

    /// The bytes of memory for contents, heads and history. Where contents are read on demand,
    /// counts only cached blocks or rows not yet written.
    fn memory_bytes(&self) -> usize;

    /// The total bytes of the store's file and of the files next to it.
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

    /// The store, for checks and compaction.
    fn store_mut(&mut self) -> &mut AnyStore;
}

/// A dictionary with its store: updates, signing, durability, pruning and checks.
///
/// Laws:
///
/// 1. After any crash, all acknowledged versions exist, each complete.
/// 2. An answer is about a durable version. While a proof about an older version could vouch for a
///    staged version, all questions are refused.
/// 3. A refused update or batch changes nothing. After an error of the medium, the store must be
///    reopened to learn its state.
pub trait Keeper: Replica {
    /// Verifies an update, given as a message, and stages it. Its head is verified before memory is
    /// allocated for its operations.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    /// [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store fails.
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError>;

    /// Makes all staged versions and these records durable, all or nothing. Returns the version
    /// thereby acknowledged. Derived data is written by [`Keeper::settle`].
    ///
    /// # Errors
    /// [`RepositoryError::Store`]: the versions stay staged. The store may contain them: reopen it
    /// to find out.
    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError>;

    /// Writes data derived from durable updates. A failure is ignored: the next opening rebuilds
    /// the data.
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
    /// versions; [`RepositoryError::Store`]. If this contains [`StoreError::NotRemoved`], the
    /// versions are dropped, but some of their space is not freed.
    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError>;

    /// Rewrites the inner nodes of the latest version together, where they are in a file. Nodes
    /// that version `since` already contained are left in place.
    ///
    /// Lookups in later versions then read as few blocks as after a bulk load. Nothing else
    /// changes. [`Keeper::prune`] frees the space of the duplicate nodes. Returns the number of
    /// bytes written, and passes the number so far to `note` at intervals.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`], with
    /// [`StoreError::CannotCompact`] if the store has no such file.
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
    /// 4. of logs, every node and certificate in the checkpoint, by recomputing it;
    /// 5. all contents of the oldest and the latest kept version, and in every other kept version
    ///    the changes of its update. They are checked by proofs against the heads. Where the
    ///    dictionary is kept as rows, they are hashed up to the signed roots. Logs prove only a few
    ///    entries of an update.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check(&mut self) -> Result<CheckSummary, CheckError>;
}

/// A keeper that can sign. Programs use it only through [`crate::Author`], which has checked the
/// signing record.
pub(crate) trait SigningKeeper: Keeper {
    /// Reads the store and the files next to it.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if they do not contain a
    /// complete dictionary of this setup.
    fn open(&mut self) -> Result<(), RepositoryError>;

    /// Prepares to sign with the keys of the author.
    ///
    /// # Errors
    /// [`AuthorError`] if the scheme's own key or its parameters do not match. Trees have nothing
    /// to check.
    fn resume(&mut self, key: &SecretKey) -> Result<(), AuthorError>;

    /// Signs a batch as the next version and stages it.
    ///
    /// If the signer refuses, the batch is kept for the next call. Stored trees and stored tuples
    /// sign it together with the next batch. Other families sign it first, as its own version.
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
    /// The errors of [`SigningKeeper::sign`]. If the store fails after signing, it is closed.
    fn sign_gathered(&mut self, changes: Changes) -> Result<Version, AuthorError>;
}

impl dyn Keeper {
    /// Verifies an update, given as a message, and applies it durably as the latest version.
    ///
    /// # Errors
    /// The errors of [`Keeper::stage_message`] and [`Keeper::commit`]. If the update is already
    /// staged, [`Keeper::commit`] retries.
    pub fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.stage_message(update)?;
        self.flush(&[])
    }

    /// Like [`Keeper::commit`], followed by [`Keeper::settle`].
    ///
    /// # Errors
    /// The errors of [`Keeper::commit`].
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let acknowledged = self.commit(records)?;
        self.settle();
        Ok(acknowledged)
    }

    /// The update that led to a durable version, as a message of any length.
    ///
    /// # Errors
    /// The errors of [`Replica::update_within`].
    pub fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, RepositoryError> {
        self.update_within(version, usize::MAX)
    }

    /// The versions in which a key changed. Completeness is not proved.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// The keys that differ between two versions, without proof.
    ///
    /// Holds the list in memory. [`Dictionary::differences`] passes the keys to a callback instead.
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
    /// Unless the store was pruned, these are all updates from the empty dictionary on. `None` for
    /// dictionaries kept as rows or derived: their contents are checked instead.
    pub replayed: Option<u64>,
    /// The number of kept versions that were checked against their heads. In the oldest and the
    /// latest version, all contents are checked; in the others, the changes. In logs, only a few
    /// entries of each version are checked.
    pub proved: u64,
    /// Whether the store contains a checkpoint, which passed its integrity check. Only dictionaries
    /// kept whole have checkpoints.
    pub checkpoint: bool,
    /// Whether no version was pruned. If so, a replay covers all updates from the empty dictionary
    /// on.
    pub from_empty: bool,
    /// Whether the check ruled out missing entries in the oldest and the latest kept version. False
    /// only for accumulator designs checked by replay, in a pruned store: their proofs do not show
    /// completeness.
    pub complete: bool,
}

/// The extent of a version's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The changes of its update.
    Changed,
    /// All contents, and the absence of other entries. Logs check only some keys of the update.
    All,
}
