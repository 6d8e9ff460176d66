//! Taking updates: whether they are new, and follow what is there.

use pad::{ApplyError, RepositoryError, StoreError, Version, dynamic::AnyRepository};

/// What became of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// How many are new, and durable now.
    pub taken: usize,
    /// The latest version.
    pub latest: Version,
}

/// Why an update is not taken. Those before it are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotApplied {
    /// It does not follow the latest version.
    #[error("the update follows version {base}, but the latest here is {latest}")]
    Gap {
        /// The version that it follows.
        base: Version,
        /// The latest version.
        latest: Version,
    },
    /// It leads to a version that is not kept here.
    #[error("the versions up to {until} are kept here, and no later ones")]
    NotKept {
        /// The last version that is kept.
        until: Version,
    },
    /// The store has another update for the same version.
    #[error("version {0} is here already, with another update")]
    Other(Version),
    /// Some of the keys are kept in memory, and there is no room for more.
    #[error("the keys that are kept take {needed} bytes of memory, and may take {most}")]
    TooLarge {
        /// The bytes that they take, as far as they are here.
        needed: usize,
        /// The bytes that they may take.
        most: usize,
    },
    /// The update is refused, or the store failed.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

impl From<StoreError> for NotApplied {
    fn from(error: StoreError) -> Self {
        Self::Repository(error.into())
    }
}

/// Has a repository take updates, durably.
pub(super) fn apply_to(
    repository: &mut AnyRepository,
    updates: &[Vec<u8>],
) -> Result<Applied, NotApplied> {
    let mut taken = 0_usize;
    let staged = updates.iter().try_for_each(|update| {
        match repository.stage_message(update) {
            Ok(_) => taken = taken.saturating_add(1),
            Err(RepositoryError::Refused(ApplyError::VersionGap { expected, actual })) => {
                // What is staged cannot be read yet.
                repository.flush(&[])?;
                is_known(repository, update, (expected, actual))?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok::<_, NotApplied>(())
    });
    let latest = repository.flush(&[])?;
    staged?;
    Ok(Applied { taken, latest })
}

/// Whether the author has signed an update that is not here yet.
pub(super) fn is_next(repository: &AnyRepository, update: &[u8]) -> Result<bool, NotApplied> {
    match repository.verify_update(update) {
        Ok(()) => Ok(true),
        Err(RepositoryError::Refused(ApplyError::VersionGap { expected, actual })) => {
            if actual >= repository.latest() {
                // Another process may have published what is in between; or it is staged, and not durable yet.
                return Ok(true);
            }
            is_known(repository, update, (expected, actual)).map(|()| false)
        }
        Err(error) => Err(error.into()),
    }
}

/// That an update which follows another version than the latest is here already.
fn is_known(
    repository: &AnyRepository,
    update: &[u8],
    (latest, base): (Version, Version),
) -> Result<(), NotApplied> {
    let version = Version::new(base.number().saturating_add(1));
    if base > latest {
        return Err(NotApplied::Gap { base, latest });
    }
    if repository.has_update(update)? {
        return Ok(());
    }
    Err(NotApplied::Other(version))
}
