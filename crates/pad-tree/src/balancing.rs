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

use crate::{
    id::{Children, EntryId, KeyId, NodeId, Side},
    scheme::TreeScheme,
    store::NodeStore,
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
/// resulting shape depends only on the shape before and the operation. If
/// [`BalancingScheme::SET_UNIQUE`], the shape depends only on the set of keys.
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

    /// Whether equal sets of keys have trees of equal shape, whatever the order of updates.
    ///
    /// Source: Crosby & Wallach 2010, section 2.1.1.
    const SET_UNIQUE: bool;

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
