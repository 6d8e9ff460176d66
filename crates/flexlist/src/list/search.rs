//! Search by byte index, for server and client alike.
//!
//! Searching for one byte costs the length of its path. Several bytes are searched for in one walk
//! over the union of their paths. An owner may choose levels that make paths as long as the list.
//! Separate searches would then take quadratic time.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use pad_core::Digest;

use super::{
    arena::{Arena, ElidedNode, Leaf, Link, Node, NodeId},
    hash::NodeHash,
};

/// A block found by a search, and its position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The index in the file of the block's first byte.
    pub start: u64,
    /// The length of the block in bytes.
    pub length: u64,
    /// The hash of the committed part of the block's tag.
    pub tag_digest: Digest<32>,
    /// The block's label: application data, which no hash covers.
    pub label: u64,
}

impl Found {
    pub(super) const fn new(start: u64, leaf: &Leaf) -> Self {
        Self {
            start,
            length: leaf.length,
            tag_digest: leaf.tag_digest,
            label: leaf.label,
        }
    }

    /// Returns the index in the file of the byte after the block's last byte.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}

/// Finds the block that contains the byte at `index`. Returns the index of the block's first byte,
/// and its leaf.
///
/// Returns `None` if the list has no byte at `index`. Callers pass an `index` below the root's
/// rank.
///
/// Source: Esiner et al. 2013, section 2 (search).
#[inline]
pub(super) fn search<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    index: u64,
) -> Result<Option<(u64, &Leaf)>, ElidedNode> {
    let mut node = root.node;
    let mut rest = index;
    while !node.is_none() {
        node = match arena.node(node)? {
            Node::Inner(inner) => match rest.checked_sub(inner.below().rank) {
                None => inner.below().node,
                Some(beyond) => {
                    rest = beyond;
                    inner.after().node
                }
            },
            Node::Leaf(leaf) => match rest.checked_sub(leaf.length) {
                // `rest` never exceeds `index`.
                None => return Ok(index.checked_sub(rest).map(|start| (start, leaf))),
                Some(beyond) => {
                    rest = beyond;
                    leaf.after().node
                }
            },
            Node::Right => return Ok(None),
        };
    }
    Ok(None)
}

/// A search for the blocks that contain certain bytes.
pub(super) struct ByteSearch<'a> {
    pub(super) bytes: WantedBytes<'a>,
    /// The maximum number of blocks to find.
    pub(super) most: usize,
}

/// Indices of the bytes to find in one walk.
pub(super) enum WantedBytes<'a> {
    /// Single indices, in ascending order.
    Indices(&'a [u64]),
    /// All indices of a range.
    Range(Range<u64>),
}

impl WantedBytes<'_> {
    /// Returns the first wanted index that is at least `from`, or `None`. `from` must not decrease
    /// from call to call.
    fn next(&mut self, from: u64) -> Option<u64> {
        match self {
            Self::Indices(left) => {
                let passed = left.iter().take_while(|index| **index < from).count();
                *left = left.get(passed..).unwrap_or_default();
                left.first().copied()
            }
            Self::Range(left) => {
                left.start = left.start.max(from);
                (!left.is_empty()).then_some(left.start)
            }
        }
    }
}

/// Returns the distinct blocks that contain the wanted bytes, in file order. All bytes must be
/// below the root's rank. The walk ends when `wanted.most` blocks are found.
///
/// `visit` is called once for every node on a path to a returned block, parents first. Time is
/// linear in these nodes and the wanted bytes. The stack holds at most one entry per level.
///
/// Source: Esiner et al. 2013, section 2 (`genMultiProof`).
pub(super) fn search_all<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    wanted: ByteSearch<'_>,
    mut visit: impl FnMut(NodeId),
) -> Result<Vec<Found>, ElidedNode> {
    let ByteSearch { mut bytes, most } = wanted;
    let mut found = Vec::new();
    let mut next = bytes.next(0);
    // Subtrees and their start positions; the leftmost is on top. No byte still wanted is left of
    // it.
    let mut stack = vec![(root, 0_u64)];
    while found.len() < most
        && let (Some(index), Some((link, start))) = (next, stack.pop())
    {
        if index >= start.saturating_add(link.rank) {
            continue;
        }
        let node = arena.node(link.node)?;
        visit(link.node);
        match node {
            Node::Inner(inner) => {
                let middle = start.saturating_add(inner.below().rank);
                stack.push((inner.after(), middle));
                stack.push((inner.below(), start));
            }
            Node::Leaf(leaf) => {
                let end = start.saturating_add(leaf.length);
                if index < end {
                    found.push(Found::new(start, leaf));
                    next = bytes.next(end);
                }
                stack.push((leaf.after(), end));
            }
            Node::Right => {}
        }
    }
    Ok(found)
}
