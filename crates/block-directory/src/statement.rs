//! Statements that verified proofs establish.

use alloc::vec::Vec;

use pad_core::{Suite, Version};

use crate::{
    entry::{Entry, EntryId, EntryState},
    query::Selection,
};

/// The states of requested entries in one version of a directory: the verified statement of a
/// proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries<S: Suite, Q> {
    /// The version that the statement is about.
    pub version: Version,
    /// The number of entries ever registered, deleted ones included.
    pub registered: u64,
    pub(crate) query: Q,
    pub(crate) shown: Vec<EntryState<S>>,
}

impl<S: Suite, Q: Selection> Entries<S, Q> {
    /// Returns the query that asked for these entries.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// Returns the state of an id; `None` if the query did not ask for it. Time: `O(log n)`.
    pub fn of(&self, id: EntryId) -> Option<Entry<S::Digest>> {
        let position = self.query.position(id.number())?;
        if id.number() >= self.registered {
            return Some(Entry::Unassigned);
        }
        let shown = self.shown.get(position)?;
        Some(shown.map_or(Entry::Deleted, Entry::Live))
    }

    /// Returns the requested entries that are registered, with their ids in ascending order.
    /// Requested ids that are not returned are unassigned.
    pub fn registered_entries(&self) -> impl Iterator<Item = (EntryId, Entry<S::Digest>)> {
        let shown = self.shown.iter().enumerate();
        shown.filter_map(|(position, shown)| {
            let id = EntryId::new(self.query.at(position)?);
            Some((id, shown.map_or(Entry::Deleted, Entry::Live)))
        })
    }
}
