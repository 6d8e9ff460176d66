//! Sarnak-Tarjan versioned nodes: a node contains its current children and at most one archived
//! pair of children.
//!
//! If the children of a node change a second time, the node is cloned, as in path copying. So an
//! update costs `O(1)` nodes amortized.
//!
//! Digests are stored separately from nodes. The latest digest of a node is in a *cell*. Superseded
//! (replaced) digests are in an archive, if the cache policy keeps them. The archive is ordered by
//! the version that superseded a digest. A node's *versioned reference* is the ascending run of its
//! archive positions. The digest in version `q` is the first digest that was superseded after `q`,
//! or the digest in the cell if there is none.
//!
//! Source: Crosby & Wallach 2010, sections 3.2 and 3.3; Sarnak & Tarjan 1986. Deviation: the
//! paper's versioned reference contains pairs of version and digest, with explicit invalid marks.
//! Here the position determines the superseding version, and `since` the version that computed the
//! digest.

use core::convert::Infallible;
use core::marker::PhantomData;

use pad_core::InputError;

use super::{
    Sealed, VersionedStore, cache::CachePolicy, place, run_pool::RunPool, survivors::Survivors,
};
use crate::{
    annotation::Annotation,
    balancing::{Balance, BalancingScheme, Digest, NodeStore},
    count::Counted,
    entries::Entries,
    id::{Children, KeyId, MAX_INDEX, NodeId, NodeKind, to_u32, to_usize},
};

/// A node store that archives the children and digests of old versions. The cache policy `C`
/// decides which digests it archives.
#[derive(Clone, Debug)]
pub struct VersionedNodes<A: Annotation, B: BalancingScheme, C: CachePolicy> {
    entries: Entries<A>,
    nodes: Vec<Node>,
    balances: Vec<B::Balance>,
    /// The latest digests of nodes, at the indices in their [`CellId`]s.
    cells: Vec<A::Digest>,
    free_cells: Vec<u32>,
    archive: Archive<A::Digest>,
    /// The number of the next version to be committed.
    next: u32,
    /// Nodes below this index belong to sealed snapshots.
    sealed: usize,
    /// The sealed nodes that were changed since the last seal, with their old contents for a
    /// rollback.
    journal: Vec<(NodeId, Node)>,
    balance_journal: Vec<(NodeId, B::Balance)>,
    /// Sealed nodes that are no longer part of the tree because of changes since the last seal.
    dead: Vec<NodeId>,
    /// Nodes that were created and released since the last seal. Their slots can be reused.
    free: Vec<NodeId>,
    policy: PhantomData<C>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    children: Children,
    archived: Children,
    separator: KeyId,
    /// The version in which `children` replaced `archived`; 0 if the node has no archived children.
    switched: u32,
    /// The version in which the node's latest digest was computed, or will be when it is sealed.
    since: u32,
    cell: CellId,
}

impl Node {
    /// The children in a version that contains the node.
    #[inline]
    const fn children_at(&self, version: u32) -> Children {
        if version < self.switched {
            self.archived
        } else {
            self.children
        }
    }
}

/// The index of a node's digest in the cells. The highest bit tells whether the policy archives
/// this digest when a newer one replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CellId(u32);

impl CellId {
    const NONE: Self = Self(u32::MAX >> 1);
    const KEPT: u32 = 1 << 31;

    const fn index(self) -> usize {
        to_usize(self.0 & !Self::KEPT)
    }

    fn is_none(self) -> bool {
        self.0 & !Self::KEPT == Self::NONE.0
    }

    const fn is_kept(self) -> bool {
        self.0 & Self::KEPT != 0
    }

    const fn kept(self, kept: bool) -> Self {
        Self(if kept {
            self.0 | Self::KEPT
        } else {
            self.0 & !Self::KEPT
        })
    }
}

/// The archive of superseded (replaced) digests, in the order of the versions that superseded them.
#[derive(Clone, Debug)]
struct Archive<D> {
    digests: Vec<D>,
    /// For each digest, the version that computed it. Empty if the policy keeps every digest.
    since: Vec<u32>,
    /// For each version, the number of digests that were superseded in it or earlier.
    bounds: Vec<u32>,
    /// For each node, the positions of its digests in `digests`, in ascending order.
    references: RunPool,
}

impl<D> Archive<D> {
    /// Creates an empty archive. With `everywhere`, it is laid out for digests of all nodes, else
    /// for digests of few nodes.
    fn new(everywhere: bool) -> Self {
        Self {
            digests: Vec::new(),
            since: Vec::new(),
            bounds: Vec::new(),
            references: if everywhere {
                RunPool::default()
            } else {
                RunPool::sparse()
            },
        }
    }
}

