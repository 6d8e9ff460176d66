//! Replay of the updates in a store.

use pad_core::Version;

use crate::{
    hosted::{Derived, UpdatedRepository},
    repository::RepositoryError,
    store::{Store, StoreError},
};

/// Applies the stored updates that the repository lacks; returns the number of their bytes.
pub(crate) fn replay(
    repository: &mut (impl UpdatedRepository + ?Sized),
    store: &(impl Store + ?Sized),
) -> Result<usize, RepositoryError> {
    replay_with(repository, store, |_| ())
}

/// Opens derived data next to a store, and applies the updates that it lacks.
///
/// Memory: that of an update, and [`MOST_WAITING`] bytes, if the derived data can be written.
/// Otherwise the derived data of all missing updates is in memory.
pub(super) fn bring_up(
    derived: &mut dyn Derived,
    store: &impl Store,
) -> Result<(), RepositoryError> {
    let mut attempts = 0;
    loop {
        derived.take_up(store)?;
        let mut can_write = true;
        let replayed = replay_with(derived, store, |derived| {
            if can_write && derived.waiting() > MOST_WAITING {
                // Each attempt waits for other writers.
                can_write = derived.settle().is_ok();
            }
        });
        match replayed {
            // Another process applied the same updates first.
            Err(RepositoryError::Store(StoreError::Closed)) if attempts < ATTEMPTS => {
                attempts += 1;
                continue;
            }
            // Nothing was lacking, and the opened state is still pinned.
            Ok(0) => return Ok(()),
            replayed => drop(replayed?),
        }
        // Another process may be writing, or this one may lack the permission; then the derived
        // data is in memory.
        let settled = derived.settle();
        // A mere reader must not keep an author waiting.
        derived.release();
        match settled {
            Ok(()) | Err(StoreError::Closed) if attempts < ATTEMPTS => attempts += 1,
            _ => return Ok(()),
        }
    }
}

fn replay_with<R: UpdatedRepository + ?Sized>(
    repository: &mut R,
    store: &(impl Store + ?Sized),
    mut after_each: impl FnMut(&mut R),
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
        after_each(repository);
    }
    Ok(replayed)
}

/// The number of waiting bytes of derived data above which they are written.
pub(super) const MOST_WAITING: usize = 32 << 20;

/// The maximum number of times that another process may come first.
const ATTEMPTS: usize = 3;
