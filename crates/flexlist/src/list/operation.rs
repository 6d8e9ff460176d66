//! Update operations, and their application in batches.

use alloc::vec::Vec;

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use super::{
    Block,
    arena::{Leaf, NodeId},
    hash::NodeHash,
    remove,
    transaction::{NodeValue, Step, Transaction},
};
use crate::{error::UpdateError, list::insert};

/// One change to the block list. It contains a block's length, tag digest and label, not its bytes.
///
/// [`Operation::Insert`] also sets the level. `index` refers to the file after the preceding
/// operations of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Inserts a block before the byte at `index`, which starts a block or is the end of the file.
    Insert {
        /// The index of the block's first byte after the insertion.
        index: u64,
        /// The block.
        block: Block,
    },
    /// Replaces the length, tag digest and label of the block that contains the byte at `index`.
    Modify {
        /// The index in the file of any byte of the block.
        index: u64,
        /// The new length in bytes, at least 1.
        length: u64,
        /// The hash of the committed part of the block's new tag.
        tag_digest: Digest<32>,
        /// The new label: application data, which no hash covers.
        label: u64,
    },
    /// Removes the block that contains the byte at `index`.
    Remove {
        /// The index in the file of any byte of the block.
        index: u64,
    },
}

/// Applies the operations and hashes the changed nodes. Returns the change in the number of blocks.
pub(super) fn apply_all<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    operations: &[Operation],
) -> Result<i64, UpdateError> {
    if operations.is_empty() {
        return Err(UpdateError::EmptyBatch);
    }
    transaction.limit(operations.len());
    let mut grown = 0_i64;
    for operation in operations {
        match operation {
            Operation::Insert { index, block } => {
                check_insert(transaction, *index, block)?;
                insert::insert(transaction, *index, block)?;
                grown = grown.saturating_add(1);
            }
            Operation::Modify {
                index,
                length,
                tag_digest,
                label,
            } => {
                if *length == 0 {
                    return Err(UpdateError::EmptyBlock);
                }
                let changed = |leaf: &Leaf| Leaf::new(*length, *tag_digest, *label, leaf.after());
                modify(transaction, *index, changed)?;
            }
            Operation::Remove { index } => {
                let start = locate(transaction, *index)?.start;
                remove::remove(transaction, start)?;
                grown = grown.saturating_sub(1);
            }
        }
    }
    transaction.seal()?;
    Ok(grown)
}

fn check_insert<H: NodeHash>(
    transaction: &Transaction<'_, H>,
    index: u64,
    block: &Block,
) -> Result<(), UpdateError> {
    let total = transaction.root().rank;
    if index > total {
        return Err(UpdateError::OutOfRange { index, total });
    }
    if block.length == 0 {
        return Err(UpdateError::EmptyBlock);
    }
    Ok(())
}

/// Replaces the leaf that contains the byte at `index` by the result of `changed`. The block's
/// level is unchanged.
fn modify<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    index: u64,
    changed: impl Fn(&Leaf) -> Leaf,
) -> Result<(), UpdateError> {
    let mut located = locate(transaction, index)?;
    let leaf = transaction.replace_leaf(located.node, changed(&located.leaf))?;
    let root = transaction.rebuild(&mut located.steps, leaf)?;
    transaction.set_root(root);
    Ok(())
}

/// A leaf, the start of its block, and the path to it.
struct LeafPath {
    start: u64,
    node: NodeId,
    leaf: Leaf,
    steps: Vec<Step>,
}

/// Finds the leaf that contains the byte at `index`.
fn locate<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    index: u64,
) -> Result<LeafPath, UpdateError> {
    let total = transaction.root().rank;
    if index >= total {
        return Err(UpdateError::OutOfRange { index, total });
    }
    let mut node = transaction.root().node;
    let mut rest = index;
    let mut steps = Vec::new();
    loop {
        let (passed, below, after) = match transaction.read(node)? {
            NodeValue::Inner(inner) => {
                (inner.below().rank, Some(inner.below().node), inner.after())
            }
            NodeValue::Leaf(leaf) if rest < leaf.length => {
                return Ok(LeafPath {
                    start: index.saturating_sub(rest),
                    node,
                    leaf,
                    steps,
                });
            }
            NodeValue::Leaf(leaf) => (leaf.length, None, leaf.after()),
        };
        match (rest.checked_sub(passed), below) {
            (None, Some(below)) => {
                steps.push(Step::Below(node));
                node = below;
            }
            (beyond, _) => {
                steps.push(Step::After(node));
                rest = beyond.unwrap_or_default();
                node = after.node;
            }
        }
    }
}
