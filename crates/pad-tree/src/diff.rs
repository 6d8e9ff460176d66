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
pub struct Change {
    /// The key.
    pub key: Key,
    /// Its value in the earlier version, if present there.
    pub before: Option<Value>,
    /// Its value in the later version, if present there.
    pub after: Option<Value>,
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
    pub fn diff(&self, before: Version, after: Version) -> Result<Vec<Change>, LookupError> {
        let mut before = Frontline::new(self.view(before)?);
        let mut after = Frontline::new(self.view(after)?);
        let mut changes = Vec::new();
        while let Some(step) = next_step(&mut before, &mut after) {
            match step {
                Difference::Before(entry) => changes.push(self.change(Some(entry), None)),
                Difference::After(entry) => changes.push(self.change(None, Some(entry))),
                Difference::Both(old, new) => {
                    if self.tree.entry(old) != self.tree.entry(new) {
                        changes.push(self.change(Some(old), Some(new)));
                    }
                }
            }
        }
        Ok(changes)
    }

    /// The versions in which a key was put or removed, oldest first, without proof.
    ///
    /// Each listed version can be proved by two look-ups, in it and in the one before. That none is
    /// missing is not proved. Pruned versions are not looked at: the first listed version may be
    /// the oldest kept one.
    ///
    /// Time: `O(log n log versions)` for each listed version, and `O(log n)` for each version in
    /// which the key is absent.
    pub fn history(&self, key: &Key) -> Vec<Version> {
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
                    if entry_at(middle) == Some(entry) { high = middle } else { low = middle + 1 }
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
        if oldest > 0 && entry_at(oldest).is_some() {
            changes.push(Version::new(oldest));
        }
        changes.reverse();
        changes
    }

    fn change(&self, before: Option<EntryId>, after: Option<EntryId>) -> Change {
        let entries = self.tree.tree.store.entries();
        let key = before.or(after).map(|entry| entries.owned_key(entry)).unwrap_or_default();
        let value = |entry: EntryId| {
            Value::new(entries.value(entry)).expect("entries: values were checked when added")
        };
        Change { key, before: before.map(value), after: after.map(value) }
    }
}

enum Difference {
    Before(EntryId),
    After(EntryId),
    Both(EntryId, EntryId),
}

/// The part of a version that is still to be compared: subtrees from left to right (the next one
/// last), each with the separator that bounds it above.
struct Frontline<'a, St> {
    view: View<'a, St>,
    subtrees: Vec<(NodeId, Option<KeyId>)>,
}

impl<'a, St: VersionedStore> Frontline<'a, St> {
    fn new(view: View<'a, St>) -> Self {
        Self { view, subtrees: view.root.map(|root| (root, None)).into_iter().collect() }
    }

    /// Replaces the next subtree by its children.
    fn open(&mut self) {
        if let Some((node, bound)) = self.subtrees.pop() {
            let children = self.view.children(node);
            self.subtrees.push((children.right(), bound));
            self.subtrees.push((children.left(), Some(self.view.store.separator(node))));
        }
    }
}

/// The next leaf in which the two differ, or may differ.
fn next_step<St: VersionedStore>(
    before: &mut Frontline<'_, St>,
    after: &mut Frontline<'_, St>,
) -> Option<Difference> {
    loop {
        let (old, new) = (before.subtrees.last().copied(), after.subtrees.last().copied());
        let ((old, old_bound), (new, new_bound)) = match (old, new) {
            (None, None) => return None,
            (Some((node, _)), None) | (None, Some((node, _))) if node.is_inner() => {
                if old.is_some() { before.open() } else { after.open() }
                continue;
            }
            (Some(_), None) => return pop_leaf(before).map(Difference::Before),
            (None, Some(_)) => return pop_leaf(after).map(Difference::After),
            (Some(old), Some(new)) => (old, new),
        };
        match (old.kind(), new.kind()) {
            (NodeKind::Leaf(old), NodeKind::Leaf(new)) => {
                let entries = before.view.entries();
                return match entries.compare_keys(entries.key_of(old), entries.key_of(new)) {
                    Ordering::Less => pop_leaf(before).map(Difference::Before),
                    Ordering::Greater => pop_leaf(after).map(Difference::After),
                    Ordering::Equal => {
                        after.subtrees.pop();
                        pop_leaf(before).map(|old| Difference::Both(old, new))
                    }
                };
            }
            (NodeKind::Inner(_), NodeKind::Leaf(_)) => before.open(),
            (NodeKind::Leaf(_), NodeKind::Inner(_)) => after.open(),
            (NodeKind::Inner(_), NodeKind::Inner(_)) => {
                if before.view.digest(old) == after.view.digest(new) {
                    before.subtrees.pop();
                    after.subtrees.pop();
                    continue;
                }
                // Open the one that reaches further, so that equal subtrees come to stand side by
                // side.
                match compare_bounds(before, old_bound, new_bound) {
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

fn pop_leaf<St>(frontline: &mut Frontline<'_, St>) -> Option<EntryId> {
    match frontline.subtrees.pop()?.0.kind() {
        NodeKind::Leaf(entry) => Some(entry),
        NodeKind::Inner(_) => None,
    }
}

fn compare_bounds<St: VersionedStore>(
    frontline: &Frontline<'_, St>,
    old: Option<KeyId>,
    new: Option<KeyId>,
) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => frontline.view.entries().compare_keys(old, new),
    }
}
