//! Differences between the contents of two versions, and the changes of one key over all versions.

use core::{cell::Cell, cmp::Ordering, convert::Infallible};

use pad_core::{Key, LookupError, Repository, StoreFault, Suite, Value, Version};
use serde::{Deserialize, Serialize};

use crate::{
    annotation::Authenticated,
    entries::Probe,
    repository::TreeRepository,
    search::{ComparedTree, Opened},
    store::VersionedStore,
};

/// One key whose value differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The key that differs.
    pub key: Key,
    /// The value in the first version; `None` if the key is absent there.
    pub before: Option<Value>,
    /// The value in the second version; `None` if the key is absent there.
    pub after: Option<Value>,
}

/// The versions in which one key changed, among those that the repository still stores. The list
/// is not proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyHistory {
    /// The version after which all changes are known: the oldest stored version, or a later one if
    /// the search ended early. Version 0 means that all changes are known.
    pub since: Version,
    /// The versions after `since` in which the key got another value or was removed, oldest first.
    pub changes: Vec<Version>,
}

impl<S, St> TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    /// The keys whose values differ between two versions, in ascending order. The list comes
    /// without proof.
    ///
    /// Time: in stores that keep digests, proportional to the number of differing keys times the
    /// depth of the tree. Subtrees with equal digests are skipped.
    ///
    /// # Errors
    /// [`LookupError`] if one of the versions does not exist or was pruned.
    pub fn diff(&self, before: Version, after: Version) -> Result<Vec<Difference>, LookupError> {
        let mut changes = Vec::new();
        self.differences(before, after, |change| {
            changes.push(change);
            Ok::<(), LookupError>(())
        })?;
        Ok(changes)
    }

    /// Passes each [`Difference`] between two versions to `note`, in ascending order of keys.
    /// [`TreeRepository::diff`] collects them in a list.
    ///
    /// # Errors
    /// [`LookupError`] as for [`TreeRepository::diff`]. The first error of `note`, which ends the
    /// comparison.
    #[doc(hidden)]
    pub fn differences<E: From<LookupError>>(
        &self,
        before: Version,
        after: Version,
        note: impl FnMut(Difference) -> Result<(), E>,
    ) -> Result<(), E> {
        differences(self.view(before)?, self.view(after)?, note)
    }

    /// The stored versions in which a key got another value or was removed. The list comes without
    /// proof.
    ///
    /// Each listed version can be proved by two lookups, in that version and in the version before.
    /// The completeness of the list is not proved.
    ///
    /// Time: `O(log n log versions)` for each listed version, and `O(log n)` for each version in
    /// which the key is absent.
    pub fn history(&self, key: &Key) -> KeyHistory {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// One page of a key's history: the newest changes up to version `last`. The search ends after
    /// about `lookups` lookups.
    ///
    /// Examines at least one version, and finishes each version that it begins. For the next page,
    /// pass [`KeyHistory::since`] as `last`.
    #[doc(hidden)]
    pub fn history_page(&self, key: &Key, last: Version, lookups: u64) -> KeyHistory {
        let probe = Probe::new(key.as_bytes());
        let find = |version| Ok(self.view(version).ok().and_then(|view| view.find(&probe)));
        let versions = (self.oldest(), last.min(self.latest()));
        let Ok(history) = history::<_, Infallible>(versions, lookups, find);
        history
    }
}

