//! A persistent tree: one working version, which changes, and all sealed versions, which do not.

use pad_core::{InputError, Version, Workers};

use crate::{
    annotation::Annotation,
    balancing::Digest,
    entries::Probe,
    id::{EntryId, NodeId, Side, to_u32},
    search,
    store::VersionedStore,
    tree::Tree,
    view::View,
};

/// One change: a key with its new value, or with `None` for a removal.
pub type Change<'a> = (&'a [u8], Option<&'a [u8]>);

/// A dictionary in which every sealed version, until it is pruned, stays searchable.
///
/// With `Plain` annotation this is a persistent map with predecessor search, without
/// hashing. With `Authenticated` it stores the contents of a repository.
///
/// ```
/// use pad_core::{Version, Workers};
/// use pad_tree::{CacheNowhere, internals::{PersistentTree, Plain}, Treap, VersionedNodes};
///
/// type Index = PersistentTree<VersionedNodes<Plain, Treap, CacheNowhere>>;
/// let mut index = Index::default();
/// index.insert(b"k", b"1")?;
/// let first = index.seal(&Workers::sequential());
/// index.insert(b"k", b"2")?;
/// index.insert(b"m", b"3")?;
/// let second = index.seal(&Workers::sequential());
/// assert_eq!(index.lookup(first, b"k"), Some(&b"1"[..]));
/// assert_eq!(index.floor(first, b"z"), Some((&b"k"[..], &b"1"[..])));
/// assert_eq!(index.floor(second, b"z"), Some((&b"m"[..], &b"3"[..])));
/// # Ok::<(), pad_core::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PersistentTree<S: VersionedStore> {
    pub(crate) tree: Tree<S>,
    /// The root nodes of the sealed versions from `oldest` on; `None` for an empty version.
    roots: Vec<Option<NodeId>>,
    oldest: u32,
    /// The number of entries of the latest sealed version.
    sealed_population: usize,
}

impl<S: VersionedStore> Default for PersistentTree<S> {
    fn default() -> Self {
        let mut tree = Self {
            tree: Tree::default(),
            roots: Vec::new(),
            oldest: 0,
            sealed_population: 0,
        };
        tree.commit();
        tree
    }
}

impl<S: VersionedStore> PersistentTree<S> {
    /// The version that was sealed last.
    pub fn latest(&self) -> Version {
        Version::new(u64::from(self.next()) - 1)
    }

    /// The oldest version that can be searched.
    pub fn oldest(&self) -> Version {
        Version::new(self.oldest.into())
    }

    /// The number of entries of the working version, unsealed changes included.
    pub fn len(&self) -> usize {
        self.tree.population
    }

    /// Whether the working version, unsealed changes included, has no entries.
    pub fn is_empty(&self) -> bool {
        self.tree.population == 0
    }

