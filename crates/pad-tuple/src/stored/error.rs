//! Errors of authors that publish from stored rows.

use pad_core::{ApplyError, StoreFault};

use crate::design::AuthorError;

/// Error returned when an author cannot publish the next version from stored rows.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The author cannot sign the version, or may not because of data that it did not sign.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// The repository cannot apply the batch, or cannot read its rows.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl From<StoreFault> for PublishError {
    fn from(fault: StoreFault) -> Self {
        Self::Apply(fault.into())
    }
}
