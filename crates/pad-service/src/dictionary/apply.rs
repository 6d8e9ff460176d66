//! Application of updates: it distinguishes new, known and conflicting updates.

use authdict::{ApplyError, RepositoryError, Server, StoreError, Version};

/// Result of applying updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplySummary {
    /// Number of updates that were new. All of them are durable.
    pub taken: usize,
    /// Latest version after the updates.
    pub latest: Version,
}

/// Error returned when an update is not applied. The updates before it in the list are applied,
/// unless the store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotApplied {
    /// The update does not follow the latest version.
    #[error("the update follows version {base}, but the latest here is {latest}")]
    Gap {
        /// Version that the update must be applied to.
        base: Version,
        /// Latest version of the dictionary.
        latest: Version,
    },
    /// The update produces a version that the retention policy excludes.
    #[error("versions after version {until} are not kept here")]
    NotKept {
        /// Last version of the retention policy.
        until: Version,
    },
    /// The store has a different update for this version.
    #[error("version {0} exists already, with another update")]
    Other(Version),
    /// The mirrored keys exceed their memory limit.
    #[error("the keys that are kept need {needed} bytes of memory, but the limit is {most}")]
    TooLarge {
        /// Bytes needed by the keys received so far.
        needed: usize,
        /// Memory limit in bytes.
        most: usize,
    },
    /// The folder of a block directory was removed or replaced while it was served.
    #[error("the folder of the directory was removed or replaced")]
    FolderLost,
    /// The update is refused, or the store failed.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

impl From<StoreError> for NotApplied {
    fn from(error: StoreError) -> Self {
        Self::Repository(error.into())
    }
}

/// Applies encoded updates to `repository`, and makes them durable.
pub(super) fn apply_to(
    repository: &mut Server,
    updates: &[Vec<u8>],
) -> Result<ApplySummary, NotApplied> {
    let mut taken = 0_usize;
    let staged = updates.iter().try_for_each(|update| {
        match repository.stage_message(update) {
            Ok(_) => taken = taken.saturating_add(1),
            Err(RepositoryError::Refused(ApplyError::VersionGap { expected, actual })) => {
                // Staged updates cannot be read before the flush.
                repository.flush(&[])?;
                is_known(repository, update, (expected, actual))?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok::<_, NotApplied>(())
    });
    let latest = repository.flush(&[])?;
    staged?;
    Ok(ApplySummary { taken, latest })
}

/// Verifies the head of an update. Returns whether the update may be new, and `false` if the store
/// has it already.
pub(super) fn is_next(repository: &Server, update: &[u8]) -> Result<bool, NotApplied> {
    match repository.verify_update(update) {
        Ok(()) => Ok(true),
        Err(RepositoryError::Refused(ApplyError::VersionGap { expected, actual })) => {
            if actual >= repository.latest() {
                // The update's predecessors may be published by another process, or staged and not
                // durable yet.
                return Ok(true);
            }
            is_known(repository, update, (expected, actual)).map(|()| false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks that the store already has `update`, which leads to version `base` + 1. Fails if the
/// store has another update to this version, or if `base` is later than `latest`.
fn is_known(
    repository: &Server,
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
