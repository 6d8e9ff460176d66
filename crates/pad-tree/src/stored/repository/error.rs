//! Errors of publishing and of copying versions.

use pad_core::{ApplyError, LookupError};

/// Versions cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// They are not there, or not whole.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// They cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// An author cannot publish.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The signer refused.
    #[error("the signer refused: {0}")]
    Signer(signature::Error),
    /// The batch cannot be applied, or the store failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Entries cannot be published as the contents of a version.
#[derive(Debug, thiserror::Error)]
pub enum SortedError<E> {
    /// The latest version has entries already.
    #[error("the latest version is not empty")]
    NotEmpty,
    /// The latest version has no entries yet: those of the next are loaded.
    #[error("the latest version is empty")]
    Empty,
    /// An entry's key is not above the key before it.
    #[error("the entries do not stand in ascending order of their keys")]
    Unordered,
    /// There are not as many as was said.
    #[error("{expected} entries were announced, but there are {actual}")]
    Number {
        /// How many were announced.
        expected: u64,
        /// How many there were; if more, the first one too many.
        actual: u64,
    },
    /// The entries cannot be read.
    #[error("the entries cannot be read: {0}")]
    Source(E),
    /// The version cannot be signed or stored.
    #[error(transparent)]
    Publish(#[from] PublishError),
}
