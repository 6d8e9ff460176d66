//! What a verified proof establishes.

use alloc::vec::Vec;

use pad_core::{Suite, Version};

use crate::{
    entry::{Entry, EntryId, Shown},
    query::Selection,
};

/// What the entries that were asked for are in one version of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries<S: Suite, Q> {
    /// The version.
    pub version: Version,
    /// The number of entries ever registered, deleted ones included.
    pub registered: u64,
    pub(crate) query: Q,
    pub(crate) shown: Vec<Shown<S>>,
}

impl<S: Suite, Q: Selection> Entries<S, Q> {
    /// The question.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// What an id stands for; `None` if it was not asked for. Time: `O(log n)`.
    pub fn of(&self, id: EntryId) -> Option<Entry<S::Digest>> {
        let position = self.query.position(id.number())?;
        if id.number() >= self.registered {
            return Some(Entry::Unassigned);
        }
        let shown = self.shown.get(position)?;
        Some(shown.map_or(Entry::Deleted, Entry::Live))
    }

    /// The entries that are registered, with their ids in ascending order; those asked for beyond are unassigned.
    pub fn registered_entries(&self) -> impl Iterator<Item = (EntryId, Entry<S::Digest>)> {
        let shown = self.shown.iter().enumerate();
        shown.filter_map(|(position, shown)| {
            let id = EntryId::new(self.query.at(position)?);
            Some((id, shown.map_or(Entry::Deleted, Entry::Live)))
        })
    }
}
