//! The changes that a light author signs as one version, and the query for the proof that the
//! author needs for them.

use pad_core::{Suite, VerifyError};

use crate::{
    entry::{EntryId, EntryState},
    operations::Change,
    query::EntryQuery,
};

/// The changes that a light author signs as one version: updates and deletions of registered
/// entries, and new entries. Of several changes to one entry, only the last is kept.
#[derive(Clone, Debug, Default)]
pub struct Changes<S: Suite> {
    pub(super) changed: Vec<Change<S>>,
    pub(super) appended: Vec<S::Digest>,
}

impl<S: Suite> Changes<S> {
    /// Creates an empty set of changes.
    pub const fn new() -> Self {
        Self {
            changed: Vec::new(),
            appended: Vec::new(),
        }
    }

    /// Registers an object by its digest, as a new entry.
    pub fn append(&mut self, object: S::Digest) {
        self.appended.push(object);
    }

    /// Replaces the object of the entry `id` by another object, given by its digest.
    pub fn update(&mut self, id: EntryId, object: S::Digest) {
        self.set(id, Some(object));
    }

    /// Deletes an entry permanently.
    pub fn delete(&mut self, id: EntryId) {
        self.set(id, None);
    }

    fn set(&mut self, id: EntryId, shown: EntryState<S>) {
        let change = Change {
            id: id.number(),
            shown,
        };
        let place = self
            .changed
            .binary_search_by_key(&change.id, |other| other.id);
        match place {
            Ok(place) => {
                if let Some(other) = self.changed.get_mut(place) {
                    *other = change;
                }
            }
            Err(place) => self.changed.insert(place, change),
        }
    }

    /// Returns the query for the registered entries that change, to be sent to the server. `None`
    /// if there are only new entries.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for more than 1 000 changing entries.
    pub fn question(&self) -> Result<Option<EntryQuery>, VerifyError> {
        if self.changed.is_empty() {
            return Ok(None);
        }
        let ids = self.changed.iter().map(|change| change.id);
        EntryQuery::new(ids.collect()).map(Some)
    }
}
