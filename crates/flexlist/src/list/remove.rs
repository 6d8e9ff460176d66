//! Removes a block. The after links of its tower (its leaf and inner nodes) are attached to the
//! towers on its left.

use alloc::vec::Vec;

use super::{
    arena::{Inner, Link, NodeId},
    hash::NodeHash,
    transaction::{NodeValue, Step, Transaction, Walk},
};
use crate::error::UpdateError;

/// Removes the block whose first byte has the index `start`.
///
/// Source: Esiner et al. 2013, section 2 (remove).
pub(super) fn remove<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    start: u64,
) -> Result<(), UpdateError> {
    let mut walk = Walk::new(transaction.root().node, start, start);
    let changed = loop {
        let node = walk.node;
        let read = transaction.read(node)?;
        if walk.passes(&read) {
            continue;
        }
        match read {
            // This node's after link points to the block's tower.
            NodeValue::Inner(inner) if inner.below().rank == walk.rest => {
                let mut cuts = open_tower(transaction, inner.after().node)?;
                let at_level = (cuts.first()).is_some_and(|cut| cut.level == inner.level);
                let link = at_level.then(|| cuts.remove(0).after);
                let left = merge(transaction, inner.below(), &cuts)?;
                break if let Some(after) = link {
                    transaction.replace_inner(node, Inner::new(inner.level, left, after))?
                } else {
                    transaction.discard(node);
                    left
                };
            }
            NodeValue::Inner(inner) => walk.descend(&inner),
            NodeValue::Leaf(leaf) => {
                // Cannot fail: the caller has located a block that starts at `start`.
                walk.require_end(&leaf)?;
                let cuts = open_tower(transaction, leaf.after().node)?;
                let after = cuts.first().map_or(Link::NONE, |cut| cut.after);
                break transaction.replace_leaf(node, leaf.with_after(after))?;
            }
        }
    };
    let root = transaction.rebuild(walk.steps, changed)?;
    transaction.set_root(root);
    Ok(())
}

/// An after link of a removed tower, with the level of the node that had the link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) level: u8,
    pub(super) after: Link,
}

/// Removes the tower with the top node `top`. Returns the tower's after links in falling order of
/// levels.
pub(super) fn open_tower<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    top: NodeId,
) -> Result<Vec<Cut>, UpdateError> {
    let mut cuts = Vec::new();
    let mut node = top;
    loop {
        let read = transaction.read(node)?;
        transaction.discard(node);
        match read {
            NodeValue::Inner(inner) => {
                let (level, after) = (inner.level, inner.after());
                cuts.push(Cut { level, after });
                node = inner.below().node;
            }
            NodeValue::Leaf(leaf) => {
                let (level, after) = (0, leaf.after());
                if !after.node.is_none() {
                    cuts.push(Cut { level, after });
                }
                return Ok(cuts);
            }
        }
    }
}

/// Attaches the links `cuts`, in falling order of levels, to the right end of the subtree `left`.
/// Returns the root of the result.
pub(super) fn merge<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    left: Link,
    cuts: &[Cut],
) -> Result<Link, UpdateError> {
    let mut steps = Vec::new();
    let mut current = left;
    let mut rest = cuts.iter();
    let mut next = rest.next();
    while let Some(cut) = next {
        match transaction.read(current.node)? {
            NodeValue::Inner(inner) if inner.level >= cut.level => {
                steps.push(Step::After(current.node));
                current = inner.after();
            }
            NodeValue::Leaf(leaf) if cut.level == 0 => {
                if leaf.after().node.is_none() {
                    // The link at level 0 is the last one.
                    current = transaction.replace_leaf(current.node, leaf.with_after(cut.after))?;
                    next = None;
                } else {
                    steps.push(Step::After(current.node));
                    current = leaf.after();
                }
            }
            _ => {
                steps.push(Step::Raise(cut.level, cut.after));
                next = rest.next();
            }
        }
    }
    transaction.rebuild(steps, current)
}
