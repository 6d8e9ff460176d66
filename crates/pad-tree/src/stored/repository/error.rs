//! Errors of publishing, copying and compacting versions.

use pad_core::{ApplyError, LookupError};

/// Error returned when versions cannot be copied or compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The versions are missing or incomplete, or the repository is closed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The versions cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Error returned when an author cannot publish.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The signer refused.
    #[error("the signer refused: {0}")]
    Signer(signature::Error),
    /// The batch cannot be applied, or the store failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Error returned when sorted entries or operations cannot be published as a version.
#[derive(Debug, thiserror::Error)]
pub enum SortedError<E> {
    /// The latest version has entries already.
    #[error("the latest version is not empty")]
    NotEmpty,
    /// The latest version has no entries yet. Publish its first entries with a bulk load.
    #[error("the latest version is empty")]
    Empty,
    /// The key of an entry or operation is not above the key before it.
    #[error("the entries are not in ascending order of their keys")]
    Unordered,
    /// The number of entries differs from the announced one.
    #[error("wrong number of entries: {expected} announced, {actual} given")]
    Number {
        /// The announced number.
        expected: u64,
        /// The actual number; counting stops at the first surplus entry.
        actual: u64,
    },
    /// The entries or operations cannot be read.
    #[error("the entries cannot be read: {0}")]
    Source(E),
    /// The version cannot be signed or stored.
    #[error(transparent)]
    Publish(#[from] PublishError),
}
