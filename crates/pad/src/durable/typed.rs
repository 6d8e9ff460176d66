//! A durable repository of one family: its own types in place of messages.

use pad_core::{Key, LookupError, SignedHead, Suite, Update, Version};
use pad_tree::{ProvableQuery, TreeProof, TreeRepository};

use super::DurableRepository;
use crate::repository::{CheckpointedRepository, RepositoryError};
use crate::{
    answering::AnsweringRepository,
    family::tree::TreeStore,
    hosted::{KeptRepository, Typed},
    store::Store,
};

impl<R: AnsweringRepository + CheckpointedRepository, D: Store> DurableRepository<R, D> {
    /// Opens the repository that a store holds; a new store holds an empty one.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if the store does not hold
    /// a whole repository of this setup; for a tree PAD that is the authority.
    pub fn open(store: D, setup: R::Setup) -> Result<Self, RepositoryError> {
        Self::open_into(store, Box::new(Typed::new(setup)))
    }
}

impl<R: KeptRepository, D: Store> DurableRepository<R, D> {
    /// Verifies an update and makes it the latest version, durably.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed. [`RepositoryError::Store`]: the update
    /// stays staged, and [`super::Durable::flush`] tries again.
    pub fn apply(
        &mut self,
        update: &Update<R::Suite, R::Attachment>,
    ) -> Result<Version, RepositoryError> {
        self.stage(update)?;
        self.flush(&[])
    }

    /// The author's head of an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn head(&self, version: Version) -> Result<SignedHead<R::Suite>, LookupError> {
        self.check_acknowledged(version)?;
        self.memory().repository().head(version)
    }

    /// The proof of what an acknowledged version says about a key.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there; [`LookupError::NotDurable`] if a newer one waits
    /// for [`super::Durable::flush`], and a proof could vouch for it.
    pub fn prove(&self, version: Version, key: &Key) -> Result<R::Proof, LookupError> {
        self.check_provable(version)?;
        self.memory().repository().prove(version, key)
    }

    /// What the repository was made from.
    pub const fn setup(&self) -> &R::Setup {
        self.memory().setup()
    }
}

impl<S: Suite, St: TreeStore<S>, D: Store> DurableRepository<TreeRepository<S, St>, D> {
    /// Answers any query about an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or the query makes no sense.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        self.check_acknowledged(version)?;
        self.memory().repository().prove_query(version, query)
    }

    /// The tree in memory, which may be ahead of what is acknowledged.
    pub const fn tree(&self) -> &TreeRepository<S, St> {
        self.memory().repository()
    }
}
