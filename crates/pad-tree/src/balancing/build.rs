//! Trees that are built at once, from their leaves in ascending order.
//!
//! Between two neighbouring leaves is a gap, of which an inner node is made. A scheme says how high each gap is ([`BalancingScheme::gap`]),
//! and the tree is the Cartesian tree of these heights: no node is above a higher one, and of equal ones the left one is above. It grows
//! from left to right, and what is left of a gap that is higher than all before it is final. So whoever builds holds the gaps above the
//! last leaf, a path, and may give away what is final.
//!
//! Source: Vuillemin, "A unifying look at data structures", 1980.

use core::convert::Infallible;

use super::BalancingScheme;
use crate::{
    id::{Children, EntryId, NodeId},
    store::{Balance, NodeStore},
};

/// What a scheme makes of the gap between two neighbouring leaves of a tree that is built at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<B> {
    /// A node is below all higher ones that no still higher one separates from it.
    pub height: u32,
    /// The balance of the gap's node.
    pub balance: B,
}

/// The gaps above the last leaf of a tree that grows from left to right; what is on their right is not complete.
///
/// `K` are separators, `N` subtrees.
#[derive(Debug)]
pub(crate) struct Spine<B, K, N> {
    /// From the root down.
    open: Vec<Open<B, K, N>>,
    /// What is on the right of the lowest of them.
    right: N,
}

/// A gap with what is on its left.
#[derive(Debug)]
struct Open<B, K, N> {
    gap: Gap<B>,
    separator: K,
    left: N,
}

impl<B, K, N: Copy> Spine<B, K, N> {
    /// A tree of one leaf.
    pub(crate) const fn new(leaf: N) -> Self {
        Self {
            open: Vec::new(),
            right: leaf,
        }
    }

    /// Adds a leaf on the right, beyond a gap. `join` makes a node of a separator, a balance and two subtrees, the last two that are not
    /// joined.
    ///
    /// # Errors
    /// Those of `join`.
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

    /// The root of the whole tree.
    ///
    /// # Errors
    /// Those of `join`.
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

/// Builds a tree over leaves in ascending order of keys. Returns its root, if there are leaves.
///
/// Time: linear in the number of leaves, and for red-black trees times their depth. No recursion.
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