impl<D: Copy> Archive<D> {
    fn push(&mut self, node: usize, digest: D, since: Option<u32>) {
        self.references.push(node, to_u32(self.digests.len()));
        self.digests.push(digest);
        self.since.extend(since);
    }

    /// The position, in the archive, of the first digest of a node that was superseded after
    /// `version`.
    #[inline]
    fn first_after(&self, node: usize, version: u32) -> Option<usize> {
        self.first_after_in(self.references.run(node), version)
    }

    /// Like [`Archive::first_after`], but `run` already contains the positions of the node's
    /// digests.
    #[inline]
    fn first_after_in(&self, run: &[u32], version: u32) -> Option<usize> {
        let bound = *self.bounds.get(to_usize(version))?;
        run.get(run.partition_point(|position| *position < bound))
            .map(|found| to_usize(*found))
    }
}

impl<A: Annotation, B: BalancingScheme, C: CachePolicy> Default for VersionedNodes<A, B, C> {
    fn default() -> Self {
        Self {
            entries: Entries::new(C::EVERYWHERE),
            nodes: Vec::new(),
            balances: Vec::new(),
            cells: Vec::new(),
            free_cells: Vec::new(),
            archive: Archive::new(C::EVERYWHERE),
            next: 0,
            sealed: 0,
            journal: Vec::new(),
            balance_journal: Vec::new(),
            dead: Vec::new(),
            free: Vec::new(),
            policy: PhantomData,
        }
    }
}

impl<A: Annotation, B: BalancingScheme, C: CachePolicy> VersionedNodes<A, B, C> {
    fn is_fresh(&self, node: NodeId) -> bool {
        node.index() >= self.sealed
    }

    fn write_to_journal(&mut self, node: NodeId) {
        let record = self.nodes[node.index()];
        if !self.is_fresh(node) && record.since != self.next {
            self.journal.push((node, record));
        }
    }

    /// The digest of a node in a version, if it is in the archive or in a cell.
    #[inline]
    fn stored_digest(&self, node: usize, version: u32) -> Option<A::Digest> {
        if let Some(position) = self.archive.first_after(node, version) {
            let is_old_enough = C::EVERYWHERE
                || self
                    .archive
                    .since
                    .get(position)
                    .is_some_and(|s| *s <= version);
            return is_old_enough.then(|| self.archive.digests[position]);
        }
        let record = &self.nodes[node];
        (!record.cell.is_none() && record.since <= version).then(|| self.cells[record.cell.index()])
    }

    /// The digest of a node in a version that contains it.
    #[inline]
    fn digest_in(&self, node: NodeId, version: u32) -> A::Digest {
        let stored = match node.kind() {
            NodeKind::Leaf(entry) => Some(self.entries.digest(entry)),
            NodeKind::Inner(index) => self.stored_digest(index, version),
        };
        stored.unwrap_or_else(|| self.recompute(node, version))
    }

    /// Recomputes the digest of `root` in a version from stored digests of nodes below it.
    #[cold]
    fn recompute(&self, root: NodeId, version: u32) -> A::Digest {
        enum Task {
            Visit(NodeId),
            Combine,
        }
        let mut tasks = vec![Task::Visit(root)];
        let mut digests: Vec<A::Digest> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(node) => match node.kind() {
                    NodeKind::Leaf(entry) => digests.push(self.entries.digest(entry)),
                    NodeKind::Inner(index) => {
                        if let Some(digest) = self.stored_digest(index, version) {
                            digests.push(digest);
                            continue;
                        }
                        let children = self.nodes[index].children_at(version);
                        tasks.push(Task::Combine);
                        tasks.push(Task::Visit(children.right()));
                        tasks.push(Task::Visit(children.left()));
                    }
                },
                Task::Combine => {
                    if let (Some(right), Some(left)) = (digests.pop(), digests.pop()) {
                        digests.push(A::node(&left, &right));
                    }
                }
            }
        }
        digests.pop().unwrap_or_default()
    }

    /// Stores the new digest of a touched node, and archives the old one if the policy keeps it.
    /// `since` is the version of the old digest. `keep` tells whether to archive the new one later.
    fn supersede(&mut self, node: NodeId, since: u32, digest: A::Digest, keep: bool) {
        let record = &mut self.nodes[node.index()];
        if record.cell.is_none() {
            let cell = self.free_cells.pop().unwrap_or_else(|| {
                self.cells.push(A::Digest::default());
                to_u32(self.cells.len() - 1)
            });
            record.cell = CellId(cell);
        } else if record.cell.is_kept() {
            let old = self.cells[record.cell.index()];
            self.archive
                .push(node.index(), old, (!C::EVERYWHERE).then_some(since));
        }
        record.cell = record.cell.kept(keep);
        self.cells[record.cell.index()] = digest;
    }
}

