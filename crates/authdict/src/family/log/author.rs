//! Adapter from the author of a log to the interface of any family.

use pad_core::{Operation, Version};
use pad_log::{AppendError, BuiltUpdate, Entry, LogAuthor, Scheme, scheme::Contents};

use super::not_offered;
use crate::{
    author::{AuthorError, HostedAuthor},
    hosted::SignedUpdate,
};

impl<S: Scheme> SignedUpdate for BuiltUpdate<S> {
    fn version(&self) -> Version {
        self.update().version()
    }

    fn encode(&self) -> Vec<u8> {
        self.update().encode()
    }
}

/// An author that appends its batches. Each put adds a value to those of its key, or a member to a
/// set. Existing members are skipped.
#[derive(Debug)]
pub(super) struct Appending<S: Scheme>(pub(super) LogAuthor<S>);

impl<S: Scheme> Appending<S> {
    fn is_member(&self, entry: &Entry) -> bool {
        let positions = self.0.entries().positions(entry.key.as_bytes(), u64::MAX);
        S::CONTENTS == Contents::Set && !positions.is_empty()
    }

    fn append(&mut self, entries: Vec<Entry>) -> Result<Box<dyn SignedUpdate>, AuthorError> {
        for entry in entries {
            if !self.is_member(&entry) {
                self.0.append(entry)?;
            }
        }
        // The repository of the same process reuses the nodes.
        Ok(Box::new(self.0.snapshot_with_nodes()?))
    }
}

impl<S: Scheme> HostedAuthor for Appending<S> {
    fn version(&self) -> Version {
        self.0.version()
    }

    fn has_unsigned(&self) -> bool {
        self.0.has_unsigned()
    }

    fn snapshot_of(&mut self, batch: Vec<Operation>) -> Result<Box<dyn SignedUpdate>, AuthorError> {
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
        let taken = self.append(entries);
        if taken.is_err() {
            self.0.discard_pending();
        }
        taken
    }
}
