//! An author's changes that wait for its next snapshot.

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    key::{Key, Value},
    update::Operation,
};

/// Changes over published contents, which the author looks up itself.
///
/// Space: the changes. Time: `O(log n)` for each of `n` changes, unless a method says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// In ascending order of keys; `None` removes.
    changes: BTreeMap<Key, Option<Value>>,
}

impl PendingChanges {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The value of a key with the changes, `published` being its value without them.
    pub fn get<'a>(
        &'a self,
        key: &[u8],
        published: impl FnOnce() -> Option<&'a [u8]>,
    ) -> Option<&'a [u8]> {
        match self.changes.get(key) {
            Some(change) => change.as_ref().map(Value::as_bytes),
            None => published(),
        }
    }

    /// The number of entries with the changes, `published` being their number without them.
    ///
    /// Time: one call of `is_published` for each change.
    pub fn len(&self, published: usize, is_published: impl Fn(&[u8]) -> bool) -> usize {
        let changes = self.changes.iter();
        changes.fold(published, |entries, (key, change)| {
            match (is_published(key.as_bytes()), change) {
                (false, Some(_)) => entries.saturating_add(1),
                (true, None) => entries.saturating_sub(1),
                _ => entries,
            }
        })
    }

    /// Sets the value of a key.
    pub fn put(&mut self, key: Key, value: Value) {
        self.changes.insert(key, Some(value));
    }

    /// Removes a key, which is published or not; says whether it was there, with the changes.
    pub fn remove(&mut self, key: &Key, is_published: bool) -> bool {
        let before = if is_published {
            self.changes.insert(key.clone(), None)
        } else {
            self.changes.remove(key)
        };
        before.map_or(is_published, |change| change.is_some())
    }

    /// Adds the operations of a batch, the last on a key being the one that counts.
    pub fn extend(&mut self, batch: Vec<Operation>, is_published: impl Fn(&[u8]) -> bool) {
        for operation in batch {
            match operation {
                Operation::Put(key, value) => self.put(key, value),
                Operation::Remove(key) => {
                    self.remove(&key, is_published(key.as_bytes()));
                }
            }
        }
    }

    /// All changes, in ascending order of keys; none wait afterwards.
    pub fn take(&mut self) -> Vec<Operation> {
        let changes = core::mem::take(&mut self.changes).into_iter();
        changes
            .map(|(key, value)| match value {
                Some(value) => Operation::Put(key, value),
                None => Operation::Remove(key),
            })
            .collect()
    }

    /// Lets operations wait again that were taken; a change made since then counts.
    pub fn take_back(&mut self, operations: Vec<Operation>) {
        for operation in operations {
            let (key, change) = match operation {
                Operation::Put(key, value) => (key, Some(value)),
                Operation::Remove(key) => (key, None),
            };
            self.changes.entry(key).or_insert(change);
        }
    }
}
