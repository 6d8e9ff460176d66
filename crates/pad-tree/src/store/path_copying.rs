//! Path copying: a purely functional tree. Nodes of sealed snapshots never change. A change clones
//! the changed node and its ancestors.
//!
//! Storage: `O(log n)` nodes per update, each of 12 bytes and a digest. Proofs of old versions are
//! as fast as proofs of the latest version. Source: Crosby & Wallach 2010, section 3.2.

use core::convert::Infallible;
use pad_core::InputError;

use super::{Sealed, VersionedStore, place, survivors::Survivors};
use crate::{
    annotation::Annotation,
    balancing::{Balance, BalancingScheme, Digest, NodeStore},
    count::Counted,
    entries::Entries,
    id::{Children, KeyId, MAX_INDEX, NodeId, NodeKind},
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
        let slots = (&mut self.nodes, &mut self.balances, &mut self.free);
        place(slots, node, balance)
    }
}

impl<A: Annotation, B: BalancingScheme> NodeStore for PathCopying<A, B> {
    accessors_in_memory!();

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
        Counted::Digests.add(1);
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
        self.children(node)
    }

    #[inline]
    fn digest_at(&self, node: NodeId, _: u32) -> Digest<Self> {
        Counted::Digests.add(1);
        match node.kind() {
            NodeKind::Leaf(entry) => self.entries.digest(entry),
            NodeKind::Inner(index) => self.digests[index],
        }
    }

    fn commit(&mut self, _: u32, sealed: Sealed<'_, A::Digest>) {
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
        survivors.nodes.compact(&mut self.nodes);
        survivors.nodes.compact(&mut self.digests);
        survivors.nodes.compact(&mut self.balances);
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
