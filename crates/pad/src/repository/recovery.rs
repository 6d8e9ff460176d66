//! From what a store holds back to a repository.

use pad_core::{Domain, Suite, Untrusted, Update, Version, codec};

use super::{RepositoryError, StorableRepository};
use crate::store::{Store, StoreError, StoredCheckpoint};

/// The repository in a checkpoint, or `None` if the checkpoint is damaged or of something else.
pub(crate) fn restore<R: StorableRepository>(
    stored: &StoredCheckpoint,
    setup: &R::Setup,
) -> Option<R> {
    let digest = integrity::<R::Suite>(stored.version, stored.oldest, &stored.bytes);
    if digest.as_ref() != stored.digest {
        return None;
    }
    let checkpoint = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
    let restored = R::restore(checkpoint, setup)?;
    let fits = restored.latest() == stored.version && restored.oldest() == stored.oldest;
    fits.then_some(restored)
}

/// Applies the stored updates that the repository does not have yet; returns their bytes.
pub(crate) fn replay<R: StorableRepository>(
    repository: &mut R,
    store: &impl Store,
) -> Result<usize, RepositoryError> {
    let (first, latest) = (
        repository.latest().number().saturating_add(1),
        store.latest()?.number(),
    );
    if repository.latest().number() > latest {
        return Err(StoreError::Damaged("its checkpoint is ahead of its updates").into());
    }
    let mut replayed = 0;
    for version in (first..=latest).map(Version::new) {
        let bytes = store.update(version)?;
        let bytes = bytes.ok_or(StoreError::Damaged(
            "an update or its checkpoint is missing",
        ))?;
        let update = Untrusted::<Update<R::Suite, R::Attachment>>::decode(&bytes, bytes.len())
            .map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
        let applied = repository.apply(update.as_unverified());
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
