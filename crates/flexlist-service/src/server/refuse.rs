//! Conversion of errors to refusals.

use flexlist::{FileId, error::UpdateError, list::Found, tag::TagError};

use crate::{
    message::Refusal,
    signed::OpenError,
    store::{FileKey, StoreError},
};

impl From<OpenError> for Refusal {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::WrongSignature => Self::WrongOwner,
            OpenError::Body(_) => Self::Invalid(error.to_string()),
        }
    }
}

impl From<&StoreError> for Refusal {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::CannotWrite(_) => Self::CannotWrite,
            StoreError::Interrupted => Self::Unavailable,
            error => Self::StoreFailed(error.to_string()),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

/// Returns the refusal for a panic. In code that reads the store, the engine panics on a damaged
/// page.
pub(super) fn panicked(file: Option<FileId>) -> Refusal {
    let file = file.map_or_else(|| "a file".into(), |file| format!("file {file}"));
    Refusal::StoreFailed(format!(
        "{file} cannot be read from the store, which is damaged: check it, or restore it from a \
         copy"
    ))
}

impl From<UpdateError> for Refusal {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::FileTooLong | UpdateError::ListFull | UpdateError::BatchTooLarge => {
                Self::TooLarge(error.to_string())
            }
            UpdateError::Elided => Self::StoreFailed(error.to_string()),
            _ => Self::Invalid(error.to_string()),
        }
    }
}

/// Converts errors of tags or parameters that a client sent.
impl From<TagError> for Refusal {
    fn from(error: TagError) -> Self {
        match error {
            TagError::TagMalformed | TagError::BlockMismatch => Self::TagsInvalid,
            TagError::BlockTooLong { .. } => Self::TooLarge(error.to_string()),
            TagError::RandomnessUnavailable => Self::Unavailable,
            _ => Self::Invalid(error.to_string()),
        }
    }
}

/// Returns the refusal for a stored block that does not match its own tag. Either the owner
/// uploaded it so, or the disk is damaged.
pub(super) fn stored_tag(file: FileKey, found: &Found, error: TagError) -> Refusal {
    let what = format!("the block at byte {}: {error}", found.start);
    StoreError::damaged(file, what).into()
}

/// Refuses an `actual` number above `limit`.
pub(super) fn above<N: Copy + Ord + core::fmt::Display>(
    what: &str,
    actual: N,
    limit: N,
) -> Result<(), Refusal> {
    if actual <= limit {
        return Ok(());
    }
    Err(Refusal::TooLarge(format!(
        "{what}: {actual}, and the limit is {limit}"
    )))
}

/// Refuses more than `limit` blocks; otherwise returns them.
pub(super) fn at_most(what: &str, found: Vec<Found>, limit: usize) -> Result<Vec<Found>, Refusal> {
    if found.len() <= limit {
        return Ok(found);
    }
    Err(Refusal::TooLarge(format!(
        "{what} meets more than {limit} blocks"
    )))
}
