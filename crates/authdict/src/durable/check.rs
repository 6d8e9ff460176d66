//! Check of a whole store, trusting the author's public key only.

use pad_core::{VerifyError, Version};

use super::{Durable, replay::replay};
use crate::{
    hosted::{Contents, HostedRepository, Keeping},
    repository::CheckError,
    store::{Store, StoreError},
};

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of versions whose signed heads verify.
    pub heads: u64,
    /// The number of stored updates that were replayed, each with signature and recomputed root.
    /// They are all updates from the empty dictionary on, unless the store was pruned. `None` for
    /// repositories that keep their contents themselves or derived data: their contents are checked
    /// instead.
    pub replayed: Option<u64>,
    /// The number of kept versions that were checked against their heads: all contents of the oldest
    /// and the latest one, and the changes of the others. Of logs, a few entries of each.
    pub proved: u64,
    /// Whether the store has a checkpoint, which passed its integrity check. `false` for
    /// repositories that keep their contents themselves or derived data.
    pub checkpoint: bool,
    /// Whether no version was pruned. Where updates are replayed, all were, from the empty
    /// dictionary on.
    pub from_empty: bool,
    /// Whether the contents of the oldest and the latest kept version are known to be complete.
    /// Proofs of designs with accumulators do not show that; the replay from the empty dictionary
    /// does.
    pub complete: bool,
}

impl<M: HostedRepository + ?Sized, D: Store> Durable<M, D> {
    /// Checks everything in the store:
    ///
    /// 1. the storage engine's own structure, and the checkpoint's integrity digest;
    /// 2. the signature of every version's head, pruned versions included, and the history in it;
    /// 3. every stored update, replayed from the empty dictionary, or after pruning from the
    ///    checkpoint (not for repositories that keep their contents themselves or derived data);
    /// 4. of logs, every node and certificate in the checkpoint, by making it anew;
    /// 5. all contents of the oldest and the latest kept version, and in every other kept version
    ///    what its update changed. They are checked by proofs against the heads. Where the
    ///    repository keeps its contents itself, they are hashed up to the signed roots. Logs prove
    ///    only a few entries of an update.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    pub fn check(&mut self) -> Result<Checked, CheckError> {
        self.store_mut().check()?;
        let from_empty = self.oldest() == Version::EMPTY;
        let has_staged = !self.staged.is_empty();
        let memory = match self.memory_mut().keeping() {
            Keeping::Whole(memory) => memory,
            Keeping::Rows(_) => return self.check_kept(),
            // Staged updates are in this memory only.
            Keeping::Derived(_) if has_staged => return self.check_derived(),
            Keeping::Derived(_) => return self.in_one_state(Self::check_derived),
        };
        let (mut replayed, mut second) = (memory.emptied(), memory.emptied());
        let stored = self.store().checkpoint()?;
        let checkpoint = stored.is_some();
        if let Some(stored) = stored {
            let is_restored = match replayed.keeping() {
                Keeping::Whole(replayed) => replayed.restore(&stored),
                Keeping::Rows(_) | Keeping::Derived(_) => false,
            };
            if !is_restored {
                return Err(StoreError::Damaged(
                    "its checkpoint does not pass the integrity check",
                )
                .into());
            }
            if from_empty {
                core::mem::swap(&mut replayed, &mut second);
            }
        }
        let before = replayed.latest().number();
        replay(&mut *replayed, self.store())?;
        let heads = self.check_heads(&*replayed)?;
        let proved = self.check_contents()?;
        let complete = self.check_completeness(&mut *replayed, from_empty)?;
        let replayed = replayed.latest().number() - before;
        Ok(Checked {
            heads,
            replayed: Some(replayed),
            proved,
            checkpoint,
            from_empty,
            complete,
        })
    }

    /// Whether the contents of the oldest and the latest version are known to be complete.
    fn check_completeness(
        &self,
        replayed: &mut dyn HostedRepository,
        from_empty: bool,
    ) -> Result<bool, CheckError> {
        let same_version = replayed.latest() == self.latest();
        let is_same = match replayed.keeping() {
            Keeping::Whole(replayed) => self.memory().is_as_replayed(replayed),
            Keeping::Rows(_) | Keeping::Derived(_) => true,
        };
        if from_empty && same_version && !is_same {
            let mismatch = VerifyError::RootMismatch;
            return Err(CheckError::Version(self.latest(), mismatch));
        }
        let mut complete = true;
        let oldest = Version::new(self.oldest().number().max(1));
        for version in [oldest, self.latest()] {
            if version > self.latest() {
                continue;
            }
            let Some(contents) = self.memory().unproved_contents(version)? else {
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

    /// Checks a repository that keeps its contents itself, and no updates.
    fn check_kept(&mut self) -> Result<Checked, CheckError> {
        let (oldest, latest) = (self.oldest().number().max(1), self.latest().number());
        if let Keeping::Rows(rows) = self.memory_mut().keeping() {
            rows.check_heads()?;
        }
        for version in (oldest..=latest).map(Version::new) {
            if version.number() == oldest || version.number() == latest {
                self.memory().check_version(version, None, Contents::All)?;
            } else if let Keeping::Rows(rows) = self.memory_mut().keeping() {
                rows.check_changes(version)?;
            }
        }
        Ok(Checked {
            heads: latest,
            replayed: None,
            proved: (latest + 1).saturating_sub(oldest),
            checkpoint: false,
            from_empty: self.oldest() == Version::EMPTY,
            complete: true,
        })
    }

    /// Checks a repository that keeps derived data, whose heads are stored with it.
    fn check_derived(&mut self) -> Result<Checked, CheckError> {
        if let Keeping::Derived(derived) = self.memory_mut().keeping() {
            derived.check_heads()?;
        }
        for number in self.oldest().number() + 1..=self.latest().number() {
            if self.store().update(Version::new(number))?.is_none() {
                return Err(StoreError::Damaged("an update is missing").into());
            }
        }
        Ok(Checked {
            heads: self.latest().number(),
            replayed: None,
            proved: self.check_contents()?,
            checkpoint: false,
            from_empty: self.oldest() == Version::EMPTY,
            complete: true,
        })
    }

    fn check_heads(&self, replayed: &dyn HostedRepository) -> Result<u64, CheckError> {
        let latest = self.latest().number();
        for version in (1..=latest).map(Version::new) {
            self.memory().check_head(version)?;
            if self.head_message(version).ok() != replayed.head_message(version).ok() {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(latest)
    }

    fn check_contents(&self) -> Result<u64, CheckError> {
        let (oldest, latest) = (self.oldest().number().max(1), self.latest().number());
        for number in oldest..=latest {
            let version = Version::new(number);
            let contents = if number == oldest || number == latest {
                Contents::All
            } else {
                Contents::Changed
            };
            let update = self.update_message(version)?;
            self.memory()
                .check_version(version, update.as_deref(), contents)?;
        }
        Ok((latest + 1).saturating_sub(oldest))
    }
}
