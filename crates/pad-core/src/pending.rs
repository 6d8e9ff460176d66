//! An author's changes since its last snapshot; the next snapshot publishes them.

use alloc::{collections::BTreeMap, vec::Vec};

use crate::{
    key::{Key, Value},
    update::Operation,
};

/// Changes to published contents that are not published yet. This type does not store the published
/// contents. Callers pass the facts about them that a method needs.
///
/// Space: proportional to the changes. Time: `O(log n)` for each of `n` changes, unless documented
/// otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// The last change of each key, ordered by key: the new value, or `None` if the key is removed.
    changes: BTreeMap<Key, Option<Value>>,
}

impl PendingChanges {
    /// Whether there are no pending changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The value of a key, pending changes included; `None` if absent. `published` looks up the
    /// key's published value.
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

    /// The number of entries, pending changes included. `published` is the number of published
    /// entries, and `is_published` tells whether a key is published.
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

    /// Records that a key gets a new value.
    pub fn put(&mut self, key: Key, value: Value) {
        self.changes.insert(key, Some(value));
    }

    /// Records the removal of a key. Returns whether the key was present, counting earlier pending
    /// changes.
    ///
    /// `is_published` tells whether the published contents contain the key.
    pub fn remove(&mut self, key: &Key, is_published: bool) -> bool {
        let before = if is_published {
            self.changes.insert(key.clone(), None)
        } else {
            self.changes.remove(key)
        };
        before.map_or(is_published, |change| change.is_some())
    }

    /// Records the operations of a batch. The last operation on a key wins. `is_published` tells
    /// whether the published contents contain a key.
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

    /// Removes and returns all pending changes, in ascending order of keys.
    pub fn take(&mut self) -> Vec<Operation> {
        let changes = core::mem::take(&mut self.changes).into_iter();
        changes
            .map(|(key, value)| match value {
                Some(value) => Operation::Put(key, value),
                None => Operation::Remove(key),
            })
            .collect()
    }

    /// Makes operations pending again that [`PendingChanges::take`] returned. Changes recorded
    /// since then take precedence.
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
