//! From the updates in a store back to a repository.

use pad_core::Version;

use crate::{
    hosted::UpdatedRepository,
    repository::RepositoryError,
    store::{Store, StoreError},
};

/// Applies the stored updates that the repository does not have yet; returns their bytes.
pub(crate) fn replay(
    repository: &mut (impl UpdatedRepository + ?Sized),
    store: &(impl Store + ?Sized),
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
        repository
            .apply_message(&bytes)
            .map_err(|error| match error {
                RepositoryError::Refused(error) => RepositoryError::DamagedUpdate(version, error),
                RepositoryError::Unreadable(_) => {
                    StoreError::Damaged("a stored update is not readable").into()
                }
                error => error,
            })?;
        replayed += bytes.len();
    }
    Ok(replayed)
}
