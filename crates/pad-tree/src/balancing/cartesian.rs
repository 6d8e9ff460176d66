//! Set-unique trees: the Cartesian tree of the gaps between leaves.
//!
//! The rank of a gap is the rank of the key on its right, a pseudorandom number. This key is also
//! the gap's separator. The tree is ordered by keys from left to right and by ranks from top to
//! bottom. Among equal ranks the leftmost gap is the highest. This tree is unique for a set of
//! keys, so the dictionary is history independent.
//!
//! * Ranks of 32 uniform bits give the **treap** (Crosby & Wallach 2010, section 3.1.1).
//! * Geometric ranks (level `l` with probability `2^-(l+1)`) give the **skip list** in its tree
//!   form (section 3.1.2). The left child of a tower node at level `l` is the tower below it. Its
//!   right child is the next tower of exactly that level. Tower nodes without a right neighbour
//!   have no branch and are left out. The tree also leaves out the tower nodes of the sentinel
//!   before the first key. The sentinel is therefore exactly as tall as needed.
//!
//! The two structures differ only in the distribution of ranks, so one algorithm serves both. This
//! is the observation behind zip trees (Tarjan, Levy & Timmel 2019).
//!
//! The expected depth over random ranks is `O(log n)`. Ranks come from a public digest of the key,
//! so prefer red-black trees if attackers can choose keys.

use super::{BalancingScheme, Gap, LeafPair, NodeStore, Step, half_depth, relink, update_child};
use crate::{
    id::{Children, EntryId, KeyId, NodeId, NodeKind, Side},
    scheme::{SkipList, Treap},
};

/// Schemes under which equal sets of keys have equal trees, independent of the order of updates.
///
/// Source: Crosby & Wallach 2010, section 2.1.1.
pub trait SetUnique: BalancingScheme<Balance = ()> {}

impl SetUnique for Treap {}
impl SetUnique for SkipList {}

macro_rules! cartesian {
    ($scheme:ident, $rank:expr, $level:expr) => {
        impl BalancingScheme for $scheme {
            type Balance = ();
            const RANKED: bool = true;

            fn to_bit((): ()) -> bool {
                false
            }

            fn from_bit(_: bool) {}

            fn rank(key_bits: u64) -> u32 {
                let rank: fn(u64) -> u32 = $rank;
                rank(key_bits)
            }

            fn insert<S: NodeStore<Scheme = Self>>(
                store: &mut S,
                path: &[Step],
                pair: LeafPair,
            ) -> NodeId {
                insert(store, path, pair)
            }

            fn remove<S: NodeStore<Scheme = Self>>(
                store: &mut S,
                path: &[Step],
                leaf: EntryId,
            ) -> Result<NodeId, S::Fault> {
                remove(store, path, leaf)
            }

            fn gap(rank: u32, _: u64, _: u64) -> Gap<()> {
                Gap {
                    height: rank,
                    balance: (),
                }
            }

            /// Checks the order of ranks at one node. Returns 0 if the left child's rank is below
            /// the node's rank, and the right child's rank is not above it. Otherwise returns
            /// `None`.
            fn shape<S: NodeStore<Scheme = Self>>(
                store: &S,
                node: NodeId,
                _: [u32; 2],
            ) -> Option<u32> {
                is_on_top(store, node).then_some(0)
            }

            fn is_root<S: NodeStore<Scheme = Self>>(_: &S, _: NodeId) -> bool {
                true
            }

            fn in_median_layer(rank: u32, _: u32, population: usize) -> bool {
                let level: fn(u32) -> u32 = $level;
                level(rank) == half_depth(population)
            }
        }
    };
}

cartesian!(
    Treap,
    |bits| u32::try_from(bits >> 32).unwrap_or(u32::MAX),
    // A uniform rank with `l` leading ones is as rare as level `l`.
    |rank| rank.leading_ones()
);
cartesian!(SkipList, u64::leading_ones, |rank| rank);

