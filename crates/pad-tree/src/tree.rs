//! The working tree of changes since the last seal, over any node store: search, put, remove,
//! batches, hashing.

use core::cmp::Ordering;

use pad_core::{ApplyError, Operation, Workers};

use crate::{
    annotation::Annotation,
    balancing::{BalancingScheme, Digest, LeafPair, NodeStore, Step, build, relink},
    entries::{Entries, Probe},
    id::{EntryId, NodeId, NodeKind, Side},
    replace::Replacements,
    seal::SealPlan,
    store::{Sealed, VersionedStore},
};

/// The least number of replacements in a batch whose searches descend the tree together.
const JOINT_BATCH: usize = 32;

/// The least number of operations for which several threads search and hash.
const PARALLEL_BATCH: usize = 512;

/// The latest contents of a dictionary as a tree that can be changed.
#[derive(Clone, Debug)]
pub(crate) struct Tree<S: NodeStore> {
    pub(crate) store: S,
    pub(crate) root: Option<NodeId>,
    /// The number of entries, unsealed changes included.
    pub(crate) population: usize,
    /// The number of operations since the last seal.
    changes: usize,
    /// The path of the last search from the root down. The buffer is reused.
    path: Vec<Step>,
    plan: SealPlan<Digest<S>>,
}

impl<S: NodeStore + Default> Default for Tree<S> {
    fn default() -> Self {
        Self::with_store(S::default(), None, 0)
    }
}

impl<S: NodeStore> Tree<S> {
    pub(crate) fn with_store(store: S, root: Option<NodeId>, population: usize) -> Self {
        Self {
            store,
            root,
            population,
            changes: 0,
            path: Vec::new(),
            plan: SealPlan::default(),
        }
    }

    /// The arena that contains the tree's keys and entries.
    pub(crate) fn entries(&self) -> &Entries<S::Annotation> {
        self.store.entries()
    }

    /// The entry with this key; `None` if the key is absent.
    pub(crate) fn find(&self, key: &[u8]) -> Option<EntryId> {
        let probe = Probe::new(key);
        let mut node = self.root?;
        loop {
            match node.kind() {
                NodeKind::Leaf(entry) => {
                    let entries = self.store.entries();
                    let found = entries.compare(&probe, entries.key_of(entry)).is_eq();
                    return found.then_some(entry);
                }
                NodeKind::Inner(_) => node = self.step(&probe, node).1,
            }
        }
    }

