//! Balancing schemes, which keep a leaf-oriented tree shallow.
//!
//! Entries are stored in the leaves. An inner node represents the gap between two neighbouring
//! leaves. The node contains a separator: keys in its left subtree are below the separator, keys in
//! its right subtree are not. Separators only route searches; they are not hashed.
//!
//! Schemes are written once, bottom-up and without mutation of nodes, over [`NodeStore`]. They
//! follow an explicit path instead of recursing, so a degenerate tree costs time but never the
//! stack.

use core::{fmt::Debug, hash::Hash};

use pad_core::InputError;

use crate::{
    annotation::Annotation,
    entries::Entries,
    id::{Children, EntryId, KeyId, NodeId, Side},
    scheme::TreeScheme,
};

mod build;
mod cartesian;
pub(crate) mod red_black;

pub(crate) use build::{Gap, Spine, build};
pub(crate) use cartesian::SetUnique;

/// An algorithm that keeps a tree with its entries in the leaves shallow. Implemented by zero-sized
/// types.
///
/// Laws: the in-order sequence of leaves after an operation is the sorted set of entries. The
/// resulting shape depends only on the shape before and the operation. Under a `SetUnique` scheme,
/// the shape depends only on the set of keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a balancing scheme of trees",
    label = "not a balancing scheme",
    note = "balancing schemes are `RedBlack`, `Treap` and `SkipList`"
)]
pub trait BalancingScheme: TreeScheme {
    /// State of the scheme in each inner node, for example its colour.
    type Balance: Copy + Debug + Default + Eq + Hash + Send + Sync;
    /// Encodes a balance as one bit for storage: a scheme has at most two different balances.
    fn to_bit(balance: Self::Balance) -> bool;
    /// Decodes a balance that [`BalancingScheme::to_bit`] encoded.
    fn from_bit(bit: bool) -> Self::Balance;

    /// The rank of a key, from 64 pseudorandom bits of the key; 0 if the scheme has no ranks.
    fn rank(key_bits: u64) -> u32;

    /// Whether the scheme uses ranks of keys.
    const RANKED: bool;

    /// Inserts the new leaf of `pair` next to the existing leaf at the end of `path`. Returns the
    /// new root. Of nodes outside `path`, reads only the balances.
    fn insert<S: NodeStore<Scheme = Self>>(store: &mut S, path: &[Step], pair: LeafPair) -> NodeId;

    /// Removes the leaf at the end of `path`. Returns the new root.
    ///
    /// `path` is not empty: the caller removes the last leaf of a tree itself. Only the nodes of
    /// `path` need to be in memory; other nodes are fetched.
    ///
    /// # Errors
    /// The error of the store if a node cannot be fetched.
    fn remove<S: NodeStore<Scheme = Self>>(
        store: &mut S,
        path: &[Step],
        leaf: EntryId,
    ) -> Result<NodeId, S::Fault>;

    /// Returns the gap before leaf number `place` of a bulk build over `leaves` ascending leaves.
    /// `rank` is the rank of the leaf's key. `place`, at least 1, is the number of leaves before
    /// the leaf.
    fn gap(rank: u32, place: u64, leaves: u64) -> Gap<Self::Balance>;

    /// Validates an inner node and summarises its subtree, given the summaries of its two
    /// `children`. A leaf's summary is 0. Red-black trees use the black height. `None` if no tree
    /// of this scheme has such a node.
    fn shape<S: NodeStore<Scheme = Self>>(
        store: &S,
        node: NodeId,
        children: [u32; 2],
    ) -> Option<u32>;

    /// Whether `root` may be the root of a tree of this scheme. Its subtree must be valid:
    /// [`BalancingScheme::shape`] returned a summary.
    fn is_root<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId) -> bool;

    /// Whether a node of this rank and depth is in the median layer, halfway between root and
    /// leaves. The tree has `population` entries.
    ///
    /// Source: Crosby & Wallach 2010, section 3.3, "cache median".
    fn in_median_layer(rank: u32, depth: u32, population: usize) -> bool;
}

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
    /// The error returned when a node cannot be read, `Infallible` if all nodes are in memory.
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

/// The type of the balance that the scheme of store `S` keeps in inner nodes.
pub(crate) type Balance<S> = <<S as NodeStore>::Scheme as BalancingScheme>::Balance;

/// The type of the digests of the nodes in store `S`.
pub(crate) type Digest<S> = <<S as NodeStore>::Annotation as Annotation>::Digest;

/// One step of a search path: an inner node, and the side on which the path continues.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The inner node that the path passes.
    pub node: NodeId,
    /// The side of the child with which the path continues.
    pub side: Side,
}

/// Two neighbouring leaves, one of which is new.
#[derive(Clone, Copy, Debug)]
pub struct LeafPair {
    /// The leaf with the smaller key.
    pub low: NodeId,
    /// The leaf with the greater key.
    pub high: NodeId,
    /// The greater key, which is the separator of the gap between the two leaves.
    pub separator: KeyId,
}

/// Replaces the node below the last step of `path` by `child`, and updates every node of the path.
/// Returns the new root.
pub(crate) fn relink<S: NodeStore>(store: &mut S, path: &[Step], mut child: NodeId) -> NodeId {
    for step in path.iter().rev() {
        let children = store.children(step.node).with(step.side, child);
        child = store.update(step.node, children);
    }
    child
}

/// Replaces the child of `node` on `side`. Returns the updated node, whose id may be new.
fn update_child<S: NodeStore>(store: &mut S, node: NodeId, side: Side, child: NodeId) -> NodeId {
    let children = store.children(node).with(side, child);
    store.update(node, children)
}

/// Replaces both children of `node`: `child` on `side`, and `sibling` on the other side. Returns
/// the updated node, whose id may be new.
fn update_both<S: NodeStore>(
    store: &mut S,
    node: NodeId,
    side: Side,
    child: NodeId,
    sibling: NodeId,
) -> NodeId {
    store.update(node, Children::of(side, child, sibling))
}

/// Half of the depth of a perfect tree with `population` leaves.
fn half_depth(population: usize) -> u32 {
    population.checked_ilog2().unwrap_or(0) / 2
}
