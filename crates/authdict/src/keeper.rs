//! Durable dictionaries. A keeper owns the store of a dictionary, and acknowledges a change only
//! after the change is durable.

use core::{fmt, ops::ControlFlow};

use pad_core::{Key, LookupError, Operation, Untrusted, Version};
use pad_tree::{Difference, KeyHistory};

use crate::{
    changes::Changes,
    description::key_of_store,
    dictionary::{AnswerError, Dictionary, UnprovedCallback},
    keys::PublicKey,
    question::HeadText,
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    signing_record::{SigningRecord, SigningRecordError},
    store::{RecordChange, Store, StoreError},
};

#[cfg(any(feature = "accumulators", feature = "log"))]
mod checkpointed;
mod family;

#[cfg(any(feature = "accumulators", feature = "log"))]
pub(crate) use checkpointed::{CheckpointedRepository, Entries};
pub(crate) use family::{
    FamilyKeeper, FamilyRepository, ProvingRepository, apply, by_answers, past_messages, replay,
    respond,
};

/// A dictionary that applies signed updates of its author.
///
/// A *staged* version is applied, but not durable yet. Questions about a staged version are refused
/// until [`Keeper::commit`].
pub trait Replica: Dictionary + fmt::Debug + Send + Sync {
    /// Returns the author's signed head of a version as text.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    #[doc(hidden)]
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError>;

    /// Returns the latest durable version.
    fn latest(&self) -> Version;

    /// Returns the latest version that was applied, whether durable or not.
    #[doc(hidden)]
    fn staged(&self) -> Version;

    /// Returns the oldest version that can be queried; earlier versions were pruned.
    fn oldest(&self) -> Version;

    /// Checks the head of `message`, an update, and the number of its operations. The author must
    /// have signed the head, and its version must be the next version. The operations are not
    /// checked.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`] if the message is malformed; [`RepositoryError::Refused`] if
    /// the head is not signed by the author or not of the next version, or if the number of
    /// operations is impossible.
    #[doc(hidden)]
    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError>;

    /// Returns whether the head in `message`, an update, equals the head of an existing version.
    /// The signature is not verified. Equal heads imply equal contents, regardless of how the
    /// version was built.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`] if the message is malformed; [`RepositoryError::Lookup`] if
    /// the version does not exist.
    #[doc(hidden)]
    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError>;

    /// Returns the update that produced a durable version, as a message. Returns `None` if the
    /// update was pruned, or the version does not exist. If the update has to be rebuilt, its keys
    /// and values may have at most `most` bytes.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]; [`RepositoryError::Lookup`] if the update has to be rebuilt, and
    /// its contents cannot be read or are too long.
    #[doc(hidden)]
    fn update_within(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, RepositoryError>;

    /// Calls `note` for each key that differs between two versions, in ascending order, until
    /// `note` stops. The differences are not proved.
    ///
    /// # Errors
    /// [`AnswerError`].
    #[doc(hidden)]
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError>;

    /// Returns the number of entries of the latest version that was applied.
    fn entries(&self) -> usize;

    /// Returns the bytes of memory for contents, heads and history. If contents are read from files
    /// on demand, cached file blocks and rows that are not written yet are counted instead of the
    /// contents.
    fn memory_bytes(&self) -> usize;

    /// Returns the total bytes of the store's file and of the files next to it.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn file_bytes(&self) -> Result<u64, StoreError>;

    /// Checks that the author has signed the head of this version.
    ///
    /// # Errors
    /// [`CheckError::Version`]; [`CheckError::Repository`] if the version does not exist.
    #[doc(hidden)]
    fn check_head(&self, version: Version) -> Result<(), CheckError>;

    /// Checks that the store contains the newest head in `record`. Otherwise, no version may be
    /// signed for this dictionary.
    ///
    /// # Errors
    /// [`SigningRecordError`].
    #[doc(hidden)]
    fn check_record(&self, record: &SigningRecord) -> Result<(), SigningRecordError>;

    /// Returns the store that this dictionary is kept in.
    #[doc(hidden)]
    fn store(&self) -> &dyn Store;

    /// Returns mutable access to the store that this dictionary is kept in, for checks and
    /// compaction.
    #[doc(hidden)]
    fn store_mut(&mut self) -> &mut dyn Store;
}

/// A dictionary with its store: applies updates durably, prunes, compacts and checks.
///
/// A dictionary is stored in one of three ways. The table states the order of writes:
///
/// | kept | in the store | next to the store | families |
/// | --- | --- | --- | --- |
/// | as rows | a row that locates the latest version | nodes and heads, written first | trees |
/// | derived | the signed updates | data made from them, written last | signed tuples |
/// | whole | the signed updates and a checkpoint | nothing | accumulated tuples, logs |
///
/// Replaying an update checks its signature and its root, and reading a node checks its digest. If
/// a checkpoint is damaged, opening replays all updates. It fails if pruning has dropped some of
/// them.
///
/// Laws:
///
/// 1. After any crash, all acknowledged versions exist, and each is complete.
/// 2. Each answer is about a durable version. All questions are refused while a proof about an
///    older version could also prove statements about a staged version.
/// 3. A refused update or batch changes nothing. After an error of the medium, the state of the
///    store is unknown until it is reopened.
pub trait Keeper: Replica {
    /// Verifies an update, given as a message, and stages its version. The update's head is
    /// verified before memory is allocated for its operations.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    /// [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store fails.
    #[doc(hidden)]
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError>;

