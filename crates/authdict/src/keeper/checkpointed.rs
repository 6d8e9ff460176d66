//! Dictionaries kept whole: signed updates, and occasional checkpoints of the whole state.

use std::collections::BTreeMap;

use pad_core::{Key, LookupError, Operation, Value, VerifyError, Version};

use super::{
    CheckSummary, Keeper, Replica as _, SigningKeeper,
    family::{FamilyKeeper, FamilyRepository, replay},
};
use crate::{
    changes::Changes,
    keys::SecretKey,
    repository::{AuthorError, CheckError, RepositoryError},
    store::{RecordChange, Store as _, StoreError, StoredCheckpoint},
};

/// A repository in memory that is stored as a checkpoint and the updates after it.
///
/// Laws:
///
/// 1. A repository and its copy restored from a checkpoint give equal answers and accept the same
///    updates.
/// 2. An emptied repository reaches the same state by the same updates.
pub(crate) trait CheckpointedRepository: FamilyRepository {
    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or nothing can be pruned.
    fn drop_before(&mut self, oldest: Version) -> Result<(), LookupError>;

    /// The state of the repository, with the digest that protects it.
    fn to_checkpoint(&self) -> StoredCheckpoint;

    /// The repository in a checkpoint; `None` if the checkpoint is damaged or of another setup.
    fn restored(&self, checkpoint: &StoredCheckpoint) -> Option<Self>;

    /// A repository of the same setup with no versions.
    fn emptied(&self) -> Self;

    /// The author that continues from the latest version, with its own copy of the contents.
    ///
    /// # Errors
    /// [`AuthorError`].
    fn resumed(&self, key: &SecretKey) -> Result<Self::Author, AuthorError>;

    /// The last version that the author signed or sealed, and whether its signature is still
    /// missing.
    fn last_sealed(author: &Self::Author) -> (Version, bool);

    /// Lets the author sign a batch, or the snapshot that it sealed before, and applies the result.
    /// Returns the update as a message.
    ///
    /// # Errors
    /// [`AuthorError`]; the next call then retries to sign a sealed snapshot.
    fn sign_with(
        &mut self,
        author: &mut Self::Author,
        batch: Vec<Operation>,
    ) -> Result<Vec<u8>, AuthorError>;

    /// The contents of a version, where proofs cannot establish that no entry is missing. `None`
    /// where proofs can.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn unproved_contents(&self, version: Version) -> Result<Option<Entries>, LookupError>;

    /// Whether the state equals the state of `replayed`, which was built from all updates up to the
    /// same version. For families in which proofs about a few keys do not establish it.
    fn is_as_replayed(&self, replayed: &Self) -> bool;
}

/// The contents of a version.
pub(crate) type Entries = BTreeMap<Key, Value>;

/// The length of the updates since the last checkpoint, compared with the checkpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Distance {
    /// The bytes of updates since the last checkpoint.
    updates: usize,
    /// The bytes of that checkpoint.
    checkpoint: usize,
}

impl Distance {
    /// Reports whether a checkpoint is due. Checkpoints at doubling distances cost in total as much
    /// as the updates.
    fn is_far(self) -> bool {
        self.updates > self.checkpoint.max(LEAST_CHECKPOINT_DISTANCE)
    }
}

impl<R: CheckpointedRepository> FamilyKeeper<R> {
    fn read(&mut self) -> Result<(), RepositoryError> {
        if let Some(stored) = self.store.checkpoint()? {
            self.distance.checkpoint = stored.bytes.len();
            // A damaged checkpoint costs a full replay, if all updates are there.
            if let Some(restored) = self.repository.restored(&stored) {
                self.repository = restored;
            }
        }
        self.distance.updates = replay(&mut self.repository, &self.store, |_| ())?;
        Ok(())
    }

    fn sign_next(&mut self, batch: Vec<Operation>) -> Result<(), AuthorError> {
        let author = self.author.as_mut().ok_or(StoreError::NoAuthor)?;
        let update = self.repository.sign_with(author, batch)?;
        self.staged.push(update);
        Ok(())
    }

