//! Reading one version of a list.

use core::ops::Range;

use pad_core::Digest;

use super::{
    Block, SENTINEL_LEVEL,
    arena::{Arena, Link, Node},
    hash::{EMPTY, NodeHash},
    prune::{Opened, prune},
    search::search,
};
use crate::{error::UpdateError, level::Level};

/// A block and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The index of its first byte.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The hash of what its tag scheme commits.
    pub tag_digest: Digest<32>,
    /// The holder's label.
    pub label: u64,
}

impl Found {
    /// One past the index of its last byte.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}

/// One version of a list.
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

    /// All blocks in file order, in `O(n)`.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        // A tower is as high as the node whose after link leads to it (invariant 3).
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

    /// The block that contains the byte at `index`, in `O(log n)`.
    ///
    /// # Errors
    /// [`UpdateError::OutOfRange`].
    pub fn find(&self, index: u64) -> Result<Found, UpdateError> {
        self.open(index, &mut Opened::default())
    }

    /// Every block that overlaps the range, in file order.
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, or an empty range.
    pub fn find_range(&self, range: Range<u64>) -> Result<Vec<Found>, UpdateError> {
        self.open_range(range, &mut Opened::default())
    }

    /// Evidence for the blocks that contain these bytes.
    ///
    /// # Errors
    /// [`UpdateError`]: an index out of range, or no index.
    pub fn prove(&self, indices: &[u64]) -> Result<Vec<u8>, UpdateError> {
        if indices.is_empty() {
            return Err(UpdateError::EmptyBatch);
        }
        let mut sorted = indices.to_vec();
        sorted.sort_unstable();
        let mut opened = Opened::default();
        let mut end = 0;
        for index in sorted {
            if index >= end || index >= self.total() {
                end = self.open(index, &mut opened)?.end();
            }
        }
        Ok(prune(self.arena, self.root, &opened)?)
    }

    /// Evidence for every block that overlaps the range.
    ///
    /// # Errors
    /// [`UpdateError`]: out of range, or an empty range.
    pub fn prove_range(&self, range: Range<u64>) -> Result<Vec<u8>, UpdateError> {
        let mut opened = Opened::default();
        self.open_range(range, &mut opened)?;
        Ok(prune(self.arena, self.root, &opened)?)
    }

    /// Searches, and notes the way.
    pub(super) fn open(&self, index: u64, opened: &mut Opened) -> Result<Found, UpdateError> {
        let out_of_range = UpdateError::OutOfRange {
            index,
            total: self.total(),
        };
        if index >= self.total() {
            return Err(out_of_range);
        }
        let found = search(self.arena, self.root, index, |node| {
            opened.insert(node);
        })?;
        let (start, leaf) = found.ok_or(out_of_range)?;
        Ok(Found {
            start,
            length: leaf.length,
            tag_digest: leaf.tag_digest,
            label: leaf.label,
        })
    }

    /// Searches block after block, and notes the ways.
    pub(super) fn open_range(
        &self,
        range: Range<u64>,
        opened: &mut Opened,
    ) -> Result<Vec<Found>, UpdateError> {
        if range.is_empty() {
            return Err(UpdateError::EmptyRange);
        }
        if range.end > self.total() {
            return Err(UpdateError::OutOfRange {
                index: range.end,
                total: self.total(),
            });
        }
        let mut found = Vec::new();
        let mut index = range.start;
        while index < range.end {
            let block = self.open(index, opened)?;
            index = block.end();
            found.push(block);
        }
        Ok(found)
    }
}

#[cfg(test)]
impl<'a, H> View<'a, H> {
    pub(super) const fn arena(&self) -> &'a Arena<H> {
        self.arena
    }

    pub(super) const fn root_node(&self) -> super::arena::NodeId {
        self.root.node
    }
}
