//! Errors returned by keepers ([`crate::keeper`]) and authors ([`crate::Author`]).

use pad_core::{
    ApplyError, DecodeError, LookupError, VerifyError, Version, internals::refusal_reason,
};

use crate::{question::NotOffered, signing_record::SigningRecordError, store::StoreError};

/// Error returned when an update is applied, or when the store fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// The store failed. Acknowledged updates are durable; staged updates may not be durable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The message is not an update in the dictionary's suite.
    #[error(transparent)]
    Unreadable(DecodeError),
    /// The update is refused, for example because its signature is invalid. Nothing is changed.
    #[error(transparent)]
    Refused(ApplyError),
    /// The version does not exist, was pruned, or cannot be read.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// An update in the store does not verify. The fields are the update's version and the reason.
    #[error("the store is damaged: version {0}: {1}")]
    DamagedUpdate(Version, #[source] ApplyError),
}

/// Error returned when a store is checked against its author's signatures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The store cannot be read, or a stored update does not verify.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The head or the contents of a version do not verify. The fields are the version and the
    /// reason.
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

/// Error returned when an author is opened, or publishes a version.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorError {
    /// The signer refused to sign. The source of the field is the signer's reason, for example
    /// [`VerifyError::SignatureInvalid`] for a wrong signature ([`crate::SigningKeys`]). The
    /// changes are kept for the next call, unless they were streamed.
    #[error("the signer refused: {}", refusal_reason(.0))]
    Signing(#[from] signature::Error),
    /// The author of a tuple PAD cannot continue from the store, or cannot sign. Designs that sign
    /// tuples keep the changes for the next call.
    #[error(transparent)]
    Tuple(pad_tuple::AuthorError),
    /// The author of a log cannot continue from the store, or cannot append. Nothing was appended.
    #[cfg(feature = "log")]
    #[error(transparent)]
    Log(pad_log::AuthorError),
    /// An entry cannot be appended to a log. Nothing was appended.
    #[cfg(feature = "log")]
    #[error(transparent)]
    Append(#[from] pad_log::AppendError),
    /// The scheme does not support a change of this kind, such as a removal from a log. Nothing was
    /// changed.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
    /// The store cannot be opened, or the version was not applied or is not durable.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The signing record forbids signing, or could not be written. If it could not be written, the
    /// version may be durable, but must not be handed out before the author is reopened.
    #[error(transparent)]
    Record(#[from] SigningRecordError),
    /// There is no path for the signing record, because the secret key was not read from a file.
    /// [`crate::Author::open_with`] takes a record.
    #[error("the signing record is missing: the key was not read from a file")]
    NoRecord,
    /// An earlier version was signed but not applied, so the author must be reopened.
    #[error("an earlier snapshot was signed but not applied: open the store again")]
    Diverged,
}

impl From<StoreError> for AuthorError {
    fn from(error: StoreError) -> Self {
        Self::Repository(error.into())
    }
}

impl From<pad_tuple::AuthorError> for AuthorError {
    fn from(error: pad_tuple::AuthorError) -> Self {
        match error {
            pad_tuple::AuthorError::Signing(reason) => Self::Signing(reason),
            error => Self::Tuple(error),
        }
    }
}

#[cfg(feature = "log")]
impl From<pad_log::AuthorError> for AuthorError {
    fn from(error: pad_log::AuthorError) -> Self {
        match error {
            pad_log::AuthorError::Signer(error) => error.into(),
            pad_log::AuthorError::Append(error) => error.into(),
            pad_log::AuthorError::Head(error) => RepositoryError::Refused(error).into(),
            error => Self::Log(error),
        }
    }
}
