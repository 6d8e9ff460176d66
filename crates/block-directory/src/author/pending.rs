//! The pending changes of a full author.

use std::collections::BTreeMap;

use pad_core::Suite;

use crate::operations::EntryChanges;

/// Changes for the next version. Each changed entry has its new slot content: the digest of its
/// object, or zeros for a deleted entry.
///
/// Changes in ascending order of ids are only added to a list, which the next version takes as it
/// is.
#[derive(Clone, Debug)]
pub(super) struct PendingChanges<S: Suite> {
    /// Changed entries in ascending order of ids.
    changed: Vec<(u64, S::Digest)>,
    /// Changed entries with ids below the last one of `changed`, and not in `changed`.
    late: BTreeMap<u64, S::Digest>,
    /// The objects of new entries, in the order of their ids.
    appended: Vec<S::Digest>,
}

impl<S: Suite> PendingChanges<S> {
    /// Creates an empty set of changes.
    pub(super) const fn new() -> Self {
        Self {
            changed: Vec::new(),
            late: BTreeMap::new(),
            appended: Vec::new(),
        }
    }

    /// Returns the number of changed and new entries.
    pub(super) fn len(&self) -> usize {
        let changed = self.changed.len().saturating_add(self.late.len());
        changed.saturating_add(self.appended.len())
    }

    /// Returns the objects of new entries, in the order of their ids.
    pub(super) fn appended(&self) -> &[S::Digest] {
        &self.appended
    }

    /// Returns the objects of new entries, mutably.
    pub(super) fn appended_mut(&mut self) -> &mut [S::Digest] {
        &mut self.appended
    }

    /// Adds a new entry.
    pub(super) fn append(&mut self, object: S::Digest) {
        self.appended.push(object);
    }

    /// Returns the new content of a changed entry.
    pub(super) fn get(&self, id: u64) -> Option<&S::Digest> {
        match self.place(id) {
            Some(Ok(place)) => self.changed.get(place).map(|(_, content)| content),
            Some(Err(_)) => self.late.get(&id),
            None => None,
        }
    }

    /// Returns the new content of a changed entry, mutably.
    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut S::Digest> {
        match self.place(id) {
            Some(Ok(place)) => self.changed.get_mut(place).map(|(_, content)| content),
            Some(Err(_)) => self.late.get_mut(&id),
            None => None,
        }
    }

    /// Returns the place of an entry in `changed`, or the place where it would be. `None` if the
    /// id is above all of `changed`.
    #[inline]
    fn place(&self, id: u64) -> Option<Result<usize, usize>> {
        let (last, _) = self.changed.last()?;
        (id <= *last).then(|| self.changed.binary_search_by_key(&id, |slot| slot.0))
    }

    /// Adds the new content of an entry that has not changed yet.
    pub(super) fn insert(&mut self, id: u64, content: S::Digest) {
        if self.changed.last().is_none_or(|(last, _)| *last < id) {
            self.changed.push((id, content));
        } else {
            self.late.insert(id, content);
        }
    }

    /// Takes all changes.
    pub(super) fn take(&mut self) -> EntryChanges<S> {
        let mut changed = core::mem::take(&mut self.changed);
        if !self.late.is_empty() {
            changed.extend(core::mem::take(&mut self.late));
            // Merges the two ascending runs in linear time.
            changed.sort_by_key(|slot| slot.0);
        }
        EntryChanges {
            changed,
            appended: core::mem::take(&mut self.appended),
        }
    }

    /// Puts back changes that were taken.
    pub(super) fn restore(&mut self, changes: EntryChanges<S>) {
        let EntryChanges { changed, appended } = changes;
        (self.changed, self.appended) = (changed, appended);
    }
}
