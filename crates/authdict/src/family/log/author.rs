//! Appending a batch to a log, and signing it.

use pad_core::Operation;
use pad_log::{
    AppendError, Entry, LogAuthor, Scheme,
    internals::{BuiltUpdate, Contents},
};

use super::not_offered;
use crate::repository::AuthorError;

/// Appends a batch and signs it. Each put adds a value to its key, or a member to a set. Existing
/// members of a set are skipped.
///
/// # Errors
/// [`AuthorError`]. Nothing is appended after an error.
pub(super) fn append<S: Scheme>(
    author: &mut LogAuthor<S>,
    batch: Vec<Operation>,
) -> Result<BuiltUpdate<S>, AuthorError> {
    let entries: Option<Vec<_>> = batch
        .into_iter()
        .map(|operation| match operation {
            Operation::Put(key, value) => Some(Entry { key, value }),
            Operation::Remove(_) => None,
        })
        .collect();
    let entries = entries.ok_or(not_offered::<S>("removals"))?;
    let has_value = |entry: &Entry| !entry.value.as_bytes().is_empty();
    if S::CONTENTS == Contents::Set && entries.iter().any(has_value) {
        return Err(AppendError::MemberWithValue.into());
    }
    let built = sign(author, entries);
    if built.is_err() {
        author.discard_pending();
    }
    built
}

fn sign<S: Scheme>(
    author: &mut LogAuthor<S>,
    entries: Vec<Entry>,
) -> Result<BuiltUpdate<S>, AuthorError> {
    for entry in entries {
        if !is_member(author, &entry) {
            author.append(entry)?;
        }
    }
    // The repository in this process reuses the tree nodes computed here.
    Ok(author.snapshot_with_nodes()?)
}

fn is_member<S: Scheme>(author: &LogAuthor<S>, entry: &Entry) -> bool {
    let positions = author.entries().positions(entry.key.as_bytes(), u64::MAX);
    S::CONTENTS == Contents::Set && !positions.is_empty()
}
