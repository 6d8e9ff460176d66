//! Joins lists that were built separately.
//!
//! The second list becomes the after subtree of the first list's root. The joined list then
//! contains all leaves, including the left sentinel of the second list. This sentinel is removed
//! like a block. The result equals the list built from all blocks, hash by hash.
//!
//! Source: Esiner et al. 2013, section 3.1; Deviation: the paper removes such sentinels by byte
//! index. Here a sentinel has no bytes and hence no byte index.

use super::{
    SENTINEL_LEVEL,
    arena::{Arena, Inner, Link},
    hash::NodeHash,
    remove::{merge, open_tower},
    transaction::{NodeValue, Transaction},
};
use crate::error::UpdateError;

/// Joins lists, given by their roots in file order, and returns the root of the joined list.
/// `roots` must not be empty.
pub(super) fn join_all<H: NodeHash>(
    arena: &mut Arena<H>,
    roots: &[Link],
) -> Result<Link, UpdateError> {
    let (first, others) = roots.split_first().ok_or(UpdateError::Elided)?;
    let mut transaction = Transaction::new(arena, *first);
    for second in others {
        join(&mut transaction, *second)?;
    }
    transaction.seal()?;
    let (root, _, superseded) = transaction.finish();
    for node in superseded {
        arena.remove(node);
    }
    Ok(root)
}

fn join<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    second: Link,
) -> Result<(), UpdateError> {
    let first = transaction.root();
    let NodeValue::Inner(root) = transaction.read(first.node)? else {
        return Err(UpdateError::Elided);
    };
    // The sentinel's topmost link points to the right sentinel and stays at the root.
    let cuts = open_tower(transaction, second.node)?;
    let (top, cuts) = cuts.split_first().ok_or(UpdateError::Elided)?;
    let below = merge(transaction, root.below(), cuts)?;
    let joined = Inner::new(SENTINEL_LEVEL, below, top.after);
    let joined = transaction.replace_inner(first.node, joined)?;
    transaction.set_root(joined);
    Ok(())
}
