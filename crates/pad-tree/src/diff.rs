//! What changed: between two versions, and of one key over all versions.

use core::cmp::Ordering;

use pad_core::{Key, LookupError, Repository, Suite, Value, Version};

use crate::{
    annotation::Authenticated,
    entries::Probe,
    id::{EntryId, KeyId, NodeId, NodeKind},
    repository::TreeRepository,
    store::VersionedStore,
    view::View,
};

/// One key that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: Key,
    /// Its value in the earlier version, if present there.
    pub before: Option<Value>,
    /// Its value in the later version, if present there.
    pub after: Option<Value>,
}

/// The versions in which one key changed, of those that a repository keeps. Nothing of it is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHistory {
    /// The oldest version that is kept: changes up to this one are not known. Version 0 if none is lost.
    pub since: Version,
    /// The versions after `since` in which the key was put or removed, oldest first.
    pub changes: Vec<Version>,
}

impl<S, St> TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    /// The keys that differ between two versions, in ascending order, without proof.
    ///
    /// Time: where the stores keep digests, proportional to the number of differing keys times
    /// the depth of the tree; equal subtrees are not entered.
    ///
    /// # Errors
    /// [`LookupError`] if one of the versions is not there.
    pub fn diff(&self, before: Version, after: Version) -> Result<Vec<Difference>, LookupError> {
        let mut before = Frontline::new(self.view(before)?);
        let mut after = Frontline::new(self.view(after)?);
        let mut changes = Vec::new();
        while let Some(step) = next_step(&mut before, &mut after) {
            match step {
                Step::Before(entry) => changes.push(self.change(Some(entry), None)),
                Step::After(entry) => changes.push(self.change(None, Some(entry))),
                Step::Both(old, new) => {
                    if self.tree.entry(old) != self.tree.entry(new) {
                        changes.push(self.change(Some(old), Some(new)));
                    }
                }
                Step::Equal(_) => {}
            }
        }
        Ok(changes)
    }

    /// The kept versions in which a key was put or removed, without proof.
    ///
    /// Each listed version can be proved by two look-ups, in it and in the one before. That none is
    /// missing is not proved.
    ///
    /// Time: `O(log n log versions)` for each listed version, and `O(log n)` for each version in
    /// which the key is absent.
    pub fn history(&self, key: &Key) -> KeyHistory {
        let probe = Probe::new(key.as_bytes());
        let (oldest, latest) = (self.oldest().number(), self.latest().number());
        let entry_at = |version: u64| self.view(Version::new(version)).ok()?.find(&probe);
        let mut changes = Vec::new();
        let mut version = latest;
        while version > oldest {
            if let Some(entry) = entry_at(version) {
                // An entry is in a contiguous range of versions: find its first.
                let (mut low, mut high) = (oldest, version);
                while low < high {
                    let middle = low + (high - low) / 2;
                    if entry_at(middle) == Some(entry) {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                version = high;
                if version == oldest {
                    break;
                }
                changes.push(Version::new(version));
            } else if entry_at(version - 1).is_some() {
                changes.push(Version::new(version));
            }
            version -= 1;
        }
        changes.reverse();
        KeyHistory {
            since: self.oldest(),
            changes,
        }
    }

    fn change(&self, before: Option<EntryId>, after: Option<EntryId>) -> Difference {
        let entries = self.tree.tree.store.entries();
        let key = before
            .or(after)
            .map(|entry| entries.owned_key(entry))
            .unwrap_or_default();
        let value = |entry: EntryId| entries.owned_value(entry);
        Difference {
            key,
            before: before.map(value),
            after: after.map(value),
        }
    }
}

/// What a comparison of two versions comes upon next.
pub(crate) enum Step {
    /// A leaf whose key is only in the first.
    Before(EntryId),
    /// A leaf whose key is only in the second.
    After(EntryId),
    /// Two leaves with the same key.
    Both(EntryId, EntryId),
    /// A subtree of the first that the second has as well.
    Equal(NodeId),
}

/// The part of a version that is still to be compared: subtrees from left to right (the next one
/// last), each with the separator that bounds it above.
pub(crate) struct Frontline<'a, St> {
    view: View<'a, St>,
    subtrees: Vec<(NodeId, Option<KeyId>)>,
}

