//! Search by byte index: the one way down, for server and client alike.
//!
//! One byte costs the length of its path. Several are searched for in one walk over the union of their
//! paths, because an owner may choose levels that make paths as long as the list: one search each would
//! then cost the square of it.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use pad_core::Digest;

use super::{
    arena::{Arena, Elided, Leaf, Link, Node, NodeId},
    hash::NodeHash,
};

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
    pub(super) const fn new(start: u64, leaf: &Leaf) -> Self {
        Self {
            start,
            length: leaf.length,
            tag_digest: leaf.tag_digest,
            label: leaf.label,
        }
    }

    /// One past the index of its last byte.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}

/// The block that contains the byte at `index`, which is below the root's rank, and where it starts.
///
/// `None` if there is no such byte after all.
///
/// Source: section 2, search.
#[inline]
pub(super) fn search<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    index: u64,
) -> Result<Option<(u64, &Leaf)>, Elided> {
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

/// A search for several bytes.
pub(super) struct Wanted<'a> {
    pub(super) bytes: WantedBytes<'a>,
    /// How many blocks are wanted at most.
    pub(super) most: usize,
}

/// Bytes that are searched for together.
pub(super) enum WantedBytes<'a> {
    /// These, in ascending order.
    Indices(&'a [u64]),
    /// All of these.
    Range(Range<u64>),
}

impl WantedBytes<'_> {
    /// The first of them that is not below `from`, which never falls from call to call.
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

/// The distinct blocks that contain the wanted bytes, all below the root's rank, in file order; when as many
/// as wanted are found, the walk ends.
///
/// `visit` sees every node on the way to one of them, once, parents first. Time is linear in these
/// nodes and in what is wanted; the stack has at most one place for each level.
///
/// Source: section 2, genMultiProof.
pub(super) fn search_all<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    wanted: Wanted<'_>,
    mut visit: impl FnMut(NodeId),
) -> Result<Vec<Found>, Elided> {
    let Wanted { mut bytes, most } = wanted;
    let mut found = Vec::new();
    let mut next = bytes.next(0);
    // Subtrees and where they start; the leftmost is on top, and nothing wanted is left of it.
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
