//! The author of a log as one of any family.

use aad::{BuiltUpdate, DictionaryScheme, Entry, LogAuthor, Scheme};
use pad_core::{Operation, Value, Version};

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

/// An author whose batches are appended: each put adds a value to those that its key has.
#[derive(Debug)]
pub(super) struct Appending<S: DictionaryScheme>(pub(super) LogAuthor<S>);

impl<S: DictionaryScheme> HostedAuthor for Appending<S> {
    fn version(&self) -> Version {
        self.0.version()
    }

    /// The value appended last.
    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.0.values(key).last().map(Value::as_bytes)
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
        for entry in entries.ok_or(not_offered::<S>("removals"))? {
            self.0.append(entry)?;
        }
        // The repository of the same process makes no node again.
        Ok(Box::new(self.0.snapshot_with_nodes()?))
    }
}
