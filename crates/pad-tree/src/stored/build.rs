//! Builds a stored tree from its entries in ascending order. Memory: the nodes of one path.

use core::mem;

use pad_core::{Key, StoreFault, Suite, Value};

use super::{
    layout::{Layout, LayoutError},
    link::Link,
};
use crate::{
    annotation::{Annotation, Authenticated},
    balancing::{BalancingScheme, Spine},
};

/// A stored tree under construction. Leaves are added from left to right, and their nodes are laid
/// out and appended to a log.
pub(super) struct Build<S: Suite, B: BalancingScheme, A> {
    layout: Layout<S>,
    /// The function that appends bytes to the log.
    append: A,
    /// The incomplete nodes above the last leaf; `None` before the first leaf.
    spine: Option<Spine<B::Balance, Key, Link<S::Digest>>>,
    /// The number of leaves that have been added so far.
    placed: u64,
    /// The number of leaves that the whole tree will have.
    leaves: u64,
}

/// The digest and rank of a leaf, computed from its key and value.
pub(super) struct Leaf<D> {
    digest: D,
    /// The rank of the key, which determines the tree's shape; 0 if the scheme has no ranks.
    rank: u32,
}

impl<D> Leaf<D> {
    /// Computes the digest and rank of the leaf with this key and value, in a tree of scheme `B`.
    pub(super) fn of<S: Suite<Digest = D>, B: BalancingScheme>(key: &Key, value: &Value) -> Self {
        let (key, value) = (key.as_bytes(), value.as_bytes());
        Self {
            digest: S::leaf(key, &S::value(value)),
            rank: if B::RANKED {
                B::rank(Authenticated::<S>::key_bits(key))
            } else {
                0
            },
        }
    }
}

impl<S, B, A> Build<S, B, A>
where
    S: Suite,
    B: BalancingScheme,
    A: FnMut(&[u8]) -> Result<(), StoreFault>,
{
    /// Creates a tree of `leaves` leaves, to be appended to a log from `position` on by `append`.
    pub(super) fn new(leaves: u64, position: u64, append: A) -> Self {
        Self {
            layout: Layout::new(position),
            append,
            spine: None,
            placed: 0,
            leaves,
        }
    }

    /// Adds the next leaf, to the right of all previous leaves. `leaf` is the digest and rank for
    /// `key` and `value`.
    ///
    /// # Errors
    /// [`LayoutError`] if nodes cannot be appended.
    pub(super) fn add(
        &mut self,
        key: Key,
        value: &Value,
        leaf: &Leaf<S::Digest>,
    ) -> Result<(), LayoutError> {
        let link = Link {
            address: 0,
            digest: leaf.digest,
            is_leaf: true,
            balance: false,
        };
        // First joins the finished subtrees to the left of the leaf, and then lays out the leaf:
        // the layout joins the two subtrees added last.
        let bytes = key.as_bytes().to_vec();
        match &mut self.spine {
            None => self.spine = Some(Spine::new(link)),
            Some(spine) => {
                let gap = B::gap(leaf.rank, self.placed, self.leaves);
                let layout = &mut self.layout;
                spine.push(key, gap, link, |key, balance, pair| {
                    join::<S, B>(layout, &key, balance, &pair)
                })?;
            }
        }
        self.layout.leaf(&bytes, value.as_bytes(), link);
        self.layout.append_ready(&mut self.append)?;
        self.placed = self.placed.saturating_add(1);
        Ok(())
    }

    /// Writes all pending nodes. Returns the link to the root, or `None` if no leaf was added.
    ///
    /// # Errors
    /// [`LayoutError`] if nodes cannot be appended.
    pub(super) fn finish(mut self) -> Result<Option<Link<S::Digest>>, LayoutError> {
        if let Some(spine) = mem::take(&mut self.spine) {
            let layout = &mut self.layout;
            spine.finish(|key, balance, pair| join::<S, B>(layout, &key, balance, &pair))?;
        }
        self.layout.finish(self.append)
    }
}

/// Lays out an inner node whose children are the two subtrees laid out last. Returns the link to
/// it.
fn join<S: Suite, B: BalancingScheme>(
    layout: &mut Layout<S>,
    separator: &Key,
    balance: B::Balance,
    [left, right]: &[Link<S::Digest>; 2],
) -> Result<Link<S::Digest>, LayoutError> {
    let link = Link {
        address: 0,
        digest: Authenticated::<S>::node(&left.digest, &right.digest),
        is_leaf: false,
        balance: B::to_bit(balance),
    };
    layout.inner(separator.as_bytes(), link)?;
    Ok(link)
}
