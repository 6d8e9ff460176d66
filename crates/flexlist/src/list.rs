//! FlexList: an authenticated list of blocks of any length, searched by byte index.
//!
//! A skip list in canonical form: the levels of the blocks determine all its nodes. A list built in
//! one pass thus equals a list built by updates, hash by hash. Every node stores the number of
//! bytes in its subtree (its *rank*). The root hash commits to the whole sequence. A block's leaf
//! and the inner nodes above it are its *tower*.
//!
//! ```text
//! 63  o-----------------------------------------------> ]      below: down
//!     |                                                        after: right
//!  2  o---------------------> o
//!     |                       |
//!  1  o---------> o           o----------> o
//!     |           |           |            |
//!  0  [ --> d3    d5 --> d2   d7           d4                  blocks of 3, 5, 2, 7, 4 bytes
//! ```
//!
//! Invariants (`T(i, k, e)` of the specification in `docs/format`):
//! 1. Both sentinels have level 63: the root is an inner node of that level whose after link points
//!    to the right sentinel.
//! 2. A tower has an inner node of level `k` up to its own height if and only if the next tower
//!    that reaches level `k` is exactly `k` high. The node's after link points to that tower.
//! 3. Hence exactly one after link points to each tower except the left sentinel's. This link
//!    belongs to a node whose level is the height of the tower.
//!
//! Source: Esiner, Küpçü and Özkasap, section 2; Deviation: see `hash` and invariant 1.

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use crate::{error::UpdateError, level::Level};
use arena::{Arena, Link, NodeId};
pub(crate) use hash::NodeHash;
pub use hash::Sha256;
pub use search::Found;
use transaction::Transaction;
use view::View;

pub(crate) mod arena;
#[cfg(feature = "std")]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counts and places of the holder's own blocks, checked first; no verifier builds"
)]
mod build;
#[cfg(feature = "std")]
mod concat;
pub(crate) mod hash;
mod insert;
mod node_set;
mod operation;
mod parse;
mod pool;
mod prune;
mod remove;
mod search;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
mod transaction;
mod verify;
pub(crate) mod view;

pub use operation::Operation;
pub use parse::MAX_PROOF_BYTES;
pub use verify::{ProvenBlock, verify_indices, verify_range, verify_update};

/// The maximum length of a file: `2^63 - 1` bytes.
#[doc(hidden)]
pub const MAX_TOTAL: u64 = (1 << 63) - 1;

/// The level of the sentinels (the first and the last node of a list), one above the highest level
/// of a block.
pub(crate) const SENTINEL_LEVEL: u8 = 63;

/// A block as the list stores it, without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The length of the block in bytes, at least 1.
    pub length: u64,
    /// The hash of the committed part of the block's tag ([`hash::tag_digest`]).
    pub tag_digest: Digest<32>,
    /// The height of the block's tower of nodes in the list.
    pub level: Level,
    /// Application data, returned with the block. No hash covers the label.
    pub label: u64,
}

/// A client's commitment to a list. The client verifies all proofs and updates of the list against
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListState {
    /// The hash of the list's root node.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// An authenticated list of blocks.
///
/// # Example
///
/// ```
/// use flexlist::{FlexList, Level};
/// use flexlist::list::{Block, ListState, Operation, verify_update};
/// use pad_core::{Digest, Workers};
///
/// let block = |position: u64, text: &[u8]| Block {
///     length: text.len() as u64,
///     tag_digest: Digest([position as u8; 32]), // Usually of the block's tag.
///     level: Level::initial(position),
///     label: 0,
/// };
/// let blocks = [block(1, b"to be"), block(2, b" or "), block(3, b"not to be")];
/// let mut server = <FlexList>::build(&blocks, &Workers::sequential())?;
/// let client = ListState { root: server.root(), total: server.total() };
///
/// // The server removes a block. The client derives the new root from the nodes that were read.
/// let operations = [Operation::Remove { index: 5 }];
/// let change = server.update(&operations)?;
/// let next = verify_update::<flexlist::list::Sha256>(&change.witness, &client, &operations)?;
/// assert_eq!(next.get().root, server.root());
/// server.forget(change.previous);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FlexList<H = Sha256> {
    arena: Arena<H>,
    root: Link,
    blocks: u64,
}

/// The result of [`FlexList::update`].
#[derive(Debug)]
pub struct Applied {
    /// The part of the old list that the update read, as input of [`verify_update`].
    pub witness: Vec<u8>,
    /// A handle to the version before the update.
    pub previous: Previous,
}