/// Whether the gap with separator `left` must be above the gap with separator `right`. The gap of
/// `left` lies to the left.
fn is_above<S: NodeStore>(store: &S, left: KeyId, right: KeyId) -> bool {
    store.entries().rank(left) >= store.entries().rank(right)
}

/// Whether the order of ranks places a node's gap above the gaps of its two children.
fn is_on_top<S: NodeStore>(store: &S, node: NodeId) -> bool {
    let (children, separator) = (store.children(node), store.separator(node));
    let below = |child: NodeId| child.is_inner().then(|| store.separator(child));
    below(children.left()).is_none_or(|left| !is_above(store, left, separator))
        && below(children.right()).is_none_or(|right| is_above(store, separator, right))
}

/// Inserts a new gap into `path`, directly above the first node that it must be above. Returns the
/// new root. The subtree of that node is split, and its two halves become the children of the new
/// gap.
fn insert<S: NodeStore>(store: &mut S, path: &[Step], pair: LeafPair) -> NodeId
where
    S::Scheme: SetUnique,
{
    let below = |step: &Step| {
        let separator = store.separator(step.node);
        match step.side {
            Side::Left => is_above(store, pair.separator, separator),
            Side::Right => !is_above(store, separator, pair.separator),
        }
    };
    let depth = path.iter().position(below).unwrap_or(path.len());
    let (above, split) = path.split_at(depth);
    let (mut left, mut right) = (pair.low, pair.high);
    for step in split.iter().rev() {
        // If the path turns right, its node and the left subtree stay below the new gap.
        match step.side {
            Side::Right => left = update_child(store, step.node, Side::Right, left),
            Side::Left => right = update_child(store, step.node, Side::Left, right),
        }
    }
    let gap = store.create(pair.separator, (), Children::new(left, right));
    relink(store, above, gap)
}

/// Removes a leaf, together with the gap on its left, or on its right for the first leaf. Merges
/// the subtrees on both sides of the gap. Returns the new root.
fn remove<S: NodeStore>(store: &mut S, path: &[Step], leaf: EntryId) -> Result<NodeId, S::Fault>
where
    S::Scheme: SetUnique,
{
    let Some(gap) = path.iter().rposition(|step| step.side == Side::Right) else {
        // The first leaf: its gap is its parent, and its sibling replaces the parent.
        let Some((parent, above)) = path.split_last() else {
            unreachable!("cartesian: the last leaf is not removed by the scheme");
        };
        let sibling = store.children(parent.node).right();
        store.release(parent.node);
        return Ok(relink(store, above, sibling));
    };
    let node = path[gap].node;
    debug_assert!(
        !S::IS_WHOLE || {
            let (entries, separator) = (store.entries(), store.separator(node));
            entries
                .compare_keys(separator, entries.key_of(leaf))
                .is_eq()
        }
    );
    let left = store.fetch(node, Side::Left)?;
    let merged = merge(store, left, &path[gap + 1..])?;
    store.release(node);
    Ok(relink(store, &path[..gap], merged))
}

/// Merges `left` with the tree to its right, and removes the first leaf of that tree. `spine` is
/// the path from the root of that tree to this leaf.
fn merge<S: NodeStore>(store: &mut S, left: NodeId, spine: &[Step]) -> Result<NodeId, S::Fault>
where
    S::Scheme: SetUnique,
{
    let mut spine = spine.iter().peekable();
    let mut left = left;
    let mut order = Vec::new();
    // From the top down: chooses the next node from one of the two spines.
    while let Some(right) = spine.peek() {
        let left_is_next = match left.kind() {
            NodeKind::Leaf(_) => false,
            NodeKind::Inner(_) => {
                is_above(store, store.separator(left), store.separator(right.node))
            }
        };
        if left_is_next {
            order.push((left, Side::Right));
            left = store.fetch(left, Side::Right)?;
        } else {
            order.push((right.node, Side::Left));
            spine.next();
        }
    }
    Ok(order.into_iter().rev().fold(left, |child, (node, side)| {
        update_child(store, node, side, child)
    }))
}
