//! What can go wrong with a durable repository.

use core::fmt;

use pad_core::{ApplyError, DecodeError, LookupError, Version};

use crate::store::StoreError;

/// An update is not taken, or the store failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepositoryError {
    /// The store failed. What was acknowledged is safe; what was staged is not yet durable.
    Store(StoreError),
    /// The bytes are not an update of this suite.
    Unreadable(DecodeError),
    /// The update is refused, and nothing is changed.
    Refused(ApplyError),
    /// There is no such version.
    Lookup(LookupError),
    /// A stored update does not verify: the version and the reason.
    DamagedUpdate(Version, ApplyError),
}

impl fmt::Display for RepositoryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(formatter),
            Self::Unreadable(error) => error.fmt(formatter),
            Self::Refused(error) => error.fmt(formatter),
            Self::Lookup(error) => error.fmt(formatter),
            Self::DamagedUpdate(version, error) => {
                write!(
                    formatter,
                    "the store is damaged: version {version}: {error}"
                )
            }
        }
    }
}

impl core::error::Error for RepositoryError {}

impl From<StoreError> for RepositoryError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<LookupError> for RepositoryError {
    fn from(error: LookupError) -> Self {
        Self::Lookup(error)
    }
}
