//! Differences between two versions, and the history of one key over all versions.

use core::{cell::Cell, cmp::Ordering, convert::Infallible};

use pad_core::{Key, LookupError, Repository, StoreFault, Suite, Value, Version};

use crate::{
    annotation::Authenticated,
    entries::Probe,
    repository::TreeRepository,
    search::{ComparedTree, Opened},
    store::VersionedStore,
};

/// One key that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: Key,
    /// The value in the earlier version, if present there.
    pub before: Option<Value>,
    /// The value in the later version, if present there.
    pub after: Option<Value>,
}

/// The changes of one key in the versions that a repository keeps, without proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHistory {
    /// The oldest version that is kept or was examined. Changes up to this version are unknown.
    /// Version 0 means that no change is unknown.
    pub since: Version,
    /// The versions after `since` that put another value for the key or removed it, oldest first.
    pub changes: Vec<Version>,
}

impl<S, St> TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    /// The keys that differ between two versions, in ascending order, without proof.
    ///
    /// Time: in stores that keep digests, proportional to the number of differing keys times the
    /// depth of the tree. Equal subtrees are not entered.
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

    /// Streams the keys that [`TreeRepository::diff`] collects to `note`, one after the other.
    ///
    /// # Errors
    /// [`LookupError`] as for [`TreeRepository::diff`]. The first error of `note`, which ends the
    /// comparison.
    pub fn differences<E: From<LookupError>>(
        &self,
        before: Version,
        after: Version,
        note: impl FnMut(Difference) -> Result<(), E>,
    ) -> Result<(), E> {
        differences(self.view(before)?, self.view(after)?, note)
    }

    /// The kept versions in which a key was put with another value or removed, without proof.
    ///
    /// Each listed version can be proved by two lookups, in that version and in the version before.
    /// The completeness of the list is not proved.
    ///
    /// Time: `O(log n log versions)` for each listed version, and `O(log n)` for each version in
    /// which the key is absent.
    ///
    /// # Panics
    /// Never: all nodes are in memory.
    pub fn history(&self, key: &Key) -> KeyHistory {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// One page of a key's history: the versions up to `last`, with a budget of `lookups`.
    ///
    /// Examines at least one version, and always finishes a version that it has begun. The next
    /// page continues at [`KeyHistory::since`].
    ///
    /// # Panics
    /// Never: all nodes are in memory.
    pub fn history_page(&self, key: &Key, last: Version, lookups: u64) -> KeyHistory {
        let probe = Probe::new(key.as_bytes());
        let find = |version| Ok(self.view(version).ok().and_then(|view| view.find(&probe)));
        let versions = (self.oldest(), last.min(self.latest()));
        let history: Result<_, Infallible> = history(versions, lookups, find);
        match history {
            Ok(history) => history,
            Err(never) => match never {},
        }
    }
}

/// The versions after `oldest`, up to `latest`, in which a key was put or removed.
///
/// `find` returns the key's entry in a version. It returns equal values for an entry in all
/// versions that contain the entry. After `lookups` calls of `find` no older version is started,
/// except the first.
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
            // // An entry is in a contiguous range of versions. Finds the first of these versions.
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

/// Notes the keys that differ between two versions, in ascending order.
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
        match step {
            Step::Before(leaf) => note(Difference {
                key: owned_key(before.key(&leaf))?,
                before: Some(owned_value(before.value(&leaf))?),
                after: None,
            })?,
            Step::After(leaf) => note(Difference {
                key: owned_key(after.key(&leaf))?,
                before: None,
                after: Some(owned_value(after.value(&leaf))?),
            })?,
            Step::Both(left, right) if before.value(&left) != after.value(&right) => {
                note(Difference {
                    key: owned_key(before.key(&left))?,
                    before: Some(owned_value(before.value(&left))?),
                    after: Some(owned_value(after.value(&right))?),
                })?;
            }
            Step::Both(..) | Step::Equal(_) => {}
        }
    }
    Ok(())
}

/// The key of a leaf. Keys in a store that an attacker wrote may be too long.
pub(crate) fn owned_key(bytes: &[u8]) -> Result<Key, LookupError> {
    Key::new(bytes).map_err(|_| StoreFault::Damaged.into())
}

/// The value of a leaf.
pub(crate) fn owned_value(bytes: &[u8]) -> Result<Value, LookupError> {
    Value::new(bytes).map_err(|_| StoreFault::Damaged.into())
}

/// One step of a comparison of two versions.
pub(crate) enum Step<Before: ComparedTree, After: ComparedTree> {
    /// A leaf whose key is in the first version only.
    Before(Before::Leaf),
    /// A leaf whose key is in the second version only.
    After(After::Leaf),
    /// Two leaves with the same key.
    Both(Before::Leaf, After::Leaf),
    /// A subtree that both versions share.
    Equal(Before::Node),
}

/// The uncompared part of a version: its subtrees from right to left, so that the next one is last.
/// Each is stored with the inner node whose separator is its upper bound.
pub(crate) struct Frontline<T: ComparedTree> {
    tree: T,
    subtrees: Vec<(T::Node, Option<T::Inner>)>,
    /// The next subtree, if it is a leaf that was read already. The leaf is stored because its
    /// value may be long, and may wait for many leaves of the other version.
    leaf: Option<T::Leaf>,
}

impl<T: ComparedTree> Frontline<T> {
    /// The frontline of a whole version.
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

    /// The next subtree.
    fn next(&self) -> Option<&T::Node> {
        self.subtrees.last().map(|(node, _)| node)
    }

    /// Replaces the next subtree by its children. Returns the subtree instead if it is a leaf.
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

    /// Skips the next subtree.
    fn pass(&mut self) -> Option<T::Node> {
        self.leaf = None;
        self.subtrees.pop().map(|(node, _)| node)
    }

    /// Reads the next subtree, which is a leaf, unless it was read before.
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

/// The next difference between two versions, of one dictionary or of two, or a subtree that they
/// share.
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

/// The step for the two leaves that come next.
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

/// Compares upper bounds. `None` is the highest bound.
fn compare_bounds(old: Option<&[u8]>, new: Option<&[u8]>) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => old.cmp(new),
    }
}
