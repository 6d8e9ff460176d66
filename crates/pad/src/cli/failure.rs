//! What a command fails with: a sentence and an exit status.

use core::fmt;
use std::{io, path::Path};

use pad::{
    AnswerError, ApplyError, AuthorError, InputError, KeyFileError, LookupError, RepositoryError,
    StoreError, check::CheckError, question::Refusal, trace::TraceError,
};

/// A command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage or input: exit status 2.
    Input(String),
    /// Something does not verify: exit status 3.
    Refused(String),
    /// The store or the file system failed: exit status 4.
    Store(String),
}

impl Failure {
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Refused(_) => 3,
            Self::Store(_) => 4,
        }
    }

    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    /// A key file cannot be used.
    pub(crate) fn key_file(path: &Path, error: &KeyFileError) -> Self {
        Self::Input(format!("key file {}: {error}", path.display()))
    }

    /// A trace cannot be read.
    pub(crate) fn trace(path: &Path, error: &TraceError) -> Self {
        Self::Input(format!("trace {}: {error}", path.display()))
    }

    /// A file cannot be read or written.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Store(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(text) | Self::Refused(text) | Self::Store(text) => {
                formatter.write_str(text)
            }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Missing(_) => Self::Store(format!(
                "{error}; pad import and pad put make one if they are given a key"
            )),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::Store(error) => error.into(),
            RepositoryError::Unreadable(error) => {
                Self::Refused(format!("the update is refused: {error}"))
            }
            RepositoryError::Refused(error) => error.into(),
            RepositoryError::Lookup(error) => error.into(),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<AuthorError> for Failure {
    fn from(error: AuthorError) -> Self {
        match error {
            AuthorError::Repository(error) => error.into(),
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Repository(RepositoryError::Store(error)) => error.into(),
            error => Self::Refused(format!("the store does not verify: {error}")),
        }
    }
}

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        Self::Refused(format!("the update is refused: {error}"))
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        match error {
            Refusal::NotOffered(error) => Self::Input(error.to_string()),
            error => Self::Refused(format!("verification failed: {error}")),
        }
    }
}
