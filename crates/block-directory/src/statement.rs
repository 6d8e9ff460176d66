//! Statements that verified proofs establish.

use alloc::vec::Vec;

use pad_core::{Suite, Version};

use crate::{
    entry::{Entry, EntryId, EntryState},
    query::Selection,
};

/// The requested entries in one version of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries<S: Suite, Q> {
    /// The version.
    pub version: Version,
    /// The number of entries ever registered, deleted ones included.
    pub registered: u64,
    pub(crate) query: Q,
    pub(crate) shown: Vec<EntryState<S>>,
}

impl<S: Suite, Q: Selection> Entries<S, Q> {
    /// The query.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// The state of an id; `None` if it was not requested. Time: `O(log n)`.
    pub fn of(&self, id: EntryId) -> Option<Entry<S::Digest>> {
        let position = self.query.position(id.number())?;
        if id.number() >= self.registered {
            return Some(Entry::Unassigned);
        }
        let shown = self.shown.get(position)?;
        Some(shown.map_or(Entry::Deleted, Entry::Live))
    }

    /// The registered entries with their ids in ascending order. Requested ids beyond them are
    /// unassigned.
    pub fn registered_entries(&self) -> impl Iterator<Item = (EntryId, Entry<S::Digest>)> {
        let shown = self.shown.iter().enumerate();
        shown.filter_map(|(position, shown)| {
            let id = EntryId::new(self.query.at(position)?);
            Some((id, shown.map_or(Entry::Deleted, Entry::Live)))
        })
    }
}
