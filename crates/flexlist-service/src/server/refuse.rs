//! Refusals from errors.

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

/// Something panicked: of the things that read the store, the engine on a damaged page.
pub(super) fn panicked(file: Option<FileId>) -> Refusal {
    let file = file.map_or_else(|| "a file".into(), |file| format!("file {file}"));
    Refusal::StoreFailed(format!(
        "{file} cannot be read from the store, which is damaged: check it, or restore it from a copy"
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

/// Of tags that were sent: they do not fit their blocks.
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

/// A stored block that does not fit its own tag, which the owner made or the disk.
pub(super) fn stored_tag(file: FileKey, found: &Found, error: TagError) -> Refusal {
    let what = format!("the block at byte {}: {error}", found.start);
    StoreError::damaged(file, what).into()
}

/// A number above its limit.
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

/// The blocks that something meets, if they are not more than its limit.
pub(super) fn at_most(what: &str, found: Vec<Found>, limit: usize) -> Result<Vec<Found>, Refusal> {
    if found.len() <= limit {
        return Ok(found);
    }
    Err(Refusal::TooLarge(format!(
        "{what} meets more than {limit} blocks"
    )))
}
