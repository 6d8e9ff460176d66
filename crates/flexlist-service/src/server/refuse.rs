//! Refusals from errors.

use flexlist::{FileId, error::UpdateError, list::Found, tag::TagError};

use crate::{
    message::Refusal,
    signed::OpenError,
    store::{FileKey, StoreError},
};

/// A signed request that cannot be opened.
pub(super) fn open(error: OpenError) -> Refusal {
    match error {
        OpenError::WrongSignature => Refusal::WrongOwner,
        OpenError::Body(_) => Refusal::Invalid(error.to_string()),
    }
}

/// The store cannot do what it should.
pub(super) fn store(error: &StoreError) -> Refusal {
    match error {
        StoreError::CannotWrite(_) => Refusal::CannotWrite,
        StoreError::Interrupted => Refusal::Unavailable,
        error => Refusal::StoreFailed(error.to_string()),
    }
}

/// Something panicked: of the things that read the store, the engine on a damaged page.
pub(super) fn panicked(file: Option<FileId>) -> Refusal {
    let file = file.map_or_else(|| "a file".into(), |file| format!("file {file}"));
    Refusal::StoreFailed(format!(
        "{file} cannot be read from the store, which is damaged: check it, or restore it from a copy"
    ))
}

/// The list does not allow what was asked.
pub(super) fn update(error: UpdateError) -> Refusal {
    match error {
        UpdateError::FileTooLong | UpdateError::ListFull | UpdateError::BatchTooLarge => {
            Refusal::TooLarge(error.to_string())
        }
        UpdateError::Elided => Refusal::StoreFailed(error.to_string()),
        _ => Refusal::Invalid(error.to_string()),
    }
}

/// Tags that do not fit their blocks.
pub(super) fn tags(error: TagError) -> Refusal {
    match error {
        TagError::TagMalformed | TagError::BlockMismatch => Refusal::TagsInvalid,
        TagError::BlockTooLong { .. } => Refusal::TooLarge(error.to_string()),
        TagError::RandomnessUnavailable => Refusal::Unavailable,
        _ => Refusal::Invalid(error.to_string()),
    }
}

/// A stored block that does not fit its own tag, which the owner made or the disk.
pub(super) fn stored_tag(file: FileKey, found: &Found, error: TagError) -> Refusal {
    let what = format!("the block at byte {}: {error}", found.start);
    store(&StoreError::damaged(file, what))
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