    /// Sets the value of a key in the working version.
    ///
    /// # Errors
    /// [`InputError::CapacityExceeded`] if the tree is full.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), InputError> {
        self.tree.store.check_capacity(1)?;
        let Ok(()) = self.tree.put(key, value);
        Ok(())
    }

    /// Removes a key from the working version. Returns whether it was present.
    ///
    /// # Errors
    /// [`InputError::CapacityExceeded`] if the tree is full.
    pub fn remove(&mut self, key: &[u8]) -> Result<bool, InputError> {
        self.tree.store.check_capacity(1)?;
        let Ok(was_there) = self.tree.remove(key);
        Ok(was_there)
    }

    /// Seals the working version, so that it never changes again, and returns its number. `workers`
    /// compute its digests.
    pub fn seal(&mut self, workers: &Workers) -> Version
    where
        S: Send + Sync,
    {
        self.tree.hash(workers);
        self.commit();
        self.latest()
    }

    /// Discards the changes of the working version since the last seal.
    pub fn rollback(&mut self) {
        let root = self.roots.last().copied().flatten();
        self.tree.rollback(root, self.sealed_population);
    }

    /// The value of a key in a version. `None` if the key is absent there, or if the version does
    /// not exist or was pruned.
    pub fn lookup(&self, version: Version, key: &[u8]) -> Option<&[u8]> {
        let (found, value) = self.floor(version, key)?;
        (found == key).then_some(value)
    }

    /// The entry (key, value) with the greatest key not above `key` in a version. `None` if there
    /// is no such entry, or if the version does not exist or was pruned. Time: `O(log n)`.
    ///
    /// Source: Crosby & Wallach 2010, section 4.1 (predecessor query of the tuple index).
    pub fn floor(&self, version: Version, key: &[u8]) -> Option<(&[u8], &[u8])> {
        self.nearest(version, key, Side::Left)
    }

    /// The entry (key, value) with the smallest key not below `key` in a version. `None` as for
    /// [`PersistentTree::floor`]. Time: `O(log n)`.
    pub fn ceiling(&self, version: Version, key: &[u8]) -> Option<(&[u8], &[u8])> {
        self.nearest(version, key, Side::Right)
    }

    /// The entries (key, value) of a version in ascending order of keys. `None` if the version does
    /// not exist or was pruned.
    pub fn entries(&self, version: Version) -> Option<impl Iterator<Item = (&[u8], &[u8])>> {
        let view = self.view(version)?;
        // All nodes are in memory, so reading them cannot fail.
        let mut cursor = search::end(view, Side::Left).ok()?;
        Some(core::iter::from_fn(move || {
            let leaf = cursor.as_ref()?.leaf;
            if !cursor.as_mut()?.advance(Side::Right).ok()? {
                cursor = None;
            }
            Some(self.entry(leaf))
        }))
    }

    /// Returns one list of changes for each searchable version, relative to the version before it.
    /// The first list is relative to an empty version. Keys whose value stays equal are not listed.
    ///
    /// Time, for `v` searchable versions: `O(log n log v)` for each stored entry, but `O(v log n)`
    /// for an entry that was replaced before it was sealed.
    pub fn changes(&self) -> Vec<Vec<Change<'_>>> {
        let mut changes: Vec<_> = self.roots.iter().map(|_| Vec::new()).collect();
        let leaf = |place: usize, key: &[u8]| {
            let version = Version::new(u64::try_from(place).ok()? + u64::from(self.oldest));
            let cursor = search::nearest(self.view(version)?, &Probe::new(key), Side::Left, true);
            Some(cursor.ok()??.leaf)
        };
        let mut born = 0;
        for number in 0..self.tree.store.entries().sizes().0 {
            let entry = EntryId(to_u32(number));
            let (key, value) = self.entry(entry);
            let lives = |place: usize| leaf(place, key) == Some(entry);
            // Entries are numbered in the order of the first versions that contain them.
            let Some(first) = (born..changes.len()).find(|place| lives(*place)) else {
                continue;
            };
            born = first;
            changes[born].push((key, Some(value)));
            let (mut ended, mut end) = (born + 1, changes.len());
            while ended < end {
                let middle = ended.midpoint(end);
                if lives(middle) {
                    ended = middle + 1;
                } else {
                    end = middle;
                }
            }
            // A later entry of the same key is a change of its own.
            let is_replaced = leaf(ended, key).is_some_and(|other| self.entry(other).0 == key);
            if let Some(change) = changes.get_mut(ended)
                && !is_replaced
            {
                change.push((key, None));
            }
        }
        changes
    }

    /// The entry with the key `key`. If there is none, the nearest entry below (`Side::Left`) or
    /// above (`Side::Right`).
    fn nearest(&self, version: Version, key: &[u8], side: Side) -> Option<(&[u8], &[u8])> {
        let cursor = search::nearest(self.view(version)?, &Probe::new(key), side, true);
        Some(self.entry(cursor.ok()??.leaf))
    }

    /// The root digest of a version; `None` if the version does not exist or was pruned.
    pub fn root_digest(&self, version: Version) -> Option<Digest<S>> {
        let view = self.view(version)?;
        Some(
            view.root
                .map_or_else(S::Annotation::empty, |root| view.digest(root)),
        )
    }

    /// Drops all versions before `oldest`, and frees the nodes and entries that only these versions
    /// need. Discards the changes since the last seal.
    ///
    /// Time and transient memory: linear in the stored nodes and entries. Does nothing if `oldest`
    /// does not exist or was pruned.
    pub fn prune(&mut self, oldest: Version) {
        let Some(dropped) = self.position(oldest) else {
            return;
        };
        self.roots.drain(..dropped);
        self.oldest += u32::try_from(dropped).unwrap_or(0);
        self.rollback();
        self.tree.store.prune(self.oldest, &mut self.roots);
        self.tree.root = self.roots.last().copied().flatten();
    }

    /// The number of inner nodes stored, over all versions.
    pub fn node_count(&self) -> usize {
        self.tree.store.node_count()
    }

    /// The number of digests stored, over all versions, without the digests of leaves.
    pub fn digest_count(&self) -> usize {
        self.tree.store.digest_count()
    }

    /// The memory, in bytes, of the contents of all versions, without spare capacity.
    pub fn memory_bytes(&self) -> usize {
        self.tree.store.memory_bytes() + self.roots.len() * size_of::<Option<NodeId>>()
    }

    /// Creates read access to one version; `None` if it does not exist or was pruned.
    pub(crate) fn view(&self, version: Version) -> Option<View<'_, S>> {
        let root = self.roots[self.position(version)?];
        let version = u32::try_from(version.number()).ok()?;
        Some(View {
            store: &self.tree.store,
            root,
            version,
        })
    }

    /// Seals the working version. Its digests must already be computed.
    pub(crate) fn commit(&mut self) {
        let next = self.next();
        let (store, sealed) = self.tree.sealed();
        store.commit(next, sealed);
        self.roots.push(self.tree.root);
        self.sealed_population = self.tree.population;
    }

    pub(crate) fn entry(&self, leaf: EntryId) -> (&[u8], &[u8]) {
        let entries = self.tree.store.entries();
        (entries.key(leaf), entries.value(leaf))
    }

    fn position(&self, version: Version) -> Option<usize> {
        let position = usize::try_from(version.number().checked_sub(self.oldest.into())?).ok()?;
        (position < self.roots.len()).then_some(position)
    }

    fn next(&self) -> u32 {
        // `VersionedNodes` keeps the number of versions below 2^32; path copying does not check it.
        self.oldest + u32::try_from(self.roots.len()).unwrap_or(u32::MAX)
    }
}
