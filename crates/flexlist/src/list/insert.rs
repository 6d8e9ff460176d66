//! Inserts a block. After links that the block's tower (its leaf and inner nodes) would cross are
//! cut and linked to the tower.

use alloc::vec::Vec;

use super::{
    Block,
    arena::{Inner, Leaf, Link},
    hash::NodeHash,
    transaction::{NodeValue, Transaction, Walk},
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
    let mut walk = Walk::new(transaction.root().node, index, index);
    let inserted = loop {
        let node = walk.node;
        let read = transaction.read(node)?;
        if read.level() < level {
            // This node and all nodes below it are lower than the new tower.
            let part = Walk::new(node, walk.rest, index);
            let (left, tower) = split(transaction, part, block, Link::NONE)?;
            break transaction.inner(level, left, tower)?;
        }
        if walk.passes(&read) {
            continue;
        }
        match read {
            // The link at the new tower's own level crosses it.
            NodeValue::Inner(inner) if inner.level == level => {
                let part = Walk::new(inner.below().node, walk.rest, index);
                let (left, tower) = split(transaction, part, block, inner.after())?;
                break transaction.replace_inner(node, Inner::new(level, left, tower))?;
            }
            NodeValue::Inner(inner) => walk.descend(&inner),
            NodeValue::Leaf(leaf) => {
                walk.require_end(&leaf)?;
                let new = transaction.leaf(new_leaf(block, leaf.after()))?;
                break transaction.replace_leaf(node, leaf.with_after(new))?;
            }
        }
    };
    let root = transaction.rebuild(walk.steps, inserted)?;
    transaction.set_root(root);
    Ok(())
}

fn new_leaf(block: &Block, after: Link) -> Leaf {
    Leaf::new(block.length, block.tag_digest, block.label, after)
}

/// Cuts a subtree in two at the place that `walk` searches from its root. Returns the left part,
/// and the tower of `block`, whose after links lead to everything cut off.
///
/// `top` is the after link of the tower's node at the block's own level, or [`Link::NONE`] for a
/// tower without such a node.
fn split<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    mut walk: Walk,
    block: &Block,
    top: Link,
) -> Result<(Link, Link), UpdateError> {
    let mut cuts = Vec::new();
    let (end, level_zero) = loop {
        let node = walk.node;
        let read = transaction.read(node)?;
        if walk.passes(&read) {
            continue;
        }
        match read {
            NodeValue::Inner(inner) => {
                cuts.push((inner.level, inner.after()));
                transaction.discard(node);
                walk.node = inner.below().node;
            }
            NodeValue::Leaf(leaf) => {
                walk.require_end(&leaf)?;
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
        }
    };
    let left = transaction.rebuild(walk.steps, end)?;
    let mut tower = transaction.leaf(new_leaf(block, level_zero))?;
    while let Some((level, after)) = cuts.pop() {
        tower = transaction.inner(level, tower, after)?;
    }
    if !top.node.is_none() {
        tower = transaction.inner(block.level.get(), tower, top)?;
    }
    Ok((left, tower))
}