    /// Makes all staged versions durable, together with the changes `records` to records in the
    /// store. Either all of them become durable, or none. Returns the latest version, which is then
    /// acknowledged. [`Keeper::settle`] writes derived data.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]. The versions stay staged. The store may contain them
    /// nevertheless, which is known only after it is reopened.
    #[doc(hidden)]
    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError>;

    /// Writes data that is derived from durable updates. Errors are ignored, because the next
    /// opening rebuilds this data.
    #[doc(hidden)]
    fn settle(&mut self) {}

    /// Makes staged versions durable, and writes a checkpoint or derived data. The next opening
    /// then has nothing to replay. Time: linear in the contents of a dictionary kept whole.
    ///
    /// # Errors
    /// [`RepositoryError::Store`].
    fn checkpoint(&mut self) -> Result<(), RepositoryError>;

    /// Drops the contents of all versions before `oldest`, and frees their space. The heads of
    /// these versions are kept.
    ///
    /// The kept contents of a tree are copied to new files. Until the copy is complete, both copies
    /// need disk space.
    ///
    /// # Errors
    /// * [`RepositoryError::Lookup`] if the version does not exist, and for logs, which keep all
    ///   versions.
    /// * [`RepositoryError::Store`], with [`StoreError::CannotPrune`] for a store in objects. With
    ///   [`StoreError::NotRemoved`], the versions are dropped, but some space is not freed.
    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError>;

    /// Rewrites the inner nodes of a tree's latest version next to each other in the node file.
    /// Nodes that version `since` already contained stay at their positions.
    ///
    /// Later lookups then read as few blocks as after a bulk load. Nothing else changes.
    /// [`Keeper::prune`] frees the space of the old copies of nodes. Returns the number of bytes
    /// written, and calls `note` at intervals with the number so far. Time: linear in this number.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`], with
    /// [`StoreError::CannotCompact`] if the store has no node file.
    fn compact(
        &mut self,
        since: Version,
        note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        let _ = (since, note);
        Err(StoreError::CannotCompact.into())
    }

    /// Checks the whole store, and trusts only the author's public key:
    ///
    /// 1. the storage engine's structure, and the integrity digest of the checkpoint;
    /// 2. the signature of the head of every version, also of pruned versions, and the digest of
    ///    all earlier heads in it (its history);
    /// 3. every stored update of a dictionary kept whole, by a replay from the empty dictionary, or
    ///    from the checkpoint after pruning;
    /// 4. every node and certificate in the checkpoint of a log, by recomputing it;
    /// 5. all contents of the oldest and of the latest kept version, and the changes of every other
    ///    kept version. They are checked by proofs against the heads. If the dictionary is kept as
    ///    rows, they are hashed up to the signed roots. In logs, only a few entries of an update
    ///    are proved.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check(&mut self) -> Result<CheckSummary, CheckError>;
}

/// A keeper that can sign versions. Other crates use it only through [`crate::Author`], which
/// checks the signing record first.
pub(crate) trait SigningKeeper: Keeper {
    /// Reads the store and the files next to it.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if the store and these
    /// files do not contain a complete dictionary of this setup.
    fn open(&mut self) -> Result<(), RepositoryError>;

    /// Prepares to sign with the author's keys.
    ///
    /// # Errors
    /// [`AuthorError`] if the scheme's own key or its parameters do not match the store. Trees
    /// check nothing.
    fn resume(&mut self, keys: SigningKeys) -> Result<(), AuthorError>;

