//! What is checked of blocks that somebody else made: everything that their digests do not prove.

use std::sync::Arc;

use pad_core::Suite;

use super::{
    block::{Child, Entry, Slots, to_number},
    error::{BlockDamage, KeyedError},
    storage::Storage,
};

/// What hangs below a top block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) blocks: u64,
    pub(super) entries: u64,
}

/// A block that is still to be looked at, and the separators on both sides of it.
struct Waiting<S: Suite> {
    child: Child<S>,
    level: u8,
    left: Option<Arc<[u8]>>,
    right: Option<Arc<[u8]>>,
}

/// Looks at all blocks from the top down, and counts them: each is the one that the block above says, and every separator is above
/// the last key on its left and not above the first one on its right. So leaves ascend.
///
/// Each block is one by itself ([`super::block`], invariant 1): whoever reads it sees to that.
///
/// Time: all blocks once. Memory: the children of one block of each level.
pub(super) fn check<S: Suite, B: Storage<S>>(blocks: &B) -> Result<Found, KeyedError> {
    let mut found = Found::default();
    let mut waiting = Vec::new();
    waiting.extend(blocks.root().top.map(|(child, level)| Waiting {
        child,
        level,
        left: None,
        right: None,
    }));
    while let Some(next) = waiting.pop() {
        let block = blocks.read(&next.child, next.level)?;
        found.blocks = found.blocks.saturating_add(1);
        match block.slots() {
            Slots::Leaf(entries) => {
                check_bounds(entries, &next)?;
                let entries = to_number(entries.len());
                found.entries = found.entries.saturating_add(entries);
            }
            Slots::Inner(inner) => {
                let level = inner.level.saturating_sub(1);
                let mut left = next.left;
                let mut rights = inner.separators.iter().cloned();
                let first = waiting.len();
                for child in &inner.children {
                    let right = rights.next().or_else(|| next.right.clone());
                    waiting.push(Waiting {
                        child: *child,
                        level,
                        left: core::mem::replace(&mut left, right.clone()),
                        right,
                    });
                }
                // From left to right, as the last one is the next.
                if let Some(below) = waiting.get_mut(first..) {
                    below.reverse();
                }
            }
        }
    }
    Ok(found)
}

fn check_bounds<S: Suite>(entries: &[Entry<S>], place: &Waiting<S>) -> Result<(), BlockDamage> {
    let number = place.child.number;
    let bounds = (place.left.as_ref(), place.right.as_ref());
    let below = |entry: &Entry<S>, key: &Arc<[u8]>| *entry.key() < **key;
    let first = entries.first().zip(bounds.0);
    if first.is_some_and(|(first, left)| below(first, left)) {
        return Err(BlockDamage::BelowSeparator { number });
    }
    let last = entries.last().zip(bounds.1);
    if last.is_some_and(|(last, right)| !below(last, right)) {
        return Err(BlockDamage::AboveSeparator { number });
    }
    Ok(())
}
