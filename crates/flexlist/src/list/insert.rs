//! Inserts a block. After links that the block's tower (its leaf and inner nodes) would cross are
//! cut and linked to the tower.

use alloc::vec::Vec;

use super::{
    Block,
    arena::{Inner, Leaf, Link, NodeId},
    hash::NodeHash,
    transaction::{NodeValue, Step, Transaction},
};
use crate::error::UpdateError;

/// Inserts a block before the byte at `index`, which starts a block or is the end of the file.
///
/// Source: Esiner et al. 2013, section 2 (insert). The paper cites another work for the rules of an
/// optimal list. Here they are the invariants in [`super`].
pub(super) fn insert<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    index: u64,
    block: &Block,
) -> Result<(), UpdateError> {
    let level = block.level.get();
    let mut node = transaction.root().node;
    let mut rest = index;
    let mut steps = Vec::new();
    let inserted = loop {
        let read = transaction.read(node)?;
        match read {
            // This node and all nodes below it are lower than the new tower.
            _ if read.level() < level => {
                let (left, tower) =
                    split(transaction, Cut { node, rest, index }, block, Link::NONE)?;
                break transaction.inner(level, left, tower)?;
            }
            NodeValue::Inner(inner) => match rest.checked_sub(inner.below().rank) {
                Some(beyond) if beyond > 0 => {
                    steps.push(Step::After(node));
                    rest = beyond;
                    node = inner.after().node;
                }
                // The link at the new tower's own level crosses it.
                _ if inner.level == level => {
                    let node_below = inner.below().node;
                    let cut = Cut {
                        node: node_below,
                        rest,
                        index,
                    };
                    let (left, tower) = split(transaction, cut, block, inner.after())?;
                    break transaction.replace_inner(node, Inner::new(level, left, tower))?;
                }
                _ => {
                    steps.push(Step::Below(node));
                    node = inner.below().node;
                }
            },
            NodeValue::Leaf(leaf) => match rest.checked_sub(leaf.length) {
                None => return Err(UpdateError::NotOnBoundary { index }),
                Some(0) => {
                    let new = transaction.leaf(new_leaf(block, leaf.after()))?;
                    break transaction.replace_leaf(node, leaf.with_after(new))?;
                }
                Some(beyond) => {
                    steps.push(Step::After(node));
                    rest = beyond;
                    node = leaf.after().node;
                }
            },
        }
    };
    let root = transaction.rebuild(&mut steps, inserted)?;
    transaction.set_root(root);
    Ok(())
}

fn new_leaf(block: &Block, after: Link) -> Leaf {
    Leaf::new(block.length, block.tag_digest, block.label, after)
}

/// A subtree, and the position at which it is cut in two.
#[derive(Clone, Copy)]
struct Cut {
    /// The root of the subtree.
    node: NodeId,
    /// The number of the subtree's bytes to the left of the cut.
    rest: u64,
    /// The index in the file of the first byte after the cut, for errors.
    index: u64,
}

/// Cuts a subtree in two. Returns the left part, and the tower of `block`, whose after links lead
/// to everything cut off.
///
/// `top` is the after link of the tower's node at the block's own level, or [`Link::NONE`] for a
/// tower without such a node.
fn split<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    cut: Cut,
    block: &Block,
    top: Link,
) -> Result<(Link, Link), UpdateError> {
    let Cut {
        mut node,
        mut rest,
        index,
    } = cut;
    let mut steps = Vec::new();
    let mut cuts = Vec::new();
    let (end, level_zero) = loop {
        match transaction.read(node)? {
            NodeValue::Inner(inner) => match rest.checked_sub(inner.below().rank) {
                Some(beyond) if beyond > 0 => {
                    steps.push(Step::After(node));
                    rest = beyond;
                    node = inner.after().node;
                }
                _ => {
                    cuts.push((inner.level, inner.after()));
                    transaction.discard(node);
                    node = inner.below().node;
                }
            },
            NodeValue::Leaf(leaf) => match rest.checked_sub(leaf.length) {
                None => return Err(UpdateError::NotOnBoundary { index }),
                Some(0) => {
                    let after = leaf.after();
                    let end = if after.node.is_none() {
                        // Nothing to cut: the leaf is unchanged.
                        let rank = leaf.length;
                        Link { node, rank }
                    } else {
                        transaction.replace_leaf(node, leaf.with_after(Link::NONE))?
                    };
                    break (end, after);
                }
                Some(beyond) => {
                    steps.push(Step::After(node));
                    rest = beyond;
                    node = leaf.after().node;
                }
            },
        }
    };
    let left = transaction.rebuild(&mut steps, end)?;
    let mut tower = transaction.leaf(new_leaf(block, level_zero))?;
    while let Some((level, after)) = cuts.pop() {
        tower = transaction.inner(level, tower, after)?;
    }
    if !top.node.is_none() {
        tower = transaction.inner(block.level.get(), tower, top)?;
    }
    Ok((left, tower))
}
