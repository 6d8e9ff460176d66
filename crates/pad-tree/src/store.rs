//! Node stores: representations of the nodes of the latest snapshot and of all earlier snapshots.

use core::convert::Infallible;

use pad_core::InputError;

use crate::{
    annotation::Annotation,
    balancing::BalancingScheme,
    entries::Entries,
    id::{Children, EntryId, KeyId, NodeId, Side},
};

pub mod cache;
pub mod in_place;
pub mod path_copying;
mod run_pool;
pub(crate) mod soundness;
pub(crate) mod survivors;
pub mod versioned_nodes;

/// The interface through which balancing schemes change a tree.
///
/// Contract:
/// 1. `update(n, children)` returns a node with the separator and balance of `n`. Schemes never
///    move a separator between nodes (Crosby & Wallach 2010, section 3.4).
/// 2. Bottom-up: children are final before their parent is updated. After `update(n, ..)` or
///    `release(n)`, `n` is not read again unless `update` returned `n`.
/// 3. An effective change calls `update` on every node of the search path, even where the node's
///    children did not change. A child may have changed in place, and only this call marks the
///    digests of its ancestors as stale. An ineffective change touches nothing, except in a joint
///    batch.
/// 4. Balance belongs to the latest snapshot: `set_balance` never costs a clone, and balance enters
///    neither digests nor searches.
/// 5. A node created or already changed since the last seal is edited in place. A sealed snapshot
///    never changes.
/// 6. Only sealing computes digests of the latest snapshot, visiting each touched node once.
pub trait NodeStore {
    /// The annotation of the nodes.
    type Annotation: Annotation;
    /// The balancing scheme of the tree.
    type Scheme: BalancingScheme;
    /// The error of reading a node: [`Infallible`] if all nodes are in memory.
    type Fault;
    /// Whether all nodes are in memory.
    const IS_WHOLE: bool;

    /// The arena of keys and entries.
    fn entries(&self) -> &Entries<Self::Annotation>;
    /// The arena of keys and entries.
    fn entries_mut(&mut self) -> &mut Entries<Self::Annotation>;

    /// Creates an inner node. Keys on its left are below the separator, keys on its right are not.
    fn create(&mut self, separator: KeyId, balance: Balance<Self>, children: Children) -> NodeId;
    /// Sets the children of an inner node. Returns the updated node, which may be a new one.
    fn update(&mut self, node: NodeId, children: Children) -> NodeId;
    /// Records that an inner node has left the latest snapshot.
    fn release(&mut self, node: NodeId);
    /// Whether [`NodeStore::replace_value`] changes the leaf itself. Nodes above it then change
    /// only their digests.
    const REPLACES_IN_PLACE: bool;

    /// Replaces the value of a leaf. Returns the new leaf; the old one leaves the latest snapshot.
    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId;
    /// Records that a leaf has entered the latest snapshot.
    fn adopt_leaf(&mut self, leaf: NodeId);
    /// Records that a leaf has left the latest snapshot.
    fn release_leaf(&mut self, leaf: NodeId);

    /// The children of an inner node in the latest snapshot.
    fn children(&self, node: NodeId) -> Children;
    /// Loads a node, for example the root. Its children and separator can be read from now on.
    ///
    /// Before that, only the balance and digest of the node are known. If the node turns out to be
    /// a leaf, it gets another id.
    ///
    /// # Errors
    /// [`NodeStore::Fault`] if the node cannot be read. The working snapshot must then be
    /// abandoned.
    fn open(&mut self, node: NodeId) -> Result<NodeId, Self::Fault> {
        Ok(node)
    }
    /// The child of an inner node in the latest snapshot, opened. A child created since the last
    /// seal needs no opening.
    ///
    /// # Errors
    /// The errors of [`NodeStore::open`].
    fn fetch(&mut self, node: NodeId, side: Side) -> Result<NodeId, Self::Fault> {
        Ok(self.children(node).on(side))
    }
    /// The separator of an inner node.
    fn separator(&self, node: NodeId) -> KeyId;
    /// The first eight bytes of an inner node's separator, as [`Entries`] keeps them.
    #[inline]
    fn separator_prefix(&self, node: NodeId) -> u64 {
        self.entries().prefix(self.separator(node))
    }
    /// The balance of an inner node in the latest snapshot.
    fn balance(&self, node: NodeId) -> Balance<Self>;
    /// Sets the balance of an inner node in the latest snapshot.
    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>);

    /// Whether the digest of an inner node is stale.
    fn is_touched(&self, node: NodeId) -> bool;
    /// The digest of an untouched node in the latest snapshot.
    fn latest_digest(&self, node: NodeId) -> Digest<Self>;

    /// Checks that `operations` further operations fit into 32-bit indices.
    ///
    /// # Errors
    /// [`InputError::CapacityExceeded`] if they do not fit.
    fn check_capacity(&self, operations: usize) -> Result<(), InputError>;
}

/// A node store that keeps every sealed snapshot.
///
/// Changes since the last seal become a version with [`VersionedStore::commit`] or vanish with
/// [`VersionedStore::rollback`]. Versions are numbered from 0 without gaps; the store counts them.
pub trait VersionedStore: NodeStore<Fault = Infallible> + Default {
    /// A human-readable name of the store, for example `cache-everywhere`.
    const NAME: &'static str;

    /// The children of an inner node in a version that contains it.
    fn children_at(&self, node: NodeId, version: u32) -> Children;
    /// The digest of a node in a version that contains it.
    fn digest_at(&self, node: NodeId, version: u32) -> Digest<Self>;

    /// Appends the digests of some nodes in a version that contains them.
    fn append_digests_at(
        &self,
        nodes: impl ExactSizeIterator<Item = NodeId>,
        version: u32,
        digests: &mut Vec<Digest<Self>>,
    ) {
        digests.extend(nodes.map(|node| self.digest_at(node, version)));
    }

    /// Commits the changes since the last call as `version`, given the digests of all touched
    /// nodes.
    fn commit(&mut self, version: u32, sealed: Sealed<'_, Self>);
    /// Discards the changes since the last commit.
    fn rollback(&mut self);
    /// Drops all data that only versions before `oldest` need. `roots` contains the roots of the
    /// versions from `oldest` on, and is renumbered.
    fn prune(&mut self, oldest: u32, roots: &mut [Option<NodeId>]);

    /// The number of inner nodes stored, over all versions.
    fn node_count(&self) -> usize;
    /// The number of digests stored, over all versions.
    fn digest_count(&self) -> usize;
    /// The bytes of memory that the contents take, without spare capacity.
    fn memory_bytes(&self) -> usize;
}

/// The touched nodes of a snapshot with their new digests.
#[derive(Debug)]
pub struct Sealed<'a, S: NodeStore + ?Sized> {
    /// The touched inner nodes and their depths.
    pub(crate) nodes: &'a [(NodeId, u32)],
    /// The digests of `nodes`.
    pub(crate) digests: &'a [Digest<S>],
    /// Whether the snapshot is large, so that threads of the current rayon pool may share the work.
    pub(crate) parallel: bool,
    /// The number of entries of the snapshot.
    pub(crate) population: usize,
}

impl<'a, S: NodeStore + ?Sized> Sealed<'a, S> {
    /// Converts this value to the type of another store, to which this store delegates.
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

/// The balance of a store's inner nodes.
pub type Balance<S> = <<S as NodeStore>::Scheme as BalancingScheme>::Balance;

/// The digest of a store's nodes.
pub type Digest<S> = <<S as NodeStore>::Annotation as Annotation>::Digest;