    fn check_heads(&self, replayed: &R) -> Result<u64, CheckError> {
        let latest = self.latest().number();
        for version in (1..=latest).map(Version::new) {
            self.check_head(version)?;
            if self.repository.signed_head(version).ok() != replayed.signed_head(version).ok() {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(latest)
    }

    /// Whether missing entries in the oldest and the latest version are ruled out
    /// ([`CheckSummary::complete`]).
    fn check_completeness(&self, replayed: &R, from_empty: bool) -> Result<bool, CheckError> {
        let same_version = replayed.latest_version() == self.latest();
        if from_empty && same_version && !self.repository.is_as_replayed(replayed) {
            let mismatch = VerifyError::RootMismatch;
            return Err(CheckError::Version(self.latest(), mismatch));
        }
        let mut complete = true;
        let oldest = Version::new(self.oldest().number().max(1));
        for version in [oldest, self.latest()] {
            if version > self.latest() {
                continue;
            }
            let Some(contents) = self.repository.unproved_contents(version)? else {
                continue;
            };
            if !from_empty {
                complete = false;
            } else if replayed.unproved_contents(version)?.as_ref() != Some(&contents) {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(complete)
    }
}

impl<R: CheckpointedRepository> SigningKeeper for FamilyKeeper<R> {
    fn open(&mut self) -> Result<(), RepositoryError> {
        self.in_one_state(Self::read, |_| Ok(()))
    }

    fn resume(&mut self, key: &SecretKey) -> Result<(), AuthorError> {
        self.author = Some(self.repository.resumed(key)?);
        Ok(())
    }

    fn sign(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError> {
        let author = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        let (sealed, is_unsigned) = R::last_sealed(author);
        if sealed != self.repository.latest_version() {
            return Err(AuthorError::Diverged);
        }
        self.waiting.extend(batch);
        if is_unsigned {
            // A snapshot of an earlier call, whose signer failed, becomes a version of its own.
            self.sign_next(Vec::new())?;
        }
        let batch = core::mem::take(&mut self.waiting);
        self.sign_next(batch)?;
        Ok(self.repository.latest_version())
    }

    fn streams(&self) -> bool {
        false
    }

    fn sign_gathered(&mut self, changes: Changes) -> Result<Version, AuthorError> {
        self.sign(changes.into_batch()?)
    }
}

impl<R: CheckpointedRepository> Keeper for FamilyKeeper<R> {
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.verify_head_of(update)?;
        let version = self.apply(update)?;
        self.staged.push(update.to_vec());
        Ok(version)
    }

    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let bytes = self.staged.iter().map(Vec::len).sum::<usize>();
        self.publish_updates(records)?;
        self.distance.updates += bytes;
        if self.distance.is_far() {
            // The updates are durable already, so a failure here is ignored. The next opening
            // replays more, and the next commit retries.
            drop(self.checkpoint());
        }
        Ok(self.acknowledged)
    }

    /// There is no derived data.
    fn settle(&mut self) {}

    fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        self.publish_updates(&[])?;
        let checkpoint = self.repository.to_checkpoint();
        self.store.put_checkpoint(&checkpoint)?;
        self.distance = Distance {
            updates: 0,
            checkpoint: checkpoint.bytes.len(),
        };
        Ok(())
    }

    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.check_acknowledged(oldest)?;
        self.commit(&[])?;
        self.repository.drop_before(oldest)?;
        self.checkpoint()?;
        Ok(self.store.compact()?)
    }

    fn compact(&mut self, _: Version, _: &mut dyn FnMut(u64)) -> Result<u64, RepositoryError> {
        Err(StoreError::CannotCompact.into())
    }

    fn check(&mut self) -> Result<CheckSummary, CheckError> {
        self.store.check()?;
        let from_empty = self.oldest() == Version::EMPTY;
        let mut replayed = self.repository.emptied();
        let stored = self.store.checkpoint()?;
        let checkpoint = stored.is_some();
        if let Some(stored) = stored {
            let Some(restored) = replayed.restored(&stored) else {
                return Err(StoreError::Damaged("the checkpoint fails the integrity check").into());
            };
            if !from_empty {
                replayed = restored;
            }
        }
        let before = replayed.latest_version().number();
        replay(&mut replayed, &self.store, |_| ())?;
        let heads = self.check_heads(&replayed)?;
        let proved = self.check_contents()?;
        let complete = self.check_completeness(&replayed, from_empty)?;
        let replayed = replayed.latest_version().number() - before;
        Ok(CheckSummary {
            heads,
            replayed: Some(replayed),
            proved,
            checkpoint,
            from_empty,
            complete,
        })
    }
}

/// The bytes of updates that opening may always have to replay.
const LEAST_CHECKPOINT_DISTANCE: usize = 16 << 20;