impl<A: Annotation, B: BalancingScheme, C: CachePolicy> NodeStore for VersionedNodes<A, B, C> {
    accessors_in_memory!();

    fn create(&mut self, separator: KeyId, balance: B::Balance, children: Children) -> NodeId {
        let node = Node {
            children,
            archived: children,
            separator,
            switched: 0,
            since: self.next,
            cell: CellId::NONE,
        };
        let slots = (&mut self.nodes, &mut self.balances, &mut self.free);
        place(slots, node, balance)
    }

    fn update(&mut self, node: NodeId, children: Children) -> NodeId {
        self.write_to_journal(node);
        let (next, is_fresh) = (self.next, self.is_fresh(node));
        let record = &mut self.nodes[node.index()];
        if record.children == children {
            record.since = next;
        } else if is_fresh || record.switched == next {
            record.children = children;
            record.since = next;
        } else if record.switched == 0 {
            record.archived = record.children;
            record.children = children;
            record.switched = next;
            record.since = next;
        } else {
            let separator = record.separator;
            self.dead.push(node);
            return self.create(separator, self.balances[node.index()], children);
        }
        node
    }

    fn release(&mut self, node: NodeId) {
        if self.is_fresh(node) {
            self.free.push(node);
        } else {
            self.dead.push(node);
        }
    }

    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        let is_fresh = self.is_fresh(node);
        let place = &mut self.balances[node.index()];
        if !is_fresh && *place != balance {
            self.balance_journal.push((node, *place));
        }
        *place = balance;
    }

    #[inline]
    fn is_touched(&self, node: NodeId) -> bool {
        self.nodes[node.index()].since == self.next
    }

    #[inline]
    fn latest_digest(&self, node: NodeId) -> Digest<Self> {
        Counted::Digests.add(1);
        self.cells[self.nodes[node.index()].cell.index()]
    }

    fn check_capacity(&self, operations: usize) -> Result<(), InputError> {
        self.entries.check_capacity(operations)?;
        let further = operations.saturating_mul(128);
        let used = self.nodes.len().max(self.archive.digests.len());
        if used.saturating_add(further) > MAX_INDEX || self.next == u32::MAX {
            return Err(InputError::CapacityExceeded);
        }
        Ok(())
    }
}

impl<A: Annotation, B: BalancingScheme, C: CachePolicy> VersionedStore for VersionedNodes<A, B, C> {
    const NAME: &'static str = C::NAME;

    #[inline]
    fn children_at(&self, node: NodeId, version: u32) -> Children {
        Counted::Nodes.add(1);
        self.nodes[node.index()].children_at(version)
    }

    #[inline]
    fn digest_at(&self, node: NodeId, version: u32) -> Digest<Self> {
        Counted::Digests.add(1);
        self.digest_in(node, version)
    }

    fn append_digests_at(
        &self,
        nodes: impl ExactSizeIterator<Item = NodeId>,
        version: u32,
        digests: &mut Vec<Digest<Self>>,
    ) {
        if !C::EVERYWHERE {
            digests.extend(nodes.map(|node| self.digest_at(node, version)));
            return;
        }
        Counted::Digests.add(nodes.len());
        // First all runs are read, then all positions, then all digests. Each of the three lists
        // consists of independent cache misses that overlap. Searches between the reads would
        // prevent the overlap.
        let references = &self.archive.references;
        let runs: Vec<_> = nodes
            .map(|node| {
                (
                    node,
                    references.locate(node.is_inner().then(|| node.index())),
                )
            })
            .collect();
        let positions: Vec<_> = runs
            .iter()
            .map(|(node, run)| {
                (
                    *node,
                    self.archive.first_after_in(references.at(*run), version),
                )
            })
            .collect();
        digests.extend(
            positions
                .into_iter()
                .map(|(node, position)| match position {
                    Some(position) => self.archive.digests[position],
                    None => self.digest_in(node, version),
                }),
        );
    }

