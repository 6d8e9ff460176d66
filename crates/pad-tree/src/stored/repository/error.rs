//! Errors of publishing, copying and compacting versions.

use pad_core::{ApplyError, LookupError, internals::refusal_reason};

/// Error returned when versions cannot be copied or compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The versions to copy are missing or incomplete, or the repository is closed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The copied nodes or versions cannot be written to the log.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Error returned when an author cannot publish the next version.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The signer did not sign the version's head.
    #[error("the signer refused: {}", refusal_reason(.0))]
    Signer(#[source] signature::Error),
    /// The batch cannot be applied, or the store failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Error returned when sorted entries or operations cannot be published as a version.
#[derive(Debug, thiserror::Error)]
pub enum SortedError<E> {
    /// A bulk load was requested, but the latest version already has entries.
    #[error("the latest version is not empty")]
    NotEmpty,
    /// An update was requested, but the latest version has no entries yet. Publish the first
    /// entries with a bulk load.
    #[error("the latest version is empty")]
    Empty,
    /// The key of an entry or operation is not above the key before it.
    #[error("the entries are not in ascending order of their keys")]
    Unordered,
    /// The number of entries differs from the number that the caller announced.
    #[error("wrong number of entries: {expected} announced, {actual} given")]
    Number {
        /// The number that the caller announced.
        expected: u64,
        /// The number of entries read; reading stops at the first surplus entry.
        actual: u64,
    },
    /// The iterator of entries or operations returned this error.
    #[error("the entries cannot be read: {0}")]
    Source(E),
    /// The version cannot be signed or stored.
    #[error(transparent)]
    Publish(#[from] PublishError),
}
