//! Conversion of directory errors into messages and exit statuses.

use authdict::{
    ApplyError, InputError, LookupError,
    block_directory::{AnswerError, AuthorError, BlockDirectory, RequestError, StoreError},
    pad_core::StoreFault,
};
use pad_core::Suite;

use crate::cli::Failure;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotEmpty(_) | StoreError::Parameters(_) => Self::Input(error.to_string()),
            StoreError::Refused(error) => change(&error),
            StoreError::Missing(_) => {
                Self::Store(error.to_string()).help("create one with pad directory create")
            }
            error => Self::Store(error.to_string()),
        }
    }
}

impl From<AuthorError> for Failure {
    fn from(error: AuthorError) -> Self {
        match error {
            AuthorError::OtherKey | AuthorError::NotEmpty => Self::Input(error.to_string()),
            AuthorError::Input(error) => input(&error),
            AuthorError::Signer(ref fault) => Self::signer(fault, error.to_string()),
            error => Self::Store(error.to_string()),
        }
    }
}

impl<S: Suite> From<AnswerError<S>> for Failure {
    fn from(error: AnswerError<S>) -> Self {
        Self::Refused(format!("verification failed: {error}"))
    }
}

/// Converts the error of a change that the author requested into a [`Failure`].
pub(super) fn change(error: &ApplyError) -> Failure {
    match error {
        ApplyError::UnknownId(id) => Failure::Input(format!(
            "there is no entry {id}: no version has registered it"
        )),
        ApplyError::DeletedForGood(_) => {
            Failure::Input(error.to_string()).help("register the object again, under a new id")
        }
        ApplyError::Input(error) => input(error),
        ApplyError::Store(fault) => Failure::Store(fault.to_string()),
        error => Failure::Refused(format!("the update is refused: {error}")),
    }
}

pub(super) fn input(error: &InputError) -> Failure {
    match error {
        InputError::CapacityExceeded => {
            Failure::input("too many changes for one version, or too many entries for a directory")
                .help("split the changes with pad directory import")
        }
        error => Failure::Input(error.to_string()),
    }
}

/// Converts a storage fault of `directory` into a [`Failure`]. If `directory` has kept a detailed
/// error, the detailed error is used instead.
pub(super) fn fault<S: Suite>(directory: &BlockDirectory<S>, fault: StoreFault) -> Failure {
    match directory.take_store_error() {
        Some(error) => error.into(),
        None => Failure::Store(fault.to_string()),
    }
}

pub(super) fn lookup<S: Suite>(directory: &BlockDirectory<S>, error: LookupError) -> Failure {
    match error {
        LookupError::Store(found) => fault(directory, found),
        error => error.into(),
    }
}

pub(super) fn request<S: Suite>(directory: &BlockDirectory<S>, error: RequestError) -> Failure {
    match error {
        RequestError::Lookup(error) => lookup(directory, error),
        error => Failure::Input(error.to_string()),
    }
}

/// Converts the error of a change like [`change`]. For a storage fault, uses the detailed error of
/// `directory`, like [`fault`].
pub(super) fn changed<S: Suite>(directory: &BlockDirectory<S>, error: &ApplyError) -> Failure {
    match error {
        ApplyError::Store(found) => fault(directory, *found),
        error => change(error),
    }
}
