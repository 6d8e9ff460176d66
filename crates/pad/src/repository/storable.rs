//! What a repository must offer to be made durable.

use core::fmt;

use pad_core::{
    Key, LookupError, Repository, Version, Workers, codec::Message, contradiction::Past,
    head::Authority, history::ConsistencyProof,
};
use serde::Serialize;

/// A repository that outlives its process, in whatever way.
pub trait StorableRepository:
    Repository<Query = Key, Proof: Serialize> + fmt::Debug + Send + Sync + Sized
{
    /// What a new repository is made from: whose updates it takes, and what its scheme verifies
    /// them with.
    type Setup: Clone + fmt::Debug + Send + Sync;
    /// Whether a proof about one version may vouch for later ones, as superseding statements do. What a
    /// crash could still undo must then not be proved, not even through its past.
    const EVIDENCE_OUTLIVES_VERSION: bool;

    /// Spreads large updates over these threads.
    #[must_use]
    fn with_workers(self, workers: Workers) -> Self;

    /// Whose updates this repository accepts.
    fn authority(&self) -> &Authority;

    /// The number of entries of the latest version.
    fn entries(&self) -> usize;

    /// The bytes of memory that contents, heads and history take.
    fn memory_bytes(&self) -> usize;

    /// The proof that a newer version's head continues an older one's.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and below `newer`, which exists.
    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<Self::Suite>, LookupError>;

    /// What a newer version's head says about an older version: its root, and its history.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and below `newer`, which exists.
    fn prove_past(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<[Past<Self::Suite>; 2], LookupError>;
}

/// A repository in memory that can be written into a checkpoint and go on from one.
///
/// Laws: a repository and one restored from its checkpoint answer everything alike and take the
/// same updates. A repository made anew with the same setup reaches the same state by the same
/// updates.
pub trait CheckpointedRepository: StorableRepository {
    /// A repository as bytes; large ones are encoded in one piece.
    type Checkpoint: Message;

    /// An empty repository.
    fn new(setup: &Self::Setup) -> Self;

    /// Everything that is needed to go on.
    fn checkpoint(&self) -> Self::Checkpoint;

    /// Goes on from a checkpoint. `None` if its parts do not fit, or it is of another setup.
    fn restore(checkpoint: Self::Checkpoint, setup: &Self::Setup) -> Option<Self>;

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError>;
}
