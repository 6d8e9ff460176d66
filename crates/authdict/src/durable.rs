//! Crash-safe repositories: every accepted update is durable before it is acknowledged.
//!
//! The store holds the signed updates and a checkpoint, so that opening need not replay all of
//! them. Opening restores the checkpoint if its integrity digest is right, then replays newer
//! updates. The replay verifies each signature and recomputes each root, so a damaged update is
//! never accepted. A damaged checkpoint costs a full replay, unless pruning has made it the only
//! copy.
//!
//! A repository that keeps derived data ([`crate::hosted::Derived`]) has no checkpoint, or an empty
//! one after pruning. The data derived from its updates is stored next to the store, and the
//! updates that it lacks are applied again.
//!
//! A repository that keeps its contents itself ([`crate::hosted::RowKeeper`]) has neither updates
//! nor a checkpoint. Instead, the store has a row that locates the contents of the latest version.
//! An update is made again on request.

use core::ops::ControlFlow;

use pad_core::{Key, LookupError, Operation, Untrusted, Version, signature::HeadSigner};
use pad_tree::{Difference, KeyHistory, KeyRange};

use crate::{
    answering::{AnswerError, Noted},
    hosted::{
        AskedRepository, HostedRepository, Keeping, RowKeeper, SignedUpdate, SortedEntries,
        SortedOperations,
    },
    question::{HeadText, Question},
    repository::{RepositoryError, SignError},
    signing_keys::SigningKeys,
    store::{RecordChange, Store, StoreError},
};

mod check;
mod replay;

pub use check::Checked;
use replay::{MOST_WAITING, bring_up, replay};

/// A repository `M`, of any family, made durable by the store `D`.
///
/// ```
/// use authdict::{
///     DictionaryId, Key, Operation, SecretKey, SigningRecord, Value, Version,
///     dynamic::{create_store, open_author, open_repository},
///     selection::{SchemeName, SuiteName},
/// };
///
/// let id = DictionaryId::from_name("prices");
/// let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::RedBlack);
/// let key = SecretKey::from_seed(suite, scheme, id, &[7; 32])?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("prices.pad");
/// create_store(&path, key.public())?;
/// let record = SigningRecord::open(&folder.path().join("signed"))?;
/// let mut author = open_author(&path, &key, record)?;
/// author.stage(vec![Operation::Put(Key::try_from("apple")?, Value::try_from("3")?)])?;
/// author.flush(&[])?;
/// drop(author);
///
/// assert_eq!(open_repository(&path)?.latest(), Version::new(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Durable<M: ?Sized, D> {
    store: D,
    /// Messages of updates that are applied and wait for [`Durable::flush`]. For a repository that
    /// keeps its contents itself, the row of the latest version.
    staged: Vec<Vec<u8>>,
    acknowledged: Version,
    /// The bytes of updates since the last checkpoint, and of that checkpoint.
    since_checkpoint: usize,
    checkpoint_bytes: usize,
    memory: Box<M>,
}

impl<M: HostedRepository + ?Sized, D: Store> Durable<M, D> {
    /// Opens the repository in a store, using `memory`, which must be empty. A new store holds an
    /// empty repository.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if the store does not hold
    /// a whole repository of this setup.
    pub fn open_into(store: D, memory: Box<M>) -> Result<Self, RepositoryError> {
        let mut repository = Self {
            store,
            staged: Vec::new(),
            acknowledged: Version::EMPTY,
            since_checkpoint: 0,
            checkpoint_bytes: 0,
            memory,
        };
        repository.in_one_state(|_| Ok::<_, RepositoryError>(()))?;
        Ok(repository)
    }

