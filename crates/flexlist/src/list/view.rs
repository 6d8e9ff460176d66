//! Read access to one version of a list.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use pad_core::Digest;

use super::{
    Block, SENTINEL_LEVEL,
    arena::{Arena, Link, Node, NodeId},
    hash::{EMPTY, NodeHash},
    node_set::NodeSet,
    prune::prune,
    search::{ByteSearch, Found, WantedBytes, search, search_all},
};
use crate::{error::UpdateError, level::Level};

/// A read-only view of one version of a list.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, H> {
    arena: &'a Arena<H>,
    root: Link,
}

impl<'a, H: NodeHash> View<'a, H> {
    pub(super) const fn new(arena: &'a Arena<H>, root: Link) -> Self {
        Self { arena, root }
    }

    /// The hash of the root.
    pub fn root(&self) -> Digest<32> {
        self.arena.digest(self.root.node).unwrap_or(EMPTY)
    }

    /// The length of the file in bytes.
    pub const fn total(&self) -> u64 {
        self.root.rank
    }

    /// Returns all blocks in file order, in `O(n)`.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        // A tower's height is the level of the node whose after link points to it (invariant 3).
        let mut stack = vec![(self.root.node, SENTINEL_LEVEL)];
        while let Some((node, level)) = stack.pop() {
            match self.arena.node(node) {
                Ok(Node::Inner(inner)) => {
                    stack.push((inner.after().node, inner.level));
                    stack.push((inner.below().node, level));
                }
                Ok(Node::Leaf(leaf)) => {
                    let after = leaf.after().node;
                    if !after.is_none() {
                        stack.push((after, 0));
                    }
                    if leaf.length > 0 {
                        blocks.push(Block {
                            length: leaf.length,
                            tag_digest: leaf.tag_digest,
                            level: Level::try_from(level).unwrap_or(Level::MAX),
                            label: leaf.label,
                        });
                    }
                }
                Ok(Node::Right) | Err(_) => {}
            }
        }
        blocks
    }

    /// Finds the block that contains the byte at `index`, in `O(log n)`.
    ///
    /// # Errors
    /// [`UpdateError::OutOfRange`] if the file has no byte at `index`.
    pub fn find(&self, index: u64) -> Result<Found, UpdateError> {
        self.check_index(index)?;
        let (start, leaf) = search(self.arena, self.root, index)?.ok_or(UpdateError::Elided)?;
        Ok(Found::new(start, leaf))
    }

    /// Finds every block that overlaps `range` (byte indices in the file), in file order.
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, or an empty range.
    pub fn find_range(&self, range: Range<u64>) -> Result<Vec<Found>, UpdateError> {
        self.find_range_up_to(range, usize::MAX)
    }

    /// Finds the first `most` blocks that overlap `range`, in file order. Takes one walk, which
    /// stops after `most` blocks.
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, or an empty range.
    pub fn find_range_up_to(
        &self,
        range: Range<u64>,
        most: usize,
    ) -> Result<Vec<Found>, UpdateError> {
        self.search_range(range, most, |_| {})
    }

    /// Finds the first `most` blocks that contain the bytes at `indices`, in file order, without
    /// duplicates. Takes one walk, which stops after `most` blocks.
    ///
    /// # Errors
    /// [`UpdateError`]: an index out of range, or no index.
    pub fn find_all_up_to(&self, indices: &[u64], most: usize) -> Result<Vec<Found>, UpdateError> {
        self.search_indices(indices, most, |_| {})
    }

    /// Returns an encoded proof of the blocks that contain the bytes at `indices`.
    ///
    /// # Errors
    /// [`UpdateError`]: an index out of range, no index, or a proof longer than
    /// [`MAX_PROOF_BYTES`](super::MAX_PROOF_BYTES).
    pub fn prove(&self, indices: &[u64]) -> Result<Vec<u8>, UpdateError> {
        let mut opened = NodeSet::default();
        self.search_indices(indices, usize::MAX, |node| {
            opened.insert(node);
        })?;
        prune(self.arena, self.root, &opened)
    }

    /// Returns an encoded proof of every block that overlaps `range`.
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, an empty range, or a proof longer than
    /// [`MAX_PROOF_BYTES`](super::MAX_PROOF_BYTES).
    pub fn prove_range(&self, range: Range<u64>) -> Result<Vec<u8>, UpdateError> {
        let mut opened = NodeSet::default();
        self.search_range(range, usize::MAX, |node| {
            opened.insert(node);
        })?;
        prune(self.arena, self.root, &opened)
    }

    /// Searches for at most `most` blocks that contain the bytes at `indices`. Calls `visit` once
    /// for every node on the paths to these blocks.
    pub(super) fn search_indices(
        &self,
        indices: &[u64],
        most: usize,
        visit: impl FnMut(NodeId),
    ) -> Result<Vec<Found>, UpdateError> {
        if indices.is_empty() {
            return Err(UpdateError::EmptyBatch);
        }
        let mut sorted = indices.to_vec();
        sorted.sort_unstable();
        for index in &sorted {
            self.check_index(*index)?;
        }
        let bytes = WantedBytes::Indices(&sorted);
        let wanted = ByteSearch { bytes, most };
        Ok(search_all(self.arena, self.root, wanted, visit)?)
    }

    /// Searches for at most `most` blocks that overlap `range`. Calls `visit` once for every node
    /// on the paths to these blocks.
    pub(super) fn search_range(
        &self,
        range: Range<u64>,
        most: usize,
        visit: impl FnMut(NodeId),
    ) -> Result<Vec<Found>, UpdateError> {
        if range.is_empty() {
            return Err(UpdateError::EmptyRange);
        }
        let (index, total) = (range.end, self.total());
        if index > total {
            return Err(UpdateError::OutOfRange { index, total });
        }
        let bytes = WantedBytes::Range(range);
        let wanted = ByteSearch { bytes, most };
        Ok(search_all(self.arena, self.root, wanted, visit)?)
    }

    const fn check_index(&self, index: u64) -> Result<(), UpdateError> {
        let total = self.total();
        if index < total {
            Ok(())
        } else {
            Err(UpdateError::OutOfRange { index, total })
        }
    }
}

#[cfg(test)]
impl<'a, H> View<'a, H> {
    pub(super) const fn arena(&self) -> &'a Arena<H> {
        self.arena
    }

    pub(super) const fn root_node(&self) -> NodeId {
        self.root.node
    }
}