/// A handle to the version before an update. The version is readable until the handle is given
/// back.
///
/// Give it back to its list: to [`FlexList::undo`] in the reverse order of the updates, or to
/// [`FlexList::forget`], the oldest first. Once a version is forgotten, older ones can be neither
/// read nor restored.
#[derive(Debug)]
#[must_use = "the nodes of the earlier version stay in memory until it is undone or forgotten"]
pub struct Previous {
    root: Link,
    blocks: u64,
    created: Vec<NodeId>,
    superseded: Vec<NodeId>,
}

impl<H: NodeHash> FlexList<H> {
    /// The hash of the root, which commits to all blocks.
    pub fn root(&self) -> Digest<32> {
        self.current().root()
    }

    /// The length of the file in bytes.
    pub const fn total(&self) -> u64 {
        self.root.rank
    }

    /// The number of blocks.
    pub const fn block_count(&self) -> u64 {
        self.blocks
    }

    /// Returns the client's commitment to this list.
    pub fn state(&self) -> ListState {
        let (root, total) = (self.root(), self.total());
        ListState { root, total }
    }

    /// Returns a read-only view of the current version.
    pub const fn current(&self) -> View<'_, H> {
        View::new(&self.arena, self.root)
    }

    /// Returns a read-only view of the version before an update. The update must not have been
    /// undone or forgotten.
    #[doc(hidden)]
    pub const fn at(&self, previous: &Previous) -> View<'_, H> {
        View::new(&self.arena, previous.root)
    }

    /// Returns all blocks in file order, in `O(n)`.
    pub fn blocks(&self) -> Vec<Block> {
        self.current().blocks()
    }

    /// Finds the block that contains the byte at `index`, in `O(log n)`.
    ///
    /// # Errors
    /// [`UpdateError::OutOfRange`] if the file has no byte at `index`.
    pub fn find(&self, index: u64) -> Result<Found, UpdateError> {
        self.current().find(index)
    }

    /// Finds every block that overlaps the range, in file order.
    ///
    /// # Errors
    /// [`UpdateError::OutOfRange`] if the range ends after the end of the file;
    /// [`UpdateError::EmptyRange`] for an empty range.
    pub fn find_range(&self, range: Range<u64>) -> Result<Vec<Found>, UpdateError> {
        self.current().find_range(range)
    }

    /// Returns a proof of the blocks that contain the bytes at `indices`, for [`verify_indices`].
    ///
    /// # Errors
    /// [`UpdateError`]: an index out of range, no index, or a proof of more than
    /// [`MAX_PROOF_BYTES`].
    ///
    /// Source: Esiner et al. 2013, section 2 (`genMultiProof`).
    pub fn prove(&self, indices: &[u64]) -> Result<Vec<u8>, UpdateError> {
        self.current().prove(indices)
    }

    /// Returns a proof of every block that overlaps `range`, for [`verify_range`].
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, an empty range, or a proof of more than [`MAX_PROOF_BYTES`].
    pub fn prove_range(&self, range: Range<u64>) -> Result<Vec<u8>, UpdateError> {
        self.current().prove_range(range)
    }

    /// Applies a batch of operations atomically. Each index refers to the file after the preceding
    /// operations.
    ///
    /// Nodes are copied before they change. Each new node is hashed once, at the end.
    ///
    /// # Errors
    /// [`UpdateError`] if the list rejects the batch, which then has no effect.
    ///
    /// Source: Esiner et al. 2013, section 3.2 (`multiUpdate`); Deviation: the nodes that the
    /// update reads are recorded. The paper finds them again by indices, which shift.
    pub fn update(&mut self, operations: &[Operation]) -> Result<Applied, UpdateError> {
        let old = self.root;
        let mut transaction = Transaction::new(&mut self.arena, old);
        let outcome = operation::apply_all(&mut transaction, operations)
            .and_then(|count| Ok((count, transaction.witness(old)?)));
        match outcome {
            Ok((count, witness)) => {
                let (root, created, superseded) = transaction.finish();
                let previous = Previous {
                    root: old,
                    blocks: self.blocks,
                    created,
                    superseded,
                };
                self.root = root;
                self.blocks = self.blocks.saturating_add_signed(count);
                Ok(Applied { witness, previous })
            }
            Err(error) => {
                transaction.abandon();
                Err(error)
            }
        }
    }

    /// Restores the version before the newest update, which must be the update that returned
    /// `previous`.
    pub fn undo(&mut self, previous: Previous) {
        for node in previous.created {
            self.arena.remove(node);
        }
        self.root = previous.root;
        self.blocks = previous.blocks;
    }

    /// Frees the nodes that only the version before an update needs. That version is then no longer
    /// readable.
    pub fn forget(&mut self, previous: Previous) {
        for node in previous.superseded {
            self.arena.remove(node);
        }
    }
}