/// The versions after `oldest`, up to `latest`, in which a key got another value or was removed.
///
/// `find` returns the id of the key's entry in a version. An entry must have the same id in all
/// versions that contain it. After `lookups` calls of `find`, no further version is examined, but
/// version `latest` always is.
///
/// # Errors
/// The error of `find`.
pub(crate) fn history<I: PartialEq, E>(
    (oldest, latest): (Version, Version),
    lookups: u64,
    find: impl Fn(Version) -> Result<Option<I>, E>,
) -> Result<KeyHistory, E> {
    let oldest = oldest.number();
    let used = Cell::new(0_u64);
    let entry_at = |version: u64| {
        used.set(used.get().saturating_add(1));
        find(Version::new(version))
    };
    let mut changes = Vec::new();
    let mut version = latest.number();
    while version > oldest && (used.get() < lookups || version == latest.number()) {
        if let Some(entry) = entry_at(version)? {
            // An entry is in a contiguous range of versions. Finds the first of these versions.
            let (mut low, mut high) = (oldest, version);
            while low < high {
                let middle = low + (high - low) / 2;
                if entry_at(middle)?.as_ref() == Some(&entry) {
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
        } else if entry_at(version - 1)?.is_some() {
            changes.push(Version::new(version));
        }
        version -= 1;
    }
    changes.reverse();
    let since = Version::new(version);
    Ok(KeyHistory { since, changes })
}

/// Passes each difference between the trees of two versions to `note`, in ascending order of keys.
///
/// # Errors
/// The error of a tree if a node cannot be fetched. The first error of `note`, after which nothing
/// more is read.
pub(crate) fn differences<Before, After, E: From<LookupError>>(
    before: Before,
    after: After,
    mut note: impl FnMut(Difference) -> Result<(), E>,
) -> Result<(), E>
where
    Before: ComparedTree<Error = LookupError>,
    After: ComparedTree<Suite = Before::Suite, Error = LookupError>,
{
    let (mut old, mut new) = (Frontline::new(before)?, Frontline::new(after)?);
    while let Some(step) = next_step(&mut old, &mut new)? {
        let (key, earlier, later) = match &step {
            Step::Before(leaf) => (before.key(leaf), Some(before.value(leaf)), None),
            Step::After(leaf) => (after.key(leaf), None, Some(after.value(leaf))),
            Step::Both(leaf, newer) => (
                before.key(leaf),
                Some(before.value(leaf)),
                Some(after.value(newer)),
            ),
            Step::Equal(_) => continue,
        };
        if earlier != later {
            note(Difference {
                key: owned_key(key)?,
                before: earlier.map(owned_value).transpose()?,
                after: later.map(owned_value).transpose()?,
            })?;
        }
    }
    Ok(())
}

/// Copies the key of a leaf. Returns [`StoreFault::Damaged`] if it is too long, which is possible
/// in a store that an attacker wrote.
pub(crate) fn owned_key(bytes: &[u8]) -> Result<Key, LookupError> {
    Key::new(bytes).map_err(|_| StoreFault::Damaged.into())
}

/// Copies the value of a leaf. Returns [`StoreFault::Damaged`] if it is too long, which is possible
/// in a store that an attacker wrote.
pub(crate) fn owned_value(bytes: &[u8]) -> Result<Value, LookupError> {
    Value::new(bytes).map_err(|_| StoreFault::Damaged.into())
}

/// The result of one step in the comparison of two versions.
pub(crate) enum Step<Before: ComparedTree, After: ComparedTree> {
    /// A leaf whose key is in the first version only.
    Before(Before::Leaf),
    /// A leaf whose key is in the second version only.
    After(After::Leaf),
    /// Two leaves with the same key, of the first and the second version. Their values may differ.
    Both(Before::Leaf, After::Leaf),
    /// A subtree that both versions share, and that is therefore skipped.
    Equal(Before::Node),
}

/// The part of a version that is not compared yet: a stack of subtrees whose top is the next
/// subtree in key order.
///
/// Each subtree is stored with the inner node whose separator is its upper bound. `None` stands for
/// the end of the key space.
pub(crate) struct Frontline<T: ComparedTree> {
    tree: T,
    subtrees: Vec<(T::Node, Option<T::Inner>)>,
    /// The next subtree, if it is a leaf that was read already. It is not read again, because its
    /// value may be long, and it may be compared with many leaves of the other version.
    leaf: Option<T::Leaf>,
}

impl<T: ComparedTree> Frontline<T> {
    /// Creates the frontline of a whole version, from which nothing is compared yet.
    ///
    /// # Errors
    /// The error of the tree if the root cannot be fetched.
    pub(crate) fn new(tree: T) -> Result<Self, T::Error> {
        let root = tree.top()?.map(|root| (root, None));
        Ok(Self {
            tree,
            subtrees: root.into_iter().collect(),
            leaf: None,
        })
    }

    /// The next subtree to compare; `None` at the end of the version.
    fn next(&self) -> Option<&T::Node> {
        self.subtrees.last().map(|(node, _)| node)
    }

    /// Replaces the next subtree by its children. If it is a leaf, removes and returns it.
    fn open(&mut self) -> Result<Option<T::Leaf>, T::Error> {
        let leaf = self.leaf.take();
        let Some((node, bound)) = self.subtrees.pop() else {
            return Ok(None);
        };
        if leaf.is_some() {
            return Ok(leaf);
        }
        match self.tree.open(&node)? {
            Opened::Leaf(leaf) => Ok(Some(leaf)),
            Opened::Inner(inner) => {
                let [left, right] = self.tree.branches(&inner);
                self.subtrees.push((right, bound));
                self.subtrees.push((left, Some(inner)));
                Ok(None)
            }
        }
    }

    /// Removes and returns the next subtree without opening it.
    fn pass(&mut self) -> Option<T::Node> {
        self.leaf = None;
        self.subtrees.pop().map(|(node, _)| node)
    }

    /// Reads the next subtree, which must be a leaf, into `leaf`, unless it was read before.
    fn read_leaf(&mut self) -> Result<(), T::Error> {
        if let (None, Some((node, _))) = (&self.leaf, self.subtrees.last())
            && let Opened::Leaf(leaf) = self.tree.open(node)?
        {
            self.leaf = Some(leaf);
        }
        Ok(())
    }

    /// The upper bound of the next subtree; `None` at the end of the key space.
    fn bound(&self) -> Option<&[u8]> {
        let (_, bound) = self.subtrees.last()?;
        bound.as_ref().map(|inner| self.tree.separator(inner))
    }
}

/// Advances the comparison of two versions, of one dictionary or of two. Returns the next
/// difference or shared subtree, or `None` at the end.
///
/// # Errors
/// The error of a tree if a node cannot be fetched.
pub(crate) fn next_step<Before, After>(
    before: &mut Frontline<Before>,
    after: &mut Frontline<After>,
) -> Result<Option<Step<Before, After>>, Before::Error>
where
    Before: ComparedTree,
    After: ComparedTree<Suite = Before::Suite, Error = Before::Error>,
{
    loop {
        let (old, new) = match (before.next(), after.next()) {
            (None, None) => return Ok(None),
            (Some(_), None) => match before.open()? {
                Some(leaf) => return Ok(Some(Step::Before(leaf))),
                None => continue,
            },
            (None, Some(_)) => match after.open()? {
                Some(leaf) => return Ok(Some(Step::After(leaf))),
                None => continue,
            },
            (Some(old), Some(new)) => (old, new),
        };
        let (is_old_inner, is_new_inner) = (before.tree.is_inner(old), after.tree.is_inner(new));
        if is_old_inner == is_new_inner && before.tree.digest(old) == after.tree.digest(new) {
            after.pass();
            return Ok(before.pass().map(Step::Equal));
        }
        match (is_old_inner, is_new_inner) {
            (false, false) => return leaves(before, after),
            (true, false) => drop(before.open()?),
            (false, true) => drop(after.open()?),
            // Open the subtree that reaches further, so that equal subtrees become aligned.
            (true, true) => match compare_bounds(before.bound(), after.bound()) {
                Ordering::Less => drop(after.open()?),
                Ordering::Greater => drop(before.open()?),
                Ordering::Equal => {
                    before.open()?;
                    after.open()?;
                }
            },
        }
    }
}

/// Compares the next leaves of both versions, and removes the one with the smaller key, or both.
fn leaves<Before, After>(
    before: &mut Frontline<Before>,
    after: &mut Frontline<After>,
) -> Result<Option<Step<Before, After>>, Before::Error>
where
    Before: ComparedTree,
    After: ComparedTree<Suite = Before::Suite, Error = Before::Error>,
{
    before.read_leaf()?;
    after.read_leaf()?;
    let (Some(old), Some(new)) = (&before.leaf, &after.leaf) else {
        return Ok(None);
    };
    Ok(match before.tree.key(old).cmp(after.tree.key(new)) {
        Ordering::Less => before.open()?.map(Step::Before),
        Ordering::Greater => after.open()?.map(Step::After),
        Ordering::Equal => {
            let both = before.open()?.zip(after.open()?);
            both.map(|(old, new)| Step::Both(old, new))
        }
    })
}

/// Compares two upper bounds of subtrees. `None` is the end of the key space, the highest bound.
fn compare_bounds(old: Option<&[u8]>, new: Option<&[u8]>) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => old.cmp(new),
    }
}
