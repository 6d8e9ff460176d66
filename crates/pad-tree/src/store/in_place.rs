//! A node store for the latest snapshot only, used by authors and drafts.
//!
//! Nodes are overwritten. When a node, key or entry is no longer part of the snapshot, its slot is
//! reused. So memory is proportional to the number of entries, independent of the number of
//! updates.

use core::convert::Infallible;
use core::{fmt, ops::Range};
use std::collections::HashMap;

use pad_core::{InputError, internals::for_each_range};

use super::{Sealed, place};
use crate::{
    annotation::Annotation,
    balancing::{Balance, BalancingScheme, Digest, NodeStore},
    count::Counted,
    entries::Entries,
    id::{Children, EntryId, KeyId, MAX_INDEX, NodeId, NodeKind, Side},
};

/// A node store that keeps only the latest snapshot.
pub(crate) struct InPlace<A: Annotation, B: BalancingScheme> {
    entries: Entries<A>,
    nodes: Vec<Node<A::Cell>>,
    balances: Vec<B::Balance>,
    free: Vec<NodeId>,
    /// The number of seals so far, modulo 2^32.
    seals: u32,
    /// For each key, the number of its uses as a leaf's key or as a separator.
    key_uses: Vec<u8>,
}

/// The fields of a node that a search, a change and a hash need, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Node<C> {
    children: Children,
    separator: KeyId,
    /// The first eight bytes of the separator, so that most comparisons of a search read only the
    /// node.
    prefix: u64,
    /// The value of the store's `seals` when the node changed last.
    touched: u32,
    digest: C,
}

impl<A: Annotation, B: BalancingScheme> Default for InPlace<A, B> {
    fn default() -> Self {
        Self {
            entries: Entries::new(true),
            nodes: Vec::new(),
            balances: Vec::new(),
            free: Vec::new(),
            seals: 0,
            key_uses: Vec::new(),
        }
    }
}

impl<A: Annotation, B: BalancingScheme> fmt::Debug for InPlace<A, B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "InPlace({} entries)", self.entries.len())
    }
}

impl<A: Annotation, B: BalancingScheme> InPlace<A, B> {
    /// Copies the latest snapshot of another store, with its tree shape. Returns the copy and its
    /// root.
    pub(crate) fn copy_of<S>(other: &S, root: Option<NodeId>) -> (Self, Option<NodeId>)
    where
        S: NodeStore<Annotation = A, Scheme = B>,
    {
        let mut copy = Self::default();
        let mut keys = HashMap::new();
        let mut order = Vec::new();
        let mut pending: Vec<NodeId> = root.into_iter().collect();
        while let Some(node) = pending.pop() {
            if node.is_inner() {
                pending.extend(other.children(node).0);
            }
            order.push(node);
        }
        // Children come after their parents in `order`, so the reverse order has them first.
        let mut copies = HashMap::with_capacity(order.len());
        for node in order.into_iter().rev() {
            let key = match node.kind() {
                NodeKind::Leaf(entry) => other.entries().key_of(entry),
                NodeKind::Inner(_) => other.separator(node),
            };
            let key = *keys.entry(key).or_insert_with(|| {
                let rank = B::RANKED.then(|| other.entries().rank(key));
                copy.entries.add_key(other.entries().key_bytes(key), rank)
            });
            let copied = match node.kind() {
                NodeKind::Leaf(entry) => {
                    let value = other.entries().value(entry);
                    let leaf = NodeId::leaf(copy.entries.add_entry(key, value));
                    copy.adopt_leaf(leaf);
                    leaf
                }
                NodeKind::Inner(_) => {
                    let children = other.children(node).0.map(|child| copies[&child]);
                    let inner = copy.create(key, other.balance(node), Children(children));

                    A::store(&copy.nodes[inner.index()].digest, other.latest_digest(node));
                    inner
                }
            };
            copies.insert(node, copied);
        }
        copy.entries.hash_fresh(false);
        copy.entries.commit();
        copy.seals += 1;
        (copy, root.map(|root| copies[&root]))
    }

    /// Ends a snapshot: stores the computed digests of its touched (new or changed) nodes.
    pub(crate) fn commit(&mut self, sealed: &Sealed<'_, A::Digest>) {
        let store = |range: Range<usize>| {
            let (nodes, digests) = (&sealed.nodes[range.clone()], &sealed.digests[range]);
            for ((node, _), digest) in nodes.iter().zip(digests) {
                A::store(&self.nodes[node.index()].digest, *digest);
            }
        };
        let all = 0..sealed.nodes.len();
        if sealed.parallel {
            for_each_range(all, 4096, &store);
        } else {
            store(all);
        }
        // The number wraps after 2^32 seals. A node untouched for exactly 2^32 seals would be
        // hashed once more than needed.
        self.seals = self.seals.wrapping_add(1);
        self.entries.commit();
        self.entries.compact();
    }