    /// Reads the store again and runs `work` on one state of it and of the files next to it.
    ///
    /// The files cannot be pinned at once. If another process published or pruned in between, they
    /// are pinned again. There are at most [`ATTEMPTS`] attempts in total.
    fn in_one_state<T, E: From<RepositoryError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.pin_one_state()?;
        let done = work(self);
        self.store.unpin();
        done
    }

    fn pin_one_state(&mut self) -> Result<(), RepositoryError> {
        let mut attempts = 0;
        loop {
            self.store.pin()?;
            let Err(error) = self.read_pinned() else {
                return Ok(());
            };
            let pinned = self.stand();
            self.store.unpin();
            attempts += 1;
            if attempts == ATTEMPTS || self.stand() == pinned {
                return Err(error);
            }
        }
    }

    /// The latest version and the oldest one of the checkpoint; `None` if the store is unreadable.
    fn stand(&self) -> Option<(Version, Option<Version>)> {
        let checkpoint = self.store.checkpoint().ok()?;
        Some((
            self.store.latest().ok()?,
            checkpoint.map(|kept| kept.oldest),
        ))
    }

    fn read_pinned(&mut self) -> Result<(), RepositoryError> {
        self.acknowledged = self.store.latest()?;
        match self.memory.keeping() {
            Keeping::Rows(rows) => rows.take_up(&self.store)?,
            Keeping::Whole(memory) => {
                if let Some(stored) = self.store.checkpoint()? {
                    self.checkpoint_bytes = stored.bytes.len();
                    // A damaged checkpoint costs a full replay, if all updates are there.
                    let _replayed_from_the_start = !memory.restore(&stored);
                }
                self.since_checkpoint = replay(memory, &self.store)?;
            }
            Keeping::Derived(derived) => bring_up(derived, &self.store)?,
        }
        Ok(())
    }

    /// Takes the write lock if this backend needs it before an update. Writes derived data if too
    /// much of it waits; fails if that cannot be written.
    pub(crate) fn begin(&mut self) -> Result<(), RepositoryError> {
        match self.memory.keeping() {
            Keeping::Rows(rows) => rows.begin(&self.store)?,
            Keeping::Derived(derived) => {
                derived.unpin();
                if self.staged.is_empty() && derived.waiting() > MOST_WAITING {
                    derived.settle()?;
                }
            }
            Keeping::Whole(_) => {}
        }
        Ok(())
    }

    /// Stages what the store keeps of the latest version: its update, or its row.
    fn keep(&mut self, update: impl FnOnce() -> Vec<u8>) -> Result<(), RepositoryError> {
        let version = self.memory.latest();
        let stored = match self.memory.keeping() {
            Keeping::Whole(_) | Keeping::Derived(_) => update(),
            Keeping::Rows(rows) => {
                // Without its row, the version cannot be published.
                let row = rows.row(version).inspect_err(|_| rows.close())?;
                self.staged.clear();
                row
            }
        };
        self.staged.push(stored);
        Ok(())
    }

    /// Verifies an update, given as a message, and makes it the latest version, durably. Its head
    /// is verified before its operations take memory.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    /// [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store fails. If the update is
    /// staged by then, [`Durable::flush`] tries again.
    pub fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.stage_message(update)?;
        self.flush(&[])
    }

    /// Verifies that an update, given as a message, is the next one by its head, and that the
    /// author has signed it. Changes nothing.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`].
    pub fn verify_update(&self, update: &[u8]) -> Result<(), RepositoryError> {
        self.memory.verify_update(update)
    }

    /// Whether the head in an update, given as a message, is that of an existing version. The
    /// signature is not verified. Equal heads imply equal contents, however the version was made.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`]; [`RepositoryError::Lookup`] if the version does not exist.
    pub fn has_update(&self, update: &[u8]) -> Result<bool, RepositoryError> {
        self.memory.has_update(update)
    }

    /// Verifies an update, given as a message, and applies it in memory; [`Durable::flush`] makes
    /// it durable. Its head is verified before its operations take memory.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    /// [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store fails.
    pub fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.memory.verify_update(update)?;
        self.begin()?;
        let version = self.memory.apply_message(update)?;
        self.keep(|| update.to_vec())?;
        Ok(version)
    }

    /// Verifies an update and applies it in memory; [`Durable::flush`] makes it durable.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`], or [`RepositoryError::Unreadable`] if it is of another family:
    /// nothing is changed. [`RepositoryError::Store`], [`RepositoryError::Lookup`] if the store
    /// fails.
    pub fn stage(&mut self, update: &dyn SignedUpdate) -> Result<Version, RepositoryError> {
        self.begin()?;
        let version = self.memory.apply_update(update)?;
        self.keep(|| update.encode())?;
        Ok(version)
    }

    /// Lets a repository that keeps its contents itself sign a batch as its next version;
    /// [`Durable::flush`] makes it durable.
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, and the batch still has the operations that take effect.
    /// If the store fails after the version is signed, the repository is closed.
    pub(crate) fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &HeadSigner,
    ) -> Result<Box<dyn SignedUpdate>, SignError> {
        self.begin()?;
        let update = match self.memory.keeping() {
            Keeping::Rows(rows) => rows.publish(batch, signer)?,
            _ => return Err(RepositoryError::from(NO_AUTHOR).into()),
        };
        self.keep(|| update.encode())?;
        Ok(update)
    }

    /// Like [`Durable::publish`], for a repository that keeps derived data.
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed, and the batch still has the operations that take effect.
    pub(crate) fn publish_with(
        &mut self,
        batch: &mut Vec<Operation>,
        keys: &SigningKeys,
    ) -> Result<Box<dyn SignedUpdate>, SignError> {
        self.begin()?;
        let update = match self.memory.keeping() {
            Keeping::Derived(derived) => derived.publish(batch, keys)?,
            _ => return Err(RepositoryError::from(NO_AUTHOR).into()),
        };
        self.keep(|| update.encode())?;
        Ok(update)
    }

    /// Like [`Durable::publish`], for `number` entries in ascending order of their keys, as the
    /// first contents after an empty version. The entries are not held in memory, and the update is
    /// made again from the stored contents.
    ///
    /// # Errors
    /// [`SignError`]: nothing is changed. If the store fails after the version is signed, the
    /// repository is closed.
    pub(crate) fn load(
        &mut self,
        number: u64,
        entries: &mut SortedEntries<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError> {
        self.publish_row(|rows| rows.load(number, entries, signer))
    }

    /// Like [`Durable::load`], for operations in ascending order of their keys, after a version
    /// that has entries.
    ///
    /// # Errors
    /// Those of [`Durable::load`].
    pub(crate) fn publish_changes(
        &mut self,
        operations: &mut SortedOperations<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError> {
        self.publish_row(|rows| rows.publish_changes(operations, signer))
    }

    /// Stages a version of which the store gets only the row.
    fn publish_row(
        &mut self,
        publish: impl FnOnce(&mut dyn RowKeeper) -> Result<Version, SignError>,
    ) -> Result<Version, SignError> {
        self.begin()?;
        let Keeping::Rows(rows) = self.memory.keeping() else {
            return Err(RepositoryError::from(NO_AUTHOR).into());
        };
        let version = publish(rows)?;
        let row = rows.row(version).inspect_err(|_| rows.close());
        self.staged = vec![row.map_err(RepositoryError::from)?];
        Ok(version)
    }

    /// Makes all staged updates and these records durable, all or nothing. Returns the version
    /// thereby acknowledged.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]: the updates stay staged. Only reopening the store shows whether
    /// it has them.
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let acknowledged = self.flush_and_go_on(records)?;
        self.settle();
        Ok(acknowledged)
    }

    /// Like [`Durable::flush`], but defers derived data; for loops of commits. It is written by
    /// [`Durable::checkpoint`] or [`Durable::flush`] at the latest. Until then, opening the store
    /// applies the updates again.
    ///
    /// # Errors
    /// Those of [`Durable::flush`].
    pub fn flush_and_go_on(
        &mut self,
        records: &[RecordChange],
    ) -> Result<Version, RepositoryError> {
        if !self.staged.is_empty() || !records.is_empty() {
            self.publish_staged(records)?;
            self.acknowledged = self.memory.latest();
            self.staged.clear();
        }
        // Checkpoints at doubling distances cost in total as much as the updates do.
        if self.since_checkpoint > self.checkpoint_bytes.max(LEAST_CHECKPOINT_DISTANCE) {
            // The updates are durable already, so a failure here does not fail them. The next
            // opening replays more, and the next flush tries again.
            drop(self.checkpoint());
        }
        Ok(self.acknowledged)
    }

    /// Writes the data derived from published updates, where it is stored next to the store.
    fn settle(&mut self) {
        if let Keeping::Derived(derived) = self.memory.keeping() {
            // A failure is ignored, as for a checkpoint: the updates are durable, and the next
            // opening applies them again.
            drop(derived.settle());
        }
    }

    fn publish_staged(&mut self, records: &[RecordChange]) -> Result<(), StoreError> {
        let (before, latest) = (self.acknowledged, self.memory.latest());
        if let Keeping::Rows(rows) = self.memory.keeping() {
            rows.synchronise()?;
            return match self.staged.last() {
                Some(row) => self.store.publish_row(before, latest, row, records),
                None if latest == before => self.store.write_records(records),
                None => Err(StoreError::Closed),
            };
        }
        let first = Version::new(before.number().saturating_add(1));
        self.store.publish(first, &self.staged, records)?;
        self.since_checkpoint += self.staged.iter().map(Vec::len).sum::<usize>();
        Ok(())
    }

    /// Writes a checkpoint, so that the next opening has nothing to replay. A repository that keeps
    /// its contents itself needs none. For one with derived data, that data is written; if this
    /// fails, the next opening does it.
    ///
    /// # Errors
    /// [`RepositoryError::Store`].
    pub fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        if !self.staged.is_empty() {
            self.flush(&[])?;
        }
        let Keeping::Whole(memory) = self.memory.keeping() else {
            self.settle();
            self.since_checkpoint = 0;
            return Ok(());
        };
        let checkpoint = memory.checkpoint();
        self.store.put_checkpoint(&checkpoint)?;
        self.checkpoint_bytes = checkpoint.bytes.len();
        self.since_checkpoint = 0;
        Ok(())
    }

    /// Drops the contents of all versions before `oldest`, and frees their space.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist, and for logs, which keep all
    /// versions; [`RepositoryError::Store`]. With [`StoreError::NotRemoved`] in it the versions are
    /// dropped, but some of their space is not freed.
    pub fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.check_acknowledged(oldest)?;
        if !self.staged.is_empty() {
            self.flush(&[])?;
        }
        match self.memory.keeping() {
            Keeping::Whole(memory) => {
                memory.prune(oldest)?;
                self.checkpoint()?;
            }
            Keeping::Rows(rows) => match rows.prune(oldest, &mut self.store) {
                // The versions are dropped nevertheless.
                left @ Err(RepositoryError::Store(StoreError::NotRemoved(_))) => {
                    self.store.compact()?;
                    return left;
                }
                pruned => pruned?,
            },
            Keeping::Derived(derived) => {
                derived.unpin();
                let pruned = derived.prune(oldest)?;
                self.store.put_checkpoint(&pruned)?;
            }
        }
        self.store.compact()?;
        Ok(())
    }

    /// Rewrites the inner nodes of the latest version together, where a repository keeps its
    /// contents in a file. Nodes that version `since` already had are left in place.
    ///
    /// Lookups in later versions then read as few blocks as after a bulk load. Nothing else
    /// changes. [`Durable::prune`] frees the space of the duplicate nodes. Returns the number of
    /// bytes written, and reports it to `note` now and then.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version does not exist; [`RepositoryError::Store`], with
    /// [`StoreError::CannotCompact`] where there are no such files.
    pub fn compact(
        &mut self,
        since: Version,
        note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        self.check_acknowledged(since)?;
        if !self.staged.is_empty() {
            self.flush(&[])?;
        }
        match self.memory.keeping() {
            Keeping::Whole(_) | Keeping::Derived(_) => Err(StoreError::CannotCompact.into()),
            Keeping::Rows(rows) => rows.compact(since, &mut self.store, note),
        }
    }

    /// The latest acknowledged version.
    pub const fn latest(&self) -> Version {
        self.acknowledged
    }

    /// The oldest version that can be asked about.
    pub fn oldest(&self) -> Version {
        self.memory.oldest()
    }

    /// The update that led to an acknowledged version, as a message; `None` if it was pruned, or
    /// the version does not exist.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]; [`RepositoryError::Lookup`] if it has to be made again, and its
    /// source cannot be read.
    pub fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, RepositoryError> {
        self.update_within(version, usize::MAX)
    }

    /// Like [`Durable::update_message`]. An update that has to be made again may have at most
    /// `most` bytes of keys and values.
    ///
    /// # Errors
    /// Those of [`Durable::update_message`]; [`LookupError::TooLong`].
    pub fn update_within(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, RepositoryError> {
        if version <= self.oldest() || version > self.acknowledged {
            return Ok(None);
        }
        match self.memory.update_message(version, most)? {
            Some(made_again) => Ok(Some(made_again)),
            None => Ok(self.store.update(version)?),
        }
    }

    /// The author's head of an acknowledged version as text.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    pub fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        self.check_acknowledged(version)?;
        self.memory.head_text(version)
    }

    /// The author's head of an acknowledged version as a message, a [`pad_core::SignedHead`].
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    pub fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        self.check_acknowledged(version)?;
        self.memory.head_message(version)
    }

    /// The proof that a newer head continues an older one, as a message.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is below `newer`, which is acknowledged.
    pub fn consistency_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Vec<u8>, LookupError> {
        self.check_acknowledged(newer)?;
        self.memory.consistency_message(older, newer)
    }

    /// The proof that the contents of a newer version contain those of an older one, as a message;
    /// `None` where entries can be removed.
    ///
    /// # Errors
    /// [`LookupError`] unless `newer` is acknowledged and, where there is a proof, `older` is at
    /// most `newer`.
    pub fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        self.check_acknowledged(newer)?;
        self.memory.append_only_message(older, newer)
    }

    /// The statements of a newer version's head about an older version, each as the body of a
    /// [`pad_core::contradiction::Past`]: for [`crate::client_view::StoredView::accuse`].
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and below `newer`, which is acknowledged.
    pub fn past_messages(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Vec<Vec<u8>>, LookupError> {
        self.check_acknowledged(newer)?;
        self.memory.past_messages(older, newer)
    }

    /// The answer to a question about an acknowledged version, as the message of a
    /// [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`], with [`LookupError::NotDurable`] if a newer version waits for
    /// [`Durable::flush`] and a proof could vouch for it.
    pub fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        self.check_provable(version)?;
        self.memory.answer(version, question)
    }

    /// The first page of a range, with about `bytes` bytes of entries. The next page begins at its
    /// end. Returns the whole range where a family has no pages. The page's bounds are not proved;
    /// the contents of each page are.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        self.check_acknowledged(version)?;
        self.memory.page(version, range, bytes)
    }

    /// The proof in the answer to a lookup, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`], with [`LookupError::NotDurable`] like [`Durable::answer`].
    pub fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        self.check_provable(version)?;
        self.memory.proof_body(version, key)
    }

    /// The versions in which a key changed, without proof that none is missing.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// Like [`Durable::history`], for the versions up to `last`, within about `lookups` lookups.
    /// The page covers at least one version. It ends at [`KeyHistory::since`], where the next page
    /// continues. Versions that are not acknowledged are left out.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        let last = last.min(self.acknowledged);
        self.memory.history_page(key, last, lookups)
    }

    /// The keys that differ between two versions, without proof.
    ///
    /// Memory: that of the list. [`Durable::differences`] needs no list.
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

    /// Passes the keys that differ between two versions to `note`, in ascending order and without
    /// proof, until `note` stops.
    ///
    /// Time and memory for trees: proportional to the number of differing keys and the depth of the
    /// tree, and a path. For tuples: the contents of both versions.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        self.check_acknowledged(before.max(after))?;
        self.memory.differences(before, after, note)
    }

    /// The number of entries of the latest version in memory.
    pub fn entries(&self) -> usize {
        self.memory.entries()
    }

    /// The bytes of memory for contents, heads and history. Where contents are read on demand, only
    /// cached blocks or rows not yet written.
    pub fn memory_bytes(&self) -> usize {
        self.memory.memory_bytes()
    }

    /// The repository in memory, which may be ahead of the acknowledged version. Its proofs must
    /// not be handed out before [`Durable::flush`].
    pub(crate) const fn memory(&self) -> &M {
        &self.memory
    }

    pub(crate) const fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The store.
    pub const fn store(&self) -> &D {
        &self.store
    }

    /// The store, for checking or compacting.
    pub const fn store_mut(&mut self) -> &mut D {
        &mut self.store
    }

    /// Refuses versions that are not acknowledged. Refuses all versions while a proof could reveal
    /// something about an unacknowledged one.
    ///
    /// An author that loses a staged version in a crash signs another one instead. A superseding
    /// signature made for the lost version would vouch for the wrong contents.
    pub(crate) fn check_provable(&self, version: Version) -> Result<(), LookupError> {
        self.check_acknowledged(version)?;
        let staged = self.memory.latest();
        if self.memory.evidence_outlives_version() && staged > self.acknowledged {
            return Err(LookupError::NotDurable { version: staged });
        }
        Ok(())
    }

    pub(crate) fn check_acknowledged(&self, version: Version) -> Result<(), LookupError> {
        let latest = self.acknowledged;
        if version > latest {
            return Err(LookupError::UnknownVersion { version, latest });
        }
        Ok(())
    }
}

/// An error for repositories kept as a whole: their author has its own copy of the contents.
const NO_AUTHOR: StoreError =
    StoreError::Damaged("it does not hold a repository that can be signed for so");

/// The maximum number of attempts to read a store that others keep changing.
const ATTEMPTS: usize = 16;

/// The bytes of updates that opening may always have to replay.
const LEAST_CHECKPOINT_DISTANCE: usize = 16 << 20;

/// Calls the methods of the same names.
impl<M: HostedRepository + ?Sized, D: Store> AskedRepository for Durable<M, D> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        self.head_text(version)
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        self.head_message(version)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        self.consistency_message(older, newer)
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        self.append_only_message(older, newer)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        self.past_messages(older, newer)
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        self.answer(version, question)
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        self.page(version, range, bytes)
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        self.proof_body(version, key)
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.history_page(key, last, lookups)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        self.differences(before, after, note)
    }
}