    fn commit(&mut self, version: u32, sealed: Sealed<'_, A::Digest>) {
        debug_assert_eq!(version, self.next);
        // The journal contains the version since which each superseded digest was valid.
        let mut journal = core::mem::take(&mut self.journal);
        journal.sort_unstable_by_key(|(node, _)| *node);
        for ((node, depth), digest) in sealed.nodes.iter().zip(sealed.digests) {
            let rank = self.entries.rank(self.nodes[node.index()].separator);
            let keep = C::keeps::<B>(rank, *depth, sealed.population);
            let old = journal.binary_search_by_key(node, |(journaled, _)| *journaled);
            let since = old.map_or(version, |index| journal[index].1.since);
            self.supersede(*node, since, *digest, keep);
        }
        for node in self.dead.drain(..) {
            let record = &mut self.nodes[node.index()];
            if record.since == version
                && let Ok(index) = journal.binary_search_by_key(&node, |(journaled, _)| *journaled)
            {
                // The node was changed before it left the snapshot, so its digest is still the
                // digest before the change.
                record.since = journal[index].1.since;
            }
            if !record.cell.is_none() && !record.cell.is_kept() {
                self.free_cells.push(to_u32(record.cell.index()));
                record.cell = CellId::NONE;
            }
        }
        journal.clear();
        self.journal = journal;
        self.balance_journal.clear();
        self.free.clear();
        self.archive.bounds.push(to_u32(self.archive.digests.len()));
        self.sealed = self.nodes.len();
        self.next = version + 1;
        self.entries.commit();
    }

    fn rollback(&mut self) {
        for (node, record) in self.journal.drain(..) {
            self.nodes[node.index()] = record;
        }
        for (node, balance) in self.balance_journal.drain(..).rev() {
            self.balances[node.index()] = balance;
        }
        self.nodes.truncate(self.sealed);
        self.balances.truncate(self.sealed);
        self.dead.clear();
        self.free.clear();
        self.entries.rollback();
    }

    fn prune(&mut self, oldest: u32, roots: &mut [Option<NodeId>]) {
        let entries = &self.entries;
        let key_of = |entry| entries.key_of(entry);
        let survivors = Survivors::mark(
            self.nodes.len(),
            entries.sizes(),
            key_of,
            roots,
            |index, pending| {
                let node = &self.nodes[index];
                pending.extend(node.children.0);
                if oldest < node.switched {
                    pending.extend(node.archived.0);
                }
                node.separator
            },
        );
        self.prune_archive(oldest, &survivors);
        let mut cells = Vec::with_capacity(self.cells.len());
        survivors.nodes.compact(&mut self.nodes);
        survivors.nodes.compact(&mut self.balances);
        for node in &mut self.nodes {
            if node.switched <= oldest {
                // Only pruned versions need the archived children, so the node can be changed in
                // place once more.
                node.archived = node.children;
                node.switched = 0;
            }
            node.children = survivors.children(node.children);
            node.archived = survivors.children(node.archived);
            node.separator = survivors.key(node.separator);
            if !node.cell.is_none() {
                cells.push(self.cells[node.cell.index()]);
                node.cell = CellId(to_u32(cells.len() - 1)).kept(node.cell.is_kept());
            }
        }
        self.cells = cells;
        self.free_cells = Vec::new();
        survivors.renumber(roots);
        self.sealed = self.nodes.len();
        self.entries.retain(&survivors);
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn digest_count(&self) -> usize {
        self.cells.len() - self.free_cells.len() + self.archive.digests.len()
    }

    fn memory_bytes(&self) -> usize {
        self.entries.memory_bytes()
            + self.nodes.len() * size_of::<Node>()
            + self.balances.len() * size_of::<B::Balance>()
            + (self.cells.len() + self.archive.digests.len()) * size_of::<A::Digest>()
            + (self.archive.since.len() + self.archive.bounds.len()) * 4
            + self.archive.references.memory_bytes()
    }
}

impl<A: Annotation, B: BalancingScheme, C: CachePolicy> VersionedNodes<A, B, C> {
    /// Drops the archived digests of dropped nodes, and those that no version from `oldest` on
    /// needs. Renumbers the rest.
    fn prune_archive(&mut self, oldest: u32, survivors: &Survivors) {
        let old = core::mem::replace(&mut self.archive, Archive::new(C::EVERYWHERE));
        let first = old
            .bounds
            .get(to_usize(oldest))
            .map_or(0, |bound| to_usize(*bound));
        let mut owners = vec![None; old.digests.len()];
        for index in 0..self.nodes.len() {
            if let NodeKind::Inner(moved) = survivors.node(NodeId::inner(index)).kind()
                && survivors.keeps(index)
            {
                for position in old.references.run(index) {
                    owners[to_usize(*position)] = Some(moved);
                }
            }
        }
        let mut positions = vec![0; old.digests.len() + 1];
        for (position, owner) in owners.iter().enumerate() {
            if let (Some(owner), true) = (owner, position >= first) {
                self.archive.push(
                    *owner,
                    old.digests[position],
                    old.since.get(position).copied(),
                );
            }
            positions[position + 1] = to_u32(self.archive.digests.len());
        }
        self.archive.bounds = old
            .bounds
            .iter()
            .map(|bound| positions[to_usize(*bound)])
            .collect();
    }
}