    /// Creates an empty store as if it had been sealed, so that adopted nodes count as unchanged.
    pub(crate) fn sealed() -> Self {
        Self {
            seals: 1,
            ..Self::default()
        }
    }

    /// Adds an unchanged node of which only digest and balance are known. The caller must not read
    /// its other fields before [`InPlace::fill`] sets them.
    pub(crate) fn adopt(&mut self, digest: A::Digest, balance: B::Balance) -> NodeId {
        let cell = A::Cell::default();
        A::store(&cell, digest);
        let node = Node {
            children: Children::new(NodeId::leaf(EntryId(0)), NodeId::leaf(EntryId(0))),
            separator: KeyId(0),
            prefix: 0,
            touched: self.seals.wrapping_sub(1),
            digest: cell,
        };
        self.put_node(node, balance)
    }

    /// Sets the separator and children of a node added by [`InPlace::adopt`]. Its digest stays
    /// unchanged.
    pub(crate) fn fill(&mut self, node: NodeId, separator: KeyId, children: Children) {
        self.use_key(separator);
        let prefix = self.entries.prefix(separator);
        let record = &mut self.nodes[node.index()];
        record.children = children;
        record.separator = separator;
        record.prefix = prefix;
    }

    /// Replaces a node added by [`InPlace::adopt`] by the leaf that it represents, with this key
    /// and value. The leaf gets the node's digest, and the node is released.
    pub(crate) fn fill_leaf(&mut self, node: NodeId, key: &[u8], value: &[u8]) -> EntryId {
        let rank = B::RANKED.then(|| B::rank(A::key_bits(key)));
        let key = self.entries.add_key(key, rank);
        let entry = self
            .entries
            .add_hashed(key, value, A::load(&self.nodes[node.index()].digest));
        self.use_key(key);
        self.free.push(node);
        entry
    }

    /// Replaces the id of a child of `node` by another id of the same child. The digest of `node`
    /// stays valid.
    pub(crate) fn lead(&mut self, node: NodeId, side: Side, child: NodeId) {
        let record = &mut self.nodes[node.index()];
        record.children = record.children.with(side, child);
    }

    fn put_node(&mut self, node: Node<A::Cell>, balance: B::Balance) -> NodeId {
        let slots = (&mut self.nodes, &mut self.balances, &mut self.free);
        place(slots, node, balance)
    }

    fn use_key(&mut self, key: KeyId) {
        if self.key_uses.len() <= key.index() {
            self.key_uses.resize(key.index() + 1, 0);
        }
        self.key_uses[key.index()] += 1;
    }

    fn stop_using_key(&mut self, key: KeyId) {
        self.key_uses[key.index()] -= 1;
        if self.key_uses[key.index()] == 0 {
            self.entries.release_key(key);
        }
    }
}

impl<A: Annotation, B: BalancingScheme> NodeStore for InPlace<A, B> {
    accessors_in_memory!();
    const REPLACES_IN_PLACE: bool = true;

    fn create(&mut self, separator: KeyId, balance: B::Balance, children: Children) -> NodeId {
        self.use_key(separator);
        let node = Node {
            children,
            separator,
            prefix: self.entries.prefix(separator),
            touched: self.seals,
            digest: A::Cell::default(),
        };
        self.put_node(node, balance)
    }

    #[inline]
    fn update(&mut self, node: NodeId, children: Children) -> NodeId {
        let record = &mut self.nodes[node.index()];
        record.children = children;
        record.touched = self.seals;
        node
    }

    fn release(&mut self, node: NodeId) {
        let separator = self.nodes[node.index()].separator;
        self.stop_using_key(separator);
        self.free.push(node);
    }

    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId {
        self.entries.overwrite(entry, value);
        NodeId::leaf(entry)
    }

    fn adopt_leaf(&mut self, leaf: NodeId) {
        if let NodeKind::Leaf(entry) = leaf.kind() {
            self.use_key(self.entries.key_of(entry));
        }
    }

    fn release_leaf(&mut self, leaf: NodeId) {
        if let NodeKind::Leaf(entry) = leaf.kind() {
            let key = self.entries.key_of(entry);
            self.entries.release_entry(entry);
            self.stop_using_key(key);
        }
    }

    #[inline]
    fn separator_prefix(&self, node: NodeId) -> u64 {
        self.nodes[node.index()].prefix
    }

    #[inline]
    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        self.balances[node.index()] = balance;
    }

    #[inline]
    fn is_touched(&self, node: NodeId) -> bool {
        self.nodes[node.index()].touched == self.seals
    }

    #[inline]
    fn latest_digest(&self, node: NodeId) -> Digest<Self> {
        Counted::Digests.add(1);
        A::load(&self.nodes[node.index()].digest)
    }

    fn check_capacity(&self, operations: usize) -> Result<(), InputError> {
        self.entries.check_capacity(operations)?;
        if self.nodes.len().saturating_add(operations) > MAX_INDEX {
            return Err(InputError::CapacityExceeded);
        }
        Ok(())
    }
}