impl<'a, St: VersionedStore> Frontline<'a, St> {
    pub(crate) fn new(view: View<'a, St>) -> Self {
        Self {
            view,
            subtrees: view.root.map(|root| (root, None)).into_iter().collect(),
        }
    }

    /// Replaces the next subtree by its children.
    fn open(&mut self) {
        if let Some((node, bound)) = self.subtrees.pop() {
            let (separator, children) = self.view.record(node);
            self.subtrees.push((children.right(), bound));
            self.subtrees.push((children.left(), Some(separator)));
        }
    }

    fn pop_leaf(&mut self) -> Option<EntryId> {
        match self.subtrees.pop()?.0.kind() {
            NodeKind::Leaf(entry) => Some(entry),
            NodeKind::Inner(_) => None,
        }
    }

    fn key(&self, entry: EntryId) -> &'a [u8] {
        self.view.entries().key(entry)
    }

    fn bound(&self, bound: Option<KeyId>) -> Option<&'a [u8]> {
        bound.map(|key| self.view.entries().key_bytes(key))
    }
}

/// The next place in which two versions, of the same or of two dictionaries, may differ, or a
/// subtree in which they do not.
pub(crate) fn next_step<Before, After>(
    before: &mut Frontline<'_, Before>,
    after: &mut Frontline<'_, After>,
) -> Option<Step>
where
    Before: VersionedStore,
    After: VersionedStore<Annotation = Before::Annotation>,
{
    loop {
        let (old, new) = (
            before.subtrees.last().copied(),
            after.subtrees.last().copied(),
        );
        let ((old, old_bound), (new, new_bound)) = match (old, new) {
            (None, None) => return None,
            (Some((node, _)), None) if node.is_inner() => {
                before.open();
                continue;
            }
            (None, Some((node, _))) if node.is_inner() => {
                after.open();
                continue;
            }
            (Some(_), None) => return before.pop_leaf().map(Step::Before),
            (None, Some(_)) => return after.pop_leaf().map(Step::After),
            (Some(old), Some(new)) => (old, new),
        };
        match (old.kind(), new.kind()) {
            (NodeKind::Leaf(old), NodeKind::Leaf(new)) => {
                return match before.key(old).cmp(after.key(new)) {
                    Ordering::Less => before.pop_leaf().map(Step::Before),
                    Ordering::Greater => after.pop_leaf().map(Step::After),
                    Ordering::Equal => {
                        after.subtrees.pop();
                        before.pop_leaf().map(|old| Step::Both(old, new))
                    }
                };
            }
            (NodeKind::Inner(_), NodeKind::Leaf(_)) => before.open(),
            (NodeKind::Leaf(_), NodeKind::Inner(_)) => after.open(),
            (NodeKind::Inner(_), NodeKind::Inner(_)) => {
                if before.view.digest(old) == after.view.digest(new) {
                    before.subtrees.pop();
                    after.subtrees.pop();
                    return Some(Step::Equal(old));
                }
                // Open the one that reaches further, so that equal subtrees come to stand side by
                // side.
                match compare_bounds(before.bound(old_bound), after.bound(new_bound)) {
                    Ordering::Less => after.open(),
                    Ordering::Greater => before.open(),
                    Ordering::Equal => {
                        before.open();
                        after.open();
                    }
                }
            }
        }
    }
}

/// Compares upper bounds, of which `None` is the highest.
fn compare_bounds(old: Option<&[u8]>, new: Option<&[u8]>) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => old.cmp(new),
    }
}
