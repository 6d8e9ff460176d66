//! Conversion of the server's errors to refusals, which clients get as answers.

use flexlist::{FileId, UpdateError, list::Found, tag::TagError};

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

/// Returns the refusal for a request that panicked. The engine panics on damaged pages, so the
/// store counts as damaged.
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

/// Converts the error of a tag or a parameter set that a client sent.
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
/// uploaded a wrong tag, or the disk is damaged.
pub(super) fn stored_tag(file: FileKey, found: &Found, error: TagError) -> Refusal {
    let what = format!("the block at byte {}: {error}", found.start);
    StoreError::damaged(file, what).into()
}

/// Refuses a request if the number `actual` exceeds `limit`. `what` names the number in the
/// message.
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

/// Refuses a request that selects more than `limit` blocks; otherwise returns the blocks `found`.
/// `what` names the request in the message.
pub(super) fn at_most(what: &str, found: Vec<Found>, limit: usize) -> Result<Vec<Found>, Refusal> {
    if found.len() <= limit {
        return Ok(found);
    }
    Err(Refusal::TooLarge(format!(
        "{what} meets more than {limit} blocks"
    )))
}
