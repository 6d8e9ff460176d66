//! From what a store holds back to a repository.

use pad_core::{Domain, Repository, Suite, Untrusted, Update, Version, codec, head::Authority};
use pad_tree::{Checkpoint, TreeRepository};

use super::{RepositoryError, TreeStore};
use crate::store::{Store, StoreError, StoredCheckpoint};

/// The repository in a checkpoint, or `None` if the checkpoint is damaged or of something else.
pub(crate) fn restore<S: Suite, St: TreeStore<S>>(
    stored: &StoredCheckpoint,
    authority: &Authority,
) -> Option<TreeRepository<S, St>> {
    let digest = integrity::<S>(stored.version, stored.oldest, &stored.bytes);
    if digest.as_ref() != stored.digest {
        return None;
    }
    let checkpoint: Checkpoint<S, St> = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
    let tree = TreeRepository::restore(checkpoint)?;
    let fits = tree.authority() == authority
        && tree.latest() == stored.version
        && tree.oldest() == stored.oldest;
    fits.then_some(tree)
}

/// Applies the stored updates that the repository does not have yet; returns their bytes.
pub(crate) fn replay<S: Suite, St: TreeStore<S>>(
    tree: &mut TreeRepository<S, St>,
    store: &impl Store,
) -> Result<usize, RepositoryError> {
    let (first, latest) = (
        tree.latest().number().saturating_add(1),
        store.latest()?.number(),
    );
    if tree.latest().number() > latest {
        return Err(StoreError::Damaged("its checkpoint is ahead of its updates").into());
    }
    let mut replayed = 0;
    for version in (first..=latest).map(Version::new) {
        let bytes = store.update(version)?;
        let bytes = bytes.ok_or(StoreError::Damaged(
            "an update or its checkpoint is missing",
        ))?;
        let update = Untrusted::<Update<S>>::decode(&bytes, bytes.len())
            .map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
        let applied = tree.apply(update.as_unverified());
        applied.map_err(|error| RepositoryError::DamagedUpdate(version, error))?;
        replayed += bytes.len();
    }
    Ok(replayed)
}

/// The digest of a checkpoint: version (8, big-endian) ‖ oldest (8) ‖ bytes.
pub(crate) fn integrity<S: Suite>(version: Version, oldest: Version, bytes: &[u8]) -> S::Digest {
    let (version, oldest) = (
        version.number().to_be_bytes(),
        oldest.number().to_be_bytes(),
    );
    S::hash(Domain::Checkpoint, &[&version, &oldest, bytes])
}