    /// Signs a batch as the next version and stages it. Then `batch` is empty.
    ///
    /// If the signer refuses, `batch` contains the operations to pass to the next call. In
    /// dictionaries kept whole it is empty, because the version is sealed. The next call signs this
    /// version first, and is done if its own batch is empty.
    ///
    /// # Errors
    /// [`AuthorError`]; [`AuthorError::Repository`] with [`StoreError::NoAuthor`] if
    /// [`SigningKeeper::resume`] was not called.
    fn sign(&mut self, batch: &mut Vec<Operation>) -> Result<Version, AuthorError>;

    /// Returns whether [`SigningKeeper::sign_gathered`] streams changes. Otherwise, it collects
    /// them into a batch.
    fn streams(&self) -> bool {
        false
    }

    /// Signs gathered changes like [`SigningKeeper::sign`], with `batch` for the changes that are
    /// not streamed. Streamed changes are not kept if the signer refuses. `batch` must be empty.
    ///
    /// # Errors
    /// The errors of [`SigningKeeper::sign`]. If the store fails after signing, it accepts no
    /// further writes.
    fn sign_gathered(
        &mut self,
        changes: Changes,
        batch: &mut Vec<Operation>,
    ) -> Result<Version, AuthorError> {
        *batch = changes.into_batch()?;
        self.sign(batch)
    }
}

impl dyn Keeper {
    /// Verifies an update, given as a message, and applies it durably as the next version.
    ///
    /// # Errors
    /// The errors of [`Keeper::stage_message`] and [`Keeper::commit`]. If only the commit fails,
    /// the update stays staged. Call [`Keeper::commit`] to retry.
    pub fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        span!(
            "apply",
            version = self.latest().number(),
            bytes = update.len()
        );
        self.stage_message(update)?;
        self.flush(&[])
    }

    /// Makes staged versions durable with [`Keeper::commit`], then writes derived data with
    /// [`Keeper::settle`].
    ///
    /// # Errors
    /// The errors of [`Keeper::commit`].
    #[doc(hidden)]
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let acknowledged = self.commit(records)?;
        self.settle();
        Ok(acknowledged)
    }

    /// Returns the update that produced a durable version, as a message of any length. Returns
    /// `None` if the update was pruned, or the version does not exist. The update of a tree is
    /// rebuilt from the contents, without operations that changed nothing.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]; [`RepositoryError::Lookup`] if the contents of a tree cannot be
    /// read.
    pub fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, RepositoryError> {
        self.update_within(version, usize::MAX)
    }

    /// Returns the kept versions in which a key changed. The list is not proved to be complete.
    ///
    /// Time, for `v` kept versions: in a tree, `O(log v)` lookups for each change. In a tuple
    /// dictionary, one lookup for each kept version.
    ///
    /// # Errors
    /// [`AnswerError`], with [`AnswerError::NotOffered`] for logs.
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// Returns the keys that differ between two versions. The list is not proved.
    ///
    /// Time: in a tree, proportional to the differences times the depth of the tree. In a tuple
    /// dictionary, linear in the entries of both versions, which are read into memory.
    ///
    /// # Errors
    /// [`AnswerError`], with [`AnswerError::NotOffered`] for logs.
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

    /// Reads the public key of the dictionary from the store's records.
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
    /// The number of versions whose signed heads were verified.
    pub heads: u64,
    /// The number of stored updates that were replayed, each with signature and recomputed root.
    /// Unless the store was pruned, these are all updates since the empty dictionary. `None` for
    /// dictionaries kept as rows or derived ([`Keeper`]), whose contents are checked instead.
    pub replayed: Option<u64>,
    /// The number of kept versions that were checked against their heads. In the oldest and the
    /// latest version, all contents are checked; in the other versions, the changes. In logs, only
    /// a few entries of each version are checked.
    pub proved: u64,
    /// Whether the store contains a checkpoint, which passed its integrity check. Only dictionaries
    /// kept whole have checkpoints.
    pub checkpoint: bool,
    /// Whether no version was pruned. If so, a replay covers all updates since the empty
    /// dictionary.
    pub from_empty: bool,
    /// Whether the check ruled out missing entries in the oldest and the latest kept version.
    /// `false` only for accumulator designs in a pruned store: they are checked by replay, and
    /// their proofs do not establish completeness.
    pub complete: bool,
}

/// The extent to which the contents of one version are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Only the changes that the version's update made.
    Changed,
    /// All contents of the version, and the absence of other entries. In logs, only some keys of
    /// the version's update.
    All,
}
