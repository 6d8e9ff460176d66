//! Path copying: a purely functional tree. Nodes of sealed snapshots never change. A change clones
//! the changed node and its ancestors.
//!
//! Storage: `O(log n)` nodes per update, each of 12 bytes and a digest. Proofs of old versions are
//! as fast as proofs of the latest version. Source: Crosby & Wallach 2010, section 3.2.

use core::convert::Infallible;
use pad_core::InputError;

use super::{Balance, Digest, NodeStore, Sealed, VersionedStore, survivors::Survivors};
use crate::{
    annotation::Annotation,
    balancing::BalancingScheme,
    entries::Entries,
    id::{Children, EntryId, KeyId, MAX_INDEX, NodeId, NodeKind},
};

/// A node store that copies each changed node and its ancestors, and so keeps all versions.
#[derive(Clone, Debug)]
pub struct PathCopying<A: Annotation, B: BalancingScheme> {
    entries: Entries<A>,
    nodes: Vec<Node>,
    digests: Vec<A::Digest>,
    /// The balances of the nodes of the latest snapshot. Old versions never read them.
    balances: Vec<B::Balance>,
    /// Nodes below this index belong to sealed snapshots.
    sealed: usize,
    /// The old balances of sealed nodes that were changed since the last seal, for a rollback.
    journal: Vec<(NodeId, B::Balance)>,
    /// The nodes that were created and released since the last seal. Their slots can be reused.
    free: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    children: Children,
    separator: KeyId,
}

impl<A: Annotation, B: BalancingScheme> Default for PathCopying<A, B> {
    fn default() -> Self {
        Self {
            entries: Entries::new(true),
            nodes: Vec::new(),
            digests: Vec::new(),
            balances: Vec::new(),
            sealed: 0,
            journal: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<A: Annotation, B: BalancingScheme> PathCopying<A, B> {
    fn push(&mut self, node: Node, balance: B::Balance) -> NodeId {
        if let Some(free) = self.free.pop() {
            self.nodes[free.index()] = node;
            self.balances[free.index()] = balance;
            return free;
        }
        self.nodes.push(node);
        self.balances.push(balance);
        NodeId::inner(self.nodes.len() - 1)
    }
}

impl<A: Annotation, B: BalancingScheme> NodeStore for PathCopying<A, B> {
    type Annotation = A;
    type Scheme = B;
    type Fault = Infallible;
    const IS_WHOLE: bool = true;
    const REPLACES_IN_PLACE: bool = false;

    #[inline]
    fn entries(&self) -> &Entries<A> {
        &self.entries
    }

    #[inline]
    fn entries_mut(&mut self) -> &mut Entries<A> {
        &mut self.entries
    }

    fn create(&mut self, separator: KeyId, balance: B::Balance, children: Children) -> NodeId {
        self.push(
            Node {
                children,
                separator,
            },
            balance,
        )
    }

    fn update(&mut self, node: NodeId, children: Children) -> NodeId {
        let record = self.nodes[node.index()];
        if record.children == children {
            return node;
        }
        if node.index() >= self.sealed {
            self.nodes[node.index()].children = children;
            return node;
        }
        let balance = self.balances[node.index()];
        self.push(Node { children, ..record }, balance)
    }

    fn release(&mut self, node: NodeId) {
        if node.index() >= self.sealed {
            self.free.push(node);
        }
    }

    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId {
        // Operations are not signed, so a server that forwards an update can add operations without
        // effect. They must not change the store.
        if self.entries.value(entry) == value {
            return NodeId::leaf(entry);
        }
        let key = self.entries.key_of(entry);
        NodeId::leaf(self.entries.add_entry(key, value))
    }

    fn adopt_leaf(&mut self, _: NodeId) {}

    fn release_leaf(&mut self, _: NodeId) {}

    #[inline]
    fn children(&self, node: NodeId) -> Children {
        self.nodes[node.index()].children
    }

    #[inline]
    fn separator(&self, node: NodeId) -> KeyId {
        self.nodes[node.index()].separator
    }

    #[inline]
    fn balance(&self, node: NodeId) -> Balance<Self> {
        self.balances[node.index()]
    }

    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        let place = &mut self.balances[node.index()];
        if node.index() < self.sealed && *place != balance {
            self.journal.push((node, *place));
        }
        *place = balance;
    }

    #[inline]
    fn is_touched(&self, node: NodeId) -> bool {
        node.index() >= self.sealed
    }

    #[inline]
    fn latest_digest(&self, node: NodeId) -> Digest<Self> {
        self.digests[node.index()]
    }

    fn check_capacity(&self, operations: usize) -> Result<(), InputError> {
        self.entries.check_capacity(operations)?;
        // Allows 128 new nodes for each operation. Realistic paths are far shorter.
        if self
            .nodes
            .len()
            .saturating_add(operations.saturating_mul(128))
            > MAX_INDEX
        {
            return Err(InputError::CapacityExceeded);
        }
        Ok(())
    }
}

impl<A: Annotation, B: BalancingScheme> VersionedStore for PathCopying<A, B> {
    const NAME: &'static str = "path-copying";

    #[inline]
    fn children_at(&self, node: NodeId, _: u32) -> Children {
        self.nodes[node.index()].children
    }

    #[inline]
    fn digest_at(&self, node: NodeId, _: u32) -> Digest<Self> {
        match node.kind() {
            NodeKind::Leaf(entry) => self.entries.digest(entry),
            NodeKind::Inner(index) => self.digests[index],
        }
    }

    fn commit(&mut self, _: u32, sealed: Sealed<'_, Self>) {
        self.digests.resize(self.nodes.len(), A::Digest::default());
        for ((node, _), digest) in sealed.nodes.iter().zip(sealed.digests) {
            self.digests[node.index()] = *digest;
        }
        self.sealed = self.nodes.len();
        self.journal.clear();
        self.free.clear();
        self.entries.commit();
    }

    fn rollback(&mut self) {
        for (node, balance) in self.journal.drain(..).rev() {
            self.balances[node.index()] = balance;
        }
        self.nodes.truncate(self.sealed);
        self.balances.truncate(self.sealed);
        self.free.clear();
        self.entries.rollback();
    }

    fn prune(&mut self, _: u32, roots: &mut [Option<NodeId>]) {
        let entries = &self.entries;
        let key_of = |entry| entries.key_of(entry);
        let survivors = Survivors::mark(
            self.nodes.len(),
            entries.sizes(),
            key_of,
            roots,
            |index, pending| {
                pending.extend(self.nodes[index].children.0);
                self.nodes[index].separator
            },
        );
        survivors.compact(&mut self.nodes);
        survivors.compact(&mut self.digests);
        survivors.compact(&mut self.balances);
        for node in &mut self.nodes {
            node.children = survivors.children(node.children);
            node.separator = survivors.key(node.separator);
        }
        survivors.renumber(roots);
        self.sealed = self.nodes.len();
        self.entries.retain(&survivors);
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn digest_count(&self) -> usize {
        self.digests.len()
    }

    fn memory_bytes(&self) -> usize {
        self.entries.memory_bytes()
            + self.nodes.len() * size_of::<Node>()
            + self.digests.len() * size_of::<A::Digest>()
            + self.balances.len() * size_of::<B::Balance>()
    }
}
