//! Errors of a durable repository.

use pad_core::{ApplyError, DecodeError, LookupError, VerifyError, Version};

use crate::store::StoreError;

/// Error of applying an update, or of the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// The store failed. Acknowledged updates are safe; staged ones may not be durable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bytes are not an update of this suite.
    #[error(transparent)]
    Unreadable(DecodeError),
    /// The update is refused, and nothing is changed.
    #[error(transparent)]
    Refused(ApplyError),
    /// The version does not exist, was pruned or cannot be read.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// A stored update does not verify: the version and the reason.
    #[error("the store is damaged: version {0}: {1}")]
    DamagedUpdate(Version, #[source] ApplyError),
}

/// Error of checking a store against its author's signatures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The store cannot be read, or a stored update does not verify.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The head or the contents of a version do not verify.
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
