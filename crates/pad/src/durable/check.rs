//! The check of a whole store, trusting the author's public key only.

use pad_core::{VerifyError, Version};

use super::{Durable, replay::replay};
use crate::{
    hosted::{Contents, HostedRepository, Keeping},
    repository::CheckError,
    store::{Store, StoreError},
};

/// What a check went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The versions whose signed heads verify.
    pub heads: u64,
    /// The stored updates that were replayed, each with signature and recomputed root: all of them
    /// from the empty dictionary on, unless the store was pruned.
    /// `None` for a repository that keeps its contents itself, which has none.
    pub replayed: Option<u64>,
    /// The kept versions whose contents were proved against their heads.
    pub proved: u64,
    /// Whether the store has a checkpoint, which then passed its integrity check.
    pub checkpoint: bool,
    /// Whether everything was replayed from the empty dictionary.
    pub from_empty: bool,
    /// Whether nothing is missing from the contents of the oldest and the latest kept version. Proofs of
    /// designs with accumulators do not show that; the replay from the empty dictionary does.
    pub complete: bool,
}

impl<M: HostedRepository + ?Sized, D: Store> Durable<M, D> {
    /// Checks everything the store holds:
    ///
    /// 1. the storage engine's own structure, and the checkpoint's integrity digest;
    /// 2. the signature of every version's head, pruned versions included, and the history in it;
    /// 3. every stored update, replayed from the empty dictionary, or after pruning from the
    ///    checkpoint; a repository that keeps its contents itself has none, and its contents are read instead;
    /// 4. of logs, every node and certificate in the checkpoint, by making it anew;
    /// 5. the contents of the oldest and the latest kept version, all of them, and in every kept
    ///    version what its stored update changed, by proofs against the heads, or where the repository keeps
    ///    its contents itself by hashing them up to the signed roots.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    pub fn check(&mut self) -> Result<Checked, CheckError> {
        self.store_mut().check()?;
        let from_empty = self.oldest() == Version::EMPTY;
        let has_staged = !self.staged.is_empty();
        let memory = match self.memory_mut().keeping() {
            Keeping::Whole(memory) => memory,
            Keeping::Rows(_) => return self.check_kept(),
            // What is staged is in this memory only.
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

    /// Whether it is known that the contents of the oldest and the latest version lack nothing.
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

    /// The same of a repository that keeps its contents itself, and no updates.
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

    /// The same of a repository that keeps what follows from its updates, whose heads are checked.
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
