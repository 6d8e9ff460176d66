//! Node stores: representations of a tree's nodes, in the latest snapshot and in earlier snapshots.

use core::convert::Infallible;

use pad_core::InputError;

use crate::{
    annotation::Annotation,
    balancing::BalancingScheme,
    entries::Entries,
    id::{Children, EntryId, KeyId, NodeId, Side},
};

/// The accessors of [`NodeStore`] for stores in memory, whose entries, nodes and balances are
/// fields.
macro_rules! accessors_in_memory {
    () => {
        type Annotation = A;
        type Scheme = B;
        type Fault = Infallible;
        const IS_WHOLE: bool = true;

        #[inline]
        fn entries(&self) -> &Entries<A> {
            &self.entries
        }

        #[inline]
        fn entries_mut(&mut self) -> &mut Entries<A> {
            &mut self.entries
        }

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
    };
}

pub(crate) mod cache;
pub(crate) mod in_place;
pub(crate) mod path_copying;
mod run_pool;
pub(crate) mod soundness;
pub(crate) mod survivors;
pub(crate) mod versioned_nodes;

/// The interface through which balancing schemes change a tree.
///
/// Contract:
/// 1. `update(n, children)` returns a node with the separator and balance of `n`. Schemes never
///    move a separator between nodes (Crosby & Wallach 2010, section 3.4).
/// 2. Bottom-up: children are final before their parent is updated. After `update(n, ..)` or
///    `release(n)`, `n` is not read again unless `update` returned `n`.
/// 3. A change that has an effect calls `update` on every node of the search path, even where the
///    node's children have the same ids. A child may have changed in place. Only this call marks
///    the digests of its ancestors as stale. A change without effect touches no node, except in a
///    batch that only replaces values.
/// 4. Balance belongs to the latest snapshot: `set_balance` never costs a clone, and balance enters
///    neither digests nor searches.
/// 5. A node created or already changed since the last seal is edited in place. A sealed snapshot
///    never changes.
/// 6. Only sealing computes digests of the latest snapshot, hashing each touched (new or changed)
///    node once.
pub trait NodeStore {
    /// The annotation (digest or nothing) that the store computes for each node.
    type Annotation: Annotation;
    /// The balancing scheme of the tree.
    type Scheme: BalancingScheme;
    /// The error returned when a node cannot be read: [`Infallible`] if all nodes are in memory.
    type Fault;
    /// Whether all nodes of the tree are in memory.
    const IS_WHOLE: bool;

    /// The arena that contains the store's keys and entries.
    fn entries(&self) -> &Entries<Self::Annotation>;
    /// The arena that contains the store's keys and entries, as a mutable reference.
    fn entries_mut(&mut self) -> &mut Entries<Self::Annotation>;

    /// Creates an inner node. Keys below its left child must be below the separator, and keys below
    /// its right child must not.
    fn create(&mut self, separator: KeyId, balance: Balance<Self>, children: Children) -> NodeId;
    /// Sets the children of an inner node. Returns the id of the updated node, which may be a new
    /// one.
    fn update(&mut self, node: NodeId, children: Children) -> NodeId;
    /// Records that an inner node is no longer part of the latest snapshot.
    fn release(&mut self, node: NodeId);
    /// Whether [`NodeStore::replace_value`] overwrites the leaf and keeps its id. Of the nodes
    /// above it, only the digests then change.
    const REPLACES_IN_PLACE: bool = false;

    /// Replaces the value of the leaf of `entry`. Returns the id of the new leaf; the old leaf is
    /// no longer part of the latest snapshot.
    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId {
        let entries = self.entries_mut();
        // Operations are not signed, so a server that forwards an update can add operations without
        // effect. They must not change the store.
        if entries.value(entry) == value {
            return NodeId::leaf(entry);
        }
        let key = entries.key_of(entry);
        NodeId::leaf(entries.add_entry(key, value))
    }
    /// Records that a leaf is now part of the latest snapshot.
    fn adopt_leaf(&mut self, _leaf: NodeId) {}
    /// Records that a leaf is no longer part of the latest snapshot.
    fn release_leaf(&mut self, _leaf: NodeId) {}

