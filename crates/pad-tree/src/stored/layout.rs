//! Where the new nodes of a version go: such that a search reads few blocks.
//!
//! Nodes are written from the leaves up, a subtree at a time: as soon as a node and what is pending below it would be more than a block,
//! the larger of what is pending below is written, its top first and then level by level. So the way from any node down goes through
//! about as many blocks as subtrees of a block's size are above each other, and what a small update changes, a few paths, is one piece.

use pad_core::Suite;

use super::{
    draft::{Draft, Part},
    link::Link,
    log::NodeLog,
    nodes::BLOCK,
    record,
};
use crate::{
    balancing::BalancingScheme,
    id::{NodeId, NodeKind},
};

/// At most so much of a block is left free for a subtree that it would fit into the next one whole.
const MOST_GAP: usize = BLOCK / 8;

/// Writes the new nodes of a draft as they are to be appended at a position. Returns what is to be said of the root, and the bytes.
pub(super) fn write<S: Suite, B: BalancingScheme, L: NodeLog>(
    draft: &Draft<'_, S, B, L>,
    root: Option<NodeId>,
    position: u64,
) -> (Option<Link<S::Digest>>, Vec<u8>) {
    let mut layout = Layout {
        draft,
        position,
        bytes: Vec::new(),
        inner: Vec::new(),
        leaves: Vec::new(),
    };
    let root = root.map(|root| {
        layout.place(root);
        layout.link(root)
    });
    (root, layout.bytes)
}

struct Layout<'l, 'n, S: Suite, B: BalancingScheme, L> {
    draft: &'l Draft<'n, S, B, L>,
    position: u64,
    bytes: Vec<u8>,
    /// The addresses of new nodes, and of new leaves.
    inner: Vec<Option<u64>>,
    leaves: Vec<Option<u64>>,
}

/// A node on the way down, or on the way up when what is below it is known.
enum Visit {
    Down(NodeId),
    Up(NodeId),
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> Layout<'_, '_, S, B, L> {
    /// Writes all that is new below a node, and itself.
    fn place(&mut self, root: NodeId) {
        let mut visits = vec![Visit::Down(root)];
        // The bytes that are not written yet of the subtrees that were left.
        let mut pending: Vec<usize> = Vec::new();
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Down(node) => match self.draft.part(node) {
                    Part::Stored(_) => pending.push(0),
                    Part::Leaf(key, value) => pending.push(record::leaf_bytes(key, value)),
                    Part::Inner(_, children) => {
                        visits.push(Visit::Up(node));
                        visits.push(Visit::Down(children.right()));
                        visits.push(Visit::Down(children.left()));
                    }
                },
                Visit::Up(node) => {
                    let Part::Inner(separator, children) = self.draft.part(node) else {
                        continue;
                    };
                    let own = record::inner_bytes::<S::Digest>(separator);
                    let mut right = pending.pop().unwrap_or(0);
                    let mut left = pending.pop().unwrap_or(0);
                    while own + left + right > BLOCK && left + right > 0 {
                        if left > right {
                            self.write(children.left(), core::mem::take(&mut left));
                        } else {
                            self.write(children.right(), core::mem::take(&mut right));
                        }
                    }
                    pending.push(own + left + right);
                }
            }
        }
        if let Some(length) = pending.pop().filter(|length| *length > 0) {
            self.write(root, length);
        }
    }

    /// Writes what is pending of a subtree.
    fn write(&mut self, top: NodeId, length: usize) {
        let left = BLOCK - self.end() % BLOCK;
        if length <= BLOCK && length > left && left <= MOST_GAP {
            self.fill(left);
        }
        let mut order = vec![top];
        let mut next = 0;
        let mut end = self.end();
        while let Some(&node) = order.get(next) {
            next += 1;
            let length = match self.draft.part(node) {
                Part::Stored(_) => continue,
                Part::Leaf(key, value) => record::leaf_bytes(key, value),
                Part::Inner(separator, children) => {
                    let pending = children
                        .0
                        .into_iter()
                        .filter(|child| self.is_pending(*child));
                    order.extend(pending);
                    record::inner_bytes::<S::Digest>(separator)
                }
            };
            end += gap(end, length);
            self.set_address(node, end);
            end += length;
        }
        for node in order {
            match self.draft.part(node) {
                Part::Stored(_) => {}
                Part::Leaf(key, value) => {
                    self.fill(gap(self.end(), record::leaf_bytes(key, value)));
                    record::write_leaf(key, value, &mut self.bytes);
                }
                Part::Inner(separator, children) => {
                    self.fill(gap(self.end(), record::inner_bytes::<S::Digest>(separator)));
                    let links = children.0.map(|child| self.link(child));
                    record::write_inner(&links, separator, &mut self.bytes);
                }
            }
        }
    }

    fn is_pending(&self, node: NodeId) -> bool {
        !matches!(self.draft.part(node), Part::Stored(_)) && self.address(node).is_none()
    }

    /// What a parent says of a node that is written.
    fn link(&self, node: NodeId) -> Link<S::Digest> {
        match self.draft.part(node) {
            Part::Stored(link) => link,
            Part::Leaf(..) | Part::Inner(..) => self
                .draft
                .link(node, self.address(node).unwrap_or(u64::MAX)),
        }
    }

    /// The position, in blocks' terms, of the next byte.
    fn end(&self) -> usize {
        let start = usize::try_from(self.position).expect("layout: an address has 48 bits");
        start + self.bytes.len()
    }

    fn fill(&mut self, length: usize) {
        self.bytes.resize(self.bytes.len() + length, 0);
    }

    fn address(&self, node: NodeId) -> Option<u64> {
        let (list, index) = match node.kind() {
            NodeKind::Leaf(entry) => (&self.leaves, entry.index()),
            NodeKind::Inner(index) => (&self.inner, index),
        };
        list.get(index).copied().flatten()
    }

    fn set_address(&mut self, node: NodeId, position: usize) {
        let (list, index) = match node.kind() {
            NodeKind::Leaf(entry) => (&mut self.leaves, entry.index()),
            NodeKind::Inner(index) => (&mut self.inner, index),
        };
        if list.len() <= index {
            list.resize(index + 1, None);
        }
        list[index] = u64::try_from(position).ok();
    }
}

/// The bytes to leave free at a position, so that a record of this length is in one block if it can be.
fn gap(position: usize, length: usize) -> usize {
    let left = BLOCK - position % BLOCK;
    if length > left && length <= BLOCK {
        left
    } else {
        0
    }
}
