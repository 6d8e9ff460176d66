//! The check of a whole store, trusting the author's public key only.

use pad_core::{
    LookupError, Operation, SnapshotHead, Untrusted, Update, Verified, VerifyError, Version, codec,
    head::Authority,
};
use pad_tree::Keys;

use crate::{
    answering::AnsweringRepository,
    repository::{DurableRepository, RepositoryError, replay, restore},
    store::{Store, StoreError},
};

/// A store does not hold what its author signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The store cannot be read, or a stored update does not verify.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// A kept version does not verify.
    #[error("version {0}: {1}")]
    Version(Version, #[source] VerifyError),
}

impl From<LookupError> for CheckError {
    fn from(error: LookupError) -> Self {
        Self::Repository(error.into())
    }
}

impl From<StoreError> for CheckError {
    fn from(error: StoreError) -> Self {
        Self::Repository(error.into())
    }
}

/// What a check went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The versions whose signed heads verify.
    pub heads: u64,
    /// The stored updates that were replayed, each with signature and recomputed root: all of them
    /// from the empty dictionary on, unless the store was pruned.
    pub replayed: u64,
    /// The kept versions whose contents were proved against their heads.
    pub proved: u64,
    /// Whether the store has a checkpoint, which then passed its integrity check.
    pub checkpoint: bool,
    /// Whether everything was replayed from the empty dictionary.
    pub from_empty: bool,
}

impl<R: AnsweringRepository, D: Store> DurableRepository<R, D> {
    /// Checks everything the store holds:
    ///
    /// 1. the storage engine's own structure, and the checkpoint's integrity digest;
    /// 2. the signature of every version's head, pruned versions included, and the history in it;
    /// 3. every stored update, replayed from the empty dictionary, or after pruning from the
    ///    checkpoint;
    /// 4. the contents of the oldest and the latest kept version, all of them, and in every kept
    ///    version what its stored update changed, by proofs against the heads.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    pub fn check(&mut self) -> Result<Checked, CheckError> {
        self.store_mut().check()?;
        let authority = *self.memory().authority();
        let stored = self.store().checkpoint()?;
        let checkpoint = stored.is_some();
        let restored = stored.map(|stored| {
            restore::<R>(&stored, self.setup()).ok_or(StoreError::Damaged(
                "its checkpoint does not pass the integrity check",
            ))
        });
        let restored = restored.transpose()?;
        let from_empty = self.oldest() == Version::EMPTY;
        let mut replayed = match restored {
            Some(pruned) if !from_empty => pruned,
            _ => R::new(self.setup()),
        };
        let before = replayed.latest().number();
        replay(&mut replayed, self.store())?;
        let heads = self.check_heads(&replayed, &authority)?;
        let proved = self.check_contents(&authority)?;
        let replayed = replayed.latest().number() - before;
        Ok(Checked {
            heads,
            replayed,
            proved,
            checkpoint,
            from_empty,
        })
    }

    fn check_heads(&self, replayed: &R, authority: &Authority) -> Result<u64, CheckError> {
        let latest = self.latest().number();
        for version in (1..=latest).map(Version::new) {
            self.verified_head(version, authority)?;
            let same = self.head(version).ok() == replayed.head(version).ok();
            if !same {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(latest)
    }

    fn check_contents(&self, authority: &Authority) -> Result<u64, CheckError> {
        let (oldest, latest) = (self.oldest().number().max(1), self.latest().number());
        for version in (oldest..=latest).map(Version::new) {
            let head = self.verified_head(version, authority)?;
            if version.number() == oldest || version.number() == latest {
                self.memory().check_contents(&head)?;
            }
            self.check_update(&head)?;
        }
        Ok((latest + 1).saturating_sub(oldest))
    }

    fn verified_head(
        &self,
        version: Version,
        authority: &Authority,
    ) -> Result<Verified<SnapshotHead<R::Suite>>, CheckError> {
        let head = self.head(version)?;
        let verified = Untrusted::new(head).verify(authority, &version);
        verified.map_err(|error| CheckError::Version(version, error))
    }

    /// The stored update's operations are what a version's contents say about their keys.
    fn check_update(&self, head: &Verified<SnapshotHead<R::Suite>>) -> Result<(), CheckError> {
        let version = head.get().version;
        let Some(bytes) = self.store().update(version)? else {
            return Ok(());
        };
        let update: Update<R::Suite, R::Attachment> = codec::decode(&bytes, bytes.len())
            .map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
        let keys = update
            .operations
            .iter()
            .map(Operation::key)
            .cloned()
            .collect();
        let Some(keys) = Keys::new(keys) else {
            return Ok(());
        };
        let answers = self.memory().checked_answers(head, &keys)?;
        let agrees =
            update.operations.iter().zip(&answers).all(
                |(operation, (_, answer))| match operation {
                    Operation::Put(_, value) => answer.value() == Some(value),
                    Operation::Remove(_) => answer.value().is_none(),
                },
            );
        if agrees && update.head.head == *head.get() {
            Ok(())
        } else {
            Err(CheckError::Version(version, VerifyError::RootMismatch))
        }
    }
}