    /// The children of an inner node in the latest snapshot.
    fn children(&self, node: NodeId) -> Children;
    /// Loads a node into memory, for example the root. Returns its id in memory. After the call,
    /// its children and separator can be read.
    ///
    /// Before the call, only the balance and digest of the node are known. If the node turns out to
    /// be a leaf, its id changes.
    ///
    /// # Errors
    /// [`NodeStore::Fault`] if the node cannot be read. The working snapshot must then be
    /// abandoned.
    fn open(&mut self, node: NodeId) -> Result<NodeId, Self::Fault> {
        Ok(node)
    }
    /// Returns the id of a child of an inner node in the latest snapshot, after loading the child
    /// with [`NodeStore::open`] if needed.
    ///
    /// # Errors
    /// The errors of [`NodeStore::open`].
    fn fetch(&mut self, node: NodeId, side: Side) -> Result<NodeId, Self::Fault> {
        Ok(self.children(node).on(side))
    }
    /// The separator of an inner node: keys below it are in the left subtree.
    fn separator(&self, node: NodeId) -> KeyId;
    /// The first eight bytes of an inner node's separator, as a big-endian number.
    #[inline]
    fn separator_prefix(&self, node: NodeId) -> u64 {
        self.entries().prefix(self.separator(node))
    }
    /// The balance (for example the colour) of an inner node in the latest snapshot.
    fn balance(&self, node: NodeId) -> Balance<Self>;
    /// Sets the balance (for example the colour) of an inner node in the latest snapshot.
    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>);

    /// Whether an inner node is touched: its digest must be computed at the next seal.
    fn is_touched(&self, node: NodeId) -> bool;
    /// The digest of a node in the latest snapshot. The node must not be touched.
    fn latest_digest(&self, node: NodeId) -> Digest<Self>;

    /// Checks that the nodes and entries of `operations` more operations fit into 32-bit indices.
    ///
    /// # Errors
    /// [`InputError::CapacityExceeded`] if they do not fit.
    fn check_capacity(&self, operations: usize) -> Result<(), InputError>;
}

/// A node store that keeps every sealed snapshot.
///
/// Changes since the last seal become a version with [`VersionedStore::commit`] or vanish with
/// [`VersionedStore::rollback`]. Versions are numbered from 0 without gaps.
pub trait VersionedStore: NodeStore<Fault = Infallible> + Default {
    /// A human-readable name of the store, for example `cache-everywhere`.
    const NAME: &'static str;

    /// The children of an inner node in a version that contains it.
    fn children_at(&self, node: NodeId, version: u32) -> Children;
    /// The digest of a node in a version that contains it.
    fn digest_at(&self, node: NodeId, version: u32) -> Digest<Self>;

    /// Appends the digests of `nodes` in `version` to `digests`. The version must contain all these
    /// nodes.
    fn append_digests_at(
        &self,
        nodes: impl ExactSizeIterator<Item = NodeId>,
        version: u32,
        digests: &mut Vec<Digest<Self>>,
    ) {
        digests.extend(nodes.map(|node| self.digest_at(node, version)));
    }

    /// Makes the changes since the last call permanent as `version`. `sealed` contains the digests
    /// of all touched nodes.
    fn commit(&mut self, version: u32, sealed: Sealed<'_, Self>);
    /// Discards the changes since the last [`VersionedStore::commit`].
    fn rollback(&mut self);
    /// Drops all data that only versions before `oldest` need. `roots` contains the roots of the
    /// versions from `oldest` on. Their ids are replaced by the new ids.
    fn prune(&mut self, oldest: u32, roots: &mut [Option<NodeId>]);

    /// The number of inner nodes stored, over all versions.
    fn node_count(&self) -> usize;
    /// The number of digests stored, over all versions.
    fn digest_count(&self) -> usize;
    /// The memory, in bytes, of the contents of all versions, without spare capacity.
    fn memory_bytes(&self) -> usize;
}

/// Stores an inner node and its balance in a slot of `free`, or in a new slot.
fn place<N, B>(
    (nodes, balances, free): (&mut Vec<N>, &mut Vec<B>, &mut Vec<NodeId>),
    node: N,
    balance: B,
) -> NodeId {
    if let Some(free) = free.pop() {
        nodes[free.index()] = node;
        balances[free.index()] = balance;
        return free;
    }
    nodes.push(node);
    balances.push(balance);
    NodeId::inner(nodes.len() - 1)
}

/// The touched (new or changed) inner nodes of a snapshot, with their new digests.
#[derive(Debug)]
pub struct Sealed<'a, S: NodeStore + ?Sized> {
    /// The touched inner nodes, each with its depth.
    pub(crate) nodes: &'a [(NodeId, u32)],
    /// The new digests of `nodes`, in the same order.
    pub(crate) digests: &'a [Digest<S>],
    /// Whether the snapshot is large, so that threads of the current rayon pool may share the work.
    pub(crate) parallel: bool,
    /// The number of entries of the snapshot.
    pub(crate) population: usize,
}

impl<'a, S: NodeStore + ?Sized> Sealed<'a, S> {
    /// Converts this value for a store of type `T` to which the store of type `S` delegates.
    pub fn handed_on<T>(self) -> Sealed<'a, T>
    where
        T: NodeStore<Annotation = S::Annotation> + ?Sized,
    {
        let Self {
            nodes,
            digests,
            parallel,
            population,
        } = self;
        Sealed {
            nodes,
            digests,
            parallel,
            population,
        }
    }
}

/// The type of the balance that the scheme of store `S` keeps in inner nodes.
pub type Balance<S> = <<S as NodeStore>::Scheme as BalancingScheme>::Balance;

/// The type of the digests of the nodes in store `S`.
pub type Digest<S> = <<S as NodeStore>::Annotation as Annotation>::Digest;
