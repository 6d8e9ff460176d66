//! Bulk construction of trees from their leaves in ascending order.
//!
//! Each gap between two neighbouring leaves becomes an inner node. A scheme defines the height of
//! each gap ([`BalancingScheme::gap`]), and the tree is the Cartesian tree of these heights. A
//! node's height is at least the height of each node below it. If two gaps have the same height,
//! the left one is above the right one.
//!
//! The tree grows from left to right. The left subtree of a gap that is higher than all earlier
//! gaps is final. The builder therefore stores only the gaps above the last leaf, which form a
//! path. It passes each final subtree to its caller.
//!
//! Source: Vuillemin, "A unifying look at data structures", 1980.

use core::convert::Infallible;

use super::{Balance, BalancingScheme, NodeStore};
use crate::id::{Children, EntryId, NodeId};

/// The inner node that a scheme creates for the gap between two neighbouring leaves in a bulk
/// build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<B> {
    /// The height of the gap. In the tree, each node's height is at least the heights of the nodes
    /// below it.
    pub height: u32,
    /// The scheme's balance information in the gap's node.
    pub balance: B,
}

/// The right spine of a tree that grows from left to right: the gaps above the last leaf.
///
/// The right subtrees of these gaps are still incomplete. `B` is the type of balances, `K` of
/// separators (keys in inner nodes), `N` of subtrees.
#[derive(Debug)]
pub(crate) struct Spine<B, K, N> {
    /// The gaps whose right subtrees are incomplete, from the root down.
    open: Vec<Open<B, K, N>>,
    /// The current right subtree of the lowest gap in `open`, or the whole tree if there is none.
    right: N,
}

/// A gap whose right subtree is incomplete, with its separator and its left subtree.
#[derive(Debug)]
struct Open<B, K, N> {
    gap: Gap<B>,
    separator: K,
    left: N,
}

impl<B, K, N: Copy> Spine<B, K, N> {
    /// Creates a tree of one leaf.
    pub(crate) const fn new(leaf: N) -> Self {
        Self {
            open: Vec::new(),
            right: leaf,
        }
    }

    /// Adds a gap, and a leaf on its right. When a subtree is complete, `join` creates its root
    /// node from a separator, a balance and the two children.
    ///
    /// # Errors
    /// The error of `join`.
    pub(crate) fn push<E>(
        &mut self,
        separator: K,
        gap: Gap<B>,
        leaf: N,
        mut join: impl FnMut(K, B, [N; 2]) -> Result<N, E>,
    ) -> Result<(), E> {
        while let Some(below) = self.open.pop_if(|open| open.gap.height < gap.height) {
            self.right = join(below.separator, below.gap.balance, [below.left, self.right])?;
        }
        self.open.push(Open {
            gap,
            separator,
            left: self.right,
        });
        self.right = leaf;
        Ok(())
    }

    /// Joins all incomplete gaps and returns the root of the whole tree.
    ///
    /// # Errors
    /// The error of `join`.
    pub(crate) fn finish<E>(
        mut self,
        mut join: impl FnMut(K, B, [N; 2]) -> Result<N, E>,
    ) -> Result<N, E> {
        while let Some(below) = self.open.pop() {
            self.right = join(below.separator, below.gap.balance, [below.left, self.right])?;
        }
        Ok(self.right)
    }
}

/// Builds a tree over leaves in ascending order of keys. Returns the root, or `None` if `leaves` is
/// empty.
///
/// Time: linear in the number of leaves; for red-black trees, this number times the depth. No
/// recursion.
pub(crate) fn build<S: NodeStore>(store: &mut S, leaves: &[EntryId]) -> Option<NodeId> {
    let (first, rest) = leaves.split_first()?;
    let number = u64::try_from(leaves.len()).unwrap_or(u64::MAX);
    let mut spine = Spine::new(NodeId::leaf(*first));
    for (place, leaf) in (1..).zip(rest) {
        let separator = store.entries().key_of(*leaf);
        let gap = S::Scheme::gap(store.entries().rank(separator), place, number);
        let pushed = spine.push(separator, gap, NodeId::leaf(*leaf), |key, balance, pair| {
            Ok::<_, Infallible>(store.create(key, balance, Children(pair)))
        });
        let Ok(()) = pushed;
    }
    let Ok(root) = spine.finish(|key, balance: Balance<S>, pair| {
        Ok::<_, Infallible>(store.create(key, balance, Children(pair)))
    });
    Some(root)
}
