//! Dictionaries kept whole: the store contains signed updates, and occasional checkpoints of the
//! whole state.

use std::collections::BTreeMap;

use pad_core::{Key, LookupError, Operation, Value, VerifyError, Version};

use super::{
    CheckSummary, Keeper, Replica as _, SigningKeeper,
    family::{FamilyKeeper, ProvingRepository, apply, replay},
};
use crate::{
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    store::{RecordChange, StoreError, StoredCheckpoint},
};

/// A repository in memory. Its store contains a checkpoint, if one was written, and all later
/// updates.
///
/// Laws:
///
/// 1. A repository restored from a checkpoint answers like the original, and accepts the same
///    updates.
/// 2. The result of [`Self::emptied`] reaches the state of the original repository if the same
///    updates are applied to it.
pub(crate) trait CheckpointedRepository: ProvingRepository {
    /// Drops the contents of all versions before `oldest`. The heads of these versions are kept.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or nothing can be pruned.
    fn drop_before(&mut self, oldest: Version) -> Result<(), LookupError>;

    /// Returns the encoded state of the repository, with a digest that detects damage.
    fn to_checkpoint(&self) -> StoredCheckpoint;

    /// Creates the repository stored in a checkpoint. Returns `None` if the checkpoint is damaged,
    /// or was written with other keys or parameters than this repository's.
    fn restored(&self, checkpoint: &StoredCheckpoint) -> Option<Self>;

    /// Creates a repository without versions, with the keys and parameters of this repository.
    fn emptied(&self) -> Self;

    /// Creates an author that continues from the latest version, with its own copy of the contents.
    fn resumed(&self, keys: &SigningKeys) -> Result<Self::Author, AuthorError>;

    /// Returns the last version that the author signed or sealed, and whether it is sealed only.
    /// The contents of a sealed version are fixed, but its signature is missing.
    fn last_sealed(author: &Self::Author) -> (Version, bool);

    /// Signs a batch and applies the resulting update. If a sealed version still lacks its
    /// signature, that version is signed instead. Returns the update as a message.
    ///
    /// # Errors
    /// [`AuthorError`]. If the version is already sealed, the next call retries to sign it.
    fn sign_with(
        &mut self,
        author: &mut Self::Author,
        batch: Vec<Operation>,
    ) -> Result<Vec<u8>, AuthorError>;

    /// Returns the contents of a version, for families whose proofs cannot establish that no entry
    /// is missing. Returns `None` for other families.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn unproved_contents(&self, version: Version) -> Result<Option<Entries>, LookupError>;

    /// Returns whether the state of this repository equals the state of `replayed`, which was built
    /// from all updates up to the same version. Needed for families in which proofs of a few keys
    /// do not establish that the states are equal.
    fn is_as_replayed(&self, replayed: &Self) -> bool;
}

/// All keys of one version, each with its value.
pub(crate) type Entries = BTreeMap<Key, Value>;

/// The size of the updates since the last checkpoint, and the size of that checkpoint, to decide
/// when the next checkpoint is due.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Distance {
    /// The total size of all updates since the last checkpoint, in bytes.
    updates: usize,
    /// The size of the last checkpoint in bytes.
    checkpoint: usize,
}

impl Distance {
    /// Returns whether a checkpoint is due: the updates since the last checkpoint are larger than
    /// that checkpoint, and than [`LEAST_CHECKPOINT_DISTANCE`]. Checkpoints at doubling distances
    /// cost in total about as much as the updates.
    fn is_far(self) -> bool {
        self.updates > self.checkpoint.max(LEAST_CHECKPOINT_DISTANCE)
    }
}

impl<R: CheckpointedRepository> FamilyKeeper<R> {
    fn read(&mut self) -> Result<(), RepositoryError> {
        if let Some(stored) = self.store.checkpoint()? {
            self.distance.checkpoint = stored.bytes.len();
            // A damaged checkpoint costs a full replay, if the store still contains all updates.
            if let Some(restored) = self.repository.restored(&stored) {
                self.repository = restored;
            }
        }
        self.distance.updates = replay(&mut self.repository, &*self.store, |_| ())?;
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
            if self.repository.head(version).ok() != replayed.head(version).ok() {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(latest)
    }

    /// Compares this repository with `replayed`, the result of replaying the updates, to find
    /// missing entries in the oldest and latest versions. `from_empty` states whether the replay
    /// began at the empty dictionary. Returns whether missing entries are ruled out
    /// ([`CheckSummary::complete`]).
    fn check_completeness(&self, replayed: &R, from_empty: bool) -> Result<bool, CheckError> {
        let same_version = replayed.latest() == self.latest();
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

    fn resume(&mut self, keys: SigningKeys) -> Result<(), AuthorError> {
        self.author = Some(self.repository.resumed(&keys)?);
        Ok(())
    }

    fn sign(&mut self, batch: &mut Vec<Operation>) -> Result<Version, AuthorError> {
        let author = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        let (sealed, is_unsigned) = R::last_sealed(author);
        if sealed != self.repository.latest() {
            return Err(AuthorError::Diverged);
        }
        if is_unsigned {
            self.sign_next(Vec::new())?;
        }
        if !(is_unsigned && batch.is_empty()) {
            let signed = self.sign_next(batch.clone());
            let is_sealed = |author: &R::Author| R::last_sealed(author).1;
            if signed.is_ok() || self.author.as_ref().is_some_and(is_sealed) {
                batch.clear();
            }
            signed?;
        }
        Ok(self.repository.latest())
    }
}

impl<R: CheckpointedRepository> Keeper for FamilyKeeper<R> {
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.verify_update(update)?;
        let version = apply(&mut self.repository, update)?;
        self.staged.push(update.to_vec());
        Ok(version)
    }

    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        let bytes = self.staged.iter().map(Vec::len).sum::<usize>();
        self.publish_updates(records)?;
        self.distance.updates += bytes;
        if self.distance.is_far() {
            // The updates are already durable, so a failure here is ignored. The next opening
            // replays more updates, and the next commit retries.
            drop(self.checkpoint());
        }
        Ok(self.acknowledged)
    }

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
        let before = replayed.latest().number();
        replay(&mut replayed, &*self.store, |_| ())?;
        let heads = self.check_heads(&replayed)?;
        let proved = self.check_contents()?;
        let complete = self.check_completeness(&replayed, from_empty)?;
        let replayed = replayed.latest().number() - before;
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

/// A checkpoint is due only if the updates since the last checkpoint exceed this size, in bytes.
const LEAST_CHECKPOINT_DISTANCE: usize = 16 << 20;