    /// Sets the value of a key. Does nothing if the key has this value already.
    ///
    /// # Errors
    /// The error of the store if a node cannot be fetched. The working snapshot must then be
    /// abandoned.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), S::Fault> {
        self.start_change();
        let probe = Probe::new(key);
        let Some(reached) = self.search(&probe)? else {
            let leaf = self.add_leaf(key, value);
            self.root = Some(leaf);
            return Ok(());
        };
        let reached_key = self.store.entries().key_of(reached);
        let order = self.store.entries().compare(&probe, reached_key);
        if order == Ordering::Equal {
            if self.store.entries().value(reached) == value {
                return Ok(());
            }
            let leaf = self.store.replace_value(reached, value);
            self.root = Some(relink(&mut self.store, &self.path, leaf));
            return Ok(());
        }
        let leaf = self.add_leaf(key, value);
        let NodeKind::Leaf(entry) = leaf.kind() else {
            unreachable!("tree: a leaf was added")
        };
        let (old, new_key) = (NodeId::leaf(reached), self.store.entries().key_of(entry));
        let (low, high, separator) = match order {
            Ordering::Less => (leaf, old, reached_key),
            _ => (old, leaf, new_key),
        };
        let pair = LeafPair {
            low,
            high,
            separator,
        };
        self.root = Some(S::Scheme::insert(&mut self.store, &self.path, pair));
        Ok(())
    }

    /// Removes a key. Returns whether it was present.
    ///
    /// # Errors
    /// The errors of [`Tree::put`].
    pub(crate) fn remove(&mut self, key: &[u8]) -> Result<bool, S::Fault> {
        let probe = Probe::new(key);
        let Some(reached) = self.search(&probe)? else {
            return Ok(false);
        };
        let reached_key = self.store.entries().key_of(reached);
        if self.store.entries().compare(&probe, reached_key).is_ne() {
            return Ok(false);
        }
        self.start_change();
        self.population -= 1;
        self.root = if self.path.is_empty() {
            None
        } else {
            Some(S::Scheme::remove(&mut self.store, &self.path, reached)?)
        };
        self.store.release_leaf(NodeId::leaf(reached));
        Ok(true)
    }

    /// Applies a batch in strictly ascending order of keys. This order, and the bulk load of an
    /// empty tree, are part of the format if the shape depends on them (red-black).
    ///
    /// # Errors
    /// [`ApplyError`] if the batch is out of order, removes an absent key or does not fit, or if a
    /// node cannot be fetched. The tree is then in an intermediate state and must be rolled back.
    pub(crate) fn apply(
        &mut self,
        operations: &[Operation],
        workers: &Workers,
    ) -> Result<(), ApplyError>
    where
        S: Send + Sync,
        ApplyError: From<S::Fault>,
    {
        if !operations.is_sorted_by(|a, b| a.key() < b.key()) {
            return Err(ApplyError::UnorderedOperations);
        }
        self.store.check_capacity(operations.len())?;
        let Some(root) = self.root else {
            return self.load(operations);
        };
        if S::IS_WHOLE
            && operations.len() >= JOINT_BATCH
            && self.replace_jointly(root, operations, workers)
        {
            return Ok(());
        }
        self.apply_each(operations)
    }

    /// Applies operations one by one.
    ///
    /// # Errors
    /// The errors of [`Tree::apply`].
    pub(crate) fn apply_each(&mut self, operations: &[Operation]) -> Result<(), ApplyError>
    where
        ApplyError: From<S::Fault>,
    {
        for operation in operations {
            match operation {
                Operation::Put(key, value) => self.put(key.as_bytes(), value.as_bytes())?,
                Operation::Remove(key) => {
                    if !self.remove(key.as_bytes())? {
                        return Err(ApplyError::RemovesAbsentKey);
                    }
                }
            }
        }
        Ok(())
    }

    /// Discards all changes since the last seal. `root` and `population` are the root and the
    /// number of entries at that seal.
    pub(crate) fn rollback(&mut self, root: Option<NodeId>, population: usize)
    where
        S: VersionedStore,
    {
        self.store.rollback();
        self.root = root;
        self.population = population;
        self.changes = 0;
        self.plan.is_listed = false;
    }

    /// Computes the digests of all touched (new or changed) nodes. Returns the digest of the root.
    pub(crate) fn hash(&mut self, workers: &Workers) -> Digest<S>
    where
        S: Send + Sync,
    {
        if !S::Annotation::HASHES {
            return S::Annotation::empty();
        }
        let parallel = self.changes >= PARALLEL_BATCH && workers.threads() > 1;
        let (store, plan, root) = (&mut self.store, &mut self.plan, self.root);
        let mut work = move || {
            store.entries_mut().hash_fresh(parallel);
            plan.run(&*store, root, parallel)
        };
        if parallel { workers.run(work) } else { work() }
    }

    /// The store, and the digests computed by the last [`Tree::hash`], for
    /// [`VersionedStore::commit`].
    pub(crate) fn sealed(&mut self) -> (&mut S, Sealed<'_, Digest<S>>) {
        let parallel = self.changes >= PARALLEL_BATCH;
        self.changes = 0;
        let sealed = Sealed {
            nodes: &self.plan.nodes,
            digests: &self.plan.digests,
            parallel,
            population: self.population,
        };
        (&mut self.store, sealed)
    }

    /// Applies a batch that only replaces values. The searches for all keys descend together. For
    /// other batches, does nothing and returns `false`.
    fn replace_jointly(&mut self, root: NodeId, operations: &[Operation], workers: &Workers) -> bool
    where
        S: Send + Sync,
    {
        let parallel = operations.len() >= PARALLEL_BATCH && workers.threads() > 1;
        let store = &self.store;
        let plan = || Replacements::plan(store, root, operations, parallel);
        let Some(mut plan) = (if parallel { workers.run(plan) } else { plan() }) else {
            return false;
        };
        self.unlist();
        self.root = Some(plan.apply(&mut self.store, operations));
        if self.changes == 0 {
            self.plan.adopt(plan);
        } else if S::REPLACES_IN_PLACE {
            Replacements::touch(&mut self.store, &plan.nodes);
        }
        self.changes += operations.len();
        true
    }

    /// Builds the tree from a batch of puts. The tree must be empty.
    fn load(&mut self, operations: &[Operation]) -> Result<(), ApplyError> {
        let mut leaves = Vec::with_capacity(operations.len());
        for operation in operations {
            let Operation::Put(key, value) = operation else {
                return Err(ApplyError::RemovesAbsentKey);
            };
            let leaf = self.add_leaf(key.as_bytes(), value.as_bytes());
            if let NodeKind::Leaf(entry) = leaf.kind() {
                leaves.push(entry);
            }
        }
        self.changes += leaves.len();
        self.root = build(&mut self.store, &leaves);
        Ok(())
    }

    /// Adds a key and an entry to the store. Returns the id of the entry's leaf, which is not yet
    /// linked into the tree.
    fn add_leaf(&mut self, key: &[u8], value: &[u8]) -> NodeId {
        let rank = S::Scheme::RANKED.then(|| S::Scheme::rank(S::Annotation::key_bits(key)));
        let key = self.store.entries_mut().add_key(key, rank);
        self.population += 1;
        let leaf = NodeId::leaf(self.store.entries_mut().add_entry(key, value));
        self.store.adopt_leaf(leaf);
        leaf
    }

    /// Counts a change. If a batch of replacements left a list of touched nodes, marks these nodes
    /// as touched and drops the list. It would no longer contain all touched nodes.
    fn start_change(&mut self) {
        self.changes += 1;
        self.unlist();
    }

    /// Drops the list of touched nodes that a batch of replacements left, and marks these nodes as
    /// touched in the store.
    fn unlist(&mut self) {
        if core::mem::take(&mut self.plan.is_listed) && S::REPLACES_IN_PLACE {
            Replacements::touch(&mut self.store, &self.plan.nodes);
        }
    }

    /// Searches for a key down to a leaf and stores the path. Returns the entry of the leaf, whose
    /// key may differ; `None` if the tree is empty.
    fn search(&mut self, probe: &Probe<'_>) -> Result<Option<EntryId>, S::Fault> {
        self.path.clear();
        let Some(root) = self.root else {
            return Ok(None);
        };
        let mut node = self.store.open(root)?;
        self.root = Some(node);
        loop {
            match node.kind() {
                NodeKind::Leaf(entry) => return Ok(Some(entry)),
                NodeKind::Inner(_) => {
                    let (side, _) = self.step(probe, node);
                    self.path.push(Step { node, side });
                    node = self.store.fetch(node, side)?;
                }
            }
        }
    }

    #[inline]
    fn step(&self, probe: &Probe<'_>, node: NodeId) -> (Side, NodeId) {
        let (separator, prefix) = (
            self.store.separator(node),
            self.store.separator_prefix(node),
        );
        let order = self.store.entries().compare_with(probe, separator, prefix);
        let side = Side::right_if(order.is_ge());
        (side, self.store.children(node).on(side))
    }
}
