//! Update operations, and their application in batches.

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use super::{
    Block,
    arena::Leaf,
    hash::NodeHash,
    remove,
    transaction::{NodeValue, Transaction, Walk},
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
                let (start, ..) = locate(transaction, *index)?;
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
    let (_, leaf, walk) = locate(transaction, index)?;
    let leaf = transaction.replace_leaf(walk.node, changed(&leaf))?;
    let root = transaction.rebuild(walk.steps, leaf)?;
    transaction.set_root(root);
    Ok(())
}

/// Finds the leaf that contains the byte at `index`. Returns the start of its block, the leaf, and
/// the walk to it.
fn locate<H: NodeHash>(
    transaction: &mut Transaction<'_, H>,
    index: u64,
) -> Result<(u64, Leaf, Walk), UpdateError> {
    let total = transaction.root().rank;
    if index >= total {
        return Err(UpdateError::OutOfRange { index, total });
    }
    // The place after the byte: the block contains the byte before that place.
    let place = index.saturating_add(1);
    let mut walk = Walk::new(transaction.root().node, place, place);
    loop {
        let read = transaction.read(walk.node)?;
        if walk.passes(&read) {
            continue;
        }
        match read {
            NodeValue::Inner(inner) => walk.descend(&inner),
            NodeValue::Leaf(leaf) => return Ok((place.saturating_sub(walk.rest), leaf, walk)),
        }
    }
}
